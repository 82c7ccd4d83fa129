"""Checks on old tool results and old arguments that give way to a line."""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from typing import Any

from cases.checks import means
from cases.policies import clearing_of
from cases.runs import Run
from cases.views import view
from support.shapes import History

from trimtab import Conversation, Fitted, Policy, Summary, fit, per_message
from trimtab.stores import MemoryStore

_CUT = r"(?:over (\d+) steps: )?"


@means(_CUT + r"number of steps that change an earlier output message <= (\d+)")
def _clears_in_batches(run: Run, steps: str | None, most: str) -> None:
    for fed_back in (True, False):
        outputs = _grown(run, fed_back=fed_back)
        assert steps is None or len(outputs) == int(steps)
        changes = sum(b[: len(a)] != a for a, b in pairwise(outputs))
        assert 0 < changes <= int(most)


@means(r"newest (\d+) results never cleared")
def _newest_stay(run: Run, number: str) -> None:
    texts = [view(message).text for message in run.inputs if view(message).results]
    cleared = 0
    for fed_back in (True, False):
        for step, output in enumerate(_grown(run, fed_back=fed_back), 1):
            told = [view(message).text for message in output if view(message).results]
            newest = texts[:step][-int(number) :]
            assert told[-len(newest) :] == newest, step
            cleared += not set(told) <= set(texts)
    assert cleared, "nothing was cleared"


def _grown(run: Run, *, fed_back: bool) -> list[History]:
    """What is sent after every call with its results: of all so far, or of what was sent before."""
    starts = [i for i, message in enumerate(run.inputs) if view(message).calls]
    outputs: list[History] = []
    sent = run.inputs[: starts[0]]
    for start, stop in pairwise([*starts, len(run.inputs)]):
        so_far = [*sent, *run.inputs[start:stop]] if fed_back else run.inputs[:stop]
        sent = run.fit_of(so_far, run.case.budget).messages
        outputs.append(sent)
    return outputs


@means(r"used after second step <= used after first step|'(\w)' \* (\d+) not in any later output")
def _cleared_then_digested(run: Run, letter: str | None, times: str | None) -> None:
    """By what was sent before, by the whole history again, and by a conversation that grows."""
    text = "A" * 400 if letter is None else letter * int(times or 1)
    assert any(text in view(message).text for message in run.inputs)
    first, second = _digested(run)
    assert second.used <= first.used and second.summary
    for fitted in (first, second, _grown_past_the_unit(run)):
        assert text not in json.dumps([fitted.messages, fitted.summary])
        assert fitted.used <= fitted.budget


def _digested(run: Run) -> tuple[Fitted, Fitted]:
    first = run.fitted
    assert first.dropped == [] and [row.action for row in first.decisions].count("changed") == 1
    told: list[str] = []
    asked = {**run.asked(), "policy": _digesting(run, told)}
    second = fit(first.messages, first.used - 1, **asked)
    assert told and any(view(m).text in told for m in first.messages if view(m).results)
    return first, second


def _digesting(run: Run, told: list[str]) -> Policy:
    def digest(ask: Any) -> str:
        told.extend(said.text for said in ask.said)
        return "Read."

    made = Summary(digest, max_summary_tokens=5, store=MemoryStore())
    return Policy(clear_results=clearing_of(run.case, run.mode), summary=made)


def _grown_past_the_unit(run: Run) -> Fitted:
    """The cut after the one that cleared: what is digested is the line, not the old text."""
    told: list[str] = []
    counter = per_message(run.case.cost)
    talk = Conversation(run.fitted.budget, counter=counter, policy=_digesting(run, told))
    talk.extend(run.inputs)
    cleared = view(talk.fit().messages[2]).text
    assert cleared != view(run.inputs[2]).text
    while not talk.fit().dropped:
        talk.extend([{"role": "assistant", "content": "y" * 40}, {"role": "user", "content": "z"}])
    assert cleared in told and view(run.inputs[2]).text not in told
    return talk.fit()


def _arguments(run: Run, index: int, *, before: bool = False) -> str:
    message = run.case.messages[index] if before else run.after(index)
    (call,) = message["tool_calls"]
    return str(call["function"]["arguments"])


@means(r"json valid args\((\d+)\)")
def _still_json(run: Run, index: str) -> None:
    assert isinstance(json.loads(_arguments(run, int(index))), dict)


@means(r"args\((\d+)\)\.(\w+) == (.+)")
def _argument(run: Run, index: str, key: str, wanted: str) -> None:
    assert json.loads(_arguments(run, int(index)))[key] == ast.literal_eval(wanted)


@means(r"len\(args\((\d+)\)\) < len\(input args\(\d+\)\)")
def _shorter_arguments(run: Run, index: str) -> None:
    assert len(_arguments(run, int(index))) < len(_arguments(run, int(index), before=True))


@means(r"args\((\d+)\) say how many characters went")
def _arguments_say(run: Run, index: str) -> None:
    """And the call is otherwise what it was."""
    had = _arguments(run, int(index), before=True)
    assert re.search(rf"\b{len(had)} characters", _arguments(run, int(index)))
    (was,) = run.case.messages[int(index)]["tool_calls"]
    (call,) = run.after(int(index))["tool_calls"]
    function = {**call["function"], "arguments": had}
    assert {**call, "function": function} == was
