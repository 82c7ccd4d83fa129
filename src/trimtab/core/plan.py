"""A plan as data: which units stay, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .lead import Leads


@dataclass(frozen=True, slots=True)
class Plan:
    """Units ``mark`` and later form the run; ``anchors`` are the older units that stay.

    ``anchors`` maps a unit to the reason why it stays: ``pinned``, ``opener``,
    ``head`` or ``reasoning``, oldest first. ``units`` is the number of all units,
    ``total`` the tokens kept. ``cuts``: how many cuts led to it.
    """

    mark: int
    units: int
    anchors: Mapping[int, str]
    total: int
    cuts: int = 0

    def kept(self) -> list[int]:
        """Indices of all kept units, in order."""
        return [*self.anchors, *range(self.mark, self.units)]


def plan_at(mark: int, leads: Leads, total: int, cuts: int = 0) -> Plan:
    """The plan whose run starts at unit ``mark``. O(anchors log anchors)."""
    first, stop, head, reason = leads.of[mark]
    reasons = dict.fromkeys(range(first, stop), "opener")
    if head >= 0:
        reasons[head] = "head"
    if reason >= 0:
        reasons[reason] = "reasoning"
    reasons.update(dict.fromkeys((p for p in leads.pinned if p < mark), "pinned"))
    anchors = {unit: reasons[unit] for unit in sorted(reasons)}
    return Plan(mark, len(leads.of), anchors, total, cuts)
