"""Reading the input: one conversation, or many, told apart by what is in it.

A document is a JSON list of messages or a JSON object that holds one, as the body of a
request does. If the first line is complete JSON and other lines follow, every line is a
document of its own (JSONL), which is read line by line and never held as a whole. Lines
that are the transcript of an agent, or a message each, are one conversation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from .numbers import number

if TYPE_CHECKING:
    from ..request import Request
    from ..sessions import Session

Body = dict[str, Any]
BOM = b"\xef\xbb\xbf"
# What a line of a batch file or a message of JSON-RPC calls the request body within it.
ENVELOPES: Final = ("body", "params", "request", "modelInput")


class Unreadable(Exception):
    """The input is not a conversation; the text says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class Item:
    """One conversation as found: a list of messages, a request body or a transcript.

    ``line`` is its line in a JSONL input, None for a whole document. ``error`` says why
    the line cannot be read; an item with neither value nor error is a blank line. The
    value of a ``session`` is its messages. A body may stand in an ``envelope``, under the
    name ``within``. ``lines`` are those of the messages where each has one of its own.
    """

    line: int | None
    value: list[Any] | Body | None
    error: Unreadable | None = None
    session: Session | None = None
    envelope: Body | None = None
    within: str = ""
    lines: tuple[int, ...] = ()

    @property
    def messages(self) -> list[Any]:
        """The messages of the list or of the body; a text that stands for one is one."""
        assert self.value is not None
        if isinstance(self.value, list):
            return self.value
        found = self.value[_key_of(self.value)]
        return cast(list[Any], found) if isinstance(found, list) else [found]

    @property
    def body(self) -> Body | None:
        """The request body, or None if the input is a plain list."""
        return self.value if isinstance(self.value, dict) else None

    @property
    def model(self) -> str | None:
        """The model that the body or transcript names."""
        if self.session is not None:
            return self.session.model
        body = self.body or {}
        found = body.get("model", body.get("modelId"))
        return found if isinstance(found, str) else None

    def request(self, format: str | None) -> Request:
        """The parts of the request body; ``format`` is the one asked for."""
        from ..request import read_request

        return read_request(self.body, format=format)

    def read(self, format: str | None) -> tuple[list[Any], Any]:
        """The messages and their format, which is None where the messages are to tell it."""
        if self.body is None:
            told = None if self.session is None else self.session.format
            return self.messages, format or told
        found = self.request(format)
        return list(found.body.messages), found.format

    def written(self, body: Any) -> Any:
        """What stands in the place of a body: in its envelope, if it has one."""
        return body if self.envelope is None else {**self.envelope, self.within: body}

    def with_messages(self, messages: list[Any], format: str | None) -> Any:
        """The document with other messages."""
        from ..request import with_messages

        if self.body is None:
            return messages
        return self.written(with_messages(self.body, self.request(format), messages))


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
    if _is_message(value):
        lines = chain([b""] * blanks, [first], stream)
        return Source(iter([_conversation_of_lines(lines)]), many=False)
    gap, second = _next_line(stream)
    if not second:
        return Source(iter([_conversation(value)]), many=False)
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
        return Source(iter([_conversation(_parse(data))]), many=False)
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
    return isinstance(value, dict) and "type" in value and _held(cast(Body, value)) is None


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
    for at, line in enumerate(lines, 1):
        if not line.strip():
            yield Item(at, None)
            continue
        try:
            yield _conversation(_parse(line.rstrip(b"\r\n"), at), at)
        except Unreadable as error:
            yield Item(at, None, error)


def _parse(data: bytes, line: int | None = None) -> Any:
    """The JSON in ``data``, which is line ``line`` of a JSONL input or a whole document."""
    try:
        return json.loads(data.decode("utf-8"), parse_float=number)
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if line else f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"not JSON: {error.msg} ({where})") from None
    except ValueError as error:  # a number with too many digits
        raise Unreadable(f"not JSON that can be read: {error}") from None
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply") from None


def _conversation(value: Any, line: int | None = None) -> Item:
    """The conversation in a document; raises ``Unreadable`` where there is none."""
    if isinstance(value, list):
        return Item(line, cast(list[Any], value))
    if not isinstance(value, dict):
        raise Unreadable("a conversation is a JSON list of messages or an object that holds one")
    found = cast(Body, value)
    if _held(found) is not None:
        return Item(line, found)
    for within in ENVELOPES:
        inner = found.get(within)
        if isinstance(inner, dict) and _held(cast(Body, inner)) is not None:
            return Item(line, cast(Body, inner), envelope=found, within=within)
    if _is_message(found):
        raise Unreadable(
            "this is one message; a conversation is a JSON list of messages, or one on each line"
        )
    from ..request import KEYS

    names = '", "'.join(KEYS)
    raise Unreadable(f'the object has no list of messages under any of the names "{names}"')


def _held(body: Body) -> str | None:
    """The name under which a body holds messages, None where it holds none.

    Only OpenAI Responses takes a text in their place; it is told from a column of a data
    set by the model.
    """
    from ..request import KEYS

    for key in KEYS:
        if isinstance(body.get(key), list):
            return key
    return "input" if isinstance(body.get("input"), str) and "model" in body else None


def _key_of(body: Body) -> str:
    key = _held(body)
    assert key is not None
    return key


def _is_message(value: Any) -> bool:
    """Whether an object is a message rather than something that holds messages."""
    from ..errors import UnknownFormat
    from ..formats.registry import recognise

    if not isinstance(value, dict) or _held(cast(Body, value)) is not None:
        return False
    try:
        return "role" in value or recognise(value, 0) is not None
    except UnknownFormat:
        return True


def _conversation_of_lines(lines: Iterator[bytes]) -> Item:
    """The one conversation whose messages have a line each."""
    messages: list[Any] = []
    numbers: list[int] = []
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = _parse(line.rstrip(b"\r\n"), at)
        except Unreadable as error:
            raise Unreadable(f"line {at}: {error}") from None
        if not isinstance(value, dict):
            raise Unreadable(f"line {at}: no message, as the lines before it are")
        messages.append(value)
        numbers.append(at)
    return Item(None, messages, lines=tuple(numbers))
