"""The tables of an archive. ``user_version`` says which of the steps have been taken."""

from __future__ import annotations

import sqlite3
from typing import Final

# text: what is searched; exact: the text in UTF-8 where it has characters that SQLite
# cannot hold in a text (a zero, half a surrogate pair).
_STEPS: Final = (
    """
    CREATE TABLE entries (
        id INTEGER PRIMARY KEY,
        space TEXT NOT NULL,
        digest TEXT NOT NULL,
        text TEXT NOT NULL,
        exact BLOB,
        size INTEGER NOT NULL,
        tool TEXT,
        role TEXT,
        place INTEGER,
        stored REAL NOT NULL,
        UNIQUE (space, digest)
    );
    CREATE INDEX entries_by_age ON entries (stored);
    CREATE VIRTUAL TABLE words USING fts5(
        text, content='entries', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
    );
    CREATE TRIGGER entries_in AFTER INSERT ON entries BEGIN
        INSERT INTO words(rowid, text) VALUES (new.id, new.text);
    END;
    CREATE TRIGGER entries_out AFTER DELETE ON entries BEGIN
        INSERT INTO words(words, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    """,
)
VERSION: Final = len(_STEPS)


def prepare(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date; of several processes the first one does it."""
    if _version(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = _version(connection)
        if done > VERSION:
            raise sqlite3.DatabaseError(f"the archive has schema {done}, newer than {VERSION}")
        for step in _STEPS[done:]:
            for statement in _statements(step):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return version


def _statements(script: str) -> list[str]:
    """The statements of a script, since ``executescript`` would end the transaction."""
    found: list[str] = []
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            found.append(statement)
            statement = ""
    return found
