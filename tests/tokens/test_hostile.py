"""Texts that make tokenisers panic, hang or lie: counted exactly all the same."""

from __future__ import annotations

import base64
import random
import re
from functools import cache

import pytest
from hypothesis import strategies as st
from support.engines import every_engine, fresh, noting
from support.forall import forall, sizes
from support.texts import SPACES, random_texts, reference, texts

from trimtab.errors import CounterError
from trimtab.tokens import bounded
from trimtab.tokens.bounded import CHUNK, WINDOW
from trimtab.tokens.counter import as_counter
from trimtab.tokens.fast import doubtful
from trimtab.tokens.whitespace import LONG_RUN, _long_runs, count_around_runs

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
@every_engine
@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize(
    "length", [pytest.param(66_000, id="66k"), pytest.param(1_000_000, id="1M", marks=slow)]
)
def test_runs_of_every_class(name: str, kind: str, length: int, engine: str) -> None:
    unit = CLASSES[kind]
    text = unit * (length // len(unit))
    blank = text.isspace() and text[-1] not in "\r\n"
    counter = fresh(name, engine)
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


@every_engine
@pytest.mark.parametrize("limit", [100, 4000, 500_000])
def test_fifty_megabytes_against_a_limit(limit: int, engine: str) -> None:
    """At most a few bytes per token of the limit are tokenised, never 50 MB."""
    text = base64_of(37_500_000)
    counter, fed = noting("o200k_base", engine)
    assert len(text) == 50_000_000
    assert counter.within(text, limit) is None
    assert not counter.fits(text, limit)
    assert fed.characters <= 4 * limit + 2 * fed.step


def test_chunks_without_cuts_keep_the_guard() -> None:
    """A long text of blanks alone has no cut and is one chunk, longer than a run."""
    counter = fresh("o200k_base")
    text = "word" + " \t" * LONG_RUN + "word\n" * 5000
    assert counter.count(text) == count_around_runs(reference("o200k_base"), text)


# The work grows no faster than the text


class Looking:
    """A pattern that notes how many characters it was given to search, window by window."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.characters = 0

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        found = self._pattern.search(text, start, end)
        self.characters += (found.end() if found else min(end, len(text))) - start
        return found


@every_engine
@pytest.mark.parametrize("kind", ["lower", "space", "Han", "hyphen", "emoji", "contraction"])
def test_the_work_is_linear(kind: str, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each character is tokenised once and at most a few are searched for a cut."""
    unit = CLASSES[kind]
    for length in (50_000, 400_000):
        looking = Looking(bounded._BEFORE_CUT)
        with monkeypatch.context() as patch:
            patch.setattr(bounded, "_BEFORE_CUT", looking)
            counter, fed = noting("o200k_base", engine)
            text = unit * (length // len(unit))
            tokens = counter.count(text)
            assert counter.within(text, tokens) == tokens
            assert fed.characters == len(text)
            counter, fed = noting("o200k_base", engine)
            assert counter.within(text, tokens - 1) is None
        assert fed.characters <= len(text)
        assert looking.characters <= 4 * (WINDOW + 1) * (1 + len(text) // CHUNK)


@pytest.mark.parametrize("blank", ["\xa0", "\u3000", "\t"])
def test_runs_a_little_too_short_are_looked_at_once(blank: str) -> None:
    """A look from every blank of a run would cost the square of its length."""
    pattern = _long_runs(1000)
    run = blank * 999
    text = (run + "中") * 3 + run + blank + "中"
    assert [found.start() for found in pattern.finditer(text)] == [3000]
    tries = [at for at in range(len(text)) if pattern.match(text, at)]
    assert tries == [3000]
    assert not any(pattern.match(blank * 3000, at) for at in range(1, 3000))


@pytest.mark.parametrize("kind", CLASSES)
def test_few_classes_are_left_to_the_slower_engine(kind: str) -> None:
    text = CLASSES[kind] * 10
    assert kind == "surrogate" or not doubtful(text)
