"""A user's words as a query of FTS5: nothing in them is its syntax."""

from __future__ import annotations

from typing import Final

_MOST: Final = 32  # words of a query
_LONGEST: Final = 200  # characters of a word


def words_in(text: str) -> list[str]:
    """The first words of a text, without what no text in the archive can hold."""
    clean = text[: _MOST * _LONGEST].replace("\0", " ")
    clean = clean.encode("utf-8", "replace").decode("utf-8")
    words = [word[:_LONGEST] for word in clean.split()]
    return [word for word in words if any(map(str.isalnum, word))][:_MOST]


def every(words: list[str]) -> str:
    """A query for texts with all of the words."""
    return " AND ".join(map(_quoted, words))


def some(words: list[str]) -> str:
    """A query for texts with at least one of the words."""
    return " OR ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'
