"""The statements for PostgreSQL. ``%(clock)s`` is null where the server's own clock counts."""

from __future__ import annotations

from typing import Final

LOCK: Final = 7_594_870_331_402_177_126
"""Of advisory locks, for what one process at a time may do: migrate and prune."""

_NOW: Final = "coalesce(%(clock)s::float8, extract(epoch FROM clock_timestamp())::float8)"
_CLOCK: Final = f"WITH clock AS MATERIALIZED (SELECT {_NOW} AS now)"
_ROW: Final = "key, value, created, expires"
_LIVE: Final = "(expires IS NULL OR expires > now)"

VERSION_TABLE: Final = "SELECT to_regclass('trimtab_store_versions') IS NOT NULL"
VERSION: Final = "SELECT max(version) FROM trimtab_store_versions"
NEW_VERSION: Final = "INSERT INTO trimtab_store_versions (version) VALUES (%(version)s)"
ALONE: Final = "SELECT pg_advisory_xact_lock(%(lock)s)"

GET: Final = (
    f"{_CLOCK} SELECT {_ROW} FROM trimtab_records, clock"  # noqa: S608
    f" WHERE key = %(key)s AND {_LIVE}"
)
PUT: Final = (
    f"{_CLOCK} INSERT INTO trimtab_records AS old (key, value, created, expires, size)"  # noqa: S608
    " SELECT %(key)s, %(value)s, now, now + %(ttl)s::float8, %(size)s FROM clock"
    " ON CONFLICT (key) DO UPDATE SET value = excluded.value, created = excluded.created,"
    " expires = excluded.expires, size = excluded.size WHERE old.expires <= excluded.created"
    f" RETURNING {_ROW}"
)
CLAIM: Final = (
    f"{_CLOCK} INSERT INTO trimtab_claims AS old (key, holder, taken, until)"  # noqa: S608
    " SELECT %(key)s, %(holder)s, now, now + %(seconds)s::float8 FROM clock"
    " ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, taken = excluded.taken,"
    " until = excluded.until WHERE old.until <= excluded.taken OR old.holder = excluded.holder"
    " RETURNING key"
)
HAS: Final = (
    f"{_CLOCK} SELECT true FROM trimtab_records, clock"  # noqa: S608
    f" WHERE key = %(key)s AND {_LIVE}"
)
RELEASE: Final = (
    f"{_CLOCK} DELETE FROM trimtab_claims USING clock"  # noqa: S608
    " WHERE key = %(key)s AND holder = %(holder)s RETURNING until > now"
)
SCAN: Final = (
    f"{_CLOCK} SELECT {_ROW} FROM trimtab_records, clock WHERE {_LIVE}"  # noqa: S608
    " AND (%(age)s::float8 IS NULL OR created < now - %(age)s::float8)"
    " ORDER BY created, key LIMIT %(limit)s"
)
PRUNE_CLAIMS: Final = f"{_CLOCK} DELETE FROM trimtab_claims USING clock WHERE until <= now"  # noqa: S608
PRUNE_OLD: Final = (
    f"{_CLOCK} DELETE FROM trimtab_records USING clock"  # noqa: S608
    " WHERE expires <= now OR created < now - %(age)s::float8"
)
PRUNE_EXCESS: Final = (
    "DELETE FROM trimtab_records WHERE key IN (SELECT key FROM"
    " (SELECT key, row_number() OVER newest AS records, sum(size) OVER newest AS bytes"
    " FROM trimtab_records WINDOW newest AS (ORDER BY created DESC, key DESC)) AS counted"
    " WHERE records > %(records)s::bigint OR bytes > %(bytes)s::bigint)"
)
