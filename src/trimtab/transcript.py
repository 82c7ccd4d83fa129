"""A history on its way from messages to units: grouped, excerpted on arrival, priced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from .core.fold import Fold
from .core.lead import Leads
from .core.plan import Plan
from .faults import Fault
from .formats.base import SYSTEM, Facts, Message
from .policy import DROP_AFTER_EDIT
from .setup import Setup
from .shrink.excerpt import excerpt_results
from .units import OPENS, Grouper

_UNBOUNDED: Final = 1 << 62


class State(NamedTuple):
    """Where the fold of a transcript stood, and under what setup."""

    setup: Setup
    mark: int
    clear: int
    moved_at: int | None


class Transcript:
    """Messages as units, built message by message.

    ``messages`` are the caller's own objects; `shown` gives what stands for one in a
    result: messages before ``clear`` are freed of what they can spare. Where the cut depends
    on the past (a policy with slack, or that frees) or messages arrive one by one
    (``incremental``), every message is priced as it arrives and folded into ``fold``;
    otherwise nothing is tokenised before a cost is asked for.
    """

    def __init__(self, setup: Setup, *, incremental: bool = False, room: int | None = None) -> None:
        self.setup = setup
        self.messages: list[Message] = []
        self.moved_at: int | None = None  #: the message whose arrival last made a cut
        self.clear = 0
        self._unbinds = setup.policy.reasoning == DROP_AFTER_EDIT
        self._grouper = Grouper(setup.format)
        self.starts = self._grouper.starts
        self.batch = self._grouper.batch
        self.leads = Leads(
            human_head=setup.format.human_head,
            reasoning_head=setup.format.reasoning_head and not self._unbinds,
            alternates=setup.format.alternation is not None,
        )
        share = setup.policy.share()
        self.fold: Fold | None = None  #: where cuts depend on every prefix
        if incremental or share is not None or self._unbinds:
            high = max(setup.room, 0) if room is None else room
            insert, manual = setup.notice_cost(), setup.thinking
            self.fold = Fold(high, self.leads, share=share, insert=insert, spares_loop=manual)
        self._cap = setup.policy.max_result_tokens
        self.pins: list[bool] = []  #: for every message whether the caller pinned it
        self._shown: dict[int, Message] = {}
        self._freed: dict[int, Message] = {}
        self._costs: dict[int, int] = {}

    @property
    def faults(self) -> list[Fault]:
        """All faults so far."""
        return self._grouper.faults

    @property
    def broken(self) -> list[Fault]:
        """The faults that stay, whatever comes next."""
        return self._grouper.broken

    @property
    def mark(self) -> int:
        """The unit that the run of the fold starts at."""
        return 0 if self.fold is None else self.fold.mark

    def extend(self, messages: Sequence[Message], pins: Sequence[bool] | None) -> None:
        """Take many messages. Without a fold their costs are left for later. O(messages)."""
        chosen = [False] * len(messages) if pins is None else pins
        self.pins += chosen
        if self.fold is not None:
            for message, pinned in zip(messages, chosen, strict=True):
                self._append(message, pinned, self.fold)
            return
        read, step, leads = self.setup.format.read, self._grouper.step, self.leads
        keep_first = self.setup.policy.keep_first
        for index, message in enumerate(messages):
            flags = step(index, read(message), index < keep_first or chosen[index])
            if flags == OPENS:
                leads.of.append(leads.next)
            elif flags & OPENS:
                leads.push(flags)
            elif flags:
                leads.grow(flags)
        self.messages += messages

    def _append(self, message: Message, pinned: bool, fold: Fold) -> None:
        """Group and price one message and push it into the fold."""
        index, cuts = len(self.messages), fold.cuts
        pinned = pinned or index < self.setup.policy.keep_first
        facts = self.setup.format.read(message)
        self.messages.append(message)
        flags = self._grouper.step(index, facts, pinned)
        put = fold.push if flags & OPENS else fold.grow
        cost = self.cost(index, self.clear)
        spare = cost - self.cost(index, index + 1) if self._unbinds and facts.thought else 0
        put(cost, flags & ~OPENS, spare)
        if fold.cuts != cuts:
            self._cut_at(index)

    def _cut_at(self, index: int) -> None:
        """The arrival of a message made a cut."""
        self.moved_at = index
        if self._unbinds:
            loop = self.leads.next[1] if self.setup.thinking else len(self.starts)
            self.clear = self.starts[loop] if loop < len(self.starts) else index + 1

    @property
    def state(self) -> State:
        """What `back` needs to come back here."""
        return State(self.setup, self.mark, self.clear, self.moved_at)

    def refix(self, setup: Setup) -> None:
        """Go on with another fixed cost; the mark moves on if what stays is too much now."""
        self.setup = setup
        if self.fold is not None:
            cuts = self.fold.cuts
            self.fold.resize(max(setup.room, 0))
            if self.fold.cuts != cuts:
                self._cut_at(len(self.messages) - 1)

    def first(self, size: int) -> Transcript:
        """The transcript of the first messages alone; nothing is counted again."""
        shorter = Transcript(self.setup, incremental=self.fold is not None)
        self._hand_over(shorter, size)
        return shorter

    def back(self, size: int, state: State) -> Transcript:
        """The transcript of the first messages as it stood when there were no more of them."""
        earlier = Transcript(state.setup, incremental=True, room=_UNBOUNDED)
        earlier.clear = state.clear
        self._hand_over(earlier, size)
        earlier.moved_at = state.moved_at
        if earlier.fold is not None:
            earlier.fold.stand(state.mark, max(state.setup.room, 0))
        return earlier

    def _hand_over(self, other: Transcript, size: int) -> None:
        other._shown = {at: shown for at, shown in self._shown.items() if at < size}
        other._freed = {at: freed for at, freed in self._freed.items() if at < size}
        other._costs = {at: cost for at, cost in self._costs.items() if at < size}
        other.extend(self.messages[:size], self.pins[:size])

    def kept(self, plan: Plan, size: int) -> list[int]:
        """Indices of the messages that a plan for the first ``size`` leaves, in order."""
        older = [at for unit in plan.anchors for at in self.span(unit)]
        first = self.starts[plan.mark] if plan.mark < len(self.starts) else size
        return [*older, *range(first, size)]

    def free(self, plan: Plan) -> int:
        """How many messages at the front cost nothing where a plan keeps them."""
        units = (unit for unit in reversed(self.leads.standing) if unit <= plan.mark)
        unit = next(units, None)
        return 0 if unit is None else self.starts[unit]

    def rendered(self, plan: Plan) -> list[Message]:
        """What a plan leaves of the messages, in order."""
        kept = self.kept(plan, len(self.messages))
        if self._cap is None and not plan.clear:
            return list(map(self.messages.__getitem__, kept))
        return [self.shown(index, plan.clear) for index in kept]

    def facts(self, index: int) -> Facts:
        """The facts of one message."""
        return self.setup.format.read(self.messages[index])

    def is_system(self, index: int) -> bool:
        """Whether a message is a system message."""
        return self.facts(index).role == SYSTEM

    def shown(self, index: int, clear: int = 0) -> Message:
        """What stands for a message in a result, where those before ``clear`` are freed.

        Itself, or a copy with its results excerpted, or without its reasoning.
        """
        if index < clear:
            freed = self._freed.get(index)
            if freed is None:
                freed = self.setup.format.without_reasoning(self.shown(index))
                self._freed[index] = freed
            return freed
        if self._cap is None:
            return self.messages[index]
        shown = self._shown.get(index)
        if shown is None:
            shown = excerpt_results(
                self.messages[index], self._cap, self.setup.format, self.setup.meter
            )
            self._shown[index] = shown
        return shown

    def span(self, unit: int) -> range:
        """The messages of a unit."""
        starts = self.starts
        stop = starts[unit + 1] if unit + 1 < len(starts) else len(self.messages)
        return range(starts[unit], stop)

    def cost(self, index: int, clear: int = 0) -> int:
        """Tokens of a message as it is shown."""
        if index < clear and (freed := self.shown(index, clear)) is not self.shown(index):
            return self.setup.meter.message(freed, index in self.batch)
        cost = self._costs.get(index)
        if cost is None:
            cost = self._costs[index] = self.setup.meter.message(
                self.shown(index), index in self.batch
            )
        return cost

    def unit_within(self, unit: int, limit: int) -> int | None:
        """Tokens of a unit if they are at most ``limit``, else None, counted no further."""
        left = limit
        for index in reversed(self.span(unit)):
            cost = self._costs.get(index)
            if cost is None:
                cost = self.setup.meter.within(self.shown(index), left, index in self.batch)
                if cost is None:
                    return None
                self._costs[index] = cost
            left -= cost
            if left < 0:
                return None
        return limit - left
