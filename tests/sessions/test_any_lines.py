"""Whatever stands in a line, reading, cutting and mending end in a result or a known error."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.transcripts import ClaudeCode, event, item, say
from trimtab import TrimtabError, per_message
from trimtab.sessions import check_session, fit_session, read_session, repair_session

EACH = per_message(lambda message: 1)


def claude_lines() -> list[Any]:
    """Some lines of Claude Code."""
    t = ClaudeCode()
    t.user("go")
    call = t.call("m1", "a")
    t.call("m1", "b")
    t.add("progress")
    t.result("b")
    t.result("a", parent=call)
    t.user("more", isCompactSummary=False)
    return t.values


def codex_lines() -> list[Any]:
    """Some lines of Codex."""
    call = {"type": "function_call", "name": "x", "arguments": "{}", "call_id": "a"}
    return [
        {"type": "session_meta", "payload": {"base_instructions": {"text": "x"}}},
        item(say("user", "go")),
        event("user_message", message="go"),
        {"type": "compacted", "payload": {"message": "s", "replacement_history": [say("user", "x")]}},
        item(call),
        event("exec_command_end", call_id="a"),
        item({"type": "function_call_output", "call_id": "a", "output": "ok"}),
        event("thread_rolled_back", num_turns=1),
        item(say("user", "on")),
    ]


junk = st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "x", "user", "a", "m1"])
junk = st.recursive(junk, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(
    st.sampled_from(["type", "role", "content", "id", "text", "call_id", "tool_use_id"]), inner, max_size=3),
    max_leaves=5)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another one at a place."""
    if not path:
        return new
    twin = dict(value) if isinstance(value, dict) else list(value)
    twin[path[0]] = put(twin[path[0]], path[1:], new)
    return twin


@pytest.mark.parametrize("lines", [claude_lines(), codex_lines()], ids=["claude-code", "codex"])
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_value_anywhere(lines: list[Any], data: st.DataObject) -> None:
    """Up to three values are replaced by others."""
    value: Any = lines
    for _ in range(data.draw(st.integers(1, 3))):
        value = put(value, data.draw(st.sampled_from(places(value)[1:] or [()])), data.draw(junk))
    if not isinstance(value, list):
        return
    text = "\n".join(json.dumps(line) for line in value).encode()
    for act in (check_session, repair_session, _fit, _fit_repaired):
        try:
            act(text)
        except TrimtabError:
            continue


def _fit(text: bytes) -> None:
    fitted = fit_session(text, 3, counter=EACH, system=0)
    assert read_session(fitted.data).messages == fitted.fitted.messages


def _fit_repaired(text: bytes) -> None:
    fit_session(text, 3, counter=EACH, system=0, on_invalid="repair")


@pytest.mark.parametrize("text", [b"", b"\n", b"{}", b"[1]", b'{"type": "user"}', b"\xff"])
def test_what_is_no_transcript(text: bytes) -> None:
    """An error says what was looked for."""
    with pytest.raises(TrimtabError, match="no known agent .*claude-code: .*codex: "):
        read_session(text)


def test_a_mixture_is_refused() -> None:
    """Lines of two agents are nobody's."""
    lines = [json.dumps(line) for line in (*claude_lines(), *codex_lines())]
    with pytest.raises(TrimtabError, match="several agents"):
        read_session(lines)
