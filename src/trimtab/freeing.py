"""What the passes of a policy free the units of, at the cuts of a history."""

from __future__ import annotations

from .core.batch import Waiting
from .core.lead import units_of
from .folded import Folded
from .formats.base import Message
from .shrink.clearing import CLEARED
from .shrink.passes import Arrival, Pass
from .shrink.rules import at_least
from .shrink.shrinking import Shrinking

Rows = list[tuple[int, int]]
"""Units, and the tokens that each is freed of."""


class Freeing:
    """The passes at work; what the fold calls when it overflows.

    A message is shown to the passes once, and only when a cut needs it.
    """

    def __init__(self, history: Folded, passes: list[Pass]) -> None:
        self._history = history
        self._names: dict[str, str] = {}  # of the tools that calls are for, by call id
        self._priced = 0  # messages whose costs are in the sum
        self._sum = 0
        self.shrinking = Shrinking(passes, history.shown, self._price)

    def __call__(self) -> tuple[Rows, bool]:
        """What the units can do without, at this overflow, and whether that is worth a cut."""
        history, shrinking, fold = self._history, self.shrinking, self._history.fold
        if fold is None:
            return [], False
        self._arrive()
        cut, rows = fold.cuts + 1, Rows()
        for at in shrinking.take(cut, self._may):
            if shrinking.shown(at, cut) is not shrinking.shown(at, cut - 1):
                saved = shrinking.cost(at, cut - 1) - shrinking.cost(at, cut)
                rows.append((history.unit_of(at), saved))
        setup = history.setup
        least = at_least(setup.policy, setup.room, self._total(), len(history.starts))
        return rows, bool(rows) and sum(saved for _, saved in rows) >= least

    def waits(self) -> Waiting:
        """How many tokens of old results could be cleared now, and the oldest unit of them."""
        self._arrive()
        tokens, oldest = self.shrinking.waits(CLEARED, self._may)
        return Waiting(tokens, 0 if oldest < 0 else self._history.unit_of(oldest))

    def freed(self, cuts: int) -> Rows:
        """What so many cuts have freed the units of, in all."""
        self._arrive()
        history, cost = self._history, self.shrinking.cost
        changed = self.shrinking.changed
        return [(history.unit_of(at), history.cost(at) - cost(at, cuts)) for at in changed]

    def _may(self, index: int, one: Pass) -> bool:
        """Whether a pass may have a message: it is kept as the fold stands, and not spared."""
        history, fold = self._history, self._history.fold
        assert fold is not None, "nothing is freed of a history that is not folded"
        unit, leads = history.unit_of(index), history.leads
        if unit in leads.pinned:
            return not one.spares
        return unit >= fold.mark or unit in units_of(leads.of[fold.mark])

    def _arrive(self) -> None:
        """Show the passes what has come since they were last asked."""
        history, format = self._history, self._history.setup.format
        for index in range(self.shrinking.seen, len(history.messages)):
            facts, unit = history.facts(index), history.unit_of(index)
            if facts.calls:
                named = format.call_names(history.messages[index])
                self._names.update(zip(facts.calls, named, strict=False))
            names = [self._names.get(id, "") for id in facts.answers]
            pinned = history.held[index]
            shown = history.shown(index)
            raw = history.messages[index]
            self.shrinking.arrive(Arrival(index, unit, shown, facts, names, pinned, raw))

    def _total(self) -> int:
        """What all messages cost when they arrived."""
        size = len(self._history.messages)
        self._sum += sum(map(self._history.cost, range(self._priced, size)))
        self._priced = size
        return self._sum

    def _price(self, index: int, message: Message) -> int:
        return self._history.setup.meter.message(message, index in self._history.batch)
