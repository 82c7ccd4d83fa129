"""The depth rules against their definitions: every start tried, every cost a fraction."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from states import State, random_state
from trimtab.core.batch import Batch, Waiting
from trimtab.core.depth import Ledger, LowWater, Prices, Renewal, Seen
from trimtab.core.fold import Fold
from trimtab.core.lead import Leads
from trimtab.core.note import COLD, DUE, OVER
from trimtab.core.optimum import course, optimum, spent
from trimtab.core.unit import HUMAN, LED, PINNED, SYSTEM
from twin import kept, total

ANTHROPIC = Prices(10, 125, 100)
PRICES = [ANTHROPIC, Prices(10, 100, 100), Prices(25, 100, 100), Prices(10, 125, 30), Prices(1, 2, 9)]


def rate(prices: Prices, seen: Seen, size: int) -> Fraction:
    """The cost of a cycle a request, as ``facts`` and ``docs/cuts.md`` have it."""
    read, write, value = (Fraction(price, 100) for price in prices)
    room, stays = seen.high - seen.head, size - seen.head
    growth = Fraction(seen.grown, max(seen.units, 1))
    over = room - stays + growth
    again = max(stays - seen.fresh, 0)
    fee = (write - read) * growth * again / over if over else 0
    return fee - (value - read) * Fraction(room + stays, 2)


def arrive(fold: Fold, arrival):
    opens, cost, flags = arrival
    (fold.push if opens else fold.grow)(cost, flags)


def sizes(state: State, start: int) -> dict[int, int]:
    """What would stay at every start from ``start`` on."""
    newest = len(state.costs) - 1
    found = {}
    for mark in range(start, newest + 1):
        units = kept(state.flags, mark, **state.rules)
        found[mark] = total(state.costs, state.flags, units, mark)
    return found


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(PRICES))
def test_exact_renewal_takes_the_cheapest_of_all_starts(seed, prices):
    rng = Random(seed)
    state = random_state(rng)
    fold = Fold(state.budget, Leads(**state.rules), rule=Renewal(prices))
    for _ in range(rng.randint(1, 25)):
        mark, cuts = fold.mark, fold.cuts
        arrive(fold, state.arrive(rng))
        if fold.cuts == cuts:
            assert fold.mark == mark
            continue
        note = fold.note
        found = {m: size for m, size in sizes(state, mark + 1).items() if size <= state.budget}
        if not found:
            assert fold.mark == len(state.costs) - 1
            continue
        best = min(found, key=lambda m: (rate(prices, note.seen, found[m]), m))
        assert rate(prices, note.seen, found[fold.mark]) == rate(prices, note.seen, found[best])
        assert (note.cause, note.start, note.mark, note.after) == (OVER, mark, fold.mark, fold.total)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32))
def test_what_a_rule_sees(seed):
    rng = Random(seed)
    state = random_state(rng)
    state.alternates = False
    fold = Fold(state.budget, Leads(**state.rules), rule=Renewal(ANTHROPIC))
    for _ in range(rng.randint(1, 20)):
        opens, cost, flags = arrival = state.arrive(rng)
        flags &= ~32  # nothing stands for what is before it
        arrive(fold, (opens, cost, flags))
        state.flags[-1] &= ~32
        pins = fold._leads.pinned
        front = next((u for u in range(len(state.costs)) if u not in pins), len(state.costs))
        answers = [u for u, f in enumerate(state.flags) if not f & (LED | SYSTEM)]
        seen = fold.seen
        assert seen.requests == len(answers)
        assert seen.units <= len(state.costs)
        assert seen.head <= sum(state.costs[:front])
        assert seen.head + seen.grown == sum(state.costs)
        assert seen.fresh == sum(state.costs[answers[-1] if answers else 0 :])


def plain(high, rule, costs, **more):
    fold = Fold(high, Leads(), rule=rule, **more)
    for cost in costs:
        fold.push(cost)
    return fold


def test_the_head_is_never_written_again():
    """The same history behind a head of system text is cut where it is without one."""
    rng = Random(1)
    costs = [rng.randint(1, 40) for _ in range(400)]
    marks = []
    for head in (0, 3_000):
        fold = Fold(1_000 + head, Leads(), rule=Renewal(ANTHROPIC))
        fold.push(head, PINNED | SYSTEM)
        marks.append([])
        for cost in costs:
            fold.push(cost)
            marks[-1].append(fold.mark)
    assert marks[0] == marks[1]
    assert fold.cuts > 5


def test_no_worth_in_waiting_is_no_slack():
    """Where a rewrite costs nothing the rule keeps the longest run that fits."""
    longest = plain(100, None, [7] * 50)
    assert plain(100, Renewal(Prices(10, 10, 100)), [7] * 50).mark == longest.mark


def worth(prices, account, excess, kept, fresh):
    """Whether a cut now can be too dear by no more than a wait can, as ``docs/cuts.md`` has it."""
    fee, read = Fraction(prices.write - prices.read), Fraction(prices.read)
    usual, price = fee * kept, fee * max(kept - fresh, 0)
    cut, lost = read * account + price, read * (account + excess)
    best = min(cut, usual)  # of a session that goes on
    return best == 0 or cut / lost <= (best + usual) / best


class SlowLedger:
    """The ledger word for word: what is read beyond the floor is put down, request by request."""

    def __init__(self, high, prices, floor):
        self.high, self.prices, self.floor = high, prices, floor
        self.costs: list[int] = []
        self.mark = self.account = 0

    def floored(self, mark):
        """The newest start from ``mark`` on from which the floor stays."""
        found = [m for m in range(mark, len(self.costs)) if sum(self.costs[m:]) >= self.floor]
        return max(found, default=mark)

    def push(self, cost):
        if self.costs:
            self.account += sum(self.costs[self.mark : self.floored(self.mark)])
        self.costs.append(cost)
        floor = self.floored(self.mark)
        stays, excess = sum(self.costs[floor:]), sum(self.costs[self.mark : floor])
        newest, before = len(self.costs) - 1, self.mark
        if sum(self.costs[before:]) > self.high:
            found = [m for m in range(before + 1, newest + 1) if sum(self.costs[m:]) <= self.high]
            deep = [m for m in found if sum(self.costs[m:]) >= self.floor]
            self.mark = max(deep) if deep else min(found, default=newest)
        elif excess and worth(self.prices, self.account, excess, stays, cost):
            self.mark = floor
        if self.mark != before:
            self.account = 0


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(0, 12), min_size=1, max_size=60),
    st.integers(5, 80),
    st.integers(1, 60),
    st.sampled_from(PRICES),
)
def test_the_ledger_cuts_when_the_extra_reads_have_paid(costs, high, floor, prices):
    fold, slow = Fold(high, Leads(), rule=Ledger(prices, floor)), SlowLedger(high, prices, floor)
    for cost in costs:
        fold.push(cost)
        slow.push(cost)
        assert (fold.mark, fold.account) == (slow.mark, slow.account)
        assert not fold.fits or fold.note is None or fold.note.cause in (OVER, DUE)


def adversary(fold, floor, bursts):
    """Costs that come when they hurt: nothing more while the fold waits, a burst once it has cut."""
    yield from [1] * floor
    for burst, quiet in bursts:
        yield from [1] * burst
        cuts = fold.cuts
        for _ in range(quiet):
            if fold.cuts > cuts:
                break
            yield 0


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(0, 300)), min_size=1, max_size=8),
    st.sampled_from([Prices(1, 2, 9), Prices(10, 125, 0), Prices(2, 40, 0), Prices(1, 4, 0)]),
    st.integers(100, 160),
)
def test_the_ledger_pays_at_most_twice_the_least_for_small_messages(bursts, prices, floor):
    """Of what cuts can change, where none is forced and a message is a hundredth of the floor."""
    fold = Fold(10**9, Leads(), rule=Ledger(prices, floor))
    costs, marks = [], []
    fixed = end = gone = floored = 0  # the floor read and what is new written, whatever is cut
    for cost in adversary(fold, floor, bursts):
        fold.push(cost)
        costs.append(cost)
        marks.append(fold.mark)
        end += cost
        while end - gone - costs[floored] >= floor:
            gone += costs[floored]
            floored += 1
        fixed += prices.read * (end - gone - cost) + prices.write * cost
    session, bill = course(costs, 10**9), Prices(prices.read, prices.write, 0)
    least = optimum(session, bill, floor).cost - fixed
    grain = 2 * prices.write  # a message more or less
    assert spent(session, bill, marks) - fixed <= 2 * least + grain


def test_where_writing_is_cheaper_than_reading_every_excess_goes_and_where_reading_is_free_none():
    assert Prices(100, 50, 100).due(0, 1, 100, 0)
    assert not Prices(0, 100, 100).due(10, 10, 0, 0)


def test_a_text_that_stands_in_for_what_goes_is_part_of_what_a_cut_keeps():
    """No cut is due that would leave more than it takes."""
    fold = Fold(10**6, Leads(), rule=Ledger(ANTHROPIC, 30), insert=500)
    for _ in range(40):
        fold.push(10)
        assert fold.cuts == 0
    for _ in range(400):
        fold.push(10)
    assert fold.cuts and fold.note.before - fold.note.after > 0


def test_what_must_be_written_anyway_is_cut_for_nothing():
    """A first result overflows; the second of the same answer lets the cut go on to the floor."""
    fold = plain(100, Ledger(Prices(1, 1_000, 0), 30), [10] * 10)
    fold.push(5)
    assert (fold.cuts, fold.note.cause, fold.total, fold.note.anew) == (1, OVER, 35, False)
    fold.grow(20)
    assert (fold.cuts, fold.note.cause, fold.total, fold.note.anew) == (2, DUE, 35, True)
    fold.push(10)  # that was a request: now the run is in the cache
    fold.grow(10)
    assert (fold.cuts, fold.total) == (2, 55)


def test_what_waits_is_freed_where_a_person_comes_back_to_a_cold_cache():
    dear = Prices(1, 1_000, 2_000)
    waits = [Waiting()]
    batch = Batch(dear, lambda: waits[0])
    fold = plain(1_000, Renewal(dear), [10, 40, 10], free=lambda: ([(1, 30)], True), batch=batch)
    waits[0] = Waiting(30, 1)
    fold.push(5, HUMAN | LED)
    assert (fold.cuts, fold.total) == (0, 65)
    fold.chill()
    fold.push(5, HUMAN | LED)
    assert (fold.cuts, fold.total, fold.note.cause, fold.note.anew) == (1, 40, DUE, True)


def test_a_cold_cache_is_cold_until_the_next_answer():
    fold = plain(1_000, Ledger(Prices(1, 1_000, 0), 30), [30, 10, 10])
    fold.chill()
    fold.push(0)
    assert (fold.cuts, fold.total) == (0, 50)
    fold.grow(15)
    assert (fold.cuts, fold.total, fold.note.anew) == (1, 35, True)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([Renewal(ANTHROPIC), LowWater(1, 2), Ledger(ANTHROPIC, 4)]))
def test_a_cold_cut_ends_where_one_that_must_be_would_and_leaves_less(seed, rule):
    rng = Random(seed)
    state = random_state(rng)
    fold = Fold(state.budget, Leads(**state.rules), rule=rule, insert=rng.choice((0, 2)))
    for _ in range(rng.randint(1, 20)):
        cold = rng.random() < 0.4
        if cold:
            fold.chill()
        mark, cuts, before = fold.mark, fold.cuts, fold.total
        arrival = state.arrive(rng)
        arrive(fold, arrival)
        if fold.cuts > cuts and fold.note.cause == COLD:
            assert cold
            assert fold.fits and fold.mark > mark
            assert fold.total < before + arrival[1]


def test_a_cold_cut_is_as_deep_as_the_rule_says():
    fold = plain(100, LowWater(1, 2), [10] * 8)
    assert (fold.total, fold.cuts) == (80, 0)
    fold.chill()
    fold.push(10)
    assert (fold.total, fold.cuts, fold.note.cause) == (50, 1, COLD)
    fold.chill()
    fold.push(0)
    assert fold.cuts == 1


def test_a_cold_cache_means_nothing_to_the_longest_run():
    fold = plain(100, None, [10] * 8)
    fold.chill()
    fold.push(10)
    assert (fold.total, fold.cuts) == (90, 0)


def test_a_fold_that_rests_cuts_nothing():
    fold = Fold(10, Leads(), rule=LowWater(1, 2), rests=True)
    for _ in range(9):
        fold.chill()
        fold.push(5)
    assert (fold.mark, fold.cuts) == (0, 0)


@pytest.mark.parametrize("rule", [Renewal(ANTHROPIC), Ledger(ANTHROPIC, 300)])
def test_rules_are_amortised_linear(rule):
    """So many lines of the core a push, whatever the length."""

    def lines(size):
        fold, count = Fold(1_000, Leads(), rule=rule), 0

        def trace(frame, event, arg):
            nonlocal count
            count += event == "line"
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            for at in range(size):
                fold.push(7, HUMAN | LED if at % 9 == 0 else 0)
        finally:
            sys.settrace(before)
        return count

    assert lines(8_000) < 4.3 * lines(2_000)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 6), st.booleans()), min_size=1, max_size=60),
    st.integers(0, 30),
    st.sampled_from(PRICES),
)
def test_a_batch_is_freed_when_reading_it_on_has_paid(rows, head, prices):
    """Units of which a part may go once three newer ones have come; nothing overflows.

    Where the cache is cold, whatever waits is freed at once.
    """
    due: list[tuple[int, int]] = []
    costs: list[int] = []
    parts: list[int] = []

    def free():
        gone = list(due)
        due.clear()
        for unit, tokens in gone:
            costs[unit] -= tokens
        return gone, True

    def waits():
        return Waiting(sum(tokens for _, tokens in due), min((u for u, _ in due), default=0))

    fold = Fold(10**6, Leads(), rule=Renewal(prices), free=free, batch=Batch(prices, waits))
    fold.push(head, PINNED | SYSTEM)
    costs.append(head)
    held = cuts = 0
    for cost, part, cold in rows:
        if cold:
            fold.chill()
        wait = waits()
        held += wait.tokens
        costs.append(cost + part)
        parts.append(part)
        again = sum(costs[wait.unit :]) - wait.tokens - cost - part
        kept = again + cost + part
        paid = wait.tokens and worth(prices, held, wait.tokens, kept, kept if cold else cost + part)
        fold.push(cost + part)
        if paid:
            held, cuts = 0, cuts + 1
            assert fold.note.cause == DUE and fold.note.freed == wait.unit
        assert (fold.cuts, fold.held, fold.mark, fold.total) == (cuts, held, 0, sum(costs))
        old = len(parts) - 4
        if old >= 0 and parts[old]:
            due.append((old + 1, parts[old]))


@settings(max_examples=200)
@given(st.tuples(*[st.integers(0, 500)] * 5), st.integers(0, 500), st.integers(0, 500), st.sampled_from(PRICES))
def test_how_much_dearer_one_total_is(numbers, one, other, prices):
    high, head, grown, units, fresh = numbers
    seen = Seen(high + head, head, grown + 1, units, 0, fresh)
    one, other = head + min(one, high), head + min(other, high)
    expected = rate(prices, seen, one) - rate(prices, seen, other)
    assert Renewal(prices).dearer(seen, one, other) == 100 * expected
    assert (Renewal(prices).compare(seen, one, other) <= 0) == (expected <= 0)


def test_a_cold_cut_that_would_move_nothing_is_none():
    """The best start is the one that the run has: little more stays than the rule aims at."""
    rule = Renewal(Prices(1, 2, 100))
    fold = plain(1_000, rule, [100] * 9)
    fold.chill()
    fold.push(100)
    assert (fold.total, fold.cuts, fold.note) == (1_000, 0, None)


def test_the_floor_moves_back_where_what_it_kept_was_shrunk():
    """Units behind the floor lose tokens, so that more of them are needed for it."""
    fold = Fold(10**6, Leads(), rule=Ledger(Prices(1, 1_000, 0), 30))
    for _ in range(6):
        fold.push(10)
    fold.lower([(4, 9), (5, 9)])
    account = fold.account
    fold.push(0)
    assert fold.account == account + sum([10] * 1)
