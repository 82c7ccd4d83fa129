"""Counts on disk: digests only, shared by processes, and never in the way of counting."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from threading import Thread

import pytest

from trimtab.errors import InvalidOptions
from trimtab.tokens import book as book_module
from trimtab.tokens import persist
from trimtab.tokens.book import BATCH, PATIENCE, Book
from trimtab.tokens.memo import LONG_TEXT, Memo, MemoisedCounter, digest
from trimtab.tokens.persist import Part, attach, remember

MIB = 1 << 20
SECRET = "a secret that must not be on a disk. "


class Length(MemoisedCounter):
    """Counts characters and notes what it measured."""

    def __init__(self) -> None:
        super().__init__(Memo())
        self.measured: list[str] = []

    def _measure(self, text: str) -> int:
        self.measured.append(text)
        return len(text)


def key(number: int) -> bytes:
    return blake2b(number.to_bytes(8, "big"), digest_size=16).digest()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "counts.db"


@pytest.fixture
def counters(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Length]]:
    """Three counters with memos of their own, as three processes have; nothing else is attached."""
    monkeypatch.setattr(persist, "_attached", [])
    made = [Length() for _ in range(3)]
    for counter in made:
        attach(counter._memo, "length", 100)
    yield made
    remember(None)


def rows(path: Path) -> list[tuple[bytes, int]]:
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT * FROM trimtab_counts ORDER BY tokens").fetchall()
    connection.close()
    return found


# What is remembered


def test_a_long_text_is_measured_once_for_all(counters: list[Length], path: Path) -> None:
    first, second, third = counters
    longer, longest = "x" * 100, "y" * (LONG_TEXT + 1)
    remember(path)
    assert first.count_many([longer, "short", longest]) == [100, 5, LONG_TEXT + 1]
    remember(None)
    assert second.count(longer) == 100
    assert second.measured == [longer]
    remember(path)
    assert third.count(longest) == LONG_TEXT + 1
    assert third.count_many([longer, "short", longest]) == [100, 5, LONG_TEXT + 1]
    assert third.measured == ["short"]
    assert third._memo.recalled == 2


def test_digests_and_numbers_and_nothing_else(counters: list[Length], path: Path) -> None:
    remember(path)
    for i in range(3 * BATCH):
        counters[0].count(f"{i} {SECRET}" * 4)
    before_closing = b"".join(file.read_bytes() for file in path.parent.iterdir())
    remember(None)
    written = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert len(rows(path)) == 3 * BATCH
    assert {(len(name), type(tokens)) for name, tokens in rows(path)} == {(16, int)}
    assert b"secret" not in before_closing + written


def test_a_tokeniser_finds_its_own_counts_only(path: Path) -> None:
    """Nor can the digest of a text be told from the file without the tokeniser's name."""
    book, text = Book(path, MIB), "x" * 500
    Part(book, "one", 10).put_many({text: 7})
    book.flush()
    assert Part(book, "one", 10).get_many([text]) == {text: 7}
    assert Part(book, "one", 10).get_many([digest(text)]) == {digest(text): 7}
    assert Part(book, "two", 10).get_many([text]) == {}
    assert rows(path)[0][0] != digest(text)
    book.close()


def test_texts_of_every_kind_have_their_own_place(path: Path) -> None:
    book = Book(path, MIB)
    part = Part(book, "any", 0)
    texts = ["", "a", "\ud800", "\udc00", "\ufffd", "é", "e\u0301", "\x00", "\x00\x00"]
    part.put_many({text: number for number, text in enumerate(texts)})
    book.flush()
    assert part.get_many(texts) == {text: number for number, text in enumerate(texts)}
    book.close()


def test_many_questions_at_once(path: Path) -> None:
    book = Book(path, MIB)
    book.write({key(i): i for i in range(3000)})
    assert book.read([key(i) for i in range(1000, 6000)]) == {key(i): i for i in range(1000, 3000)}
    assert book.read([]) == {}
    book.close()


def test_it_is_bounded(path: Path) -> None:
    """Twenty times the limit passes through, and what is left is right."""
    book, limit = Book(path, 64 << 10), 64 << 10
    for start in range(0, 50_000, 500):
        book.write({key(i): i for i in range(start, start + 500)})
    book.close()
    assert path.stat().st_size <= 2 * limit
    left = rows(path)
    assert len(left) > 500
    assert all(name == key(number) for name, number in left)


def test_nonsense_in_the_file_is_not_believed(counters: list[Length], path: Path) -> None:
    text = "x" * 200
    remember(path)
    counters[0].count(text)
    remember(None)
    for nonsense in (-1, "many", 2.5, b"\x00"):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE trimtab_counts SET tokens = ?", (nonsense,))
        connection.close()
        remember(path)
        counters[1]._memo = counters[1]._memo.__class__()
        attach(counters[1]._memo, "length", 100)
        assert counters[1].count(text) == 200
        remember(None)


# Several threads and processes


def test_threads_share_a_book(counters: list[Length], path: Path) -> None:
    remember(path)
    texts = [f"text {i} " * 20 for i in range(400)]
    wrong: list[str] = []

    def work(counter: Length, step: int) -> None:
        for text in texts[::step]:
            if counter.count(text) != len(text):
                wrong.append(text)

    threads = [Thread(target=work, args=(counters[i % 3], (1, -1)[i % 2])) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    remember(None)
    assert wrong == []
    assert len(rows(path)) == 400


def test_processes_share_a_file(path: Path) -> None:
    """Four at once write, then one more finds all and tokenises none."""
    code = """if True:
        import sys
        from trimtab.tokens.encodings import encoding, memo_stats
        from trimtab.tokens.persist import remember
        remember(sys.argv[1])
        texts = [f"text {i} " * 3000 for i in range(200)]
        print(sum(encoding("cl100k_base").count_many(texts)), memo_stats()["cl100k_base"].recalled)
    """
    command = [sys.executable, "-W", "error", "-c", code, str(path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = [process.communicate()[0].split() for process in running]
    assert [process.returncode for process in running] == [0] * 4
    last = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert {total for total, _ in said} == {last[0]}
    assert last[1] == "200"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_leaves_the_parents_connection_alone(path: Path) -> None:
    code = """if True:
        import os, sys
        from trimtab.tokens.book import Book
        book = Book(sys.argv[1], 1 << 20)
        book.write({bytes(16): 1})
        if (child := os.fork()) == 0:
            assert book.read([bytes(16)]) == {}
            book.write({b"c" * 16: 2})
            book.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        book.flush()
        assert book.read([bytes(16), b"c" * 16]) == {bytes(16): 1, b"c" * 16: 2}
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code, str(path)], check=True)


# A file that is not as it should be


def spoil_with_nonsense(path: Path) -> None:
    path.write_bytes(b"This is no database. " * 1000)


def spoil_the_middle(path: Path) -> None:
    book = Book(path, MIB)
    book.write({key(i): i for i in range(20_000)})
    book.close()
    data = bytearray(path.read_bytes())
    data[4096:-4096] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)


def be_a_folder(path: Path) -> None:
    path.mkdir()


def be_another_table(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE trimtab_counts (something TEXT)")
    connection.close()


@pytest.mark.parametrize(
    "spoil", [spoil_with_nonsense, spoil_the_middle, be_a_folder, be_another_table]
)
def test_a_damaged_file_is_left_alone(
    spoil: object, counters: list[Length], path: Path
) -> None:
    """One warning, no error, and every count is right."""
    spoil(path)  # type: ignore[operator]
    before = path.read_bytes() if path.is_file() else None
    texts = [f"text {i} " * 40 for i in range(10 * BATCH)]
    with pytest.warns(RuntimeWarning, match="counts are not remembered in") as warned:
        remember(path)
        assert counters[0].count_many(texts) == [len(text) for text in texts]
        for text in texts:
            assert counters[1].count(text) == len(text)
        remember(None)
    assert len(warned) == 1
    assert spoil is spoil_the_middle or before is None or path.read_bytes() == before


def test_a_folder_that_is_missing(counters: list[Length], tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="unable to open"):
        remember(tmp_path / "no" / "where.db")
    assert counters[0].count("x" * 200) == 200


def test_a_file_that_stays_locked(
    counters: list[Length], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a few waits it is given up, once, and nothing piles up."""
    monkeypatch.setattr(book_module, "WAIT", 0.001)
    remember(path)
    counters[0].count("y" * 200)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    texts = [f"text {i} " * 40 for i in range(BATCH * PATIENCE * 2)]
    with pytest.warns(RuntimeWarning, match="locked") as warned:
        for text in texts:
            assert counters[0].count(text) == len(text)
    assert len(warned) == 1
    assert persist._book is not None
    assert (persist._book.broken, persist._book._pending) == (True, {})
    other.execute("ROLLBACK")
    other.close()


def test_a_file_that_is_locked_for_a_while(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then nothing is lost and nothing is said."""
    monkeypatch.setattr(book_module, "WAIT", 0.001)
    book = Book(path, MIB)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        book.write({key(i): i for i in range(BATCH)})
        assert book.read([key(0)]) == {}
        other.execute("ROLLBACK")
        book.write({key(i): i for i in range(BATCH, 2 * BATCH)})
        wanted = {key(i): i for i in range(2 * BATCH)}
        assert book.read(list(wanted)) == wanted
    other.close()
    book.close()


def test_the_limit_is_checked(path: Path) -> None:
    with pytest.raises(InvalidOptions, match="limit_bytes"):
        remember(path, limit_bytes=-1)
    assert not path.exists()
