"""MCP sampling messages: the message behind calls answers exactly those, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .fields import field
from .opinion import Opinion


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the SDK would refuse; calls that wait at the very end are let through."""
    owed = Counter[Any]()
    for at, message in enumerate(messages):
        blocks = _blocks(message)
        paid = Counter(_answered(b) for b in blocks if field(b, "type") == "tool_result")
        if paid and sum(paid.values()) < len(blocks):
            yield at, "results beside other content"
        if paid != owed:
            yield at, "the results are not those of the calls before"
        owed = Counter(field(b, "id") for b in blocks if field(b, "type") == "tool_use")
        if any(times > 1 for times in owed.values()):
            yield at, "a call id twice in one message"


def _blocks(message: Any) -> list[Any]:
    content = field(message, "content")
    return list(content) if isinstance(content, (list, tuple)) else [content]


def _answered(block: Any) -> Any:
    id = field(block, "toolUseId")
    return field(block, "tool_use_id") if id is None else id


def _asks(message: Any) -> bool:
    kinds = [field(block, "type") for block in _blocks(message)]
    others = not kinds or any(kind != "tool_result" for kind in kinds)
    return field(message, "role") == "user" and others


OPINION = Opinion(objections, asks=_asks)
