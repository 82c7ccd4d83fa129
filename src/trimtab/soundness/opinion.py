"""What a second opinion on a format consists of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .fields import field

Objections = Callable[[list[Any]], Iterator[tuple[int, str]]]

CHANGED = frozenset(
    {"content", "tool_calls", "function_call", "output", "parts", "reasoning_content"}
    | {"reasoning", "reasoning_details", "arguments", "input", "from", "value"}
)


def asks(message: Any) -> bool:
    """Whether a message holds human text, where results may stand in its content."""
    content = field(message, "content")
    if field(message, "role") != "user":
        return False
    return not isinstance(content, (list, tuple)) or any(
        field(block, "type") != "tool_result" for block in content
    )


def leads(message: Any) -> bool:
    """Whether a message begins with human text, where results may stand in its content."""
    content = field(message, "content")
    if field(message, "role") != "user":
        return False
    return isinstance(content, str) or not content or field(content[0], "type") != "tool_result"


def steers(message: Any) -> bool:
    """Whether a message is a system message."""
    return field(message, "role") in ("system", "developer")


@dataclass(frozen=True, slots=True)
class Opinion:
    """How `trimtab.verify` sees a format.

    ``objections`` takes the messages of a result and yields ``(index, words)`` for what a
    provider would refuse. ``stays`` says whether a message is always kept, ``asks`` whether
    it holds human text, ``leads`` whether it begins with it where a result must. Only
    ``parts`` of a message may be changed.
    """

    objections: Objections
    stays: Callable[[Any], bool] = steers
    asks: Callable[[Any], bool] = asks
    leads: Callable[[Any], bool] | None = None
    parts: frozenset[str] = CHANGED
