"""A history on its way from messages to units: grouped, excerpted on arrival, priced."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from .core.cover import Cover
from .core.fold import Fold, Stood
from .core.lead import Leads
from .core.note import Note
from .core.plan import Plan, plan_at
from .core.unit import PINNED
from .faults import Fault
from .folding import fold_of
from .formats.base import HUMAN, SYSTEM, Facts, Message
from .freeing import Freeing
from .policy import DROP_AFTER_EDIT
from .setup import Setup
from .shrink.arriving import arrived, reshapes
from .shrink.rules import passes_of
from .summary.frame import bare, unframed
from .telling import Telling
from .timing import Clock, Seconds
from .units import OPENS, Grouper


class State(NamedTuple):
    """Where the fold of a transcript stood, and under what setup."""

    setup: Setup
    moved_at: int | None
    stood: Stood

    @property
    def cuts(self) -> int:
        """How many cuts the fold had made."""
        return self.stood.cuts


class Transcript:
    """Messages as units, built message by message.

    ``messages`` are the caller's own objects; `shown` gives what stands for one in a
    result. Where the cut depends on the past (a policy with slack, or that shrinks) or
    messages arrive one by one (``incremental``), every message is priced as it arrives and
    folded into ``fold``; otherwise nothing is tokenised before a cost is asked for.
    """

    def __init__(self, setup: Setup, *, incremental: bool = False, rests: bool = False) -> None:
        self.setup = setup
        self.messages: list[Message] = []
        self.moved_at: int | None = None  #: the message whose arrival last made a cut
        self._grouper = Grouper(setup.format)
        self.starts = self._grouper.starts
        self.batch = self._grouper.batch
        bound = setup.policy.reasoning == DROP_AFTER_EDIT  # then no run needs it in front
        self.leads = Leads(
            human_head=setup.format.human_head,
            reasoning_head=setup.format.reasoning_head and not bound,
            alternates=setup.format.alternation is not None,
        )
        self.insert = setup.insert_cost()  #: what stands in for what is gone costs at most this
        passes = passes_of(setup.policy, setup.format, setup.meter, setup.thinking)
        self._freeing = Freeing(self, passes) if passes else None
        self._shrinking = None if self._freeing is None else self._freeing.shrinking
        self.fold: Fold | None = None  #: where cuts depend on every prefix
        summary = setup.policy.summary
        self.cover = None if summary is None else Cover()  #: what each cut took
        self._telling: Telling | None = None
        self.recaps: dict[int, str] = {}  #: messages that are summaries of earlier ones
        depends = setup.policy.rule() is not None or passes or summary is not None
        if incremental or depends:
            self.fold = fold_of(setup, self.leads, self.insert, self._freeing, rests=rests)
        self.notes: list[tuple[int, Note]] = []  #: every cut, and the message that made it
        self._reshapes = reshapes(setup.policy)
        self.pins: list[bool] = []  #: for every message whether the caller pinned it
        self.held: list[bool] = []  #: whether its unit had a pin when it came; with a fold alone
        self.times: list[Seconds] = []  #: when the messages came, in seconds; None is unknown
        self._clock = Clock(setup.policy.life)
        self._shown: dict[int, Message] = {}
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

    @property
    def cuts(self) -> int:
        """How many cuts the fold has made."""
        return 0 if self.fold is None else self.fold.cuts

    @property
    def telling(self) -> Telling | None:
        """The story of what the cuts took, where it is summed up."""
        summary = self.setup.policy.summary
        if self._telling is None and summary is not None and self.cover is not None:
            self._telling = Telling(self, summary, self.cover)
        return self._telling

    def extend(
        self,
        messages: Sequence[Message],
        pins: Sequence[bool] | None,
        times: Sequence[Seconds] | None = None,
    ) -> None:
        """Take many messages. Without a fold their costs are left for later. O(messages)."""
        chosen = [False] * len(messages) if pins is None else pins
        self.pins += chosen
        self.times += [None] * len(messages) if times is None else times
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
        index, cuts, planned = len(self.messages), fold.cuts, fold.planned
        facts = self.setup.format.read(message)
        if self.cover is not None and not pinned:
            facts = self._recognised(index, message, facts)
        pinned = pinned or self._is_first(index)
        self.messages.append(message)
        flags = self._grouper.step(index, facts, pinned)
        self.held.append(bool(flags & PINNED) or len(self.starts) - 1 in self.leads.pinned)
        if self._clock.cold(self.times[index]):
            fold.chill()
        put = fold.push if flags & OPENS else fold.grow
        put(self.cost(index), flags & ~OPENS)
        if fold.cuts != cuts:
            self._cut(index, fold, planned)

    def _cut(self, index: int, fold: Fold, planned: int) -> None:
        """The fold has cut on the arrival of a message.

        Where the cut that was settled ahead was not enough, it is noted as one of its own, so
        that a summary of it is built on.
        """
        self.moved_at = index
        if (note := fold.note) is not None:
            self.notes.append((index, note))
        if self.cover is not None:
            for mark in (planned, fold.mark) if 0 <= planned < fold.mark else (fold.mark,):
                anchors = plan_at(mark, self.leads, 0).anchors
                self.cover.cut(mark, index, fold.cuts, anchors, max(self.setup.room, 0))

    def _recognised(self, index: int, message: Message, facts: Facts) -> Facts:
        """The facts of a message, which may be a summary that an earlier fit put there."""
        if facts.role != HUMAN or facts.answers or facts.faults:
            return facts
        weight = self.setup.format.weigh(message)
        text = unframed(weight.texts[0]) if weight.plain and len(weight.texts) == 1 else None
        if text is None:
            return facts
        self.recaps[index] = bare(text)
        return replace(facts, recaps=True)

    def _is_first(self, index: int) -> bool:
        """Whether a message is among those at the front that are always kept."""
        first = self.setup.policy.keep_first
        if not first or not self.recaps:
            return index < first
        recaps = sum(at < index for at in self.recaps)
        return index not in self.recaps and index - recaps < first

    def unit_of(self, index: int) -> int:
        """The unit that a message belongs to."""
        return bisect_right(self.starts, index) - 1

    @property
    def state(self) -> State:
        """What `back` needs to come back here."""
        stood = Stood(0, 0) if self.fold is None else self.fold.stood
        return State(self.setup, self.moved_at, stood)

    def refix(self, setup: Setup) -> None:
        """Go on with another fixed cost; the mark moves on if what stays is too much now."""
        self.setup = setup
        if self.fold is not None:
            cuts, planned = self.fold.cuts, self.fold.planned
            self.fold.resize(max(setup.room, 0))
            if self.fold.cuts != cuts:
                self._cut(len(self.messages) - 1, self.fold, planned)

    def under(self, setup: Setup) -> Transcript:
        """An empty transcript with another budget or policy that knows what is counted here.

        For the same messages in the same format, counted by the same counter.
        """
        other = Transcript(setup, incremental=True)
        if not self._reshapes and not other._reshapes:
            other._costs = dict(self._costs)
        return other

    def first(self, size: int) -> Transcript:
        """The transcript of the first messages alone; nothing is counted again."""
        shorter = Transcript(self.setup, incremental=self.fold is not None)
        self._hand_over(shorter, size)
        return shorter

    def back(self, size: int, state: State) -> Transcript:
        """The transcript of the first messages as it stood when there were no more of them."""
        earlier = Transcript(state.setup, incremental=True, rests=True)
        if earlier._shrinking is not None and self._shrinking is not None:
            earlier._shrinking.given = self._shrinking.before(state.cuts)
        self._hand_over(earlier, size)
        earlier.moved_at = state.moved_at
        if earlier.fold is not None:
            if earlier._freeing is not None:
                earlier.fold.lower(earlier._freeing.freed(state.cuts))
            earlier.fold.stand(state.stood, max(state.setup.room, 0))
            earlier.notes = self.notes[: state.cuts]
        if self.cover is not None:
            earlier.cover = self.cover.before(state.stood.mark, state.cuts)
        return earlier

    def _hand_over(self, other: Transcript, size: int) -> None:
        other._shown = {at: shown for at, shown in self._shown.items() if at < size}
        other._costs = {at: cost for at, cost in self._costs.items() if at < size}
        other.extend(self.messages[:size], self.pins[:size], self.times[:size])

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
        if not self._reshapes and (self._shrinking is None or not plan.cuts):
            return list(map(self.messages.__getitem__, kept))
        return [self.shown(index, plan.cuts) for index in kept]

    def facts(self, index: int) -> Facts:
        """The facts of one message."""
        return self.setup.format.read(self.messages[index])

    def is_system(self, index: int) -> bool:
        """Whether a message is a system message."""
        return self.facts(index).role == SYSTEM

    def shown(self, index: int, cuts: int = 0) -> Message:
        """What stands for a message in a result after so many cuts.

        Itself, or a copy with shorter results, or what a cut has shrunk it to.
        """
        if cuts and self._shrinking is not None:
            return self._shrinking.shown(index, cuts)
        if not self._reshapes or self.pins[index]:
            return self.messages[index]
        shown = self._shown.get(index)
        if shown is None:
            setup, message = self.setup, self.messages[index]
            shown = arrived(index, message, setup.policy, setup.format, setup.meter)
            self._shown[index] = shown
        return shown

    def span(self, unit: int) -> range:
        """The messages of a unit."""
        starts = self.starts
        stop = starts[unit + 1] if unit + 1 < len(starts) else len(self.messages)
        return range(starts[unit], stop)

    def shrunk_by(self, index: int, cuts: int) -> list[str]:
        """The reasons for which so many cuts have shrunk a message."""
        return [] if self._shrinking is None else self._shrinking.reasons(index, cuts)

    def cost(self, index: int, cuts: int = 0) -> int:
        """Tokens of a message as it is shown after so many cuts."""
        if cuts and self._shrinking is not None and self._shrinking.touched(index, cuts):
            return self._shrinking.cost(index, cuts)
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
