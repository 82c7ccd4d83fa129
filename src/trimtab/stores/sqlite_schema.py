"""The tables in SQLite. A step that was released is never changed."""

from __future__ import annotations

from typing import Final

from .migrations import Steps

VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS trimtab_store_versions"
    " (version INTEGER PRIMARY KEY, applied TEXT NOT NULL)"
)

STEPS: Final[Steps] = (
    (  # records and claims
        (
            "CREATE TABLE trimtab_records (key BLOB PRIMARY KEY, value BLOB NOT NULL,"
            " created REAL NOT NULL, expires REAL)"
        ),
        (
            "CREATE TABLE trimtab_claims (key BLOB PRIMARY KEY, holder BLOB NOT NULL,"
            " until REAL NOT NULL)"
        ),
    ),
    (  # sizes, and pruning that reads an index alone
        "ALTER TABLE trimtab_records ADD COLUMN size INTEGER NOT NULL DEFAULT 0",
        "UPDATE trimtab_records SET size = length(key) + length(value)",
        "CREATE INDEX trimtab_records_by_age ON trimtab_records (created, key, size)",
        (
            "CREATE INDEX trimtab_records_by_expiry ON trimtab_records (expires)"
            " WHERE expires IS NOT NULL"
        ),
    ),
)
