"""Transcripts of Codex (rollouts): Responses items, what shows them, and headers.

The messages are the items of the history that Codex rebuilds. A dropped item takes its
line and the ``event_msg`` lines that show it along; of a ``compacted`` line only the
``replacement_history`` gets shorter, since without the line what it replaced would be
back. All other lines stay, but once anything has gone turns that were taken back go for
good, since a rollback counts turns, and so do the usage reports: Codex takes the last one
for the size of the history that it resumes. Pinned are the instructions, which Codex
does not give again, and the summary of an older compaction, which is no item of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_not
from typing import Any

from ..formats.content import kind_of
from .codex_mirrors import mirrors
from .codex_replay import OWN, REPLACED, SUMMARY, Replay, payload_of
from .codex_text import is_instructions
from .lines import Line, new_line
from .session import Broken, Place, Rewrite, Session, Step


class CodexSession(Session):
    """See the module."""

    kind = "codex"
    format = "openai-responses"

    def __init__(self, lines: list[Line]) -> None:
        super().__init__(lines)
        self._replay = Replay(lines)
        self.model, self.system = self._replay.model, self._replay.system
        for at, (place, item) in enumerate(self._replay.history):
            self.places.append(place)
            self.messages.append(item)
            if place.path == SUMMARY or is_instructions(item):
                self.pins.add(at)

    def rewritten(self, steps: Sequence[Step]) -> list[Line]:
        kept = [step.message for step in steps]
        if len(kept) == len(self.messages) and not any(map(is_not, kept, self.messages)):
            return self.lines
        rewrite = Rewrite(self)
        gone = self._gone({step.index for step in steps}) | self._taken_back()
        rewrite.gone |= gone | set(self._usage_reports())
        rewrite.gone |= {at for at, item in mirrors(self.lines).items() if item in gone}
        homes = self._homes(steps)
        self._replace(steps, homes, rewrite)
        self._place([s for s, home in zip(steps, homes, strict=True) if home is None], rewrite)
        return rewrite.lines()

    def broken(self) -> list[Broken]:
        found = self._unreadable()
        for at, line in enumerate(self.lines):
            if line.value is not None and kind_of(line.value) == "response_item":
                if payload_of(line) is None:
                    found.append(Broken("malformed", at, "a response_item without an item"))
        return sorted(found, key=lambda fault: fault.line)

    def mended(self) -> list[Line]:
        bad = {fault.line for fault in self.broken()}
        return [line for at, line in enumerate(self.lines) if at not in bad]

    def _gone(self, kept: set[int]) -> set[int]:
        """Lines of the items that are left out."""
        places = (place for at, place in enumerate(self.places) if at not in kept)
        return {place.line for place in places if place.path == OWN}

    def _taken_back(self) -> set[int]:
        """Lines that took turns back, and those of the turns; a summary cannot go alone."""
        taken = self._replay.taken
        if any(place.path == SUMMARY for place in taken):
            return set()
        return {place.line for place in taken if place.path == OWN} | {*self._replay.rollbacks}

    def _usage_reports(self) -> Iterator[int]:
        for at, line in enumerate(self.lines):
            payload = payload_of(line)
            if payload is not None and kind_of(payload) == "token_count":
                yield at

    def _replace(self, steps: Sequence[Step], homes: Sequence[Any], rewrite: Rewrite) -> None:
        """Leave of the ``replacement_history`` what is left of it."""
        base = self._replay.base
        if base is None:
            return
        old = (payload_of(self.lines[base]) or {})["replacement_history"]
        new = [step.message for step, home in zip(steps, homes, strict=True) if home == base]
        if len(old) != len(new) or any(map(is_not, old, new)):
            rewrite.edit(base, REPLACED, new)

    def _homes(self, steps: Sequence[Step]) -> list[int | None]:
        """For every message the line in whose ``replacement_history`` it stands, if in any.

        A new one stands where the one before it does, at the very front where the next does.
        """
        home = next((self._home(step.index) for step in steps if step.index >= 0), None)
        homes: list[int | None] = []
        for step in steps:
            home = self._home(step.index) if step.index >= 0 else home
            homes.append(home)
        return homes

    def _home(self, index: int) -> int | None:
        place = self.places[index]
        return place.line if place.path[:2] == REPLACED else None

    def _place(self, steps: Sequence[Step], rewrite: Rewrite) -> None:
        """Change the items that differ, and put new ones in front of what they precede."""
        last: Place | None = None
        waiting: list[Any] = []
        for step in steps:
            if step.index < 0:
                waiting.append(step.message)
                continue
            last = self.places[step.index]
            rewrite.edit_message(step)
            for item in waiting:
                rewrite.before(last.line, self._line(item, last.line))
            waiting.clear()
        end = len(self.lines) - 1
        for item in waiting:
            rewrite.behind(end, self._line(item, end if last is None else last.line))

    def _line(self, item: Any, near: int) -> Line:
        value = self.lines[near].value or {}
        at = {"timestamp": value["timestamp"]} if "timestamp" in value else {}
        return new_line({**at, "type": "response_item", "payload": item})
