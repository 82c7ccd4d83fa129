"""What may matter in a line: names in it, and what kind of thing it says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Final

_CJK_MARKS: Final = "\uff0c\u3002\u3001\uff1b\uff08\uff09\u300c\u300d\u201c\u201d"
_CHUNK: Final = re.compile(rf"""[^\s"'`<>()\[\]{{}},;|{_CJK_MARKS}]{{3,}}""")
_ASCII: Final = re.compile(r"[!-~]{3,}")
_PATH: Final = re.compile(r"(?:[A-Za-z]:|~|\.{1,2}|@)?[\w.@+\-/\\:~]*")
_FILE: Final = re.compile(r"\.?[\w\-]+(?:\.[\w\-]+)*\.[A-Za-z][A-Za-z0-9]{0,9}")
_HEX: Final = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}", re.IGNORECASE)
_SNAKE: Final = re.compile(r"\w*[A-Za-z]\w*_\w+|_\w{2,}")
_CAMEL: Final = re.compile(r"[A-Za-z]\w*[a-z0-9][A-Z]\w*")
_TICKET: Final = re.compile(r"[A-Z][A-Z0-9]*-\d+|#\d+|v?\d+(?:\.\d+){1,3}|--?[a-z][\w-]{2,}")
_ESCAPED: Final = re.compile(
    r"^(?![A-Za-z]:).*\\[ntru\\]|^\\|\\$|^(?:e\.g|i\.e|etc)$"
)  # text inside JSON
_NUMBER: Final = re.compile(r"\d[\d.,:%]*")
_WORD: Final = re.compile(r"[a-z0-9_]{2,}|[^\W\d_]+")
_UNSPACED: Final = ("\u2e80", "\ua4cf"), ("\uf900", "\ufaff"), ("\u0e00", "\u0eff")
_TRIM: Final = ".,:;!?*=…"
_LONGEST: Final = 160  # characters of a name; what is longer is data


def says(line: str, kind: str) -> bool:
    """Whether a line sounds like one of ``errors``, ``constraints``, ``open``, ``decisions``."""
    pattern = _kinds().get(kind)
    return pattern is not None and pattern.search(line) is not None


@cache
def _kinds() -> Mapping[str, re.Pattern[str]]:
    file = files("trimtab.summary").joinpath("extractive_words.toml")
    kinds: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        kind: re.compile("|".join(chain.from_iterable(languages.values())), re.IGNORECASE)
        for kind, languages in kinds.items()
    }


def numbers(line: str) -> int:
    """How many numbers a line holds."""
    return len(_NUMBER.findall(line))


def words(line: str) -> Iterator[str]:
    """The words of a line in small letters; of scripts without spaces, pairs of characters."""
    for word in _WORD.findall(line.casefold()):
        if word.isascii() or not _unspaced(word[0]):
            yield word
        else:
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))


def names(line: str) -> Iterator[tuple[str, float]]:
    """Paths, addresses and identifiers in a line, with how much each kind is worth. O(length)."""
    for chunk in _CHUNK.findall(line):
        for part in (chunk,) if chunk.isascii() else _ASCII.findall(chunk):
            yield from _named(part)


def _named(part: str) -> Iterator[tuple[str, float]]:
    name = part.strip(_TRIM)
    if not 3 <= len(name) <= _LONGEST or _ESCAPED.search(name):
        return
    if "://" in name:
        start = name.find("http")
        if start >= 0:
            yield name[start:], 3.0
    elif "/" in name or "\\" in name:
        _, equals, value = name.rpartition("=")
        name = value if equals else name
        if _is_path(name):
            yield name, 3.0
    else:
        for word in name.split("="):
            if len(word) >= 3 and (worth := _worth(word.strip(_TRIM))):
                yield word.strip(_TRIM), worth


def _is_path(name: str) -> bool:
    if not _PATH.fullmatch(name) or not any(map(str.isalpha, name)):
        return False
    segments = [part for part in re.split(r"[/\\]+", name) if part]
    rooted = name[0] in "/~.@" and len(segments) > 1
    return len(segments) > 1 and (rooted or len(segments) > 2 or "." in segments[-1].strip("."))


def _worth(word: str) -> float:
    if _FILE.fullmatch(word):
        return 2.0
    if _SNAKE.fullmatch(word) or _CAMEL.fullmatch(word):
        return 1.5
    return 1.0 if _HEX.fullmatch(word) or _TICKET.fullmatch(word) else 0.0


def _unspaced(char: str) -> bool:
    """Whether a letter is of a script without spaces: Chinese, Japanese, Thai, Lao."""
    return any(low <= char <= high for low, high in _UNSPACED)
