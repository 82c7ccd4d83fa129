"""The laws hold where what goes is summed up, by summarisers that work, fail and talk too much."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import strategies as st
from support.forall import forall
from support.generate import sound_histories
from support.judges import judge
from support.policies import CLOSED, SIZE, THOROUGH, policies
from support.written import installed

from trimtab import Conversation, DoesNotFit, Summary, fit, verify
from trimtab.formats.registry import FORMATS
from trimtab.stores import MemoryStore
from trimtab.summary.frame import unframed

ANSWERS = st.lists(st.sampled_from(["short", "long", "fails", "blank", "all"]), max_size=6)


class Scripted:
    """Answers as a script says; knows what it was asked."""

    name = "scripted"

    def __init__(self, answers):
        self.answers, self.asked = answers, []

    def __call__(self, ask):
        self.asked.append(ask)
        kind = self.answers[len(self.asked) % len(self.answers)] if self.answers else "short"
        if kind == "fails":
            raise TimeoutError
        if kind == "blank":
            return " \n"
        if kind == "all":
            return " ".join([ask.previous or "", *(one.text for one in ask.said)])
        return f"s{len(self.asked)}" + (" and so on" * 400 if kind == "long" else "")


def draw_budget(data, history):
    """Mostly a part of what the history needs."""
    size = sum(1 + len(str(message)) // 8 for message in history)
    return data.draw(st.integers(size // 3, max(size, 31)))


def draw_policy(data, answers):
    scripted = Scripted(answers)
    summary = Summary(
        scripted,
        max_summary_tokens=data.draw(st.sampled_from([5, 15])),
        store=MemoryStore(),
    )
    return scripted, replace(data.draw(policies), summary=summary)


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in CLOSED])
def test_at_every_prefix(format):
    with installed(format):
        forall(st.data(), 60 if format in THOROUGH else 15, lambda data: every_prefix(format, data))


def every_prefix(format, data):
    history = data.draw(sound_histories(format))
    scripted, policy = draw_policy(data, data.draw(ANSWERS))
    budget = draw_budget(data, history)
    options = {"format": format, "counter": SIZE, "policy": policy}
    before = repr(history)
    chat, last, fitted_to = Conversation(budget, **options), None, 0
    for size in range(1, len(history) + 1):
        chat.append(history[size - 1])
        if chat._transcript.faults:
            continue
        try:
            fitted = fit(history[:size], budget, **options)
        except DoesNotFit as error:
            assert error.needs.total > budget
            last = None
            continue
        asked = len(scripted.asked)
        twin = chat.fit()
        assert len(scripted.asked) == asked
        assert json.dumps(twin.to_dict()) == json.dumps(fitted.to_dict()) or fitted.warnings
        assert repr(twin.messages) == repr(fitted.messages)
        assert twin.used == fitted.used <= budget
        assert verify(fitted) == []
        assert judge(format)(fitted.messages) == []
        assert sum(row.kind == "summary" for row in fitted.inserted) <= 2
        if last is not None and (fitted.cut_at is None or fitted.cut_at < fitted_to):
            assert list(map(repr, fitted.messages[: len(last)])) == list(map(repr, last))
        last, fitted_to = fitted.messages, size
    assert repr(history) == before


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in CLOSED])
def test_every_message_is_told_once(format):
    with installed(format):
        forall(st.data(), 30, lambda data: told_once(format, data))


def told_once(format, data):
    """Messages are only numbers to a summariser that works: each is in one request."""
    history = data.draw(sound_histories(format))
    scripted, policy = draw_policy(data, [])
    policy = replace(policy, clear_results=None, max_result_tokens=None)
    chat = Conversation(
        draw_budget(data, history), format=format, counter=SIZE, policy=policy
    )
    for message in history:
        chat.append(message)
        if not chat._transcript.faults:
            try:
                chat.fit()
            except DoesNotFit:
                continue
    cuts = chat._transcript.cover.cuts
    units = [unit for cut in cuts for unit in cut.units]
    assert len(units) == len(set(units))
    assert len(scripted.asked) <= 2 * len(cuts)


@pytest.mark.parametrize("format", list(FORMATS))
def test_a_result_is_fitted_again_and_again(format):
    with installed(format):
        forall(st.data(), 30, lambda data: again(format, data))


def again(format, data):
    """A result fits as it is; with more behind it there is one summary, never one in another."""
    history = data.draw(sound_histories(format))
    scripted, policy = draw_policy(data, data.draw(ANSWERS))
    policy = replace(policy, notice=False, clear_results=None, media=None, repeats=False)
    options = {"format": format, "counter": SIZE, "policy": policy}
    budget = draw_budget(data, history)
    try:
        first = fit(history, budget, **options)
        asked = len(scripted.asked)
        second = fit(first.messages, budget, **options)
    except DoesNotFit:
        return
    if second.cut_at is None:
        assert list(map(id, second.messages)) == list(map(id, first.messages))
        assert len(scripted.asked) == asked
    assert verify(second) == []
    try:
        third = fit(second.messages, max(second.used - 1, 0), **options)
    except DoesNotFit:
        return
    assert verify(third) == []
    assert judge(format)(third.messages) == []
    shape = third.setup.format
    texts = [text for message in third.messages for text in shape.weigh(message).texts]
    assert sum(unframed(text) is not None for text in texts) <= 1
