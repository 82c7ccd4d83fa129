"""The fold: one mark over the units of a growing history, moved only forward."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, Final, NamedTuple

from .batch import NO_BATCH, NOTHING, Batch, Waiting
from .depth import Aim, AtMost, Depth, Ledger, Seen
from .lead import Leads
from .note import COLD, DUE, OVER, Note
from .sums import Rows, Sums
from .unit import LED, SYSTEM

Free = Callable[[], "tuple[Rows, bool]"]
_LONGEST: Final = AtMost()


class Stood(NamedTuple):
    """Where a fold stood after its cuts, beside what its units tell."""

    mark: int
    cuts: int
    planned: int = -1
    account: int = 0
    held: int = 0
    anew: bool = False


class Fold(Sums):
    """Which units stay, after every unit that arrives; see `Sums` for what they cost.

    ``push(cost, flags)`` opens a unit (flags: `trimtab.core.unit`), ``grow`` adds to the
    newest one. When the total passes ``high``, the mark moves forward to the start that
    ``rule`` chooses (`trimtab.core.depth`; the first one that holds if there is none), failing
    that to the newest unit, which may then be too much itself: ``fits`` says so.

    ``free`` is asked at every cut what units can do without: rows of (unit, tokens, less than
    nothing where it costs more then), and whether that is worth a cut of its own. They are freed
    of it for good; if it is worth it and enough, the mark stays. ``cuts`` counts the cuts, and
    ``note`` tells of the last.

    Three things make a cut before it must be. What a `Ledger` has put down (``account``); and
    ``chill()``, which says that with what comes next the provider's cache is cold: such a cut
    ends where one that must be made would end now, and is made only if less stays then. And
    ``batch``, which tells how many tokens wait to be freed: when what was read of them (``held``)
    pays for writing again all that stands behind the first, they are freed and the mark stays.
    Until the next answer begins, a cold cache or a moved mark leaves nothing of the run in the
    cache, so that to move it again costs only the anchors that move.

    ``ahead`` (a fraction) settles a cut before it comes: where the total first passes that much
    of ``high``, ``planned`` is where the mark would move if it had to, and when it has to it
    moves there, or on from there where that is not enough; -1 while nothing is planned.

    Without a rule the mark is that of `trimtab.core.walk.walk`. Numbers are whole and not
    negative; they are not checked. Amortised O(1) a unit.
    """

    __slots__ = (
        "_ahead",
        "_aim",
        "_anew",
        "_answering",
        "_batch",
        "_cold",
        "_counts",
        "_early",
        "_floored",
        "_free",
        "_high",
        "_last",
        "_ledger",
        "_rests",
        "_rule",
        "account",
        "cuts",
        "held",
        "planned",
    )

    def __init__(
        self,
        high: int,
        leads: Leads,
        *,
        rule: Depth | None = None,
        insert: int = 0,
        free: Free | None = None,
        ahead: tuple[int, int] | None = None,
        batch: Batch | None = None,
        rests: bool = False,
    ) -> None:
        super().__init__(leads, insert)
        self._ahead = ahead or (1, 1)
        self._free = free
        self._batch = batch or NO_BATCH
        self._rule: Depth = rule or _LONGEST
        self._ledger = rule if isinstance(rule, Ledger) else None
        self._counts = batch is not None or self._ledger is not None
        self._rests = rests  # nothing is cut before it stands somewhere
        self._cold = False
        self._anew = False  # whether the next request writes all of the run, whatever is cut
        self._answering = True  # whether an answer came last
        self._floored = 0  # the newest start from which the floor of the ledger stays
        self.account = 0  #: tokens that were read beyond the floor since the last cut
        self.held = 0  #: tokens that were read since the last cut while they waited to be freed
        self.cuts = 0
        self.planned = -1
        self._last: tuple[Any, ...] = ()  # the fields of the last note, made when it is read
        self._allow(high)

    @property
    def fits(self) -> bool:
        """Whether what stays is within ``high``."""
        return self.total <= self._high

    @property
    def note(self) -> Note | None:
        """The last cut, None before the first."""
        return Note(*self._last) if self._last else None

    @property
    def seen(self) -> Seen:
        """What a rule may know by now."""
        return Seen(self._high, self.head, *self._grown())

    def _grown(self) -> tuple[int, int, int, int]:
        units = len(self._of) - self._front
        return self.grown, units, self.requests, self.fresh

    @property
    def stood(self) -> Stood:
        """What `stand` needs to come back here."""
        return Stood(self.mark, self.cuts, self.planned, self.account, self.held, self._anew)

    def push(self, cost: int, flags: int = 0) -> None:
        """A unit opens."""
        if self._anew and not flags & (LED | SYSTEM):
            self._anew = self._cold
        answers = self._counts and not flags & (LED | SYSTEM)
        waiting = self._put_down() if answers else NOTHING
        self._open(cost, flags)
        if self.total > self._early or self._cold or self._counts:
            self._settle(waiting, more=answers and not self._answering)
        self._answering = answers

    def grow(self, cost: int, flags: int = 0) -> None:
        """The newest unit costs more and gains flags that it had not before."""
        self._add(cost, flags)
        self._answering = False
        if self.total > self._early or self._cold or self._counts:
            self._settle(NOTHING)

    def chill(self) -> None:
        """With what comes next the cache is cold: whatever is kept must be written anew."""
        self._cold = self._anew = True

    def resize(self, high: int) -> None:
        """Allow another total from now on.

        The mark moves on where what stays is too much now, and never back.
        """
        self._allow(high)
        self._anew = False  # a request may have been sent
        if self.total > high:
            self._cut(OVER)

    def stand(self, stood: Stood, high: int) -> None:
        """Stand where a fold of the same units stood before, whatever would be chosen now.

        For a fold that has not cut yet. ``high`` holds from now on.
        """
        self._rests = self._cold = False
        self._allow(high)
        self.mark, self.cuts, self.planned, self.account, self.held, self._anew = stood
        if self.mark == 0:
            return
        self._pass(self.mark)
        if self._insert and any(map(self._leaves_out, range(1, self.mark + 1))):
            self._tell()
        self._count()

    def _allow(self, high: int) -> None:
        part, parts = self._ahead
        self._high, self._early = high, part * high // parts
        self._aim = self._rule.aim(self.seen) if self._rule.settled else None

    def _put_down(self) -> Waiting:
        """A request has been answered: put down what it read for nothing."""
        if self._ledger is not None:
            self.account += max(self.total - self._floor_total(self._ledger), 0)
        waiting = NOTHING if self._rests else self._batch.waits()
        self.held += waiting.tokens
        return waiting

    def _settle(self, waiting: Waiting, *, more: bool = False) -> None:
        """Cut if it must be, or if it is time.

        ``more``: an answer has begun that results or a person will follow before the next
        request, so that the ledger waits for them.
        """
        cold, self._cold = self._cold, False
        if self._rests:
            return
        if self.total > self._high:
            self._cut(OVER)
            return
        if cold:
            if self._rule is not _LONGEST and self._cut(COLD):
                return
            waiting = self._batch.waits()
        if self._ledger is not None and not more and self._due(self._ledger):
            self._cut(DUE)
        elif waiting.tokens > 0 and self._paid(waiting):
            self._cut(DUE, clear=True)
        elif self.total > self._early and self.planned < 0:
            self._plan()

    def _cut(self, cause: str, *, clear: bool = False) -> bool:
        """Free what can be; unless that is all, move the mark to where the rule ends if need be.

        Returns whether that was a cut.
        """
        start, before, newest = self.mark, self.total, len(self._of) - 1
        saw = self.head, *self._grown()  # a cut may pass what stands for the head
        aim = self._aim or self._rule.aim(self.seen)
        if cause != OVER and not clear and not self._would_move(aim):
            return False
        rows, pays = ((), False) if self._free is None else self._free()
        self.lower(rows)
        other = None
        enough = clear or (pays and aim.enough(self.total, self.anchored))
        if not enough and start < newest:
            fits = self._copy() if self.total <= self._high else None
            if aim.nearer is not None and self.planned < 0:
                self.planned, other = self._target(aim, start + (cause == OVER))
            self._move(newest, aim)
            if fits is not None and self.total > (self._high if cause == OVER else fits.total - 1):
                self._come_back(fits)
        self.planned = -1
        cut = bool(rows) or self.mark > start
        if cut:
            freed = min((unit for unit, _ in rows), default=-1)
            where = cause, start, self.mark, before, self.total, freed, other
            self._last = *where, self._anew, self._high, *saw
            self.cuts += 1
            self.held = 0
            if self.mark > start:
                self.account, self._anew = 0, True
        return cut

    def _would_move(self, aim: Aim) -> bool:
        """Whether a cut that need not be made would move the mark."""
        if self.mark == len(self._of) - 1 or aim.enough(self.total, self.anchored):
            return False
        return self._target(aim, self.mark)[0] > self.mark

    def _plan(self) -> None:
        aim = self._aim or self._rule.aim(self.seen)
        planned = self._target(aim, self.mark + 1)[0] if self.mark < len(self._of) - 1 else -1
        if planned > self.mark:
            self.planned = planned

    def _target(self, aim: Aim, least: int) -> tuple[int, int | None]:
        """Where a cut would end, from ``least`` on, and what the runner-up would keep."""
        trial, mark, newest = self._copy(), self.mark, len(self._of) - 1
        before, total, enough = 0, self.total, False
        while mark < newest and not enough:
            mark, before = mark + 1, total
            total, anchors = trial._step(mark)
            enough = aim.enough(total, anchors)
        if aim.nearer is None or not enough or before > self._high or mark <= least:
            return mark, None
        return (mark - 1, total) if aim.nearer(before, total) else (mark, before)

    def _move(self, newest: int, aim: Aim) -> None:
        mark, total = self.mark, self.total
        while mark < newest:
            mark += 1
            total, anchors = self._step(mark)
            if mark >= self.planned and (
                aim.enough(total, anchors) if self.planned < 0 else total <= self._high
            ):
                break
        self.mark = mark
        self.total = total

    def _floor_total(self, ledger: Ledger) -> int:
        """What would stay if the mark moved on as far as the floor allows, the insert included."""
        before, newest = self._before, len(self._of) - 1
        most = self._end - ledger.floor
        mark = max(self._floored, self.mark)
        while mark > self.mark and before[mark] > most:
            mark -= 1
        while mark < newest and before[mark + 1] <= most:
            mark += 1
        self._floored = mark
        return self.total_at(mark) + self._insert * (mark > self.mark) if newest >= 0 else 0

    def _due(self, ledger: Ledger) -> bool:
        kept = self._floor_total(ledger)
        excess, run = self.total - kept, self._end - self._before[self._floored]
        fresh = min(self.fresh, run)
        if self._anew:  # anchors stay where they are if all of them stay
            fresh = kept if self._of[self._floored] is self._of[self.mark] else run
        return ledger.prices.due(self.account, excess, kept - self.head, fresh)

    def _paid(self, waiting: Waiting) -> bool:
        """Whether what waits has been read so often that freeing it is paid."""
        before, unit = self._before, waiting.unit
        front = self.head if unit < self.mark else self.anchored + before[unit] - before[self.mark]
        kept = self.total - front - waiting.tokens
        fresh = kept if self._anew else self.fresh
        return self._batch.prices.due(self.held, waiting.tokens, kept, fresh)

    def _copy(self) -> Fold:
        """A fold to try a cut with; it is of the same units."""
        trial = copy(self)
        trial._standing = list(self._standing)
        return trial

    def _come_back(self, other: Fold) -> None:
        """Be as a copy that was made before."""
        for name in (*Sums.__slots__, *Fold.__slots__):
            setattr(self, name, getattr(other, name))
