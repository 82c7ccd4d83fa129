"""Writing: data on stdout as JSON, words on stderr as plain text."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from ..safe import safe, safe_json
from .numbers import dumps
from .source import Item

LIMIT = 1000  # characters of one line of words
WIDE = 200


def write_json(value: object, *, indent: int | None) -> None:
    r"""Write ``value`` to stdout as UTF-8 JSON and a line feed.

    Lone surrogates and characters that could steer a terminal are written as ``\u``
    escapes, so the output is valid JSON and harmless to look at.
    """
    text = dumps(value, indent)
    # Only a surrogate cannot be encoded, and its backslash escape is also that of JSON.
    write(safe_json(text).encode("utf-8", "backslashreplace") + b"\n")


def write_document(value: Any, item: Item) -> None:
    """Write a conversation as it was found: a line each for the messages, one line, or many."""
    if item.lines:
        for message in value:
            write_json(message, indent=None)
    else:
        write_json(value, indent=2 if item.line is None else None)


def write_text(data: bytes) -> None:
    """Write lines of JSON byte for byte; only a terminal gets them made safe to look at."""
    if sys.stdout.isatty():
        data = safe_json(data.decode("utf-8", "replace")).encode("utf-8")
    write(data)


def write(data: bytes) -> None:
    """Write bytes to stdout; a terminal shows them before the words that follow."""
    sys.stdout.buffer.write(data)
    if sys.stdout.isatty():
        sys.stdout.buffer.flush()


class Plain(Console):
    """A console that leaves a closed pipe to the caller."""

    def on_broken_pipe(self) -> None:
        """Raise it again; rich would end the process with its own code."""
        raise BrokenPipeError


def words() -> Console:
    """The console on stderr. It never interprets markup, emoji codes or links."""
    return Plain(stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True)


def data() -> Console:
    """The console on stdout, for tables; a file gets them whole, however wide they are."""
    width = None if sys.stdout.isatty() else WIDE
    return Plain(markup=False, emoji=False, highlight=False, width=width)


def drawing() -> Console:
    """The console on stdout, for pictures: as wide as the terminal, or as ``COLUMNS`` says."""
    return Plain(markup=False, emoji=False, highlight=False)


def line(*parts: str | tuple[str, str]) -> Text:
    """One line of words; every part is made safe, a pair is (text, style)."""
    text = Text()
    for part in parts:
        content, style = (part, "") if isinstance(part, str) else part
        text.append(safe(content, LIMIT), style)
    return text
