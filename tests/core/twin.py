"""The slow, obvious twin of the fold: law 5 word for word, every start tried from the oldest."""

from __future__ import annotations

from trimtab.core.unit import HUMAN, LED, PINNED, REASONS, STANDS, SYSTEM


def opener(flags: list[int], m: int, human_head: bool) -> set[int]:
    """Law 5: the human text that a run from unit m answers, and what must stand before it."""
    if flags[m] & LED:
        chosen = {m}
    else:
        human = [u for u in range(m) if flags[u] & HUMAN]
        if not human:
            return set()
        chosen = {human[-1]}
    first = min(chosen)
    if flags[first] & LED:
        before = first - 1
        while before >= 0 and flags[before] & (LED | SYSTEM):
            if flags[before] & LED:
                first = before
                chosen.add(before)
            before -= 1
    elif human_head:
        led = [u for u in range(first) if flags[u] & LED]
        chosen |= {led[-1]} if led else set()
    return chosen


def reasoning(flags: list[int], m: int) -> set[int]:
    """The newest unit of m's tool loop that begins with reasoning, if m does not.

    A system message counts as a unit without reasoning: one may follow it in the run.
    """
    if flags[m] & LED:
        return set()
    loop: list[int] = []
    for u in range(m - 1, -1, -1):
        if flags[u] & HUMAN:
            break
        loop.append(u)
    if flags[m] & REASONS:
        return set()
    return set([u for u in loop if flags[u] & REASONS][:1])


def pinned(flags: list[int], human_head: bool) -> set[int]:
    """All pinned units, and the human-led unit that must lead the first of them."""
    pins = {u for u, f in enumerate(flags) if f & PINNED}
    own = sorted(u for u in pins if not flags[u] & SYSTEM)
    if human_head and own and not flags[own[0]] & LED:
        led = [u for u in range(own[0]) if flags[u] & LED]
        pins |= set(led[-1:])
    return pins


def exchanges(flags: list[int]) -> set[int]:
    """All pinned units, each with the human unit that leads it and the reply that ends it.

    The reply is the last unit before the next exchange begins, system messages aside; what
    a system message follows may be the reply.
    """
    own = {u for u, f in enumerate(flags) if f & PINNED}
    pins = set(own)
    starts = [u for u, f in enumerate(flags) if f & LED]
    for first, stop in zip([0, *starts], [*starts, len(flags)], strict=True):
        units = [u for u in range(first, stop) if not flags[u] & SYSTEM]
        if not own & set(units):
            continue
        pins |= {first} & set(starts)
        ends = [u for u in range(first, stop) if flags[u] & SYSTEM]
        for end in [*ends, stop] if stop < len(flags) else ends:
            before = [u for u in units if u < end]
            pins |= set(before[-1:]) if own & set(before) else set()
    return pins


def kept(
    flags: list[int],
    m: int,
    *,
    human_head: bool = False,
    reasoning_head: bool = False,
    alternates: bool = False,
) -> set[int]:
    """Everything that stays when the run starts at m."""
    human_head = human_head or alternates
    pins = exchanges(flags) if alternates else pinned(flags, human_head)
    units = set(range(m, len(flags))) | pins | opener(flags, m, human_head)
    return units | reasoning(flags, m) if reasoning_head else units


def total(costs: list[int], flags: list[int], units: set[int], m: int) -> int:
    """What the kept units cost: nothing what is before the last that stands for all before it."""
    floor = max([u for u in range(m + 1) if flags[u] & STANDS], default=0)
    return sum(costs[u] for u in units if u >= floor)


def best(
    costs: list[int], flags: list[int], budget: int, **rules: bool
) -> tuple[int, int, set[int]] | None:
    """The oldest start whose kept units fit: its mark, total and units; None if none fits."""
    for m in range(len(costs)):
        units = kept(flags, m, **rules)
        cost = total(costs, flags, units, m)
        if cost <= budget:
            return m, cost, units
    return None
