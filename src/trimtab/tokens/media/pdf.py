"""How many pages and characters a PDF has, without a PDF library.

A reader must follow the table of objects to be right about every file. This looks at the
objects themselves, also at those in compressed object streams, which is right for nearly
all files, linear in the data, and safe: it follows no reference and unpacks no more than
8 MiB.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

LETTER: Final = (612, 792)
"""Width and height of a page in points."""

MOST_PAGES: Final = 1000
"""What a provider takes at most."""

_PAGE: Final = re.compile(rb"/Type\s{0,4}/Page(?![A-Za-z])")
_BOX: Final = re.compile(rb"/MediaBox\s{0,4}\[\s{0,4}((?:-?[\d.]{1,9}\s{1,4}){3}-?[\d.]{1,9})")
_STREAM: Final = re.compile(rb"(?<!end)stream\r?\n")
_LITERAL: Final = re.compile(rb"\((?:[^()\\]++|\\.)*+", re.DOTALL)
_SHOWS: Final = re.compile(rb"[)>\]]\s{0,4}T[jJ]")
_HEXADECIMAL: Final = re.compile(rb"<[0-9A-Fa-f\s]++>")
_HEADER: Final = 1024  # bytes within which a file says what it is
_DICTIONARY: Final = 512  # bytes before a stream that describe it
_NO_TEXT: Final = re.compile(rb"/(?:Image|Length1|Alternate|XRef|FontFile|Metadata)")
_STREAMS: Final = 50_000  # looked at, at most; a thousand pages have fewer
_UNPACKED: Final = 8 << 20  # bytes, at most; as text more than any model reads


class Pages(NamedTuple):
    """Pages, characters on them, whether there are pictures, and a page's size in points.

    Blanks are mostly no characters but places, so a text of words has a sixth more.
    """

    number: int
    characters: int
    pictures: bool
    size: tuple[int, int] = LETTER


def read_pdf(data: bytes) -> Pages | None:
    """What a PDF holds; None for what is no PDF, or hides its pages by encryption."""
    if b"%PDF" not in data[:_HEADER]:
        return None
    pages, literal, digits, pictures = len(_PAGE.findall(data)), 0, 0, False
    wide = b"/Identity-H" in data
    box = _BOX.search(data)
    for described, content in _streams(data):
        if b"/Image" in described:
            pictures = True
        elif b"/ObjStm" in described:
            pages += len(_PAGE.findall(content))
            wide = wide or b"/Identity-H" in content
            box = box or _BOX.search(content)
        elif b"BT" in content and _SHOWS.search(content):
            literal += _literal(content)
            digits += sum([len(found) - 2 for found in _HEXADECIMAL.findall(content)])
    if not pages:
        return None
    size = _size(box[1]) if box else LETTER
    characters = literal + digits // (4 if wide else 2)
    return Pages(min(pages, MOST_PAGES), characters, pictures, size)


def _streams(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each stream's dictionary and unpacked content; that of pictures and fonts is empty."""
    view, left, at = memoryview(data), _UNPACKED, 0
    for _ in range(_STREAMS):
        match = _STREAM.search(data, at)
        if match is None:
            return
        start = match.end()
        at = data.find(b"endstream", start)
        if at < 0:
            return
        described = data[max(0, match.start() - _DICTIONARY) : match.start()]
        described = described[described.rfind(b"obj") + 1 :]
        content = b""
        if not _NO_TEXT.search(described):
            content = _unpacked(view[start:at], described, left)
            left -= len(content)
        yield described, content


def _unpacked(content: memoryview, described: bytes, limit: int) -> bytes:
    if b"/Filter" not in described:
        return bytes(content[: max(0, limit)])
    if b"/FlateDecode" not in described or limit <= 0:
        return b""
    try:
        return zlib.decompressobj().decompress(content, limit)
    except zlib.error:
        return b""


def _literal(content: bytes) -> int:
    """Characters of strings in parentheses; where they take two bytes, one is nearly always 0."""
    shown = sum([len(found) - 1 for found in _LITERAL.findall(content)])
    return max(0, shown - content.count(b"\0") - content.count(b"\\000"))


def _size(box: bytes) -> tuple[int, int]:
    try:
        left, bottom, right, top = (float(number) for number in box.split())
    except ValueError:
        return LETTER
    width, height = abs(round(right - left)), abs(round(top - bottom))
    return (width, height) if width and height else LETTER
