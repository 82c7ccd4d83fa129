"""LangChain messages: every call answered once, by the tool messages directly behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .adjacent import Told, adjacent
from .fields import field, word
from .opinion import Opinion


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What an API would refuse; calls that wait at the very end are let through."""
    yield from adjacent([_told(message) for message in messages])
    for at, message in enumerate(messages):
        if field(message, "type") == "remove":
            yield at, "an order to a store among the messages"


def _speaker(message: Any) -> str:
    kind = word(message, "type")
    kind = kind.removesuffix("MessageChunk").lower()
    return word(message, "role") if kind == "chat" else kind


def _told(message: Any) -> Told:
    speaker = _speaker(message)
    if speaker == "tool":
        return Told(answers=[field(message, "tool_call_id")])
    if speaker == "function":
        return Told(answers=[("function", field(message, "name"))])
    return Told(asks=_asked(message)) if speaker in ("ai", "assistant", "model") else Told()


def _asked(message: Any) -> list[Any]:
    parsed = [field(call, "id") for call in _calls(message)]
    extra = field(message, "additional_kwargs")
    raw = [field(call, "id") for call in field(extra, "tool_calls") or ()]
    content = field(message, "content")
    blocks = [] if isinstance(content, str) else list(content or ())
    shown = [id for block in blocks if (id := _block_id(block)) is not None]
    counts = Counter(parsed or raw) | Counter(shown)
    legacy = field(extra, "function_call")
    if legacy and not counts:
        return [("function", field(legacy, "name"))]
    return list(counts.elements())


def _calls(message: Any) -> list[Any]:
    return [*(field(message, "tool_calls") or ()), *(field(message, "invalid_tool_calls") or ())]


def _block_id(block: Any) -> Any:
    kind = word(block, "type")
    if kind in ("function_call", "custom_tool_call"):
        return field(block, "call_id")
    own = ("tool_use", "tool_call", "invalid_tool_call", "tool_call_chunk")
    return field(block, "id") if kind in own else None


def _stays(message: Any) -> bool:
    return _speaker(message) in ("system", "developer")


def _asks(message: Any) -> bool:
    others = ("ai", "assistant", "model", "tool", "function", "system", "developer")
    return _speaker(message) not in others


OPINION = Opinion(
    objections,
    stays=_stays,
    asks=_asks,
    parts=frozenset({"content", "tool_calls", "invalid_tool_calls", "additional_kwargs"}),
)
