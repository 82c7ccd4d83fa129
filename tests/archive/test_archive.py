"""The archive: what is put in comes out, found by its handle or by its words."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import InvalidOptions, StoreError
from trimtab.archive import Archive


@pytest.fixture(params=["memory", "file"])
def archive(request, tmp_path):
    path = ":memory:" if request.param == "memory" else tmp_path / "archive.db"
    with Archive(path) as made:
        yield made


ODD = ["", "a\0b", "half \ud83d a pair", "\udc00", "é" * 9, "e\u0301", "\r\n", "x" * 200_000]


@pytest.mark.parametrize("text", ODD)
def test_what_is_put_comes_out(archive, text):
    handle = archive.put(text, tool="grep", role="result", index=3)
    data = text.encode("utf-8", "surrogatepass")
    assert handle == hashlib.sha256(data).hexdigest()[:16]
    entry = archive.get(handle)
    assert (entry.text, entry.tool, entry.role, entry.index) == (text, "grep", "result", 3)
    assert entry.handle == handle and entry.digest == hashlib.sha256(data).hexdigest()


def test_the_same_text_has_one_entry(archive):
    assert archive.put("one", tool="first") == archive.put("one", tool="second")
    assert archive.put("two") != archive.put("one")
    assert len(archive) == 2
    assert archive.get(archive.put("one")).tool == "first"


def test_a_handle_is_any_unique_beginning_of_the_digest(archive):
    entry = archive.get(archive.put("text"))
    for given_ in (
        entry.digest,
        entry.handle,
        entry.digest[:6],
        entry.handle.upper(),
        f" {entry.handle} ",
    ):
        assert archive.get(given_).text == "text"
    for wrong in (
        "",
        "abc",
        entry.digest[:5],
        entry.digest + "0",
        "zzzzzzzz",
        "%_%_%_%_",
        None,
        5,
        "0" * 16,
    ):
        assert archive.get(wrong) is None


def test_a_beginning_that_two_share_is_none_of_them(archive):
    """Two digests with one beginning, put in by hand: none is given for the other."""
    archive.put("known")
    with archive._connection.using(write=True) as connection:
        for last in "ab":
            row = ("", "f" * 16 + last * 48, last)
            connection.execute(
                "INSERT INTO entries (space, digest, text, size, stored) VALUES (?, ?, ?, 1, 0)",
                row,
            )
    assert archive.get("f" * 16) is None
    assert archive.get("f" * 16 + "a").text == "a"


def test_search(archive):
    handles = {
        name: archive.put(text, tool=name)
        for name, text in {
            "read": "def connect(host):\n    raise TimeoutError('no answer from the database')",
            "grep": "src/app/config.py:12: DATABASE_URL = 'postgres://db'",
            "web": "The Café in Zürich is open. " * 3,
            "long": "filler " * 2_000 + "needle " + "filler " * 2_000,
        }.items()
    }
    (hit,) = archive.search("timeouterror database")
    assert hit.handle == handles["read"] and hit.tool == "read" and hit.score > 0
    assert "[TimeoutError]" in hit.snippet and "[database]" in hit.snippet
    assert [hit.tool for hit in archive.search("src/app/config.py")] == ["grep"]
    assert [hit.tool for hit in archive.search("cafe ZURICH")] == ["web"]
    (hit,) = archive.search("needle")
    assert "[needle]" in hit.snippet and len(hit.snippet) < 400
    assert {hit.tool for hit in archive.search("needle zurich")} == {"long", "web"}  # any of them
    assert [hit.tool for hit in archive.search("ostgre")] == ["grep"]  # a part of a word
    assert archive.search("absent") == archive.search("") == archive.search("?!") == []
    assert archive.search("needle", limit=0) == []
    assert len(archive.search("filler cafe the", limit=1)) == 1


def test_a_text_with_very_many_matches(archive):
    archive.put("[INFO] the line of a log\n" * 20_000)
    (hit,) = archive.search("info log line")
    assert hit.snippet.startswith("[[INFO]] the [line] of a [log]\n") and len(hit.snippet) < 400


def test_words_in_scripts_without_blanks(archive):
    archive.put("接続がタイムアウトしました")
    assert len(archive.search("タイムアウト")) == 1


SYNTAX = [
    '"',
    '""',
    "a OR b",
    "NOT a",
    "a*",
    "text:a",
    "^a",
    "(a",
    "NEAR(a b)",
    "{a}",
    "a AND",
    "-a",
    "'",
    "\0",
    "a\0b",
    "\ud83d",
    "--",
    ";",
    "+",
    "a" * 9_999,
    "a " * 9_999,
]


@pytest.mark.parametrize("words", SYNTAX)
def test_no_words_are_syntax(archive, words):
    archive.put("a b text near")
    archive.search(words)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=30))
def test_search_never_fails_and_the_index_stays_whole(texts, words):
    with Archive() as archive:
        for text in texts:
            assert archive.get(archive.put(text)).text == text
        for text in texts:
            archive.search(text)
        archive.search(words)
        archive.prune(max_bytes=20)
        with archive._connection.using(write=True) as connection:
            connection.execute("INSERT INTO words(words, rank) VALUES('integrity-check', 1)")


def test_one_space_does_not_see_another(tmp_path):
    path = tmp_path / "archive.db"
    one, two = Archive(path, space="user 1"), Archive(path, space="user 2")
    handle = one.put("the secret of one")
    assert two.get(handle) is None and two.search("secret") == [] and two.search("ecre") == []
    assert len(two) == 0
    assert two.put("the secret of one", tool="own") == handle
    assert two.get(handle).tool == "own" and one.get(handle).tool is None


def test_prune_by_age_and_by_size():
    now = [1_000.0]
    archive = Archive(clock=lambda: now[0])
    handles = []
    for n in range(10):
        now[0] += 10
        handles.append(archive.put(f"text {n} " + "é" * 46 + "."))  # 100 bytes each
    assert archive.prune() == 0
    assert archive.prune(max_age=55) == 4
    archive.put("text 4 " + "é" * 46 + ".")  # is young again
    assert archive.prune(max_bytes=300) == 3
    assert [archive.get(handle) is not None for handle in handles] == [
        n in (4, 8, 9) for n in range(10)
    ]
    assert archive.search("7") == [] and len(archive.search("9")) == 1
    assert archive.prune(max_bytes=0) == 3 and len(archive) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.put(5),
        lambda a: a.put("x", tool=5),
        lambda a: a.search(5),
        lambda a: a.search("x", limit="5"),
        lambda a: a.prune(max_age=-1),
        lambda a: a.prune(max_age=float("nan")),
        lambda a: a.prune(max_bytes=-1),
        lambda a: Archive(5),
        lambda a: Archive(""),
        lambda a: Archive(space=None),
    ],
)
def test_wrong_arguments(call):
    with pytest.raises(InvalidOptions):
        call(Archive())


def test_faults_of_the_driver_are_store_errors(tmp_path):
    with pytest.raises(StoreError):
        Archive(tmp_path / "missing" / "archive.db").put("x")
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database, but long enough to be read as one" * 99)
    with pytest.raises(StoreError):
        Archive(broken).get("0" * 16)
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        Archive(newer).search("x")


def test_a_transaction_that_fails_leaves_nothing(tmp_path):
    archive = Archive(tmp_path / "archive.db")
    archive.put("first")
    with pytest.raises(ZeroDivisionError):
        with archive._connection.using(write=True) as connection:
            connection.execute("DELETE FROM entries")
            1 / 0  # noqa: B018
    assert len(archive) == 1 and archive.search("first")


def test_closed_is_opened_again(tmp_path):
    archive = Archive(tmp_path / "archive.db")
    handle = archive.put("text")
    archive.close()
    assert archive.get(handle).text == "text"


def test_many_threads(archive):
    def work(n):
        handles = [archive.put(f"shared {k}") for k in range(20)]
        own = archive.put(f"own {n}")
        assert archive.get(own).text == f"own {n}" and archive.search(f"own {n}")
        return handles

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(24)))
    assert all(one == results[0] for one in results)
    assert len(archive) == 20 + 24


def _fill(path, n, start):
    start.wait()
    with Archive(path) as archive:
        for k in range(25):
            archive.put(f"shared text {k}")
            archive.put(f"process {n} text {k}")


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_many_processes(tmp_path, method):
    path, context = tmp_path / "archive.db", multiprocessing.get_context(method)
    start = context.Event()
    workers = [context.Process(target=_fill, args=(path, n, start)) for n in range(4)]
    for worker in workers:
        worker.start()
    start.set()  # all of them make the tables at once
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    with Archive(path) as archive:
        assert len(archive) == 25 + 4 * 25
        assert len(archive.search("shared", limit=99)) == 25


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_has_a_connection_of_its_own(tmp_path):
    archive = Archive(tmp_path / "archive.db")
    handle = archive.put("of the parent")
    child = os.fork()
    if not child:
        archive.put("of the child")
        os._exit(0 if archive.get(handle) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert archive.search("child") and archive.put("again")
