"""``trimtab count``: tokens by role, by tool and by message."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..safe import safe
from .run import DONE
from .sink import data, write_json
from .source import Item
from .tally import PARTS, Large, Row, Tally

if TYPE_CHECKING:
    from .. import Count
    from ..formats.base import Format

NAME = 40  # characters shown of a name or of a message's first words


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``count``."""

    model: str | None = None
    format: str | None = None
    system: str | None = None
    top: int = 10
    as_json: bool = False


class Counting:
    """The job of ``trimtab count``."""

    def __init__(self, options: Options) -> None:
        self.as_lines = options.as_json
        self.options = options
        self.tally = Tally(options.top)

    def one(self, item: Item) -> int:
        """Count one conversation; with ``--json`` write its count."""
        shape, count = self._count(item)
        tally = Tally(self.options.top) if self.options.as_json else self.tally
        tally.add(item, count, shape)
        if self.options.as_json:
            write_json(_as_data(tally, count), indent=2 if item.line is None else None)
        return DONE

    def end(self, conversations: int, *, many: bool) -> None:
        """Print the tables; for a JSONL input they hold the sums of all conversations."""
        if not self.options.as_json and self.tally.conversations:
            _print(data(), self.tally, many)

    def _count(self, item: Item) -> tuple[Format, Count]:
        from .. import count
        from ..formats.registry import detect, format_named

        model = self.options.model or item.model
        given: dict[str, Any] = {}
        messages, name = item.messages, self.options.format
        if item.session is not None:
            name, given = item.session.format, {"system": item.session.system}
        elif item.body is not None:
            read = item.request(name)
            messages, name, given = list(read.body.messages), read.format, read.body.beside()
        shape: Any = detect(messages, model) if name is None else format_named(name)
        if self.options.system is not None:
            given["system"] = self.options.system
        return shape, count(messages, model=model, format=shape, **given)


def _as_data(tally: Tally, count: Count) -> dict[str, Any]:
    return {
        "total": count.total,
        "exact": count.exact,
        **{name: tally.parts[name] for name in PARTS},
        "by_message": list(count.by_message),
        "by_role": {
            n: {"messages": r.messages, "tokens": r.tokens} for n, r in tally.roles.items()
        },
        "by_tool": {
            name: {"calls": row.calls, "results": row.results, "tokens": row.tokens}
            for name, row in tally.tools.items()
        },
        "largest": [
            {"index": m.index, "role": m.role, "tools": m.tools, "tokens": m.tokens}
            for m in tally.largest
        ],
    }


def _print(console: Console, tally: Tally, many: bool) -> None:
    console.print(_totals(tally, many))
    if tally.tools:
        console.print(Text(), _tools(tally.tools), sep="\n")
    if tally.largest:
        console.print(Text(), _largest(tally.largest, many), sep="\n")


def _totals(tally: Tally, many: bool) -> Table:
    table = _table("role", "messages", "tokens", "share")
    for name, row in tally.roles.items():
        table.add_row(_name(name), f"{row.messages:,}", *_part(row.tokens, tally.total))
    for part in PARTS:
        if tally.parts[part]:
            table.add_row(PARTS[part], "", *_part(tally.parts[part], tally.total))
    label = f"total, {tally.conversations:,} conversations" if many else "total"
    kind = "exact" if tally.exact else "estimated"
    table.add_row(label, f"{tally.messages:,}", f"{tally.total:,}", kind, style="bold")
    return table


def _tools(tools: dict[str, Row]) -> Table:
    table = _table("tool", "calls", "results", "tokens")
    for name, row in sorted(tools.items(), key=lambda pair: -pair[1].tokens):
        table.add_row(_name(name), f"{row.calls:,}", f"{row.results:,}", f"{row.tokens:,}")
    return table


def _largest(largest: Iterable[Large], many: bool) -> Table:
    table = _table("line:message" if many else "message", "tokens")
    for name in ("role", "tool", "begins"):
        table.add_column(name, no_wrap=True)
    for large in largest:
        place = f"{large.line}:{large.index}" if many else str(large.index)
        tools = ", ".join(large.tools)
        words = Text(safe(large.words, NAME), style="dim")
        table.add_row(place, f"{large.tokens:,}", _name(large.role), _name(tools), words)
    return table


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(first, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _name(text: str) -> Text:
    return Text(safe(text, NAME))


def _part(tokens: int, total: int) -> tuple[str, str]:
    """Tokens and their share of the total."""
    percent = (200 * tokens + total) // (2 * total) if total else 0
    return f"{tokens:,}", "<1 %" if tokens and not percent else f"{percent} %"
