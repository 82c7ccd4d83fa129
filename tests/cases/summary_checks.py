"""Checks on summaries: where they stand, what they say, and what a summariser was told."""

from __future__ import annotations

import re
from dataclasses import replace

from cases.checks import literal, means
from cases.loader import room_for
from cases.objecting import objections
from cases.runs import Run
from cases.scripted import Scripted, texts_of
from cases.views import view
from support.shapes import History

from trimtab import DoesNotFit
from trimtab.summary.frame import HEAD, unframed


def summaries(run: Run) -> list[int]:
    """Where the output has summaries; the same as its own account says."""
    found = [i for i, seen in enumerate(run.views) if seen.text.startswith(HEAD)]
    assert all(row.position in found for row in run.fitted.inserted if row.kind == "summary")
    return found


def summary(run: Run) -> str:
    """The one summary of the output, without the frame; the same as `Fitted.summary`."""
    (at,) = summaries(run)
    text = unframed(run.views[at].text)
    assert text and HEAD not in text and text == run.fitted.summary
    return text


def summariser(run: Run) -> Scripted:
    """The summariser of a run that has been made."""
    assert run.output != [] and run.summariser is not None
    return run.summariser


def was_told(run: Run, index: int) -> bool:
    """Whether some request to the summariser held what this message says or calls."""
    seen = view(run.inputs[index])
    text = unframed(seen.text) or seen.text
    told = summariser(run)
    assert not any(HEAD in one for one in told.texts), "a summary was told as a message"
    if text.strip():
        return any(text in one for one in told.texts)
    return bool(seen.calls) and any(said.role == "call" for ask in told.asks for said in ask.said)


@means(r"summaries in output == (\d+)")
def _so_many(run: Run, number: str) -> None:
    assert len(summaries(run)) == int(number)
    assert sum(seen.text.count(HEAD) for seen in run.views) == int(number)


@means(r"summary is output\[(\d+)\](?:, not part of output\[(\d+)\])?")
def _stands_at(run: Run, at: str, apart: str | None) -> None:
    assert summaries(run) == [int(at)]
    assert summariser(run).fixed in (None, summary(run))
    if apart is not None:
        assert run.output[int(apart)] is run.inputs[int(apart)]


@means(r"output\[(\d+)\] role == user and is the summary")
def _leads(run: Run, at: str) -> None:
    """With an older turn in front that has to go, where the case has room for all."""
    older = _with_older(run)
    assert summaries(older) == [int(at)] and older.views[int(at)].role == "user"
    assert all(any(message is one for one in older.output) for message in older.inputs[2:])
    assert objections(older) == []


def _with_older(run: Run) -> Run:
    """The run of a case behind an older turn, at a budget at which nothing but that goes.

    What the oldest message of the case answers stays with it: its opener.
    """
    block = isinstance(run.inputs[0]["content"], list)
    turn: History = []
    for at, role in enumerate(("user", "assistant", "user")):
        words = f"older {at} " * 9
        content = [{"type": "text", "text": words}] if block else words
        turn.append({"role": role, "content": content})
    made = Run(replace(run.case, messages=[*turn, *run.case.messages]), run.mode)
    whole = sum(map(run.case.cost, made.inputs))
    made.budget = whole - 1
    return made


@means(r"summary text == '(.+)' \(.+\)")
def _says(run: Run, text: str) -> None:
    assert summary(run) == text


@means(r"len\(summary text\) <= (\d+)")
def _short(run: Run, most: str) -> None:
    """At the end, and in every request on the way there."""
    seen = 0
    for size in range(1, len(run.inputs) + 1):
        grown = Run(replace(run.case, messages=run.case.messages[:size]))
        if not isinstance(grown.outcome, DoesNotFit) and summaries(grown):
            assert 0 < len(summary(grown)) <= int(most)
            seen += 1
    assert seen and summaries(run)


@means(r"output roles/texts == \[(.+)\]")
def _in_this_order(run: Run, wanted: str) -> None:
    at = set(summaries(run))
    for i, (seen, word) in enumerate(zip(run.views, wanted.split(", "), strict=True)):
        if word == "summary":
            assert i in at
        elif re.fullmatch(r"'.*'", word):
            assert seen.text == word[1:-1]
        else:
            assert seen.role == word
    assert len(at) == wanted.split(", ").count("summary")


@means(r"summary never inserted inside a unit")
def _never_inside(run: Run) -> None:
    """At every budget: what stands around it, and what validators say of the whole."""
    whole, some = sum(map(run.case.cost, run.inputs)), 0
    for budget in range(0, whole + 200, whole // 50 + 1):
        cut = Run(run.case, "repaired fit", budget=budget, saying="returns '+'")
        if isinstance(cut.outcome, DoesNotFit):
            continue
        assert objections(cut) == []
        for at in summaries(cut):
            some += 1
            assert not (at and cut.views[at - 1].calls) and not cut.views[at].results
    assert some, "no budget brings a summary"


@means(r"summariser input (includes|excludes) (\[[\d, ]+\])")
def _told_of(run: Run, relation: str, wanted: str) -> None:
    assert summariser(run).asks
    for index in literal(wanted):
        assert was_told(run, index) == (relation == "includes"), index


@means(r"summariser input includes all of (\[.+\]) or none of them")
def _told_of_all_or_none(run: Run, wanted: str) -> None:
    told = [was_told(run, index) for index in literal(wanted)]
    kept = [index in run.kept for index in literal(wanted)]
    assert len(set(told)) == len(set(kept)) == 1 and told != kept


@means(r"summariser input == messages (\[.+\])")
def _told_exactly(run: Run, wanted: str) -> None:
    said = [one for ask in summariser(run).asks for one in ask.said]
    assert [one.text for one in said] == [view(run.inputs[i]).text for i in literal(wanted)]
    assert all(ask.previous is None for ask in summariser(run).asks)


@means(r"summariser input contains '(.+)'")
def _told_that(run: Run, text: str) -> None:
    assert any(text in one for one in summariser(run).texts)


@means(r"len\(summariser input\) <= (\d+)")
def _told_no_more(run: Run, most: str) -> None:
    assert summariser(run).asks
    assert all(0 < sum(map(len, texts_of(a))) <= int(most) for a in summariser(run).asks)


@means(r"no empty text in summariser input")
def _told_no_blanks(run: Run) -> None:
    assert summariser(run).texts and all(text.strip() for text in summariser(run).texts)


@means(r"every input message is verbatim in the output or was in some summariser input")
def _nothing_lost(run: Run) -> None:
    assert summaries(run) != []
    for index, message in enumerate(run.inputs):
        assert any(message is one for one in run.output) or was_told(run, index), index


@means(r"report\.covered range is a subset of the items given")
def _covers_what_was_given(run: Run) -> None:
    """Of a view of a store: what the account calls summarised is of the view, and was told."""
    found = re.fullmatch(r"last (\d+)", run.case.options["view"])
    assert found
    view_of = run.case.messages[-int(found[1]) :]
    rule = "keep-last 1, rest summarised"
    cut = Run(replace(run.case, messages=view_of, rule=rule, budget=room_for(1)))
    covered = [row.index for row in cut.fitted.decisions if row.action == "summarised"]
    assert covered and covered == cut.fitted.dropped
    assert set(covered) < set(range(len(cut.inputs)))
    assert [one.text for ask in summariser(cut).asks for one in ask.said] == [
        view(cut.inputs[index]).text for index in covered
    ]
