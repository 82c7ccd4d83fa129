"""What each cut took: the units that went with it and with no cut before."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple


class Cut(NamedTuple):
    """A cut: where it was made, and what it took.

    ``mark`` is the unit that the run starts at from then on, ``at`` the index of the message
    whose arrival made it, ``number`` its number among all cuts of the fold, and ``room`` what
    might be kept then. Among ``units`` is what an earlier cut had left because it led the run.
    """

    mark: int
    at: int
    number: int
    units: tuple[int, ...]
    room: int


class Cover:
    """The cuts of a fold that took something, oldest first.

    Every unit is of one cut at most, so that what is made of all cuts is linear in the units.
    """

    __slots__ = ("_reach", "_spared", "cuts")

    def __init__(self) -> None:
        self.cuts: list[Cut] = []
        self._spared: list[int] = []  # units before the mark that were kept so far
        self._reach = 0

    def cut(self, mark: int, at: int, number: int, anchors: Collection[int], room: int) -> None:
        """The mark has moved on; ``anchors`` are the units before it that are kept.

        O(units passed and kept).
        """
        units = self.taken(mark, anchors)
        self._spared = [unit for unit in self._older(mark) if unit in anchors]
        self._reach = mark
        if units:
            self.cuts.append(Cut(mark, at, number, units, room))

    def taken(self, mark: int, anchors: Collection[int]) -> tuple[int, ...]:
        """The units that a cut to ``mark`` would take."""
        return tuple(unit for unit in self._older(mark) if unit not in anchors)

    def before(self, mark: int, number: int) -> Cover:
        """What it was after so many cuts of the fold, when the mark stood there. O(units)."""
        earlier = Cover()
        earlier.cuts = [cut for cut in self.cuts if cut.number <= number]
        gone = {unit for cut in earlier.cuts for unit in cut.units}
        earlier._spared = [unit for unit in range(mark) if unit not in gone]
        earlier._reach = mark
        return earlier

    def _older(self, mark: int) -> list[int]:
        return [*self._spared, *range(self._reach, mark)]
