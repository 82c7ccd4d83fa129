"""AI SDK UI messages: no part of an older message may wait for its output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .fields import field, word
from .opinion import Opinion


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the SDK would refuse; calls that wait at the very end are let through."""
    for at, message in enumerate(messages):
        if field(message, "role") != "assistant":
            continue
        waiting = [id for part in field(message, "parts") or () for id in _waiting(part)]
        if waiting and at < len(messages) - 1:
            yield at, "a tool part without output"
        if len(set(waiting)) < len(waiting):
            yield at, "a call id twice in one message"


def _waiting(part: Any) -> Iterator[Any]:
    kind = word(part, "type")
    if not kind.startswith(("tool-", "dynamic-tool")):
        return
    own = field(part, "toolInvocation") if kind == "tool-invocation" else part
    done = ("output-available", "output-error", "output-denied", "result")
    if field(own, "state") not in done and not field(own, "providerExecuted"):
        yield field(own, "toolCallId")


OPINION = Opinion(
    objections,
    asks=lambda message: field(message, "role") == "user",
    parts=frozenset({"parts"}),
)
