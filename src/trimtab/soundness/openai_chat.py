"""OpenAI Chat: every call answered once, directly behind it, and no other answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .fields import field


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the API would refuse; calls that wait at the very end are let through."""
    at = 0
    if messages and field(messages[0], "role") in ("tool", "function"):
        yield 0, "a result without a call before it"
    while at < len(messages):
        asked = Counter(_asked(messages[at]))
        behind = at + 1
        while behind < len(messages) and field(messages[behind], "role") in ("tool", "function"):
            behind += 1
        answered = Counter(_answers(message) for message in messages[at + 1 : behind])
        if any(times > 1 for times in asked.values()):
            yield at, "a call id twice in one message"
        if answered - asked:
            yield at + 1, "a result without a call directly before it"
        if asked - answered and behind < len(messages):
            yield at, "a call without its result"
        at = behind


def _asked(message: Any) -> list[Any]:
    if field(message, "role") != "assistant":
        return []
    calls = field(message, "tool_calls")
    if calls:
        return [field(call, "id") for call in calls]
    legacy = field(message, "function_call")
    return [("function", field(legacy, "name"))] if legacy else []


def _answers(message: Any) -> Any:
    if field(message, "role") == "function":
        return ("function", field(message, "name"))
    return field(message, "tool_call_id")
