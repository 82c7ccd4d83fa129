"""How counts agree with what providers reported: ``python bench/truth.py [--rows PATTERN]``.

Per family, format and content kind: how many recorded requests, how many counted
exactly, and the distribution of (count - reported) / reported, separately for the
sources that constants were learned from and for those held out.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recorded import Row, rows
from trimtab import Conversation
from trimtab.errors import TrimtabError
from trimtab.formats.registry import FORMATS

KINDS = ("text", "tools", "calls", "response format", "media")


class Error(NamedTuple):
    """A count and what was reported."""

    counted: int
    reported: int

    @property
    def share(self) -> float:
        return (self.counted - self.reported) / self.reported

    @property
    def off(self) -> int:
        return abs(self.counted - self.reported)


def main() -> None:
    """Print the table, or single rows."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--family", help="only this maker's models")
    arguments.add_argument("--rows", metavar="PATTERN", help="print rows whose key matches")
    arguments.add_argument(
        "--anchored", action="store_true", help="with the usage of the turn before as anchor"
    )
    arguments.add_argument("--aims", action="store_true", help="a line a maker, as the aims ask")
    arguments.add_argument("--learned", action="store_true", help="only sources learned from")
    arguments.add_argument("--held-out", action="store_true", help="only sources held out")
    options = arguments.parse_args()
    chosen = [row for row in rows() if _wanted(row, options)]
    counted = _anchored(chosen) if options.anchored else _counted(chosen)
    groups: dict[tuple[str, ...], list[tuple[Row, Error]]] = defaultdict(list)
    skipped: dict[str, int] = defaultdict(int)
    for row, total in counted:
        if isinstance(total, str):
            skipped[total] += 1
            continue
        side = "learned" if row.learned else "held out"
        key = (row.family, row.format, row.kind, side)
        groups[key].append((row, Error(total, row.reported)))
    if options.rows:
        _print_rows(groups, options.rows)
    elif options.aims:
        _print_aims(groups)
    else:
        _print_table(groups)
    for reason, number in skipped.items():
        print(f"skipped {number}: {reason}")


def _wanted(row: Row, options: argparse.Namespace) -> bool:
    if options.family and row.family != options.family:
        return False
    if not row.reported:
        return False
    return not ((options.learned and not row.learned) or (options.held_out and row.learned))


def _counted(chosen: Iterable[Row]) -> Iterator[tuple[Row, int | str]]:
    """Every row with its count, or why it has none."""
    for row in chosen:
        if row.format not in FORMATS:
            yield row, row.format
            continue
        try:
            yield row, row.count().total
        except TrimtabError as error:
            yield row, f"{row.id}: {type(error).__name__}"


def _anchored(chosen: Iterable[Row]) -> Iterator[tuple[Row, int | str]]:
    """Every row with a turn before it, counted by a conversation that was told its bill."""
    turns: dict[str, list[Row]] = defaultdict(list)
    for row in chosen:
        if row.format in FORMATS:
            turns[row.id].append(row)
    for rows in turns.values():
        rows.sort(key=lambda row: len(row.parts.messages))
        for before, row in zip(rows, rows[1:], strict=False):
            sent = len(before.parts.messages)
            if before.model != row.model or sent == len(row.parts.messages):
                continue
            parts = row.parts
            conversation = Conversation(
                10**9, model=row.model, format=row.format, **parts.beside()
            )
            try:
                conversation.extend(parts.messages[:sent])
                conversation.fit()
                conversation.record_usage(before.reported)
                conversation.extend(parts.messages[sent:])
                yield row, conversation.fit().used
            except TrimtabError as error:
                yield row, f"{row.id}: {type(error).__name__}"


def _print_table(groups: dict[tuple[str, ...], list[tuple[Row, Error]]]) -> None:
    print(f"{'family':9} {'format':17} {'kind':16} {'sources':9} {'rows':>5} {'exact':>6}", end=" ")
    print(" ".join(f"{name:>7}" for name in ("min", "p5", "median", "p95", "max", "|p95|", "-10%")))
    order = sorted(groups, key=lambda key: (key[0], key[1], KINDS.index(key[2]), key[3]))
    for key in order:
        errors = [error for _, error in groups[key]]
        shares = sorted(error.share for error in errors)
        exact = sum(e.counted == e.reported for e in errors)
        absolute = sorted(abs(error.counted - error.reported) for error in errors)
        under = sum(e.share < -0.1 and e.reported - e.counted > 20 for e in errors)
        cells = [_at(shares, q) for q in (0, 0.05, 0.5, 0.95, 1)]
        print(f"{key[0]:9} {key[1]:17} {key[2]:16} {key[3]:9} {len(errors):5} {exact:6}", end=" ")
        print(" ".join(f"{cell:+7.1%}" for cell in cells), f"{_at(absolute, 0.95):7} {under:7}")


def _print_aims(groups: dict[tuple[str, ...], list[tuple[Row, Error]]]) -> None:
    """Per maker and API: exact, within 2 % or 5 (10) tokens, median |error|, undercounts."""
    lines: dict[tuple[str, ...], list[Error]] = defaultdict(list)
    for (family, format, kind, side), group in groups.items():
        what = kind if kind in ("text", "media") else "tools, calls, response formats"
        for name in (what, "all but media") if kind != "media" else (what,):
            lines[family, format, name, side] += [error for _, error in group]
    print(f"{'family':9} {'format':17} {'kind':31} {'sources':9} {'rows':>5} {'exact':>7}", end=" ")
    print(f"{'in 2%/5':>8} {'in 2%/10':>8} {'median':>7} {'|median|':>8} {'|p95|':>8} {'-10%':>11}")
    for key, errors in sorted(lines.items()):
        shares = sorted(error.share for error in errors)
        absolute = sorted(abs(share) for share in shares)
        near = [[e.off <= max(least, 0.02 * e.reported) for e in errors] for least in (5, 10)]
        under = sum(e.share < -0.1 and e.reported - e.counted > 20 for e in errors)
        size = len(errors)
        exact = sum(e.off == 0 for e in errors) / size
        print(f"{key[0]:9} {key[1]:17} {key[2]:31} {key[3]:9} {size:5} {exact:7.1%}", end=" ")
        print(f"{sum(near[0]) / size:8.1%} {sum(near[1]) / size:8.1%}", end=" ")
        print(f"{_at(shares, 0.5):+7.1%} {_at(absolute, 0.5):8.1%} {_at(absolute, 0.95):8.1%}", end=" ")
        print(f"{under:4} {under / size:6.1%}")


def _print_rows(groups: dict[tuple[str, ...], list[tuple[Row, Error]]], pattern: str) -> None:
    for key, group in sorted(groups.items()):
        if not re.search(pattern, " ".join(key)):
            continue
        for row, error in sorted(group, key=lambda pair: pair[1].share):
            print(
                f"{error.counted:7} {error.reported:7} {error.share:+7.1%} {row.model:32}"
                f" {row.provider:12} {row.id}#{row.turn} {','.join(sorted(row.flags))}"
            )


def _at(ordered: list, quantile: float):
    return ordered[min(len(ordered) - 1, int(quantile * len(ordered)))]


if __name__ == "__main__":
    main()
