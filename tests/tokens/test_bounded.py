"""Byte bounds, safe cuts, and counting that stops early."""

from __future__ import annotations

import random
from itertools import chain

import pytest
from hypothesis import strategies as st
from support.corpus import conversations, requires_corpus
from support.engines import every_engine, fresh, noting
from support.forall import forall, sizes
from support.texts import SIGNS, SPACES, random_texts, reference, texts

from trimtab.tokens.bounded import (
    CHUNK,
    WINDOW,
    chunks,
    count_up_to,
    fewest_tokens,
    repaired,
    utf8_length,
)

NAMES = ("o200k_base", "cl100k_base")
both = pytest.mark.parametrize("name", NAMES)


def ids_agree(text: str, size: int) -> None:
    """The chunks' tokens in a row are the text's tokens, by plain tiktoken."""
    pieces = list(chunks(text, size))
    assert "".join(pieces) == text
    for name in NAMES:
        encode = reference(name).encode_ordinary
        assert list(chain.from_iterable(map(encode, pieces))) == encode(text), (name, pieces)


# Bounds


@both
def test_byte_bounds(name: str) -> None:
    for text in random_texts(21, 2000):
        size = utf8_length(text)
        assert fewest_tokens(size) <= len(reference(name).encode_ordinary(text)) <= size


@both
def test_the_bounds_are_reached(name: str) -> None:
    plain = reference(name)
    assert len(plain.encode_ordinary(" " * 128)) in (1, 2)
    longest = max(plain.token_byte_values(), key=len).decode()
    assert len(plain.encode_ordinary(longest)) == 1 == fewest_tokens(utf8_length(longest))
    assert fewest_tokens(utf8_length(longest) + 1) == 2
    assert len(plain.encode_ordinary("\x00\x01\x02")) == 3 == utf8_length("\x00\x01\x02")


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0), ("abc", 3), ("é", 2), ("中", 3), ("😀", 4), ("\ud83d\ude00", 4), ("\ud800x", 4)],
)
def test_utf8_length(text: str, length: int) -> None:
    assert utf8_length(text) == length == len(repaired(text).encode())


# Cuts


@sizes(400, 5_000)
def test_chunks_add_up(examples: int) -> None:
    forall(
        st.tuples(texts, st.integers(1, 9)), examples, lambda drawn: ids_agree(drawn[0], drawn[1])
    )


@pytest.mark.parametrize(
    "number", [pytest.param(3000, id="quick"), pytest.param(60_000, id="slow", marks=pytest.mark.slow)]
)
def test_chunks_add_up_on_seeded_texts(number: int) -> None:
    for text in random_texts(31, number):
        ids_agree(text, 1)


def test_every_pair_of_signs_may_stand_at_a_cut() -> None:
    """Each sign and space before and after each other one, in a row that has cuts."""
    signs = SIGNS + SPACES
    for left in signs:
        ids_agree("".join(f"a{left}{right}b {left}\n{right}1" for right in signs), 1)


@requires_corpus
def test_chunks_add_up_on_real_texts() -> None:
    for conversation in list(conversations("anthropic"))[::10]:
        for message in conversation["messages"]:
            if isinstance(message["content"], str):
                ids_agree(message["content"], 256)


def test_chunks_are_short_where_there_are_cuts() -> None:
    text = "some words, a number 42\nand a path/to/it\n" * 2000
    lengths = [len(chunk) for chunk in chunks(text)]
    assert all(CHUNK <= length < CHUNK + 20 for length in lengths[:-1])
    assert list(chunks("x" * (3 * CHUNK))) == ["x" * (3 * CHUNK)]
    assert list(chunks("")) == [""]


def test_a_stretch_without_cuts_is_skipped_over() -> None:
    """It makes one chunk long, and the next ones are short again."""
    text = "word " * 5000 + "中" * 50_000 + "word " * 5000
    lengths = [len(chunk) for chunk in chunks(text)]
    assert sum(length > CHUNK + WINDOW for length in lengths) == 1
    assert max(lengths) < 50_000 + 3 * CHUNK
    ids_agree(text, CHUNK)


def test_base64_can_be_cut() -> None:
    """A letter beside a digit is a cut, so even base64 comes in short chunks."""
    chance = random.Random(5)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text = "".join(chance.choices(alphabet, k=200_000))
    assert max(map(len, chunks(text))) < CHUNK + 200
    ids_agree(text, CHUNK)


# Stopping early


def test_count_up_to_stops() -> None:
    """What is counted depends on the limit, not on the length of the text."""
    counted: list[str] = []

    def count(text: str) -> int:
        counted.append(text)
        return len(text.split())

    text = "word " * 200_000
    tokens, complete = count_up_to(count, text, 2000)
    assert (tokens > 2000, complete) == (True, False)
    assert sum(map(len, counted)) <= 2000 * len("word ") + 2 * CHUNK
    assert count_up_to(count, text, 200_000) == (200_000, True)


@both
@every_engine
def test_fits_and_within_are_exact(name: str, engine: str) -> None:
    texts = [*random_texts(41, 200), "word " * 3000, "中文，很好。" * 2000, "x" * 9000]
    for text in [*texts, "a long line of words\n" * 10_000]:
        tokens = len(reference(name).encode_ordinary(text))
        counter = fresh(name, engine)
        for limit in {-1, 0, 1, tokens - 1, tokens, tokens + 1, 2 * tokens, 10**9}:
            assert counter.fits(text, limit) is (tokens <= limit), (text[:50], limit)
            assert counter.within(text, limit) == (tokens if tokens <= limit else None)
        assert counter.count(text) == tokens


@every_engine
@pytest.mark.parametrize("limit", [2000, 6000])
def test_a_long_text_is_not_tokenised_to_the_end(limit: int, engine: str) -> None:
    """Neither at the first time, nor is anything tokenised again at the second."""
    counter, fed = noting("cl100k_base", engine)
    line = "Nothing of this matters to the limit, since it is long.\n"
    lines = 100 * limit // len(line)  # too short for the bytes alone to decide
    text = line * lines
    assert counter.within(text, limit) is None
    assert counter.fits(text, limit) is False
    assert 0 < fed.characters <= 8 * limit + 2 * fed.step < len(text)
    fed.texts.clear()
    assert counter.within(text, limit) is None
    assert counter.within(text, limit // 2) is None
    assert fed.texts == []
    assert counter.count(text) == 13 * lines
    assert counter.within(text, 10**7) == 13 * lines


@every_engine
def test_a_long_text_within_the_limit_is_tokenised_once(engine: str) -> None:
    counter, fed = noting("cl100k_base", engine)
    text = "word " * 50_000
    assert counter.within(text, 100_000) == 50_001
    assert counter.within(text, 60_000) == counter.count(text) == 50_001
    assert counter.within(text, 50_000) is None
    assert fed.characters == len(text)


@every_engine
def test_bytes_alone_decide(engine: str) -> None:
    """Nothing is tokenised when every or no tokenisation of so many bytes fits."""
    counter, fed = noting("cl100k_base", engine)
    assert counter.fits("short", 5)
    assert counter.fits("é", 2)
    assert counter.within("a" * 12_801, 100) is None
    assert counter.within("中" * 70_000, 1640) is None
    assert fed.texts == []
