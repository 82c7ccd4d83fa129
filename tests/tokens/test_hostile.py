"""Texts that make tokenisers panic, hang or lie: counted exactly all the same."""

from __future__ import annotations

import base64
import random
import re
from functools import cache

import pytest
from hypothesis import strategies as st
from support.forall import forall, sizes
from support.texts import SPACES, random_texts, reference, texts

from trimtab.errors import CounterError
from trimtab.tokens.bounded import CHUNK
from trimtab.tokens.counter import as_counter
from trimtab.tokens.encodings import Engine, EncodingCounter, encoding
from trimtab.tokens.memo import Memo
from trimtab.tokens.whitespace import LONG_RUN, count_around_runs

NAMES = ("o200k_base", "cl100k_base")
both = pytest.mark.parametrize("name", NAMES)
slow = pytest.mark.slow

CLASSES = {
    "space": " ",
    "tab": "\t",
    "newline": "\n",
    "return": "\r",
    "crlf": "\r\n",
    "nbsp": "\xa0",
    "wide space": "\u3000",
    "blanks": " \t\xa0\u3000",
    "blanks and newlines": "  \n\t",
    "lower": "a",
    "upper": "A",
    "alternating": "aB",
    "Han": "中",
    "Hangul": "가",
    "mark": "\u0301",
    "modifier": "\u02b0",
    "digit": "7",
    "other number": "½",
    "hyphen": "-",
    "slash": "/",
    "apostrophe": "'",
    "contraction": "'s",
    "slash and newline": "/\n",
    "emoji": "😀",
    "joined emoji": "👩\u200d💻",
    "null": "\x00",
    "separator": "\x1f",
    "zero width": "\u200b",
    "private": "\ue000",
    "surrogate": "\ud800",
    "special": "<|endoftext|>",
}


def fresh(name: str) -> EncodingCounter:
    """A counter that remembers nothing yet."""
    return EncodingCounter(name, encoding(name)._engine, Memo(), Memo())


# Around long runs of white space: equal to plain tiktoken where that can count


def agree(text: str) -> None:
    """With runs of two or more counted apart, the tokens are plain tiktoken's."""
    for name in NAMES:
        plain = reference(name)
        tokens = len(plain.encode_ordinary(text))
        for run in (2, 4):
            assert count_around_runs(plain, text, run) == tokens, (name, run, text)


@both
def test_no_token_ends_in_a_blank_behind_a_newline(name: str) -> None:
    """So after the last newline of a run a new piece may begin, whatever the expression."""
    behind = re.compile(rb"[\r\n][^\r\n/]+\Z")
    assert not [t for t in reference(name).token_byte_values() if behind.search(t)]


@sizes(400, 5_000)
def test_runs_are_counted_as_tiktoken_does(examples: int) -> None:
    forall(texts, examples, agree)


@pytest.mark.parametrize(
    "number", [pytest.param(4000, id="quick"), pytest.param(60_000, id="slow", marks=slow)]
)
def test_runs_in_seeded_texts(number: int) -> None:
    for text in random_texts(51, number):
        agree(text)


@sizes(400, 5_000)
def test_runs_of_white_space_alone(examples: int) -> None:
    """Nothing but white space between single signs of each class."""
    spaces = st.lists(st.sampled_from(SPACES), min_size=1, max_size=8).map("".join)
    signs = st.sampled_from(["", "a", "1", "!", "/", "'", "中", "é", "\u0301", "\x1c", "!\n", "/\n"])
    forall(
        st.lists(st.tuples(signs, spaces), max_size=4).map(lambda p: "".join(map("".join, p))),
        examples,
        agree,
    )


@pytest.mark.parametrize("end", ["", "x", "\nx"])
@pytest.mark.parametrize("start", ["", "x", "!\r\n"])
def test_runs_that_are_really_long(start: str, end: str) -> None:
    """Long enough to be counted apart, short enough for plain tiktoken."""
    text = start + " \u3000" * (LONG_RUN // 2) + end
    for name in NAMES:
        assert fresh(name).count(text) == len(reference(name).encode_ordinary(text))


@cache
def million_blanks(name: str) -> int:
    """Tokens of a million blanks, which plain tiktoken cannot count in o200k_base."""
    return fresh(name).count(" " * 1_000_000)


@both
def test_a_million_blanks_alone(name: str) -> None:
    """7812 times the token of 128 blanks, and 64 more."""
    assert million_blanks(name) == 7813


@both
@pytest.mark.parametrize(
    ("shape", "more"),
    [
        ("{}x", 1),
        pytest.param("x{}", 1, marks=slow),
        pytest.param("!\n{}x", 2, marks=slow),
        pytest.param("a\n{}b", 3, marks=slow),
    ],
)
def test_a_million_blanks_beside_text(name: str, shape: str, more: int) -> None:
    """The last blank belongs to the word behind; 999,999 blanks have no more tokens."""
    text = shape.replace("{}", " " * 1_000_000)
    assert fresh(name).count(text) == million_blanks(name) + more


def test_a_panic_in_the_callers_counter_is_a_counter_error() -> None:
    """tiktoken's panic is no `Exception`; a server would die of it."""
    plain = reference("o200k_base")
    counter = as_counter(lambda text: len(plain.encode_ordinary(text)))
    with pytest.raises(CounterError, match="PanicException"):
        counter.count(" " * 1_000_000)  # type: ignore[union-attr]


# Every class of characters, in long runs


@both
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(
    "length", [pytest.param(66_000, id="66k"), pytest.param(1_000_000, id="1M", marks=slow)]
)
def test_runs_of_every_class(name: str, kind: str, length: int) -> None:
    unit = CLASSES[kind]
    text = unit * (length // len(unit))
    blank = text.isspace() and text[-1] not in "\r\n"
    counter = fresh(name)
    tokens = counter.count(text)
    if length < 700_000 or not blank:
        assert tokens == len(reference(name).encode_ordinary(text))
    assert counter.within(text, tokens) == tokens
    assert counter.within(text, tokens - 1) is None
    assert counter.fits(text, tokens)


def base64_of(size: int) -> str:
    """Base64 without line breaks, of ``size`` random bytes."""
    return base64.b64encode(random.Random(3).randbytes(size)).decode()


@pytest.mark.parametrize(
    "size", [pytest.param(150_000, id="200KB"), pytest.param(7_500_000, id="10MB", marks=slow)]
)
@both
def test_base64_is_counted_whole(name: str, size: int) -> None:
    text = base64_of(size)
    assert fresh(name).count(text) == len(reference(name).encode_ordinary(text))


@pytest.mark.parametrize("limit", [100, 4000, 100_000])
def test_fifty_megabytes_against_a_small_limit(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most a few bytes per token of the limit are tokenised, never 50 MB."""
    text = base64_of(37_500_000)
    counter, tokenised = fresh("o200k_base"), []
    count = counter._engine.count_chunk
    monkeypatch.setattr(Engine, "count_chunk", lambda _, t: tokenised.append(len(t)) or count(t))
    assert len(text) == 50_000_000
    assert counter.within(text, limit) is None
    assert not counter.fits(text, limit)
    assert sum(tokenised) <= 4 * limit + 2 * CHUNK


def test_chunks_without_cuts_keep_the_guard() -> None:
    """A long text of blanks alone has no cut and is one chunk, longer than a run."""
    counter = fresh("o200k_base")
    text = "word" + " \t" * LONG_RUN + "word\n" * 5000
    assert counter.count(text) == count_around_runs(reference("o200k_base"), text)
