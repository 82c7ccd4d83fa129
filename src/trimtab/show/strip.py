"""The first picture: a whole history as one strip of cells, with its account.

Every cell stands for the same number of tokens. Its colour is the role of what it
covers and its glyph the fate, so the strip reads without colour too; without colour a
row of letters below it names the roles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from ..safe import safe
from .account import account, first_kept
from .layout import Cell, Part, cells, column_of, ticks
from .parts import REASONING, parts

if TYPE_CHECKING:
    from .. import Fitted

GLYPHS = {
    "kept": ("█", "#"),
    "changed": ("▚", "*"),
    "excerpted": ("▞", "~"),
    "cleared": ("▓", "+"),
    "summarised": ("▒", "="),
    "dropped": ("░", "."),
}
COLOURS = {
    "system": "yellow",
    "human": "green",
    "assistant": "blue",
    "call": "magenta",
    "result": "cyan",
    REASONING: "red",
}
TICK, MARK = ("╵", "|"), ("▲", "^")
HEIGHT = 2  # lines of the strip itself, where colours can be seen


def strip(fitted: Fitted) -> RenderableType:
    """What was kept, changed and dropped of a history, drawn in proportion to tokens.

    Returns a rich renderable as wide as the console: the strip, a ruler of message
    indices with the place of the cut, a legend, and the account by state. Reads the
    ledger, so the dropped messages are counted now. O(n log n) in the messages.
    """
    return Group(_Strip(parts(fitted), first_kept(fitted)), Text(), account(fitted))


class _Strip:
    def __init__(self, parts: Sequence[Part], cut: int | None) -> None:
        self.parts = parts
        self.cut = cut

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.parts:
            yield Text("no messages")
            return
        ascii_only = options.ascii_only
        plain = console.no_color or console.color_system is None
        laid = cells(self.parts, options.max_width)
        row = _row(laid, ascii_only)
        yield from [_letters(row, laid)] if plain else [row] * HEIGHT
        yield ruler(laid, self.parts[-1].index + 1, self.cut, ascii_only=ascii_only)
        items = _legend(self.parts, self.cut, ascii_only, plain)
        yield from _packed(items, options.max_width)


def _row(laid: Sequence[Cell], ascii_only: bool) -> Text:
    row = Text(no_wrap=True, end="\n")
    for (state, role), same in groupby(laid, key=lambda c: (c.state, c.role)):
        row.append(_glyph(state, ascii_only) * len(list(same)), _style(state, role))
    return row


def _letters(row: Text, laid: Sequence[Cell]) -> Text:
    return Text.assemble(row, "\n", "".join(_letter(cell.role) for cell in laid), no_wrap=True)


def ruler(
    laid: Sequence[Cell], messages: int, cut: int | None, *, ascii_only: bool = False
) -> Text:
    """One line of message indices below the cells; the cut is marked, the last index ends it.

    A label that would touch another one is left out; the cut goes first.
    """
    tick, mark = TICK[ascii_only], MARK[ascii_only]
    width = len(laid)
    line = [" "] * width
    wanted: list[tuple[int | None, str]] = []
    if cut is not None:
        wanted.append((column_of(laid, cut), f"{mark}{cut}"))
    wanted.append((0, f"{tick}0"))
    if messages > 1:
        last = f"{messages - 1}{tick}"
        wanted.append((width - len(last), last))
    wanted += [(column_of(laid, i), f"{tick}{i}") for i in ticks(messages - 1, width // 12)]
    for column, label in wanted:
        if column is not None:
            _write(line, column, label)
    text = Text("".join(line).rstrip(), style="dim", no_wrap=True)
    text.highlight_regex(re.escape(mark) + r"\d+", "bold not dim")
    return text


def _write(line: list[str], column: int, label: str) -> None:
    """Write ``label`` if it fits and leaves a space on both sides."""
    end = column + len(label)
    if column < 0 or end > len(line):
        return
    if all(char == " " for char in line[max(column - 1, 0) : end + 1]):
        line[column:end] = label


def _legend(parts: Sequence[Part], cut: int | None, ascii_only: bool, plain: bool) -> list[Text]:
    states = {part.state for part in parts}
    roles = dict.fromkeys(list(COLOURS) + [p.role for p in parts])
    present = {part.role for part in parts}
    items = [Text(f"{_glyph(s, ascii_only)} {s}") for s in GLYPHS if s in states]
    if cut is not None:
        items.append(Text.assemble((MARK[ascii_only], "bold"), " cut"))
    for role in roles:
        if role in present:
            key = _letter(role) if plain else _glyph("kept", ascii_only)
            items.append(Text.assemble((key, _style("kept", role)), f" {safe(role, 20)}"))
    return items


def _packed(items: Sequence[Text], width: int) -> Iterator[Text]:
    """The items side by side, in as few lines as ``width`` allows."""
    line = Text()
    for item in items:
        if line and line.cell_len + 2 + item.cell_len > width:
            yield line
            line = Text()
        line = Text("  ").join([line, item]) if line else item
    yield line


def _glyph(state: str, ascii_only: bool) -> str:
    return GLYPHS.get(state, ("?", "?"))[ascii_only]


def _letter(role: str) -> str:
    if role == REASONING:
        return "t"  # as in thought: r is a result
    return role[0] if role in COLOURS else "?"


def _style(state: str, role: str) -> str:
    colour = COLOURS.get(role, "white")
    return f"dim {colour}" if state == "dropped" else colour
