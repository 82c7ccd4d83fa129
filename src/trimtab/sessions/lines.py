"""Lines of a transcript: what stands in them, and how one field of it is replaced."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidOptions

Path_ = tuple[str | int, ...]
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a transcript.

    ``number`` counts from 1 and is 0 for a new line; ``raw`` is the line as it stands, its
    end included; ``value`` is the JSON object in it, None where there is none.
    """

    number: int
    raw: bytes
    value: dict[str, Any] | None

    @property
    def blank(self) -> bool:
        """Whether nothing stands in it."""
        return not self.raw.strip()


Lines = str | os.PathLike[str] | bytes | Iterable[str | bytes | Line]
"""A path, the whole text as bytes, or its lines."""


def lines_of(source: Lines) -> list[Line]:
    """The lines of a transcript, numbered anew; bytes are kept as they are."""
    if isinstance(source, (str, os.PathLike)):
        source = Path(source).read_bytes()
    if isinstance(source, bytes):
        source = re.findall(rb"[^\n]*\n|[^\n]+", source)  # only a line feed ends a line
    return [_line(number, raw) for number, raw in enumerate(source, 1)]


def joined(lines: Iterable[Line]) -> bytes:
    """The text of lines; only the last one may be without an end."""
    raws = [line.raw for line in lines]
    ended = [raw if raw.endswith(b"\n") else raw + b"\n" for raw in raws[:-1]]
    return b"".join([*ended, *raws[-1:]])


def new_line(value: dict[str, Any]) -> Line:
    """A line that was not there before."""
    return Line(0, _encoded(_dumped(value)) + b"\n", value)


def with_fields(line: Line, edits: Sequence[tuple[Path_, Any]]) -> Line:
    """A line in which some fields are replaced; every other byte of it stays.

    A path that ends in a missing field adds it. O(length of the line) for each edit.
    """
    text = line.raw.decode("utf-8")
    for path, new in edits:
        text = _replaced(text, path, _dumped(new))
    raw = _encoded(text)
    return Line(line.number, raw, _parsed(raw))


def _line(number: int, raw: str | bytes | Line) -> Line:
    if isinstance(raw, Line):
        return Line(number, raw.raw, raw.value)
    if isinstance(raw, str):
        raw = _encoded(raw)
    if not isinstance(raw, bytes):
        raise InvalidOptions(f"line {number} is of type {type(raw).__name__}, not text")
    return Line(number, raw, _parsed(raw))


def _parsed(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _encoded(text: str) -> bytes:
    # Only a surrogate cannot be encoded, and its backslash escape is also that of JSON.
    return text.encode("utf-8", "backslashreplace")


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))  # noqa: TID251 - new text


def _replaced(text: str, path: Path_, new: str) -> str:
    start = text.index("{")
    for key in path[:-1]:
        start = _span(text, start, key)[0]
    last = path[-1]
    try:
        start, stop = _span(text, start, last)
    except KeyError:
        return f"{text[: start + 1]}{_dumped(last)}:{new},{text[start + 1 :]}"
    return text[:start] + new + text[stop:]


def _span(text: str, start: int, key: str | int) -> tuple[int, int]:
    """Where the value of a key stands; of a key that stands twice the last one counts."""
    spans = [span for name, span in _members(text, start) if name == key]
    if not spans:
        raise KeyError(key)
    return spans[-1]


def _members(text: str, start: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """The keys of the object that starts at ``start``, and where their values stand."""
    at = _past_space(text, start + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _past_space(text, _past_space(text, at) + 1)
        _, stop = _DECODER.raw_decode(text, at)
        yield key, (at, stop)
        at = _past_space(text, stop)
        at = _past_space(text, at + 1) if text[at] == "," else at


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    assert found is not None
    return found.end()
