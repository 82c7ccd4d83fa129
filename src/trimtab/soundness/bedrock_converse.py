"""Bedrock Converse: roles alternate, and the one message behind a call holds all its results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from .fields import field
from .served import unserved

_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the API would refuse; calls that wait at the very end are let through."""
    talk = [(at, m) for at, m in enumerate(messages) if field(m, "role") != "system"]
    for place, (at, message) in enumerate(talk):
        before = talk[place - 1][1] if place else None
        role = field(message, "role")
        if before is not None and field(before, "role") == role:
            yield at, f"two {role} messages in a row"
        owed = _ids(before, "toolUse") if role == "user" else Counter[Any]()
        paid = _ids(message, "toolResult") if role == "user" else Counter[Any]()
        if paid - owed:
            yield at, "more results than calls in the turn before"
        if owed - paid and (place < len(talk) - 1 or asks(message)):
            yield at, "results are missing"
        if max(_ids(message, "toolUse").values(), default=0) > 1:
            yield at, "a call id twice in one message"
        if role == "user" and any("toolUse" in block for block in blocks(message)):
            yield at, "a call in a user message"
        if not all(_ID.fullmatch(str(use.get("toolUseId"))) for use in _held(message, "toolUse")):
            yield at, "a call id that the service does not take"
        yield from ((at, words) for words in _empty(message, place == len(talk) - 1))
    yield from unserved(_served(talk))


def asks(message: Any) -> bool:
    """Whether a user says something in it, beside results and cache points."""
    if field(message, "role") != "user":
        return False
    rest = [b for b in blocks(message) if not {"toolResult", "cachePoint"} & set(b)]
    return bool(rest) or not any("toolResult" in block for block in blocks(message))


def leads(message: Any) -> bool:
    """Whether it can be the first message."""
    return field(message, "role") == "user" and not _ids(message, "toolResult")


def blocks(message: Any) -> list[Any]:
    """The content blocks."""
    content = field(message, "content")
    return list(content) if isinstance(content, (list, tuple)) else []


def _ids(message: Any, kind: str) -> Counter[Any]:
    """How often each id stands in blocks of a kind; what the service runs is its own matter."""
    found = _held(message, kind) if message is not None else []
    return Counter(i.get("toolUseId") for i in found if i.get("type") != "server_tool_use")


def _held(message: Any, kind: str) -> list[Any]:
    return [block[kind] for block in blocks(message) if kind in block]


def _served(talk: list[tuple[int, Any]]) -> Iterator[tuple[int, str, Any]]:
    for at, message in talk:
        if asks(message):
            yield at, "person", None
        for block in blocks(message) if field(message, "role") == "assistant" else ():
            if field(block.get("toolUse"), "type") == "server_tool_use":
                yield at, "call", block["toolUse"].get("toolUseId")
            elif "toolResult" in block:
                yield at, "answer", block["toolResult"].get("toolUseId")


def _empty(message: Any, last: bool) -> Iterator[str]:
    content = blocks(message)
    if not content and not (last and field(message, "role") == "assistant"):
        yield "a message without content"
    for block in content:
        if "text" in block and not str(block["text"] or "").strip():
            yield "a text block without text"
        result = block.get("toolResult")
        if result and field(message, "role") == "user" and result.get("status") == "error":
            if not [p for p in result["content"] if set(p) != {"text"} or p["text"].strip()]:
                yield "an error without content"
