"""The store that is used where none is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trimtab.errors import StoreError
from trimtab.stores import SQLiteStore, default_store
from trimtab.stores import default as module

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and homes are another matter there")


@pytest.fixture
def state(tmp_path, monkeypatch):
    """Nothing but a user's state directory."""
    monkeypatch.delenv("TRIMTAB_STORE")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def in_use():
    store = default_store()
    store.put("key", "value")
    return Path(store._path)


def test_the_variable_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIMTAB_STORE", str(tmp_path / "new" / "folder" / "file.db"))
    assert in_use() == tmp_path / "new" / "folder" / "file.db"
    with SQLiteStore(tmp_path / "new" / "folder" / "file.db") as store:
        assert store.get("key").value == "value"


@POSIX
def test_the_users_own_place(state, tmp_path, monkeypatch):
    assert in_use() == state / "trimtab" / "summaries.db"
    monkeypatch.setenv("HOME", str(tmp_path))
    for nothing in ("", "relative/state"):
        monkeypatch.setenv("XDG_STATE_HOME", nothing)
        assert in_use() == tmp_path / ".local" / "state" / "trimtab" / "summaries.db"
    monkeypatch.setenv("TRIMTAB_STORE", "~/mine.db")
    assert in_use() == tmp_path / "mine.db"


@POSIX
def test_for_its_owner_alone(state):
    before = os.umask(0)
    try:
        folder = in_use().parent
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    modes = {file.stat().st_mode & 0o777 for file in folder.iterdir()}
    assert modes == {0o600}


def test_one_for_each_path_until_it_is_closed(tmp_path, monkeypatch):
    first = default_store()
    assert default_store() is first
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIMTAB_STORE", "relative.db")
    assert default_store() is not first
    assert in_use() == tmp_path / "relative.db"
    default_store().close()
    assert default_store().get("key").value == "value"


def test_old_and_many_records_go_in_the_shortest_process(monkeypatch):
    """Each process puts only once."""
    clock = [1_700_000_000.0]

    def put(key, value):
        with default_store() as store:
            store._now = lambda: clock[0]
            store.put(key, value)
            return [record.key for record in store.scan()], store.get("0")

    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    assert put("0", "v" * 300)[0] == ["0"]
    for number in range(1, 9):
        clock[0] += 1
        kept, _ = put(f"{number}", "v" * 300)
    assert kept == ["6", "7", "8"]
    clock[0] += module.TTL
    assert put("late", "v")[0] == ["late"]


def test_what_it_promises_by_default():
    store = default_store()
    assert (store._ttl, store._limits.max_bytes) == (30 * 86_400, 100_000_000)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (":memory:", None),
        ("postgresql://user:s3cr3t@host/db", "path of a file"),
        ("\ud83d/file.db", "cannot be made"),
        ("~nobody-of-this-name/file.db", "no place"),
        ("file-in-the-way/file.db", "cannot be made"),
    ],
)
def test_no_such_place(given, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file-in-the-way").touch()
    monkeypatch.setattr(module.os, "environ", {**os.environ, "TRIMTAB_STORE": given})
    if says is None:  # a file of that name
        assert in_use().parent == tmp_path
        return
    with pytest.raises(StoreError, match=says) as caught:
        default_store()
    assert "s3cr3t" not in str(caught.value)


def test_a_python_without_sqlite(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(StoreError, match="without sqlite3"):
        default_store()


UNPRIVILEGED = """
import os, sqlite3
from trimtab.stores import default_store
from trimtab.errors import StoreError
os.chdir("/")
if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)
try: default_store().put("key", "value")
except StoreError as error: print("StoreError", error)
"""


@POSIX
@pytest.mark.parametrize("made", [False, True], ids=["no folder", "a folder"])
def test_a_home_that_cannot_be_written(state, made):
    """Root may write everywhere, so another user tries."""
    folder = state / "trimtab" if made else state
    folder.mkdir(parents=True)
    folder.chmod(0o555)
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o055)
    said = subprocess.run([sys.executable, "-c", UNPRIVILEGED], capture_output=True, text=True)
    assert said.stdout.startswith("StoreError"), said.stderr
    assert "ermission denied" in said.stdout
    assert not list(folder.iterdir())


FULL = """
import os, resource
from trimtab.stores import default_store
from trimtab.errors import StoreError
store, number = default_store(), 0
resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
try:
    while True:
        store.put(f"{number}", "value " * 500)
        number += 1
except StoreError as error:
    print(number, error)
assert store.get("0").value == "value " * 500
"""


@POSIX
def test_a_full_disk(tmp_path):
    """The nearest that a test can come to it: no file may grow beyond a size."""
    said = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True)
    number, _, error = said.stdout.partition(" ")
    assert said.returncode == 0 and error.startswith("put: the SQLite store"), said.stderr
    assert int(number) > 10
    store = default_store()
    assert [store.get(f"{n}").value for n in range(int(number))] == ["value " * 500] * int(number)
    assert store.put("room", "again").value == "again"
