"""pydantic-ai messages: every call answered once, at the front of the requests behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .adjacent import Told, adjacent
from .fields import field
from .opinion import Opinion

_STEERING: Final = ("system-prompt", "compaction", "instruction-baseline", "instruction-delta")


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What an API would refuse; calls that wait at the very end are let through."""
    yield from adjacent([_told(message) for message in messages])
    for at, message in enumerate(messages):
        kinds = [_answers(part) for part in field(message, "parts") or ()]
        if not all(kinds[: kinds.count(True)]):
            yield at, "a result behind other content"


def _told(message: Any) -> Told:
    parts = list(field(message, "parts") or ())
    if field(message, "kind") == "response":
        calls = (part for part in parts if field(part, "part_kind") == "tool-call")
        return Told(asks=[field(part, "tool_call_id") for part in calls])
    answers = [field(part, "tool_call_id") for part in parts if _answers(part)]
    heard = any(field(part, "part_kind") in ("user-prompt", "speech") for part in parts)
    return Told(answers=answers, more=bool(answers) and heard)


def _answers(part: Any) -> bool:
    kind = field(part, "part_kind")
    bound = kind == "retry-prompt" and field(part, "tool_name") is not None
    return kind == "tool-return" or bound


def _holds(message: Any, *kinds: str) -> bool:
    return any(field(part, "part_kind") in kinds for part in field(message, "parts") or ())


OPINION = Opinion(
    objections,
    stays=lambda message: _holds(message, *_STEERING),
    asks=lambda message: _holds(message, "user-prompt", "speech"),
    parts=frozenset({"parts"}),
)
