"""What ``count`` calls a message, and its sums."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.cli.labels import Labels, first_words, role_of
from trimtab.cli.source import Item
from trimtab.cli.tally import Tally

OPENAI: list[Any] = [
    {"role": "developer", "content": "be brief"},
    {"role": "user", "content": [{"type": "text", "text": "look"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            {"id": "b", "type": "custom", "custom": {"name": "run", "input": "ls"}},
        ],
    },
    {"role": "tool", "tool_call_id": "b", "content": "files"},
    {"role": "tool", "tool_call_id": "a", "content": "text"},
    {"role": "assistant", "content": "done"},
    {"role": "tool", "tool_call_id": "zzz", "content": "lost"},
    {"role": "assistant", "function_call": {"name": "old", "arguments": "{}"}},
    {"role": "function", "name": "old", "content": "3"},
]

ANTHROPIC: list[Any] = [
    {"role": "user", "content": "look"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "x"},
            {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "t"}]},
            {"type": "text", "text": "and now?"},
        ],
    },
]


def described(messages: list[Any]) -> list[tuple[str, list[str | None]]]:
    """The role and the tools of each message."""
    labels = Labels()
    rows = [(message, labels.shares(message)) for message in messages]
    return [(role_of(m, shares), [s.tool for s in shares if s.tool]) for m, shares in rows]


def test_openai_chat() -> None:
    """A result is named by its call, wherever that stands."""
    assert described(OPENAI) == [
        ("system", []),
        ("human", []),
        ("call", ["read", "run"]),
        ("result", ["run"]),
        ("result", ["read"]),
        ("assistant", []),
        ("result", ["(unknown)"]),
        ("call", ["old"]),
        ("result", ["old"]),
    ]


def test_anthropic() -> None:
    """Calls and results are blocks."""
    assert described(ANTHROPIC) == [("human", []), ("call", ["read"]), ("result", ["read"])]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"content": "hello"}, "hello"),
        ({"content": [{"type": "text", "text": "hello"}]}, "hello"),
        ({"content": [{"type": "tool_use", "input": {"a": 1}}]}, '{"a": 1}'),
        ({"content": None}, ""),
        ({"content": [3, None]}, ""),
        (None, ""),
    ],
)
def test_first_words(message: Any, words: str) -> None:
    """The first text in a message."""
    assert first_words(message) == words


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "type", "text", "id", "name", "tool_calls", "function", "input"]
                + ["tool_call_id", "tool_use_id", "function_call", "custom", "arguments"]
            ),
            inner | st.sampled_from(["user", "assistant", "tool", "tool_use", "tool_result"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JUNK, max_size=5))
def test_nothing_makes_it_fail(messages: list[Any]) -> None:
    """Labels are for display: any JSON gets one."""
    for message, (role, _) in zip(messages, described(messages), strict=True):
        assert role
        assert isinstance(first_words(message), str)


def tally(messages: list[Any], tokens: list[int], top: int = 3) -> Tally:
    """A tally of one conversation with these counts."""
    count: Any = SimpleNamespace(
        total=sum(tokens) + 6,
        exact=True,
        by_message=tokens,
        system=1,
        tools=2,
        response_format=0,
        framing=3,
    )
    made = Tally(top)
    made.add(Item(None, messages), count)
    return made


def test_sums_by_role_and_tool() -> None:
    """Each message once under its role; tools share out a message by length."""
    found = tally(OPENAI, [10, 20, 31, 40, 50, 60, 70, 8, 9])
    assert {name: (row.messages, row.tokens) for name, row in found.roles.items()} == {
        "system": (1, 10),
        "human": (1, 20),
        "call": (2, 39),
        "result": (4, 169),
        "assistant": (1, 60),
    }
    rows = {name: (row.calls, row.results, row.tokens) for name, row in found.tools.items()}
    assert rows == {
        "read": (1, 1, 16 + 50),  # "{}" and "ls" are alike, the odd token goes to the first
        "run": (1, 1, 15 + 40),
        "(unknown)": (0, 1, 70),
        "old": (1, 1, 8 + 9),
    }
    assert found.messages == 9
    assert dict(found.parts) == {"system": 1, "tools": 2, "response_format": 0, "framing": 3}


def test_words_beside_a_call_are_not_the_tools() -> None:
    """The text of a message takes its share before the tool."""
    message = {"role": "assistant", "content": "x" * 30, "tool_calls": OPENAI[2]["tool_calls"][:1]}
    assert tally([message], [160]).tools["read"].tokens == 10


def test_the_largest_come_first_and_ties_go_to_the_earlier() -> None:
    """Only ``top`` rows are kept."""
    messages = [{"role": "user", "content": str(n)} for n in range(6)]
    found = tally(messages, [5, 9, 5, 1, 9, 7], top=4)
    assert [(m.tokens, m.index) for m in found.largest] == [(9, 1), (9, 4), (7, 5), (5, 0)]
    assert [m.words for m in found.largest] == ["1", "4", "5", "0"]
    assert tally(messages, [1] * 6, top=0).largest == []


def test_lone_surrogates_and_nan_do_not_matter() -> None:
    """Sizes are of characters, not of bytes."""
    [message] = json.loads('[{"role": "user", "content": [{"type": "text", "text": "\\ud800"}]}]')
    assert tally([message], [4]).roles["human"].tokens == 4
