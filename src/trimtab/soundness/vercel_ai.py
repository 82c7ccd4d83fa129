"""AI SDK model messages: every call answered once, by the tool messages directly behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .adjacent import Told, adjacent
from .fields import field
from .opinion import Opinion


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the SDK or an API would refuse; calls that wait at the very end are let through."""
    yield from adjacent([_told(message) for message in _without_silence(messages)])


def _without_silence(messages: list[Any]) -> list[Any]:
    """Tool messages that hold nothing but approvals stand between calls and results."""
    return [m for m in messages if field(m, "role") != "tool" or _told(m).answers]


def _told(message: Any) -> Told:
    content = field(message, "content")
    parts = [] if isinstance(content, str) else list(content or ())
    if field(message, "role") == "tool":
        results = [part for part in parts if field(part, "type") == "tool-result"]
        return Told(answers=[field(part, "toolCallId") for part in results])
    if field(message, "role") != "assistant":
        return Told()
    calls = [part for part in parts if field(part, "type") == "tool-call"]
    own = [part for part in calls if not field(part, "providerExecuted")]
    return Told(asks=[field(part, "toolCallId") for part in own])


OPINION = Opinion(objections, asks=lambda message: field(message, "role") == "user")
