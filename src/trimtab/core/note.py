"""What a cut was, as the fold saw it."""

from __future__ import annotations

from typing import Final, NamedTuple

from .depth import Seen

OVER: Final = "over"  #: what stayed was more than may stay
DUE: Final = "due"  #: to wait risked more than a cut
COLD: Final = "cold"  #: the cache had gone cold, so that writing was due anyway


class Note(NamedTuple):
    """A cut: why it was made, from where to where, and what the fold had seen (`Seen`).

    ``start`` is the unit at which the run started before, ``mark`` at which it starts now;
    ``before`` and ``after`` are what stayed in tokens. ``freed`` is the oldest unit that was
    shrunk, -1 where none was. ``other`` is what the runner-up would have kept, None without one.
    ``anew``: the cache held nothing of the run before the cut, for it had gone cold or the mark
    was moved since the last request.
    """

    cause: str
    start: int
    mark: int
    before: int
    after: int
    freed: int
    other: int | None
    anew: bool
    high: int
    head: int
    grown: int
    units: int
    requests: int
    fresh: int

    @property
    def seen(self) -> Seen:
        """What a rule was told."""
        return Seen(*self[8:])
