"""Facts that are pinned survive, all of them, with every pass and summaries on."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from support.corpus import requires_corpus
from support.subjects import SUBJECTS
from support.written import installed
from trimtab import (
    ClearResults,
    Conversation,
    DoesNotFit,
    InvalidHistory,
    Policy,
    Summary,
    check,
    fit,
    repair,
    verify,
)
from trimtab.formats.base import HUMAN
from trimtab.formats.registry import format_named
from trimtab.handles import result_texts, words_of
from trimtab.stores import MemoryStore

pytestmark = requires_corpus
FORMATS = ("openai-chat", "anthropic", "openai-responses", "gemini")
SOME = {"openai-chat": 4, "anthropic": 4, "openai-responses": 2, "gemini": 1}
ALL = dict.fromkeys(FORMATS, 1)
STEPS = pytest.mark.parametrize(
    "steps",
    [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=pytest.mark.slow)],
)


@pytest.fixture(autouse=True, scope="module")
def frameworks():
    with ExitStack() as stack:
        for format in FORMATS:
            stack.enter_context(installed(format))
        yield


class Recorder:
    """Answers with a number; remembers every word that it was told."""

    name = "recorder"

    def __init__(self):
        self.texts, self.calls = set(), 0

    def __call__(self, ask):
        self.calls += 1
        self.texts.update(one.text for one in ask.said)
        self.texts.add(ask.previous or "")
        return f"summary {self.calls}"


def every_pass(recorder, **more):
    return Policy(
        depth=0.6,
        keep_first=1,
        max_result_tokens=200,
        notice=True,
        reasoning="drop_earlier",
        clear_results=ClearResults(keep=1, smallest=5, inputs=True, at_least=0),
        media=0,
        repeats=True,
        handles=True,
        summary=Summary(recorder, max_summary_tokens=60, store=MemoryStore(), **more),
    )


def fact(number):
    return f"FACT-{number}: the berth of the heron is {number * 7919}."


def with_facts(messages, format):
    """The messages with a fact in front of some that people said, and where the facts are."""
    shape = format_named(format)
    made, places = [], []
    for at, message in enumerate(messages):
        facts = shape.read(message)
        said = facts.role == HUMAN and not facts.answers
        if said and (len(places) < 2 or at % 3 == 0) and len(places) < 8:
            places.append(len(made))
            made.append(shape.human(fact(len(places))))
        made.append(message)
    return made, places


def marked(format, step):
    """Conversations that are long enough to be cut, with facts."""
    for row in SUBJECTS[format].recorded(step):
        try:
            messages = repair(row.messages, format=format).messages
        except InvalidHistory:  # roles of its own
            continue
        if len(messages) < 8:
            continue
        made, places = with_facts(messages, format)
        if places and check(made, format=format) == []:
            yield row.id, made, places


def survive(fitted, messages, places):
    """Each pinned message is in the result as it was, with its fact."""
    shown = "\n".join(words_of(one, fitted.setup.format) for one in fitted.messages)
    for number, at in enumerate(places, 1):
        if at >= len(fitted.source):
            break
        assert any(messages[at] is one for one in fitted.messages), at
        assert fact(number) in shown
        assert fitted.decisions[at].action == "kept"
    assert verify(fitted) == []


def untold(recorder, messages, places, format):
    """Neither a pin nor a system message was ever shown to the summariser."""
    shape = format_named(format)
    assert not any("FACT-" in text for text in recorder.texts)
    system = {words_of(one, shape) for one in messages if shape.read(one).role == "system"}
    others = {words_of(one, shape) for one in messages if shape.read(one).role != "system"}
    others.update(text for one in messages for text in result_texts(one, shape))
    assert not (system - others - {""}) & recorder.texts


@pytest.mark.parametrize("format", FORMATS)
@STEPS
def test_pinned_one_by_one(format, steps):
    facts = cuts = summarised = 0
    for _, messages, places in marked(format, steps[format]):
        whole = fit(messages, 10**9, format=format).used
        recorder = Recorder()
        ahead = 0.8 if len(messages) % 2 else None
        policy = every_pass(recorder, ahead=ahead)
        for budget in (whole * 3 // 10, whole * 6 // 10):
            chat = Conversation(budget, format=format, policy=policy)
            step = max(1, len(messages) // 12)
            for at, message in enumerate(messages):
                chat.append(message, pin=at in places)
                if at % step and at != len(messages) - 1:
                    continue
                if chat._transcript.faults:
                    continue
                try:
                    fitted = chat.fit()
                except DoesNotFit:
                    continue
                survive(fitted, messages, places)
                cuts += bool(fitted.dropped)
                facts += sum(at < len(fitted.source) for at in places)
                summarised += fitted.summary is not None
        untold(recorder, messages, places, format)
    print(f"{facts} facts over {cuts} results with cuts, {summarised} with a summary")
    assert facts >= 100
    assert cuts >= 30
    assert summarised >= 15


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("how", ["index", "predicate"])
@STEPS
def test_pinned_by_index_and_by_predicate(format, how, steps):
    facts = summarised = 0
    for _, messages, places in marked(format, steps[format]):
        whole = fit(messages, 10**9, format=format).used
        recorder = Recorder()
        pinned = {id(messages[at]) for at in places}
        pin = places if how == "index" else lambda message, ids=pinned: id(message) in ids
        for part in (3, 6):
            try:
                fitted = fit(
                    messages,
                    whole * part // 10,
                    format=format,
                    policy=every_pass(recorder),
                    pin=pin,
                )
            except DoesNotFit:
                continue
            survive(fitted, messages, places)
            facts += len(places)
            summarised += fitted.summary is not None
        untold(recorder, messages, places, format)
    assert facts >= 20
    assert summarised >= 3
