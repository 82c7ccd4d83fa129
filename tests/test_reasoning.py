"""Reasoning that is bound to what stands before it: kept with a warning, or dropped at cuts."""

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import sound_histories
from support.oracles import objections

from trimtab import Conversation, DoesNotFit, InvalidOptions, Policy, fit, per_message, verify

DROP = Policy(reasoning="drop_after_edit")
SIZE = per_message(lambda message: 1 + len(str(message)) // 8)


def turn(number: int, thinking: str = "so it is") -> list:
    return [
        {"role": "user", "content": f"question {number}"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": thinking, "signature": f"s{number}"},
                {"type": "text", "text": f"answer {number}"},
            ],
        },
    ]


def thinks(message) -> bool:
    return "'thinking'" in str(message["content"])


ONE = per_message(lambda message: 14 if thinks(message) else 4)  # a turn costs 18, or 8 bare


def fitted_at(messages, budget, policy=DROP, **options):
    return fit(messages, budget, format="anthropic", counter=ONE, policy=policy, **options)


def test_all_stays_while_all_fits():
    messages = [*turn(0), *turn(1)]
    fitted = fitted_at(messages, 36)
    assert all(a is b for a, b in zip(fitted.messages, messages, strict=True))
    assert (fitted.cut_at, fitted.warnings) == (None, [])


def test_reasoning_goes_before_any_message_does():
    messages = [*turn(0), *turn(1)]
    fitted = fitted_at(messages, 35)
    assert len(fitted.messages) == 4 and fitted.dropped == []
    assert fitted.messages[1] == {**messages[1], "content": messages[1]["content"][1:]}
    assert fitted.messages[1]["content"][0] is messages[1]["content"][1]
    assert (fitted.used, fitted.first_changed, fitted.cut_at) == (16, 1, 3)
    row = fitted.decisions[1]
    assert (row.action, row.reasons, row.before, row.after) == (
        "changed",
        ("reasoning_removed", "run"),
        14,
        4,
    )
    assert fitted.warnings == [] and verify(fitted) == []


def test_what_was_thought_after_the_cut_stays_until_the_next():
    """The provider's rule: a change makes void only the reasoning that stood behind it."""
    messages = [*turn(0), *turn(1), *turn(2)]
    fitted = fitted_at(messages, 35)  # the cut came with message 3, and leaves 16
    assert [thinks(m) for m in fitted.messages] == [False, False, False, False, False, True]
    assert fitted.messages[5] is messages[5] and fitted.used == 34
    assert fitted.dropped == [] and fitted.warnings == []
    fitted = fitted_at([*messages, *turn(3)], 35)
    assert not any(map(thinks, fitted.messages)) and fitted.cut_at == 7


def test_kept_reasoning_warns_with_the_providers_own_switch():
    messages = [*turn(0), *turn(1)]
    [warning] = fitted_at(messages, 30, Policy()).warnings
    assert 'prefix_mismatch_behavior to "drop_block"' in warning
    assert "thinking-binding-controls-2026-08-01" in warning
    items = [
        {"type": "message", "role": "user", "content": "one"},
        {"type": "message", "role": "assistant", "content": "first"},
        {"type": "message", "role": "user", "content": "two"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "content": "second"},
    ]
    each = per_message(lambda _: 1)
    for policy in (Policy(), DROP):  # the provider drops it by itself, and an item needs its other
        fitted = fit(items, 3, format="openai-responses", counter=each, policy=policy)
        assert fitted.messages == items[2:]
        assert any("input_transformations" in warning for warning in fitted.warnings)


def test_a_loop_under_way_keeps_its_own_where_thinking_is_asked_for_by_hand():
    call = {"type": "tool_use", "id": "t", "name": "look", "input": {}}
    mind = {"type": "thinking", "thinking": "now", "signature": "s"}
    loop = [
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [mind, call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "it"}]},
    ]
    messages = [*turn(0), *loop]
    by_hand = fitted_at(messages, 35, thinking=True)
    assert [thinks(m) for m in by_hand.messages] == [False, False, False, True, False]
    assert by_hand.warnings and "drop_block" in by_hand.warnings[0]
    freely = fitted_at(messages, 35)
    assert not any(map(thinks, freely.messages)) and freely.warnings == []


def test_a_message_of_reasoning_alone_says_so():
    alone = {"role": "assistant", "content": [{"type": "redacted_thinking", "data": "x"}]}
    messages = [{"role": "user", "content": "a"}, alone, *turn(1)]
    fitted = fit(messages, 30, format="anthropic", counter=SIZE, policy=DROP)
    assert verify(fitted) == []
    texts = [m["content"][0]["text"] for m in fitted.messages if m["role"] == "assistant"]
    assert texts[0] == "[The reasoning was removed.]" or len(fitted.messages) < 4


def test_the_option_is_checked():
    with pytest.raises(InvalidOptions, match="'keep', 'drop_after_edit', 'drop_earlier', not 'never'"):
        Policy(reasoning="never")


@settings(max_examples=80, deadline=None)
@given(
    sound_histories("anthropic"),
    st.integers(10, 600),
    st.sampled_from([None, 0.5]),
    st.sampled_from([False, True]),
    st.sampled_from([None, 20]),
)
def test_laws_hold(history, budget, depth, notice, cap):
    """Sound, exact, stable but at declared cuts, equal in both twins, nothing mutated."""
    policy = Policy(depth=depth, notice=notice, max_result_tokens=cap, reasoning="drop_after_edit")
    options = {"format": "anthropic", "counter": SIZE, "policy": policy}
    before = copy.deepcopy(history)
    chat = Conversation(budget, **options)
    last = None
    for size in range(1, len(history) + 1):
        chat.append(history[size - 1])
        try:
            fitted = fit(history[:size], budget, **options)
        except DoesNotFit as error:
            assert error.needs.total > budget
            with pytest.raises(DoesNotFit):
                chat.fit()
            last = None
            continue
        twin = chat.fit()
        assert twin.messages == fitted.messages
        assert (twin.used, twin.cut_at, twin.decisions) == (
            fitted.used,
            fitted.cut_at,
            fitted.decisions,
        )
        assert verify(fitted) == []
        assert fitted.used == sum(1 + len(str(m)) // 8 for m in fitted.messages)
        assert objections("anthropic", fitted.messages) == []
        if last is not None and fitted.cut_at != size - 1:
            assert fitted.messages == [*last, history[size - 1]] or cap is not None
            assert fitted.messages[: len(last)] == last
        cut = -1 if fitted.cut_at is None else fitted.cut_at
        kept = [row.index for row in fitted.decisions if row.action != "dropped"]
        shown = [
            m
            for at, m in enumerate(fitted.messages)
            if at not in {r.position for r in fitted.inserted}
        ]
        for index, message in zip(kept, shown, strict=True):
            had = "thinking" in str(history[index]["content"])
            assert ("thinking" in str(message["content"])) == (had and index > cut)
        last = fitted.messages
    assert history == before


@settings(max_examples=40, deadline=None)
@given(sound_histories("anthropic"), st.integers(10, 400), st.data())
def test_a_refused_append_leaves_all_as_it_was(history, budget, data):
    options = {"format": "anthropic", "counter": SIZE, "policy": DROP}
    chat = Conversation(budget, **options)
    for message in history:
        if data.draw(st.booleans()):
            with pytest.raises(Exception):
                chat.append(
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "nobody", "content": "x" * 4000}
                        ],
                    }
                )
        chat.append(message)
        try:
            fitted = fit(chat.messages, budget, **options)
        except DoesNotFit:
            continue
        twin = chat.fit()
        assert (twin.messages, twin.used) == (fitted.messages, fitted.used)
