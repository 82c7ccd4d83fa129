"""The reference: groups, and a context packed newest first."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import (
    CounterError,
    DoesNotFit,
    DuplicateCall,
    DuplicateResult,
    InvalidHistory,
    InvalidOptions,
    MisplacedMessage,
    MissingResult,
    OrphanResult,
    build_context,
    check,
    group_messages,
)


def said(role, content, **more):
    return {"role": role, "content": content, **more}


SNAKE = ("tool_calls", "tool_call_id")
CAMEL = ("toolCalls", "toolCallId")
spellings = pytest.mark.parametrize("spelling", [SNAKE, CAMEL, ("tool_calls", "toolCallId")])


def asks(*ids, content="call", keys=SNAKE):
    return said("assistant", content, **{keys[0]: [{"id": id} for id in ids]})


def answer(id, content="result", keys=SNAKE):
    return said("tool", content, **{keys[1]: id})


def size(message):
    calls = message.get("tool_calls") or message.get("toolCalls")
    return len(message["content"]) + bool(calls)


def example(keys=SNAKE):
    return [
        said("system", "sys"),
        said("user", "oldold"),
        asks(1, keys=keys),
        answer(1, keys=keys),
        said("user", "new"),
    ]


@spellings
def test_the_example(spelling):
    messages = example(spelling)
    context = build_context(messages, token_budget=18, token_counter=size)
    assert [m["content"] for m in context.messages] == ["sys", "call", "result", "new"]
    assert all(any(m is own for own in messages) for m in context.messages)
    assert context.used_tokens == 17
    assert messages == example(spelling)


@pytest.mark.parametrize(
    ("budget", "kept", "used"),
    [
        (3, ["sys"], 3),
        (5, ["sys"], 3),
        (6, ["sys", "new"], 6),
        (12, ["sys", "oldold", "new"], 12),  # the group does not fit and is skipped
        (16, ["sys", "oldold", "new"], 12),
        (17, ["sys", "call", "result", "new"], 17),
        (22, ["sys", "call", "result", "new"], 17),
        (23, ["sys", "oldold", "call", "result", "new"], 23),
        (10**9, ["sys", "oldold", "call", "result", "new"], 23),
    ],
)
def test_what_does_not_fit_is_skipped(budget, kept, used):
    context = build_context(example(), token_budget=budget, token_counter=size)
    assert ([m["content"] for m in context.messages], context.used_tokens) == (kept, used)


def test_system_messages_come_first_and_in_order():
    messages = [said("user", "a"), said("system", "s1"), said("user", "b"), said("developer", "s2")]
    context = build_context(messages, token_budget=99, token_counter=size)
    assert [m["content"] for m in context.messages] == ["s1", "s2", "a", "b"]


@spellings
def test_groups(spelling):
    messages = [
        said("system", "s"),
        said("user", "u"),
        asks("a", "b", keys=spelling),
        answer("b", keys=spelling),
        answer("a", keys=spelling),
        said("assistant", "so"),
        said("user", "v"),
        said("user", "w"),
    ]
    groups = group_messages(messages)
    assert [[messages.index(m) for m in group] for group in groups] == [
        [0],
        [1],
        [2, 3, 4],
        [5],
        [6],
        [7],
    ]
    assert all(a is b for a, b in zip([m for g in groups for m in g], messages, strict=True))


def test_nothing_is_no_group():
    assert group_messages([]) == []
    context = build_context([], token_budget=0, token_counter=size)
    assert (context.messages, context.used_tokens) == ([], 0)


def test_an_id_may_come_again_in_a_later_turn():
    messages = [asks("a"), answer("a"), asks("a"), answer("a")]
    assert [len(group) for group in group_messages(messages)] == [2, 2]


def test_objects_are_read_like_mappings():
    call = SimpleNamespace(id="a")
    messages = [
        SimpleNamespace(role="assistant", content="call", tool_calls=[call]),
        SimpleNamespace(role="tool", content="result", tool_call_id="a"),
    ]
    assert group_messages(messages) == [messages]


BROKEN = {
    "an orphan": ([said("user", "u"), answer("a")], OrphanResult, 1, "a"),
    "an orphan in front": ([answer("a")], OrphanResult, 0, "a"),
    "no id": ([asks("a"), said("tool", "r")], OrphanResult, 1, None),
    "another id": ([asks("a"), answer("b"), answer("a")], OrphanResult, 1, "b"),
    "a result before its call": ([answer("a"), asks("a")], OrphanResult, 0, "a"),
    "no result": ([asks("a"), said("user", "u")], MissingResult, 0, "a"),
    "one of two results": ([asks("a", "b"), answer("a"), said("user", "u")], MissingResult, 0, "b"),
    "no result at the end": ([said("user", "u"), asks("a")], MissingResult, 1, "a"),
    "one of two at the end": ([asks("a", "b"), answer("b")], MissingResult, 0, "a"),
    "a call twice": ([asks("a", "a"), answer("a")], DuplicateCall, 0, "a"),
    "a second result": ([asks("a"), answer("a"), answer("a")], DuplicateResult, 2, "a"),
    "a second result later": (
        [asks("a"), answer("a"), said("user", "u"), answer("a")],
        DuplicateResult,
        3,
        "a",
    ),
    "a user between": ([asks("a"), said("user", "u"), answer("a")], MisplacedMessage, 2, "a"),
    "a reply between": ([asks("a"), said("assistant", "u"), answer("a")], MisplacedMessage, 2, "a"),
    "a system text between": (
        [asks("a"), said("system", "u"), answer("a")],
        MisplacedMessage,
        2,
        "a",
    ),
}


@pytest.mark.parametrize(("messages", "error", "index", "id"), BROKEN.values(), ids=list(BROKEN))
def test_broken_groups(messages, error, index, id):
    for call in (
        lambda: group_messages(messages),
        lambda: build_context(messages, token_budget=99, token_counter=size),
    ):
        with pytest.raises(InvalidHistory) as caught:
            call()
        assert type(caught.value) is error
        assert (caught.value.index, caught.value.id, caught.value.code) == (index, id, error.code)
        assert f"message {index}" in str(caught.value)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([said("user", "u"), said("assistant", "x"), said("system", "s")]),
            st.lists(st.sampled_from("ab"), min_size=1, max_size=2).map(lambda ids: asks(*ids)),
            st.sampled_from("ab").map(answer),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_the_rules_are_those_of_check_with_the_end_closed(messages):
    """`group_messages` refuses what `check` calls broken, and calls that still wait at the end."""
    closed = [*messages, said("user", "next")]
    try:
        groups = group_messages(messages)
    except InvalidHistory:
        assert check(closed, format="openai-chat")
        return
    assert check(closed, format="openai-chat") == []
    assert [m for group in groups for m in group] == messages


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.lists(
        st.tuples(st.sampled_from(["u", "s", "c"]), st.integers(0, 9)), min_size=1, max_size=9
    ),
    st.integers(0, 40),
)
def test_a_context_is_the_greedy_choice(script, budget):
    """By brute force: system first, then groups from the newest, each if it still fits."""
    messages, groups = [], []
    for kind, n in script:
        group = {
            "u": [said("user", "x" * n)],
            "s": [said("system", "x" * (n // 3))],
            "c": [asks("a", content="x" * n), answer("a", content="y")],
        }[kind]
        messages += group
        groups.append(group)
    system = [group for group in groups if group[0]["role"] == "system"]
    left = budget - sum(size(m) for group in system for m in group)
    if left < 0:
        with pytest.raises(DoesNotFit):
            build_context(messages, token_budget=budget, token_counter=size)
        return
    kept = []
    for group in reversed([group for group in groups if group not in system]):
        if sum(map(size, group)) <= left:
            left -= sum(map(size, group))
            kept.insert(0, group)
    context = build_context(messages, token_budget=budget, token_counter=size)
    assert context.messages == [m for group in [*system, *kept] for m in group]
    assert context.used_tokens == budget - left == sum(map(size, context.messages))


def test_tool_messages_are_compacted_before_they_are_counted():
    seen = []

    def compact(message):
        seen.append(message)
        return {**message, "content": message["content"][:2]}

    messages = example()
    context = build_context(messages, token_budget=13, token_counter=size, compact_tool=compact)
    assert [m["content"] for m in context.messages] == ["sys", "call", "re", "new"]
    assert context.used_tokens == 13
    assert seen == [messages[3]] and seen[0] is messages[3]
    assert messages == example()


@pytest.mark.parametrize("budget", [3, 17, 99])
def test_the_counter_is_called_once_a_message(budget):
    counted = []

    def counter(message):
        counted.append(id(message))
        return size(message)

    messages = example()
    build_context(messages, token_budget=budget, token_counter=counter)
    assert sorted(counted) == sorted(map(id, messages))


@pytest.mark.parametrize("budget", [-1, 1.5, "18", None, True, float("nan")])
def test_a_budget_is_a_whole_number(budget):
    with pytest.raises(InvalidOptions, match="token_budget"):
        build_context(example(), token_budget=budget, token_counter=size)


@pytest.mark.parametrize("option", ["token_counter", "compact_tool"])
def test_what_cannot_be_called_is_refused(option):
    options = {"token_budget": 18, "token_counter": size, option: 5}
    with pytest.raises(InvalidOptions, match=option):
        build_context(example(), **options)


def test_a_system_text_alone_above_the_budget_does_not_fit():
    with pytest.raises(DoesNotFit) as caught:
        build_context(example(), token_budget=2, token_counter=size)
    assert caught.value.needs.system == caught.value.needs.total == 3
    assert (caught.value.budget, caught.value.anchors) == (2, (0,))
    assert "needs at least 3" in str(caught.value)


@pytest.mark.parametrize("count", [-1, 1.5, None, "3", True, float("nan")])
def test_a_count_is_a_whole_number(count):
    with pytest.raises(CounterError, match="message 0"):
        build_context(example(), token_budget=18, token_counter=lambda message: count)


def test_a_counter_that_fails_is_named_without_the_message():
    def counter(message):
        raise KeyError(message["content"])

    with pytest.raises(CounterError, match="message 0: KeyError") as caught:
        build_context(example(), token_budget=18, token_counter=counter)
    assert isinstance(caught.value.__cause__, KeyError)
    assert "sys" not in str(caught.value)


def test_an_id_may_be_zero():
    assert len(group_messages([asks(0), answer(0)])) == 1


@pytest.mark.parametrize("messages", [5, None, [said("assistant", "x", tool_calls=5)]])
def test_malformed_input_ends_in_a_typed_error(messages):
    with pytest.raises((InvalidOptions, InvalidHistory)):
        group_messages(messages)
