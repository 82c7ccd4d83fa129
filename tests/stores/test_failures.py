"""Whatever fails is a StoreError that shows neither a value nor a password."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import traceback

import pytest
from stores.kinds import Place
from trimtab.errors import InvalidOptions, StoreError
from trimtab.stores import PostgresStore, RedisStore, SQLiteStore

SECRET = "s3cr3t-passw0rd"
VALUE = "a value that nobody may see"


def failure(call):
    """The error, all of what a log would show of it."""
    with pytest.raises(StoreError) as caught:
        call()
    shown = "".join(traceback.format_exception(caught.value))
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert SECRET not in str(caught.value) and SECRET not in shown.split("StoreError")[-1]
    assert VALUE not in str(caught.value)
    return str(caught.value)


def all_calls(store):
    return [
        lambda: store.get("key"),
        lambda: store.put("key", VALUE),
        lambda: store.claim("key", "holder", 1),
        lambda: store.release("key", "holder"),
        lambda: store.scan(),
        lambda: store.prune(),
    ]


def fails_everywhere(store):
    with store:
        assert SECRET not in repr(store)
        return [failure(call) for call in all_calls(store)]


@pytest.fixture
def closed_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # bound, not listening
        yield held.getsockname()[1]


def test_no_server(closed_port):
    url = f"postgresql://user:{SECRET}@127.0.0.1:{closed_port}/db"
    for said in fails_everywhere(PostgresStore(url, timeout=1)):
        assert "refused" in said and f"port={closed_port}" in said
    pairs = f"host=127.0.0.1 port={closed_port} password={SECRET} user=u"
    assert "refused" in fails_everywhere(PostgresStore(pairs, timeout=1))[0]
    url = f"redis://user:{SECRET}@127.0.0.1:{closed_port}/3"
    for said in fails_everywhere(RedisStore(url, timeout=1)):
        assert "ConnectionError" in said and f"port={closed_port}" in said


def test_a_server_that_never_answers():
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        port = deaf.getsockname()[1]
        with RedisStore(f"redis://:{SECRET}@127.0.0.1:{port}", timeout=0.2) as store:
            assert "Timeout" in failure(lambda: store.get("key"))
        with PostgresStore(f"postgresql://u:{SECRET}@127.0.0.1:{port}/d", timeout=1) as store:
            assert "timeout" in failure(lambda: store.get("key"))


def wrong_password(url):
    return url.replace(url.split("@")[0].rsplit(":", 1)[1], SECRET)


@pytest.mark.parametrize("kind", ["postgres", "redis"])
def test_the_wrong_password(kind, place_of):
    place = place_of(kind)
    fails_everywhere(Place(kind, wrong_password(place.address), "test").store(timeout=2))


@pytest.mark.parametrize(
    "made",
    [
        lambda: PostgresStore(f"postgresql//u:{SECRET}@host"),
        lambda: PostgresStore(f"password={SECRET} what"),
        lambda: RedisStore(f"http://:{SECRET}@host"),
        lambda: RedisStore(f"redis://:{SECRET}@host:port/x"),
    ],
)
def test_an_address_that_cannot_be_read(made):
    for module in ("psycopg_pool", "redis"):
        pytest.importorskip(module)
    assert "cannot be read" in failure(made)


@pytest.mark.parametrize("kind", ["postgres", "redis"])
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_server_that_goes_and_comes_back(kind, place_of, request):
    place, server = place_of(kind), request.getfixturevalue(f"{kind}_server")
    with place.store(timeout=2) as store:
        store.put("key", "value")
        server.stop()
        try:
            for call in all_calls(store)[:2]:
                failure(call)
        finally:
            server.start()
        if kind == "redis":  # its stale connection is found out by using it
            try:
                store.get("key")
            except StoreError:
                pass
        assert store.get("key").value == "value"


def test_a_statement_that_waits_too_long(place_of):
    import psycopg

    place = place_of("postgres")
    with place.store(timeout=0.5) as store, psycopg.connect(place.address) as other:
        store.put("key", "value")
        other.execute("LOCK TABLE trimtab_records")
        assert "57014" in failure(lambda: store.put("new", VALUE))
        other.rollback()
        assert store.get("key").value == "value"


def test_a_table_of_someone_else(place_of):
    import psycopg

    place = place_of("postgres")
    with place.store() as store:
        store.get("opens it")
        with psycopg.connect(place.address) as other:
            other.execute("ALTER TABLE trimtab_records ADD CHECK (length(value) < 5)")
        assert "CheckViolation (23514)" in failure(lambda: store.put("key", VALUE))


def test_a_redis_that_is_full(place_of, request):
    import redis

    place = place_of("redis")
    client = redis.Redis.from_url(request.getfixturevalue("redis_server").url)
    with place.store() as store, client:
        store.put("key", "value")
        try:
            client.config_set("maxmemory", 1)
            assert "OutOfMemory" in failure(lambda: store.put("new", VALUE))
            assert store.get("key").value == "value"
        finally:
            client.config_set("maxmemory", 0)


def test_no_folder(tmp_path):
    for said in fails_everywhere(SQLiteStore(tmp_path / "none" / "file.db")):
        assert "No such file" in said


def test_a_folder(tmp_path):
    assert "directory" in fails_everywhere(SQLiteStore(tmp_path))[0]


@pytest.mark.parametrize("path", ["", ":memory:", "a\0b", b"bytes"])
def test_a_path_that_makes_no_sense(path):
    with pytest.raises(InvalidOptions):
        SQLiteStore(path)


def test_a_path_that_no_file_has(tmp_path):
    for said in fails_everywhere(SQLiteStore(f"{tmp_path}/\ud83d")):
        said.encode()
        assert "UnicodeEncodeError" in said


def test_another_file(tmp_path):
    path = tmp_path / "text"
    path.write_text("This is no database. " * 1000)
    for said in fails_everywhere(SQLiteStore(path)):
        assert "not a database" in said
    assert path.read_text() == "This is no database. " * 1000


def test_a_corrupt_file(tmp_path):
    path = tmp_path / "file.db"
    with SQLiteStore(path) as store:
        for number in range(500):
            store.put(f"{number}", f"{VALUE} " * 20)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with SQLiteStore(path) as store:
        assert "malformed" in failure(lambda: store.get("7"))
        failure(lambda: store.scan())
        failure(lambda: store.put("new", VALUE))


def test_bytes_that_are_no_text(tmp_path):
    import sqlite3

    path = tmp_path / "file.db"
    with SQLiteStore(path) as store:
        store.put("key", VALUE)
        other = sqlite3.connect(path)
        other.execute("UPDATE trimtab_records SET value = x'ff'")
        other.commit()
        assert "no text" in failure(lambda: store.get("key"))
        other.execute("UPDATE trimtab_records SET value = 'text'")
        other.commit()
        other.close()
        assert "holds a str" in failure(lambda: store.get("key"))


def test_a_locked_file(tmp_path):
    import sqlite3

    path = tmp_path / "file.db"
    with SQLiteStore(path, timeout=0.05) as store:
        store.put("key", "value")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert "locked" in failure(lambda: store.put("new", VALUE))
        assert store.get("key").value == "value"  # who reads does not wait
        other.execute("ROLLBACK")
        other.close()
        assert store.put("new", "value").value == "value"


def test_a_file_for_its_owner_alone(tmp_path):
    path = tmp_path / "file.db"
    with SQLiteStore(path) as store:
        store.put("key", "value")
        modes = {entry.name: entry.stat().st_mode & 0o777 for entry in os.scandir(tmp_path)}
    assert set(modes.values()) == {0o600} and len(modes) == 3


@pytest.mark.skipif(os.name == "nt", reason="users are not told apart this way")
def test_a_file_that_may_not_be_written(tmp_path):
    """Root may write everywhere, so another user tries."""
    tmp_path.chmod(0o755)
    path = tmp_path / "file.db"
    with SQLiteStore(path) as store:
        store.put("key", "value")
    path.chmod(0o444)
    code = (
        "import sys, os, sqlite3; from trimtab.stores import SQLiteStore\n"
        "os.chdir('/')\n"
        "if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "try: SQLiteStore(sys.argv[1]).get('key')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert said.stdout.startswith("StoreError get: the SQLite store"), said.stderr
    assert "ermission denied" in said.stdout


@pytest.mark.parametrize(
    ("module", "made", "extra"),
    [
        ("psycopg", lambda: PostgresStore("host=a"), "trimtab[postgres]"),
        ("psycopg_pool", lambda: PostgresStore("host=a"), "trimtab[postgres]"),
        ("redis", lambda: RedisStore("redis://a"), "trimtab[redis]"),
    ],
)
def test_a_driver_that_is_not_there(monkeypatch, module, made, extra):
    if module == "psycopg_pool":
        pytest.importorskip("psycopg")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(StoreError) as caught:
        made()
    assert extra in str(caught.value)
