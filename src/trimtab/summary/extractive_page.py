"""Extracts as they fill a page of so many tokens."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Final, NamedTuple

from ..errors import SummaryError
from .asking import Ask
from .extractive_facts import words
from .extractive_lines import LABEL, SINGLE, Line, written
from .prompt import sections

_SHARES: Final = {  # of the tokens; what a section leaves goes to the best of all others
    "goal": 0.12,
    "constraints": 0.12,
    "decisions": 0.18,
    "names": 0.28,
    "open": 0.12,
    "errors": 0.18,
}
_LEFT: Final = 64  # candidates that are looked at after the first that finds no room


class Name(NamedTuple):
    """A name, its worth, and its place among all names by first use."""

    text: str
    worth: float
    first: int


class Pick(NamedTuple):
    """A line with its section, its worth by itself, and the names in it."""

    line: Line
    section: str
    worth: float
    names: tuple[str, ...]
    order: int


class Page:
    """The summary as it fills up, within a limit of tokens."""

    def __init__(self, ask: Ask, limit: int) -> None:
        self._count = ask.count
        self._limit = limit
        self._left = limit - self._count(LABEL + "\n")
        self._lines: dict[str, list[Pick]] = {section.key: [] for section in sections()}
        self._listed: list[Name] = []
        self._shown: set[str] = set()  # names that stand in the page
        self._said: set[frozenset[str]] = set()
        self._opened: set[str] = set()
        self._best: Pick | None = None

    def fill(self, picks: Sequence[Pick], ranked: Sequence[Name]) -> None:
        """Take the best of every section within its share, then the best of all."""
        room = self._left
        self._best = max(picks, key=lambda pick: pick.worth, default=None)
        for key, share in _SHARES.items():
            until = self._left - int(room * share)
            if key == "names":
                self._list(ranked, until)
            else:
                self._take([pick for pick in picks if pick.section == key], until)
        taken = {pick.order for chosen in self._lines.values() for pick in chosen}
        self._take([p for p in picks if p.order not in taken], self._left // 3)
        self._list(ranked, 0)
        self._take([p for p in picks if p.order not in taken], 0)

    def text(self) -> str:
        """The page, shortened until it is within the limit as a whole."""
        while (tokens := self._count(text := self._written())) > self._limit:
            if not self._drop(tokens - self._limit):
                return self._single()
        return self._single() if text == LABEL else text

    def _single(self) -> str:
        """As much of the best line as fits where there is no room for a page."""
        best = self._best.line.text if self._best else ""
        low, high = 0, len(best)
        while low < high:
            middle = (low + high + 1) // 2
            fits = self._count(SINGLE + best[:middle]) <= self._limit
            low, high = (middle, high) if fits else (low, middle - 1)
        if not best[:low].strip():
            raise SummaryError(f"{self._limit} tokens leave no room", kind="no_room")
        return SINGLE + best[:low].rstrip()

    def _written(self) -> str:
        parts = [LABEL]
        for section in sections():
            rows = [written(p.line) for p in sorted(self._lines[section.key], key=_by_order)]
            if section.key == "names" and self._listed:
                rows.insert(0, ", ".join(n.text for n in sorted(self._listed, key=_by_first)))
            if rows:
                parts += [f"## {section.name}", *rows]
        return "\n".join(parts)

    def _list(self, ranked: Sequence[Name], until: int) -> None:
        missed = 0
        for name in ranked:
            if missed > _LEFT:
                return
            if name.text in self._shown:
                continue
            cost = self._count(f"{name.text}, ") + self._opening("names")
            if self._left - cost < until:
                missed += 1
                continue
            self._left -= cost
            self._opened.add("names")
            self._listed.append(name)
            self._shown.add(name.text)

    def _take(self, picks: Sequence[Pick], until: int) -> None:
        """Take lines by what they add while more than ``until`` tokens are left."""
        heap = [(-pick.worth, -pick.order, pick) for pick in picks]
        heapq.heapify(heap)
        missed = 0
        while heap and missed <= _LEFT:
            worth, newest, pick = heapq.heappop(heap)
            now = -pick.worth * self._news(pick)
            if heap and now > worth and now > heap[0][0]:
                heapq.heappush(heap, (now, newest, pick))
                continue
            cost = self._count(written(pick.line) + "\n") + self._opening(pick.section)
            if self._left - cost < until or not self._is_new(pick):
                missed += self._left - cost < until
                continue
            self._left -= cost
            self._opened.add(pick.section)
            self._lines[pick.section].append(pick)
            self._shown.update(pick.names)

    def _news(self, pick: Pick) -> float:
        """Less than 1 for a line all of whose names are shown already."""
        shown = sum(name in self._shown for name in pick.names)
        return 1.0 - 0.5 * shown / len(pick.names) if pick.names else 1.0

    def _is_new(self, pick: Pick) -> bool:
        """Whether no line with the same words, numbers aside, has been taken."""
        said = frozenset(word for word in words(pick.line.text) if not word.isdigit())
        if said in self._said:
            return False
        self._said.add(said)
        return True

    def _opening(self, section: str) -> int:
        if section in self._opened:
            return 0
        name = next(own.name for own in sections() if own.key == section)
        return self._count(f"## {name}\n")

    def _drop(self, tokens: int) -> bool:
        """Take back the least of what was taken last, some tokens of it."""
        freed = 0
        while freed < tokens:
            chosen = [pick for lines in self._lines.values() for pick in lines]
            if self._listed and len(self._listed) >= len(chosen):
                freed += self._count(self._listed.pop().text)
            elif chosen:
                least = min(chosen, key=lambda pick: (pick.worth, pick.order))
                self._lines[least.section].remove(least)
                freed += self._count(written(least.line))
            else:
                return freed > 0
        return True


def _by_order(pick: Pick) -> int:
    return pick.order


def _by_first(name: Name) -> int:
    return name.first
