"""The history that Codex rebuilds from the lines of a transcript when it resumes.

Source: ``rollout_reconstruction``, ``context_manager`` and ``compact`` in the sources of
openai/codex. Not rebuilt is the limit on what an older compaction keeps of the user's
words, so such a history may count more than it costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..formats.content import kind_of
from .codex_text import is_user_turn, is_voiced
from .lines import Line
from .session import Place

_KINDS: Final = frozenset(
    {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}
)
_NOT_SENT: Final = frozenset({"ghost_snapshot", "other"})
OWN: Final = ("payload",)
"""The path to an item in a line of its own."""
REPLACED: Final = ("payload", "replacement_history")
SUMMARY: Final = ("payload", "message")


class Replay:
    """The lines of a transcript, applied one by one.

    ``history`` holds the items and where they stand; ``base`` is the line whose replaced
    history is the newest; ``rollbacks`` are the lines that took turns back since then, and
    ``taken`` where the items of those turns stand.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        self.history: list[tuple[Place, Any]] = []
        self.base: int | None = None
        self.rollbacks: list[int] = []
        self.taken: list[Place] = []
        self.model: str | None = None
        self.system: str | None = None
        for at, line in enumerate(lines):
            payload = payload_of(line)
            if payload is not None and line.value is not None:
                self._apply(at, line.value["type"], payload)

    def _apply(self, at: int, kind: str, payload: dict[str, Any]) -> None:
        if kind == "session_meta":
            base = payload.get("base_instructions")
            told = base.get("text") if isinstance(base, dict) else payload.get("instructions")
            self.system = _text(told) or self.system
        elif kind == "turn_context":
            self.model = _text(payload.get("model")) or self.model
        elif kind == "response_item" and kind_of(payload) not in _NOT_SENT:
            self.history.append((Place(at, OWN), payload))
        elif kind == "compacted":
            self._compact(at, payload)
        elif kind == "event_msg" and kind_of(payload) == "thread_rolled_back":
            self._roll_back(at, payload.get("num_turns"))

    def _compact(self, at: int, payload: dict[str, Any]) -> None:
        replaced = payload.get("replacement_history")
        if isinstance(replaced, list):
            self.base, self.rollbacks, self.taken = at, [], []
            self.history = [(Place(at, (*REPLACED, n)), item) for n, item in enumerate(replaced)]
            return
        said = (pair for pair in self.history if pair[0].path != SUMMARY)
        content = [{"type": "input_text", "text": _text(payload.get("message"))}]
        summary = {"type": "message", "role": "user", "content": content}
        self.history = [pair for pair in said if is_voiced(pair[1])]
        self.history.append((Place(at, SUMMARY), summary))

    def _roll_back(self, at: int, turns: Any) -> None:
        self.rollbacks.append(at)
        starts = [n for n, (_, item) in enumerate(self.history) if is_user_turn(item)]
        if not isinstance(turns, int) or turns <= 0 or not starts:
            return
        cut = starts[max(len(starts) - turns, 0)]
        while cut > starts[0] and _sets_the_scene(self.history[cut - 1][1]):
            cut -= 1
        self.taken += [place for place, _ in self.history[cut:]]
        del self.history[cut:]


def payload_of(line: Line) -> dict[str, Any] | None:
    """What a line of Codex holds, None for any other line."""
    value = line.value
    payload = value.get("payload") if value is not None and is_codex(value) else None
    return payload if isinstance(payload, dict) else None


def is_codex(value: dict[str, Any]) -> bool:
    """Whether a line can only be one of Codex."""
    return kind_of(value) in _KINDS and "payload" in value


def _sets_the_scene(item: Any) -> bool:
    role = item.get("role") if isinstance(item, dict) else None
    return role == "developer" or (role == "user" and not is_user_turn(item))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
