"""What the transcripts of agents say that their requests cost, and when messages came."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from ..timing import stamp
from .claude_code import ClaudeCodeSession
from .session import Session


class Recorded(NamedTuple):
    """One request as its provider reported it, in tokens.

    ``prompt`` is the whole prompt, of which ``read`` came from the cache and ``written`` went
    to it; ``lasting`` of these for an hour. ``line`` is the index of the line that says so.
    """

    line: int
    time: float | None
    prompt: int
    read: int
    written: int
    output: int
    lasting: int = 0


def recorded(session: Session) -> list[Recorded]:
    """The requests that a transcript reports, in its order; one that stands twice counts once."""
    read = _claude_code if isinstance(session, ClaudeCodeSession) else _codex
    return list(read(session))


def times_of(session: Session) -> list[float | None]:
    """When each message of a session came, by the line in which it stands."""
    return [time_of(session.lines[place.line].value) for place in session.places]


def time_of(row: dict[str, Any] | None) -> float | None:
    """The time that a line tells, in seconds; None where it tells none."""
    told = (row or {}).get("timestamp")
    if not isinstance(told, str):
        return None
    try:
        return stamp(datetime.fromisoformat(told))
    except ValueError:
        return None


def _claude_code(session: Session) -> Iterator[Recorded]:
    rows: dict[Any, Recorded] = {}
    for at, line in enumerate(session.lines):
        row = line.value or {}
        message: Any = row.get("message")
        usage = message.get("usage") if isinstance(message, dict) else None
        if not isinstance(usage, dict) or row.get("isSidechain"):
            continue
        read, written = (
            _number(usage, f"cache_{what}_input_tokens") for what in ("read", "creation")
        )
        prompt = _number(usage, "input_tokens") + read + written
        kinds = usage.get("cache_creation")
        lasting = _number(kinds, "ephemeral_1h_input_tokens") if isinstance(kinds, dict) else 0
        key = message.get("id") or at
        first = rows.get(key)
        tokens = (prompt, read, written, _number(usage, "output_tokens"), lasting)
        if prompt:  # lines of one reply repeat its report; the last one has all of its output
            place = (first.line, first.time) if first else (at, time_of(line.value))
            rows[key] = Recorded(*place, *tokens)
    yield from rows.values()


def _codex(session: Session) -> Iterator[Recorded]:
    before: Any = None
    for at, line in enumerate(session.lines):
        payload: Any = (line.value or {}).get("payload")
        info = payload.get("info") if isinstance(payload, dict) else None
        if not isinstance(info, dict) or payload.get("type") != "token_count":
            continue
        last, total = info.get("last_token_usage"), info.get("total_token_usage")
        if not isinstance(last, dict) or total == before:
            continue
        before = total
        prompt, read = _number(last, "input_tokens"), _number(last, "cached_input_tokens")
        yield Recorded(at, time_of(line.value), prompt, read, 0, _number(last, "output_tokens"))


def _number(fields: dict[str, Any], name: str) -> int:
    value = fields.get(name)
    return value if type(value) is int and value > 0 else 0
