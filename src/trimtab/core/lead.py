"""Which units must stand before a run so that it has the human text it answers.

For a run that starts at unit m the *lead* is, by law 5:

- the newest human text that the run answers: nothing if unit m begins with a human
  message, else the newest unit before m that holds human text;
- the human-led units directly before that text (system messages between do not
  count): several messages in a row are one question;
- if the format demands a human head and the first of these has none, the newest
  human-led unit before it;
- if the format demands reasoning at the head of a tool loop and unit m has none,
  the newest unit of the same loop that begins with it.

Where user and assistant must take turns, a pinned unit keeps its *exchange*: the human
unit that leads it and, once the next exchange begins, the reply that ended it.

A lead depends on the flags of earlier units alone, so it is fixed when its unit
opens, and the cost of a run with its lead never falls when the run grows at its
front. That is what lets one backward walk find the longest run that fits.
"""

from __future__ import annotations

from typing import Final

from .unit import HUMAN, LED, PINNED, REASONS, STANDS, SYSTEM

Lead = tuple[int, int, int, int]
"""Units ``first`` to ``stop`` (exclusive), and single units ``head`` and ``reason`` or -1."""

NO_LEAD: Final[Lead] = (0, 0, -1, -1)


def units_of(lead: Lead) -> list[int]:
    """All units of a lead, in order."""
    first, stop, head, reason = lead
    units = [head] if head >= 0 else []
    units += range(first, stop)
    return [*units, reason] if reason >= 0 else units


def leads(lead: Lead, unit: int) -> bool:
    """Whether a unit is one of a lead; O(1)."""
    return lead[0] <= unit < lead[1] or unit in lead[2:]


class Leads:
    """The leads and pins of all units, built as the units arrive; O(1) a unit.

    ``of[m]`` is the lead of a run that starts at unit m; ``next`` is the lead that a
    plain unit (no flags) would get if it opened now; ``pinned`` holds the pinned units,
    ``standing`` those that stand for all before them.
    """

    __slots__ = (
        "_alternates",
        "_headed",
        "_holds",
        "_human_head",
        "_led",
        "_reach",
        "_reasoning_head",
        "_steering",
        "companion",
        "next",
        "of",
        "pinned",
        "standing",
    )

    def __init__(
        self, *, human_head: bool = False, reasoning_head: bool = False, alternates: bool = False
    ) -> None:
        self.of: list[Lead] = []
        self.next = NO_LEAD
        self.pinned: set[int] = set()
        self.standing: list[int] = []
        self.companion = -1  #: the newest unit that is pinned only because another one is
        self._alternates = alternates
        self._holds = False  # whether the newest exchange holds a pin
        self._steering: set[int] = set()  # system messages, where exchanges count
        self._human_head = human_head or alternates
        self._reasoning_head = reasoning_head
        self._led = -1  # the newest human-led unit
        self._reach = -1  # end of the newest row of human-led units and system messages after it
        self._headed = not self._human_head  # some pin has settled what leads the pinned units

    def push(self, flags: int) -> int:
        """A unit opens. Returns the older unit that must be pinned with it, or -1."""
        unit = len(self.of)
        if flags & STANDS:
            self.standing.append(unit)
        companion = self._part(unit) if self._holds and flags & (LED | SYSTEM) else -1
        self._holds = self._holds and not flags & LED
        if flags & PINNED:
            companion = max(companion, self.pin(unit, flags))
        chained = self._reach == unit
        if flags & SYSTEM:
            self.of.append(self.next)
            self._reach += chained
            if self._alternates:
                self._steering.add(unit)
        elif flags & LED:
            self.of.append(self.next if chained else NO_LEAD)
            self.next = (self.next[0] if chained else unit, unit + 1, -1, -1)
            self._led = unit
            self._reach = unit + 1
        else:
            self._push_model(unit, flags)
        return companion

    def _push_model(self, unit: int, flags: int) -> None:
        if self._reasoning_head and flags & REASONS:
            first, stop, head, _ = self.next
            self.of.append((first, stop, head, -1))
            self.next = (first, stop, head, unit)
        else:
            self.of.append(self.next)
        if flags & HUMAN:
            self.heard()

    def grow(self, flags: int) -> int:
        """The newest unit gains flags; LED comes along with PINNED. Returns as `push` does."""
        if flags & HUMAN:
            self.heard()
        if flags & STANDS:
            self.standing.append(len(self.of) - 1)
        return self.pin(len(self.of) - 1, flags) if flags & PINNED else -1

    def heard(self) -> None:
        """Human text arrived in the newest unit, which is not human-led."""
        unit = len(self.of) - 1
        self.next = (unit, unit + 1, self._led if self._human_head else -1, -1)

    def pin(self, unit: int, flags: int) -> int:
        """Pin the newest unit. Returns the older unit that must be pinned with it, or -1.

        Where the format demands a human head and the oldest pinned unit has none, the
        newest human-led unit before it is pinned too; where exchanges count, the one before
        every pin. That unit is still kept when the pin arrives, so no mark is disturbed.
        """
        self.pinned.add(unit)
        if self._headed or flags & SYSTEM:
            return -1
        self._holds = self._alternates
        self._headed = not self._alternates
        return -1 if flags & LED else self._accompany(self._led)

    def _part(self, unit: int) -> int:
        """The next exchange begins at ``unit``: pin the reply that ended the one with a pin.

        It is the unit before, which is kept until now as the newest one always is. A system
        message may stand between, so what it follows is pinned in case it is the reply.
        """
        reply = unit - 1
        while reply in self._steering:
            reply -= 1
        return self._accompany(reply)

    def _accompany(self, unit: int) -> int:
        if unit < 0 or unit in self.pinned:
            return -1
        self.pinned.add(unit)
        self.companion = unit
        return unit
