"""How tokens become cells: integers only, nothing of a terminal.

The strip has a fixed number of cells. They are shared out in proportion to tokens, in
two steps: first among the runs of one state (kept, dropped, ...), so that no run
vanishes while there is room, then inside each run among the runs of one role.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Part:
    """One message as the strip sees it."""

    index: int
    state: str
    role: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what most of its tokens are, and the first message that it shows."""

    state: str
    role: str
    first: int


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Share ``total`` whole things among ``weights`` (largest remainder).

    The shares add up to ``total`` exactly. Where there is room, every positive weight
    gets at least one; a zero weight gets none, unless all are zero: then all count the
    same. Ties go to the earlier one. O(n log n).
    """
    if not weights:
        return []
    if not any(weights):
        weights = [1] * len(weights)
    shares = [0] * len(weights)
    order = sorted((i for i, w in enumerate(weights) if w > 0), key=lambda i: (weights[i], i))
    rest = sum(weights)
    if len(order) <= total:
        while order and total * weights[order[0]] < rest:
            smallest = order.pop(0)
            shares[smallest] = 1
            total -= 1
            rest -= weights[smallest]
    remainders: list[tuple[int, int]] = []
    left = total
    for i in order:
        shares[i], remainder = divmod(total * weights[i], rest)
        left -= shares[i]
        remainders.append((-remainder, i))
    for _, i in sorted(remainders)[:left]:
        shares[i] += 1
    return shares


def cells(parts: Sequence[Part], width: int) -> list[Cell]:
    """``width`` cells for ``parts`` (none for no parts). O(n log n)."""
    if not parts or width < 1:
        return []
    runs = [list(run) for _, run in groupby(parts, key=lambda p: p.state)]
    if len(runs) > width:
        return _sample(parts, width)
    laid: list[Cell] = []
    for run, share in zip(runs, apportion(width, _weights(runs)), strict=True):
        laid += _by_role(run, share)
    return laid


def _by_role(run: list[Part], width: int) -> list[Cell]:
    roles = [list(same) for _, same in groupby(run, key=lambda p: p.role)]
    if len(roles) > width:
        return _sample(run, width)
    laid: list[Cell] = []
    for same, share in zip(roles, apportion(width, _weights(roles)), strict=True):
        laid += _sample(same, share)
    return laid


def _weights(runs: list[list[Part]]) -> list[int]:
    tokens = [sum(p.tokens for p in run) for run in runs]
    return tokens if any(tokens) else [len(run) for run in runs]


def _sample(parts: Sequence[Part], width: int) -> list[Cell]:
    """``width`` equal slices of the tokens of ``parts``, each named after its largest share.

    Positions are scaled by ``width`` (messages) and by the total (cells), so all
    borders are whole numbers.
    """
    weights = [p.tokens for p in parts]
    if not any(weights):
        weights = [1] * len(parts)
    total = sum(weights)
    laid: list[Cell] = []
    here, start = 0, 0  # the message under the cursor and where it begins
    for column in range(width):
        left, right = column * total, (column + 1) * total
        shares: dict[tuple[str, str], int] = {}
        first: int | None = None
        while start < right:
            end = start + weights[here] * width
            overlap = min(end, right) - max(start, left)
            if overlap > 0:
                part = parts[here]
                first = part.index if first is None else first
                key = (part.state, part.role)
                shares[key] = shares.get(key, 0) + overlap
            if end > right:
                break
            here, start = here + 1, end
        assert first is not None
        state, role = max(shares, key=shares.__getitem__)
        laid.append(Cell(state, role, first))
    return laid


def column_of(laid: Sequence[Cell], index: int) -> int | None:
    """The first column that begins at message ``index`` or later, or None."""
    return next((column for column, cell in enumerate(laid) if cell.first >= index), None)


def ticks(length: int, most: int) -> Iterable[int]:
    """At most about ``most`` round indices below ``length`` (steps of 1, 2 or 5 times 10^k)."""
    step, factors = 1, 0
    while length > step * max(most, 1):
        step = (2, 5, 10)[factors % 3] * 10 ** (factors // 3)
        factors += 1
    return range(0, length, step)
