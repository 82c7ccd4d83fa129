"""Which lines of Codex only show what another line holds."""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from ..formats.content import kind_of
from .codex_text import text_of
from .lines import Line

_SHOWS: Final = {
    "user_message": ("message", "user"),
    "agent_message": ("message", "assistant"),
    "agent_reasoning": ("reasoning", None),
    "agent_reasoning_raw_content": ("reasoning", None),
}
"""Events that show words: the type and role of the item that holds them."""


def mirrors(lines: Sequence[Line]) -> dict[int, int]:
    """The line that each showing line shows, by index. O(lines · log lines).

    An event with a ``call_id`` shows the call of that id; words show the item that says the
    same and stands nearest, else the nearest one that could.
    """
    calls: dict[str, int] = {}
    said: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    events: list[tuple[int, dict[str, Any]]] = []
    for at, line in enumerate(lines):
        value = line.value or {}
        payload = value.get("payload")
        if not isinstance(payload, dict):
            continue
        if value.get("type") == "event_msg":
            events.append((at, payload))
        elif value.get("type") == "response_item":
            for id in _ids(payload):
                calls.setdefault(id, at)
            role = payload.get("role")
            kind = (kind_of(payload), role if isinstance(role, str) else None)
            said[kind].append(at)
            said[(*kind, text_of(payload))].append(at)
    shown = {at: _shown(at, event, calls, said) for at, event in events}
    return {at: item for at, item in shown.items() if item is not None}


def _shown(
    at: int,
    event: dict[str, Any],
    calls: dict[str, int],
    said: defaultdict[tuple[Any, ...], list[int]],
) -> int | None:
    id = event.get("call_id")
    if isinstance(id, str):
        return calls.get(id)
    shows = _SHOWS.get(kind_of(event))
    if shows is None:
        return None
    words = event.get("message") or event.get("text")
    same = said.get((*shows, words)) if isinstance(words, str) else None
    return _nearest(same or said.get(shows, []), at)


def _ids(item: dict[str, Any]) -> list[str]:
    if not kind_of(item).endswith("_call"):
        return []
    return [id for id in (item.get("call_id"), item.get("id")) if isinstance(id, str) and id]


def _nearest(places: list[int], at: int) -> int | None:
    """The place that is closest to ``at``, the later one of two."""
    if not places:
        return None
    behind = bisect(places, at)
    near = places[max(behind - 1, 0) : behind + 1]
    return min(near, key=lambda place: (abs(place - at), -place))
