"""Where the values of a JSON text stand: a scanner that keeps spans and makes no values.

By the grammar of RFC 8259, and with NaN and Infinity, which Python writes. No well-kept
library for Python gives the spans of values, and to parse and write again would change
numbers (1.0, 1e400), escapes and doubled keys.

What holds at most two levels is matched as a whole; only what goes deeper is taken apart.

Until Python 3.11.5 a possessive repeat went on behind a group that had failed half-way
(CPython's issue 106052), so each such group has a last alternative, which fails where it began.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

MAX_DEPTH: Final = 500  #: a text that nests deeper is not taken for JSON,
MAX_DEEP: Final = 200_000  #: nor one with more arrays and objects that hold several levels

_BLANK: Final = r"[ \t\n\r]*+"
_STRING: Final = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+|(?!))*+"'
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_SCALAR: Final = rf"(?:{_STRING}|{_NUMBER}|true|false|null|NaN|-?Infinity)"
_KEY: Final = rf"{_STRING}{_BLANK}:{_BLANK}"
_CLOSERS: Final = {"[": "]", "{": "}"}


def _run(value: str, key: str, closer: str) -> str:
    """Any number of values, each followed by a comma and another one or by the closer."""
    return rf"{_BLANK}(?:{key}{value}{_BLANK}{_between(closer)}|(?!))*+"


def _between(closer: str) -> str:
    return rf"(?:,{_BLANK}(?!\{closer})|(?=\{closer}))"


def _flat(value: str) -> str:
    """A value, or an array or object of such values."""
    array, object = _run(value, "", "]"), _run(value, _KEY, "}")
    return rf"(?>{value}|\[{array}\]|\{{{object}\}})"


class _Patterns:
    """Compiled when the first JSON text comes."""

    def __init__(self) -> None:
        flat = _flat(_flat(_SCALAR))
        #: behind what opens an array or object: flat values, up to its end or to a deep one
        self.inside = {
            "[": re.compile(rf"{_run(flat, '', ']')}(?:(\])|[\[{{])"),
            "{": re.compile(rf"{_run(flat, _KEY, '}')}(?:(\}})|{_KEY}[\[{{])"),
        }
        #: between a deep value and what follows it
        self.behind = {
            opener: re.compile(rf"{_BLANK}{_between(closer)}")
            for opener, closer in _CLOSERS.items()
        }
        self.value = re.compile(flat)
        self.member = re.compile(_KEY + flat)
        self.key = re.compile(_KEY)
        self.blank = re.compile(_BLANK)
        self.comma = re.compile(rf"{_BLANK},?{_BLANK}")


_patterns = cache(_Patterns)


class Value(NamedTuple):
    """A value: where it begins (its key, in an object), where without the key, where it ends."""

    start: int
    bare: int
    end: int


@dataclass(frozen=True, slots=True)
class Spans:
    """The values of a text; ``deep`` has the ends of those that nest deeper, by their begin.

    ``roots`` are the values that stand in no other: one, or several on lines of their own.
    """

    text: str
    roots: list[Value]
    deep: dict[int, int]

    def inside(self, value: Value) -> tuple[array[int], array[int]]:
        """Where the values directly inside an array or object begin and end. O(its length)."""
        patterns, keyed = _patterns(), self.text[value.bare] == "{"
        starts, ends = array("q"), array("q")
        if value.bare not in self.deep:
            each = (patterns.member if keyed else patterns.value).finditer
            for found in each(self.text, value.bare + 1, value.end - 1):
                starts.append(found.start())
                ends.append(found.end())
            return starts, ends
        at = _end(patterns.blank.match(self.text, value.bare + 1))
        while at < value.end - 1:
            starts.append(at)
            bare = self.bare(at) if keyed else at
            end = self.deep.get(bare) or _end(patterns.value.match(self.text, bare))
            ends.append(end)
            at = _end(patterns.comma.match(self.text, end))
        return starts, ends

    def bare(self, start: int) -> int:
        """Where the value of a member begins. O(length of its key)."""
        return _end(_patterns().key.match(self.text, start))


def _end(found: re.Match[str] | None) -> int:
    assert found is not None  # the text has been scanned
    return found.end()


def scan(text: str) -> Spans | None:
    """The values of a text that is an object or array, or several on lines of their own.

    None for any other text. One pass without recursion: O(length).
    """
    spans, at = Spans(text, [], {}), 0
    if text.lstrip()[:1] not in ("{", "["):
        return None
    while True:
        start = _end(_patterns().blank.match(text, at))
        if start == len(text):
            return spans
        if text[start] not in _CLOSERS or (spans.roots and "\n" not in text[at:start]):
            return None
        end = _scanned(text, start, spans.deep)
        if end is None:
            return None
        spans.roots.append(Value(start, start, end))
        at = end


def _scanned(text: str, start: int, deep: dict[int, int]) -> int | None:
    """Where an array or object ends, None if it is broken; notes the ends of deep ones."""
    inside, behind = _patterns().inside, _patterns().behind
    if (flat := _patterns().value.match(text, start)) is not None:
        return flat.end()
    opened, at = [start], start + 1
    while opened:
        opener = text[opened[-1]]
        found = inside[opener].match(text, at)
        if found is None:
            return None
        at = found.end()
        if found[1] is None:
            opened.append(at - 1)
            if len(opened) > MAX_DEPTH or len(deep) > MAX_DEEP:
                return None
            continue
        deep[opened.pop()] = at
        if opened:
            found = behind[text[opened[-1]]].match(text, at)
            if found is None:
                return None
            at = found.end()
    return at
