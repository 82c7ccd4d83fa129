"""From version 1, from nothing by many at once, and never from a newer version."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from stores.test_many_processes import raced
from trimtab.errors import StoreError
from trimtab.stores import Record, redis as redis_store
from trimtab.stores.postgres_schema import STEPS as POSTGRES_STEPS
from trimtab.stores.sqlite_schema import STEPS as SQLITE_STEPS

VERSION_1 = {
    "sqlite": """
        CREATE TABLE trimtab_store_versions (version INTEGER PRIMARY KEY, applied TEXT NOT NULL);
        CREATE TABLE trimtab_records (key BLOB PRIMARY KEY, value BLOB NOT NULL,
            created REAL NOT NULL, expires REAL);
        CREATE TABLE trimtab_claims (key BLOB PRIMARY KEY, holder BLOB NOT NULL,
            until REAL NOT NULL);
        INSERT INTO trimtab_store_versions VALUES (1, '2026-01-01 00:00:00');
        INSERT INTO trimtab_records VALUES (x'6b6579', x'c3a9c3a9', 1000.5, NULL);
        INSERT INTO trimtab_records VALUES (x'32', x'', 2000.5, 3000.0);
        INSERT INTO trimtab_claims VALUES (x'63', x'6d65', 5000.0);
    """,
    "postgres": r"""
        CREATE TABLE trimtab_store_versions
            (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now());
        CREATE TABLE trimtab_records (key bytea PRIMARY KEY, value bytea NOT NULL,
            created double precision NOT NULL, expires double precision);
        CREATE TABLE trimtab_claims (key bytea PRIMARY KEY, holder bytea NOT NULL,
            taken double precision NOT NULL, until double precision NOT NULL);
        INSERT INTO trimtab_store_versions VALUES (1);
        INSERT INTO trimtab_records VALUES ('\x6b6579', '\xc3a9c3a9', 1000.5, NULL);
        INSERT INTO trimtab_records VALUES ('\x32', '', 2000.5, 3000.0);
        INSERT INTO trimtab_claims VALUES ('\x63', '\x6d65', 1000.0, 5000.0);
    """,
}
STEPS = {"sqlite": SQLITE_STEPS, "postgres": POSTGRES_STEPS}


def run(place, script):
    if place.kind == "sqlite":
        with closing(sqlite3.connect(place.address)) as connection:
            connection.executescript(script)
    else:
        import psycopg

        with psycopg.connect(place.address, autocommit=True) as connection:
            connection.execute(script)


def rows(place, question):
    if place.kind == "sqlite":
        with closing(sqlite3.connect(place.address)) as connection:
            return connection.execute(question).fetchall()
    import psycopg

    with psycopg.connect(place.address, autocommit=True) as connection:
        return connection.execute(question).fetchall()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, place_of):
    return place_of(request.param)


def versions(place):
    return rows(place, "SELECT version FROM trimtab_store_versions ORDER BY version")


def schema(place):
    if place.kind == "sqlite":
        # the text of a table that was altered differs from that of a new one
        return rows(
            place,
            "SELECT t.name, c.name, c.type, c.\"notnull\" FROM sqlite_master t,"
            " pragma_table_info(t.name) c UNION ALL SELECT name, sql, '', 0 FROM sqlite_master"
            " WHERE type = 'index' ORDER BY 1, 2",
        )
    return rows(
        place,
        "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns"
        " WHERE table_schema = current_schema() UNION ALL SELECT indexname,"
        " replace(indexdef, current_schema(), ''), '', ''"
        " FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2",
    )


def test_version_1_is_brought_up_to_date(database, place_of):
    run(database, VERSION_1[database.kind])
    with database.store(clock=lambda: 2999.0) as store:
        assert store.scan() == [
            Record("key", "éé", 1000.5),
            Record("2", "", 2000.5, 3000.0),
        ]
        assert not store.claim("c", "you", 1)
        assert store.prune(max_bytes=7) == 1  # 8 bytes
        assert [record.key for record in store.scan()] == ["2"]
    new = place_of(database.kind)
    with new.store() as store:
        store.get("opens it")
    assert schema(new) == schema(database)
    assert versions(new) == versions(database) == [(1,), (2,)]


def test_the_first_step_made_the_fixture(database, place_of):
    """So that version 1 is never changed."""
    run(database, VERSION_1[database.kind])
    new = place_of(database.kind)
    for statement in STEPS[database.kind][0]:
        run(new, statement)
    ours = [row for row in schema(database) if "versions" not in row[0]]
    assert schema(new) == ours


@pytest.mark.parametrize("fresh", [True, False], ids=["nothing", "version 1"])
def test_eight_processes_start_at_once(database, fresh):
    if not fresh:
        run(database, VERSION_1[database.kind])
    raced("put", database)
    assert versions(database) == [(1,), (2,)]


def test_a_newer_version_is_left_alone(database):
    with database.store() as store:
        store.put("key", "value")
    table = "trimtab_store_versions (version, applied)"
    run(database, f"INSERT INTO {table} VALUES (99, '2030-01-01 00:00:00')")
    before = schema(database)
    with database.store() as store:
        with pytest.raises(StoreError, match="version 99, this Trimtab knows 2"):
            store.get("key")
        with pytest.raises(StoreError, match="version 99"):
            store.put("other", "value")
    assert schema(database) == before


def test_a_newer_layout_in_redis_is_left_alone(place_of, monkeypatch):
    place = place_of("redis")
    monkeypatch.setattr(redis_store, "LAYOUT", 7)
    with place.store() as store:
        store.put("key", "value")
    monkeypatch.undo()
    with place.store() as store, pytest.raises(StoreError, match="version 7, this Trimtab knows 1"):
        store.get("key")


def test_a_migration_that_fails_leaves_nothing(database, monkeypatch):
    module = f"trimtab.stores.{database.kind}.STEPS"
    broken = (*STEPS[database.kind], ("CREATE TABLE half (a integer)", "CREATE nonsense"))
    monkeypatch.setattr(module, broken)
    with database.store() as store, pytest.raises(StoreError):
        store.get("key")
    assert schema(database) == []
    monkeypatch.undo()
    with database.store() as store:
        assert store.put("key", "value").value == "value"
