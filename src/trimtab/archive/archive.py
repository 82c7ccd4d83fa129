"""An archive of texts in SQLite: stored by content, found by handle or by words."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Self

from ..core.whole import whole
from ..errors import InvalidOptions
from ..handles import HANDLE_LENGTH, digest_of
from .connection import Connection
from .lost import Fit, Lost, lost
from .query import every, some, words_in
from .snippet import snippet

_HANDLE: Final = re.compile(r"[0-9a-f]{6,64}")
_SHORT: Final = 2  # letters that are part of too many words
_ENTRY: Final = "digest, text, exact, tool, role, place, stored"
_PUT: Final = """
    INSERT INTO entries (space, digest, text, exact, size, tool, role, place, stored)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (space, digest) DO UPDATE SET stored = max(stored, excluded.stored)
"""
_SEARCH: Final = """
    SELECT e.digest, e.tool, e.role, e.place, e.size, -best.score, e.text
    FROM (
        SELECT words.rowid AS id, bm25(words) AS score
        FROM words JOIN entries ON entries.id = words.rowid
        WHERE words MATCH ? AND entries.space = ?
        ORDER BY score, words.rowid LIMIT ?
    ) best JOIN entries e ON e.id = best.id
    ORDER BY best.score, e.id
"""
_PARTS: Final = """
    SELECT digest, tool, role, place, size, 0.0, text FROM entries
    WHERE space = ?2 AND instr(lower(text), lower(?1))
    ORDER BY stored DESC, id DESC LIMIT ?3
"""
_OLDEST: Final = """
    DELETE FROM entries WHERE id IN (
        SELECT id FROM (
            SELECT id, sum(size) OVER (ORDER BY stored DESC, id DESC) AS total FROM entries
        ) WHERE total > ?
    )
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored text: its handle and full digest, and what is known of where it stood.

    ``index`` is the position of its message; ``stored`` the time of the last `put`, in
    seconds since 1970.
    """

    handle: str
    digest: str
    text: str
    tool: str | None
    role: str | None
    index: int | None
    stored: float


@dataclass(frozen=True, slots=True)
class Hit:
    """What a search found; ``size`` in bytes, the best ``score`` is the highest.

    The words that were found stand in square brackets in ``snippet``.
    """

    handle: str
    tool: str | None
    role: str | None
    index: int | None
    size: int
    score: float
    snippet: str


class Archive:
    """Texts that a conversation lost, in one SQLite file.

    ``path`` is a file, or ``":memory:"`` for one that ends with the process. Texts of one
    ``space`` are not seen from another: give every user, or every conversation, its own.
    Safe to share between threads; processes may use one file. What is stored is not
    encrypted. A fault of SQLite is a `StoreError`. ``clock`` gives seconds since 1970.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] = ":memory:",
        *,
        space: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        if not isinstance(path, (str, os.PathLike)) or not str(path):
            raise InvalidOptions("path must name a file, or be ':memory:'")
        self._connection = Connection(os.fspath(path))
        self._space = _text(space, "space")
        self._clock = clock

    def put(
        self,
        text: str,
        *,
        tool: str | None = None,
        role: str | None = None,
        index: int | None = None,
    ) -> str:
        """Store a text and return its handle; the same text has the same handle.

        What was said of it first stays; only its age starts anew.
        """
        if not isinstance(text, str):
            raise InvalidOptions(f"text must be a str, not of type {type(text).__name__}")
        return self._put([Lost(text, role, tool, index)])[0]

    def keep(self, fitted: Fit) -> list[str]:
        """Store all that a fit changed or dropped; returns the handles, in order.

        One entry a tool result, and one for what else a message says. Text only: images
        and what only the provider can read are not stored. O(messages), in one transaction.
        """
        return self._put(lost(fitted))

    def get(self, handle: str) -> Entry | None:
        """The text of a handle, of a full digest, or of any part of its beginning that is unique.

        None where there is none, or more than one; at least six characters are needed.
        """
        if not isinstance(handle, str):
            return None
        wanted = handle.strip().lower()
        if not _HANDLE.fullmatch(wanted):
            return None
        with self._connection.using() as connection:
            rows = connection.execute(
                f"SELECT {_ENTRY} FROM entries"  # noqa: S608 (constant)
                " WHERE space = ? AND digest >= ? AND digest < ? LIMIT 2",
                (self._space, wanted, wanted + "g"),
            ).fetchall()
        return _entry(rows[0]) if len(rows) == 1 else None

    def search(self, words: str, limit: int = 10) -> list[Hit]:
        """The best texts for some words, by bm25.

        Texts with all of the words; else with any of them; else those that hold the first word
        as a part of another, the newest first, for which all texts are read. Nothing in the
        words is query syntax. Case and accents do not count.
        """
        limit = whole(limit, "limit")
        terms = words_in(_text(words, "words"))
        if not terms or limit < 1:
            return []
        tries = [(_SEARCH, every(terms)), (_SEARCH, some(terms))]
        if len(terms[0]) > _SHORT or not terms[0].isascii():
            tries.append((_PARTS, terms[0]))
        with self._connection.using() as connection:
            for sql, asked in tries:
                rows = connection.execute(sql, (asked, self._space, limit)).fetchall()
                if rows:
                    return [_hit(row, terms) for row in rows]
        return []

    def prune(self, max_age: float | None = None, max_bytes: int | None = None) -> int:
        """Delete what is old or too much, in all spaces; returns how many texts that were.

        What is older than ``max_age`` seconds goes, then the oldest until the texts take at most
        ``max_bytes``. The file keeps its size and uses the room again.
        """
        if max_age is not None and not max_age >= 0:
            raise InvalidOptions(f"max_age must be at least 0 seconds, not {max_age}")
        if max_bytes is not None and whole(max_bytes, "max_bytes") < 0:
            raise InvalidOptions(f"max_bytes must be at least 0, not {max_bytes}")
        gone = 0
        with self._connection.using(write=True) as connection:
            if max_age is not None:
                oldest = self._clock() - max_age
                done = connection.execute("DELETE FROM entries WHERE stored < ?", (oldest,))
                gone += done.rowcount
            if max_bytes is not None:
                gone += connection.execute(_OLDEST, (max_bytes,)).rowcount
        return gone

    def __len__(self) -> int:
        """How many texts this space has."""
        with self._connection.using() as connection:
            (number,) = connection.execute(
                "SELECT count(*) FROM entries WHERE space = ?", (self._space,)
            ).fetchone()
        return number

    def close(self) -> None:
        """Close the file. An archive in memory is gone then."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _put(self, texts: Iterable[Lost]) -> list[str]:
        rows = [self._row(one) for one in texts]
        if rows:
            with self._connection.using(write=True) as connection:
                connection.executemany(_PUT, rows)
        return [row[1][:HANDLE_LENGTH] for row in rows]

    def _row(self, one: Lost) -> tuple[Any, ...]:
        data = one.text.encode("utf-8", "surrogatepass")
        text = one.text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
        exact = None if text == one.text else data
        tool, role = (
            None if name is None else _text(name, "name") for name in (one.tool, one.role)
        )
        about = tool, role, one.place, float(self._clock())
        return (self._space, digest_of(one.text), text, exact, len(data), *about)


def _text(value: Any, name: str) -> str:
    """A text that SQLite can hold."""
    if not isinstance(value, str):
        raise InvalidOptions(f"{name} must be a str, not of type {type(value).__name__}")
    return value.encode("utf-8", "replace").decode("utf-8")


def _entry(row: tuple[Any, ...]) -> Entry:
    digest, text, exact, tool, role, index, stored = row
    if exact is not None:
        text = exact.decode("utf-8", "surrogatepass")
    return Entry(digest[:HANDLE_LENGTH], digest, text, tool, role, index, stored)


def _hit(row: tuple[Any, ...], words: list[str]) -> Hit:
    digest, tool, role, index, size, score, text = row
    return Hit(digest[:HANDLE_LENGTH], tool, role, index, size, score, snippet(text, words))
