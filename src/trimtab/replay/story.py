"""A conversation as it is replayed: its messages, when they came, and what it says it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..formats.base import Format, Message
from ..sessions import Session
from ..sessions.usage import Recorded, recorded, times_of


@dataclass(frozen=True, slots=True)
class Story:
    """One conversation. ``name`` is for people, ``recorded`` what its provider reported."""

    name: str
    messages: list[Message] = field(repr=False)
    format: str | Format | None = None
    model: str | None = None
    system: Any = field(default=None, repr=False)
    tools: Any = field(default=None, repr=False)
    pins: frozenset[int] = frozenset()
    times: Sequence[float | None] | None = field(default=None, repr=False)
    recorded: Sequence[Recorded] = field(default=(), repr=False)
    remarks: tuple[str, ...] = ()


def story_of(session: Session, name: str, model: str | None = None) -> Story:
    """The story of a transcript."""
    remarks: list[str] = []
    if session.pins:
        remarks.append("its client compacted it; what was sent before that is not replayed")
    return Story(
        name,
        session.messages,
        session.format,
        model or session.model,
        session.system,
        None,
        frozenset(session.pins),
        times_of(session),
        recorded(session),
        tuple(remarks),
    )
