"""Anthropic Messages: turns alternate, and every call is answered at the front of the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .fields import field, word

_Turn = tuple[int, str, list[Any]]


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the API would refuse; calls that wait at the very end are let through."""
    yield from _system_objections(messages)
    yield from _empty(messages)
    turns = _turns(messages)
    yield from _server_objections(turns)
    seen: set[Any] = set()
    for place, (at, role, content) in enumerate(turns):
        asked = [field(block, "id") for block in content if field(block, "type") == "tool_use"]
        if role == "assistant" and (seen & set(asked) or len(set(asked)) < len(asked)):
            yield at, "a call id that is used twice"
        seen |= set(asked)
        kinds = [field(block, "type") for block in content]
        front = kinds[: kinds.count("tool_result")]
        if any(kind != "tool_result" for kind in front):
            yield at, "a result behind other content"
        before = turns[place - 1][2] if place and role == "user" else []
        owed = Counter(field(b, "id") for b in before if field(b, "type") == "tool_use")
        paid = Counter(
            field(b, "tool_use_id") for b in content if field(b, "type") == "tool_result"
        )
        if paid - owed:
            yield at, "a result without its call in the turn before"
        waits = place == len(turns) - 1 and len(front) == len(kinds)
        if owed - paid and not waits:
            yield at - 1, "a call without its result in the next turn"
        if asked and role == "assistant" and place + 1 < len(turns):
            if turns[place + 1][1] != "user":
                yield at, "a call without its result in the next turn"


def stays(message: Any) -> bool:
    """Whether a message is always kept: what steers, and what stands for all before it."""
    content = field(message, "content")
    blocks = content if isinstance(content, (list, tuple)) else ()
    return field(message, "role") in ("system", "developer") or any(
        field(block, "type") == "compaction"
        and (field(block, "content") or field(block, "encrypted_content"))
        for block in blocks
        if field(message, "role") == "assistant"
    )


def _empty(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """A message without content, but for a last one of the assistant, or a text without text."""
    for at, message in enumerate(messages):
        role, content = field(message, "role"), field(message, "content")
        if not content and not (role == "assistant" and at == len(messages) - 1):
            yield at, "a message without content"
        said = [content] if isinstance(content, str) and content else []
        if isinstance(content, (list, tuple)):
            said = [field(block, "text") for block in content if field(block, "type") == "text"]
        if any(not (str(text or "").strip() if role == "user" else text) for text in said):
            yield at, "a text without text"


def _turns(messages: list[Any]) -> list[_Turn]:
    """Neighbours of one role as one turn; system messages stand aside."""
    turns: list[_Turn] = []
    for at, message in enumerate(messages):
        role, content = field(message, "role"), field(message, "content")
        if role == "system":
            continue
        blocks = [{"type": "text"}] if isinstance(content, str) else list(content or ())
        if turns and turns[-1][1] == role:
            turns[-1][2].extend(blocks)
        else:
            turns.append((at, role, blocks))
    return turns


def _system_objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """A system message stands behind a user message, and no user message behind it."""
    before = None
    for at, message in enumerate(messages):
        role = field(message, "role")
        if role == "system":
            if before not in ("user", "user, system"):
                yield at, "a system message that does not follow a user message"
            role = "user, system"
        elif role == "user" and before == "user, system":
            yield at - 1, "a system message before a user message"
        before = role


def _server_objections(turns: list[_Turn]) -> Iterator[tuple[int, str]]:
    """Calls that the provider runs are answered by it, before the next human message."""
    open_: dict[Any, int] = {}
    for at, role, content in turns:
        kinds = [word(block, "type") for block in content]
        if role == "user" and open_ and any(kind != "tool_result" for kind in kinds):
            yield min(open_.values()), "a server tool call without its result"
            open_.clear()
        for kind, block in zip(kinds, content, strict=True):
            if kind in ("server_tool_use", "mcp_tool_use"):
                open_[field(block, "id")] = at
            elif kind.endswith("_tool_result") and role == "assistant":
                if open_.pop(field(block, "tool_use_id"), None) is None:
                    yield at, "a server tool result without its call"
