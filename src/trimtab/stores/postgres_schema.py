"""The tables in PostgreSQL. A step that was released is never changed."""

from __future__ import annotations

from typing import Final

from .migrations import Steps

VERSIONS: Final = (
    "CREATE TABLE IF NOT EXISTS trimtab_store_versions"
    " (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())"
)

STEPS: Final[Steps] = (
    (  # records and claims
        (
            "CREATE TABLE trimtab_records (key bytea PRIMARY KEY, value bytea NOT NULL,"
            " created double precision NOT NULL, expires double precision)"
        ),
        (
            "CREATE TABLE trimtab_claims (key bytea PRIMARY KEY, holder bytea NOT NULL,"
            " taken double precision NOT NULL, until double precision NOT NULL)"
        ),
    ),
    (  # sizes, and pruning that reads an index alone
        "ALTER TABLE trimtab_records ADD COLUMN size bigint NOT NULL DEFAULT 0",
        "UPDATE trimtab_records SET size = octet_length(key) + octet_length(value)",
        "CREATE INDEX trimtab_records_by_age ON trimtab_records (created, key) INCLUDE (size)",
        (
            "CREATE INDEX trimtab_records_by_expiry ON trimtab_records (expires)"
            " WHERE expires IS NOT NULL"
        ),
    ),
)
