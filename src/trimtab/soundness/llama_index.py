"""LlamaIndex messages: every call answered once, by the tool messages directly behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .adjacent import Told, adjacent
from .fields import field
from .opinion import Opinion

_MODEL: Final = ("assistant", "chatbot", "model")


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What an API would refuse; calls that wait at the very end are let through."""
    yield from adjacent([_told(message) for message in messages])


def _role(message: Any) -> Any:
    role = field(message, "role")
    return field(role, "value") or role


def _told(message: Any) -> Told:
    role, extra = _role(message), field(message, "additional_kwargs") or {}
    if role == "tool":
        return Told(answers=[field(extra, "tool_call_id")])
    if role == "function":
        return Told(answers=[("function", field(extra, "name"))])
    return Told(asks=_asked(message, extra)) if role in _MODEL else Told()


def _asked(message: Any, extra: Any) -> list[Any]:
    blocks = field(message, "blocks") or ()
    shown = [b for b in blocks if field(b, "block_type") == "tool_call"]
    raw = field(extra, "tool_calls") or ()
    legacy = field(extra, "function_call")
    ids = [field(b, "tool_call_id") for b in shown] or [field(call, "id") for call in raw]
    return ids or ([("function", field(legacy, "name"))] if legacy else [])


OPINION = Opinion(
    objections,
    stays=lambda message: _role(message) in ("system", "developer"),
    asks=lambda message: _role(message) == "user",
    parts=frozenset({"blocks", "additional_kwargs"}),
)
