"""Reading the input: one conversation, or many, told apart by what is in it.

A document is a JSON list of messages or a JSON object with ``messages``. If the first
line is complete JSON and other lines follow, every line is a document of its own
(JSONL), which is read line by line and never held as a whole. Lines that are the
transcript of an agent are one conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    from ..sessions import Session

Body = dict[str, Any]
BOM = b"\xef\xbb\xbf"


class Unreadable(Exception):
    """The input is not a conversation; the text says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Item:
    """One conversation as found: a list of messages, a request body or a transcript.

    ``line`` is its line in a JSONL input, None for a whole document. ``error`` says why
    the line cannot be read; an item with neither value nor error is a blank line. The
    value of a ``session`` is its messages.
    """

    line: int | None
    value: list[Any] | Body | None
    error: Unreadable | None = None
    session: Session | None = None

    @property
    def messages(self) -> list[Any]:
        """The messages of the list or of the body."""
        assert self.value is not None
        return self.value if isinstance(self.value, list) else self.value["messages"]

    @property
    def body(self) -> Body | None:
        """The request body, or None if the input is a plain list."""
        return self.value if isinstance(self.value, dict) else None

    @property
    def format(self) -> str | None:
        """The format that the body or transcript tells; None for a list."""
        from ..request import format_of

        body = self.body
        if self.session is not None:
            return self.session.format
        return None if body is None else format_of(body, self.messages, body.get("model")).name


@dataclass(frozen=True, slots=True)
class Source:
    """The conversations of an input; ``many`` if it is JSONL."""

    items: Iterator[Item]
    many: bool


def read(stream: BinaryIO) -> Source:
    """Find out what ``stream`` holds; raises ``Unreadable`` if it is no conversation.

    JSONL is read lazily: memory holds one line at a time.
    """
    blanks, first = _next_line(stream)
    if not first:
        raise Unreadable("the input is empty")
    marked, first = first, first.removeprefix(BOM)
    try:
        value = _parse(first)
    except Unreadable:
        return _whole(b"\n" * blanks + first + stream.read())
    if _may_be_of_session(value):
        rest = stream.read()
        if (found := _session(b"\n" * blanks + marked + rest)) is not None:
            return found
        stream = BytesIO(rest)
    gap, second = _next_line(stream)
    if not second:
        return Source(iter([Item(None, _conversation(value))]), many=False)
    lines = chain([b""] * blanks, [first], [b""] * gap, [second], stream)
    return Source(_items(lines), many=True)


def _next_line(stream: BinaryIO) -> tuple[int, bytes]:
    """How many blank lines came first, and the next line that is not blank (or ``b""``)."""
    blanks = 0
    for line in stream:
        if line.strip().removeprefix(BOM):
            return blanks, line
        blanks += 1
    return blanks, b""


def _whole(data: bytes) -> Source:
    """A document of several lines; or JSONL whose first line is damaged."""
    try:
        return Source(iter([Item(None, _conversation(_parse(data)))]), many=False)
    except Unreadable:
        if (found := _session(data)) is not None:
            return found
        lines = data.splitlines(keepends=True)
        others = (line for line in lines if line.strip())
        next(others)
        if not _is_conversation(next(others, b"")):
            raise
        return Source(_items(iter(lines)), many=True)


def _may_be_of_session(value: Any) -> bool:
    return isinstance(value, dict) and "type" in value and "messages" not in value


def _session(data: bytes) -> Source | None:
    """A transcript, if that is what the lines are."""
    from ..errors import UnknownFormat
    from ..sessions import read_session

    try:
        session = read_session(data)
    except UnknownFormat:
        return None
    return Source(iter([Item(None, session.messages, None, session)]), many=False)


def _is_conversation(line: bytes) -> bool:
    try:
        _conversation(_parse(line))
    except Unreadable:
        return False
    return True


def _items(lines: Iterator[bytes]) -> Iterator[Item]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield Item(number, None)
            continue
        try:
            yield Item(number, _conversation(_parse(line.rstrip(b"\r\n"), number)))
        except Unreadable as error:
            yield Item(number, None, error)


def _parse(data: bytes, line: int | None = None) -> Any:
    """The JSON in ``data``, which is line ``line`` of a JSONL input or a whole document."""
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if line else f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"not JSON: {error.msg} ({where})") from None
    except ValueError as error:  # a number with too many digits
        raise Unreadable(f"not JSON that can be read: {error}") from None
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply") from None


def _conversation(value: Any) -> list[Any] | Body:
    if isinstance(value, list):
        return cast(list[Any], value)
    if not isinstance(value, dict):
        raise Unreadable("a conversation is a JSON list of messages or an object that holds one")
    body = cast(Body, value)
    if isinstance(body.get("messages"), list):
        return body
    if "role" in body:
        raise Unreadable("this is one message; a conversation is a JSON list of messages")
    raise Unreadable('the object has no list named "messages"')
