"""The laws hold with every pass on, in any combination, and the oracles still agree."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.forall import forall
from support.generate import sound_histories
from support.judges import judge
from support.pictures import PICTURED, with_pictures
from support.policies import CLOSED, SIZE, THOROUGH, policies
from support.written import installed

from trimtab import ClearResults, Conversation, DoesNotFit, Policy, fit, verify
from trimtab.formats.registry import FORMATS, format_named


def shrinks(policy: Policy) -> bool:
    return bool(
        policy.clear_results or policy.repeats or policy.media is not None
        or policy.reasoning != "keep"
    )


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in CLOSED])
def test_at_every_prefix(format):
    with installed(format):
        forall(st.data(), 60 if format in THOROUGH else 15, lambda data: every_prefix(format, data))


@pytest.mark.parametrize("format", [name for name in PICTURED if name not in CLOSED])
def test_at_every_prefix_with_pictures(format):
    def holds(data):
        plain = data.draw(sound_histories(format))
        every_prefix(format, data, with_pictures(format, format_named(format), plain))

    with installed(format):
        forall(st.data(), 30 if format in THOROUGH else 12, holds)


@pytest.mark.parametrize("format", list(FORMATS))
def test_nothing_costs_more_and_ids_stay(format):
    """But for reasoning, which goes turn by turn."""

    def holds(data):
        shape = format_named(format)
        history = data.draw(sound_histories(format))
        if format in PICTURED:
            history = with_pictures(format, shape, history)
        clear = ClearResults(keep=0, smallest=data.draw(st.integers(0, 9)), inputs=True, at_least=0)
        policy = Policy(clear_results=clear, media=0, repeats=True, handles=data.draw(st.booleans()))
        for counter in (SIZE, None):
            needs = fit(history, 10**6, format=format, counter=counter).used
            budget = data.draw(st.integers(max(1, needs // 2), needs))
            try:
                fitted = fit(history, budget, format=format, counter=counter, policy=policy)
            except DoesNotFit:
                continue
            kept = [row for row in fitted.decisions if row.action != "dropped"]
            assert all(row.after <= row.before for row in kept)
            for row, shown in zip(kept, fitted.messages, strict=True):
                before, after = shape.read(history[row.index]), shape.read(shown)
                assert before == after
                assert shape.call_names(shown) == shape.call_names(history[row.index])
                assert shape.answered(shown) == shape.answered(history[row.index])

    with installed(format):
        forall(st.data(), 40 if format in THOROUGH else 12, holds)


def every_prefix(format, data, history=None):
    history = data.draw(sound_histories(format)) if history is None else history
    policy, budget = data.draw(policies), data.draw(st.integers(10, 900))
    options = {"format": format, "counter": SIZE, "policy": policy}
    before = repr(history)
    chat, last, fitted_to = Conversation(budget, **options), None, 0
    for size in range(1, len(history) + 1):
        chat.append(history[size - 1])
        if chat._transcript.faults:  # an output that is late
            continue
        try:
            fitted = fit(history[:size], budget, **options)
        except DoesNotFit as error:
            assert error.needs.total > budget
            with pytest.raises(DoesNotFit):
                chat.fit()
            last = None
            continue
        twin = chat.fit()
        assert json.dumps(twin.to_dict()) == json.dumps(fitted.to_dict())
        assert repr(twin.messages) == repr(fitted.messages)
        assert verify(fitted) == []
        assert fitted.used <= budget
        assert judge(format)(fitted.messages) == []
        if last is not None and shrinks(policy) and (fitted.cut_at is None or fitted.cut_at < fitted_to):
            assert list(map(repr, fitted.messages[: len(last)])) == list(map(repr, last))
        last, fitted_to = fitted.messages, size
    assert repr(history) == before


@pytest.mark.parametrize("format", list(FORMATS))
def test_every_call_has_its_name(format):
    shape = format_named(format)

    def holds(history):
        for message in history:
            calls = shape.read(message).calls
            assert not calls or len(shape.call_names(message)) == len(calls)

    with installed(format):
        forall(sound_histories(format), 60, holds)


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_refused_append_and_an_older_result_change_nothing(format, data):
    history = data.draw(sound_histories(format))
    policy, budget = data.draw(policies), data.draw(st.integers(10, 600))
    options = {"format": format, "counter": SIZE, "policy": policy}
    chat = Conversation(budget, **options)
    orphans = {
        "openai-chat": {"role": "tool", "tool_call_id": "nobody", "content": "x" * 4000},
        "anthropic": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "nobody", "content": "x" * 4000}]},
    }
    made = []
    for message in history:
        if data.draw(st.booleans()):
            with pytest.raises(Exception, match="nobody"):
                chat.append(orphans[format])
        chat.append(message)
        try:
            fitted = chat.fit()
        except DoesNotFit:
            continue
        made.append((fitted, json.dumps(fit(chat.messages, budget, **options).to_dict())))
    for fitted, said in made:  # read only now, when the conversation has gone on
        assert json.dumps(fitted.to_dict()) == said
        assert verify(fitted) == []
