"""Claude's tokens by ctok: the counter with any tokeniser, and ctok itself where it is."""

from __future__ import annotations

import pytest
from trimtab.tokens.bounded import CHUNK
from trimtab.tokens.claude_ctok import FAMILIES, CtokCounter, ctok_counter, is_available
from trimtab.tokens.counter import Counter
from trimtab.tokens.memo import Memo

with_ctok = pytest.mark.skipif(not is_available(), reason="ctok is not installed")


class Words:
    """A tokeniser that counts blanks, and notes what it was given."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str) -> int:
        self.texts.append(text)
        return text.count(" ")


@pytest.fixture
def words():
    return Words()


@pytest.fixture
def counter(words):
    return CtokCounter("claude", words, Memo[int]())


def test_it_is_a_counter_that_is_not_exact(counter):
    assert isinstance(counter, Counter)
    assert not counter.exact


@pytest.mark.parametrize("size", [10, CHUNK // 5, CHUNK, 3 * CHUNK])
def test_a_limit_agrees_with_the_count(size, counter):
    text = "word " * size
    assert counter.within(text, size - 1) is None
    assert counter.within(text, size) == counter.count(text) == size
    assert counter.fits(text, size)
    assert not counter.fits(text, size - 1)


def test_a_text_is_tokenised_once(counter, words):
    text = "".join(f"word {n} " for n in range(3000))
    assert counter.count(text) == counter.within(text, 10_000) == 6000
    assert "".join(words.texts) == text
    again = "".join(f"other {n} " for n in range(3000))
    assert counter.within(again, 10_000) == counter.count(again) == 6000
    assert "".join(words.texts) == text + again


def test_a_long_text_is_tokenised_no_further_than_its_limit(counter, words):
    assert counter.within("word " * 100_000, 1000) is None
    assert sum(map(len, words.texts)) < 3 * CHUNK


@with_ctok
@pytest.mark.parametrize(
    ("text", "older", "newer"),
    [("", 0, 0), ("hello, world", 3, 4)],  # the second is ctok's own example
)
def test_a_text_costs_what_it_adds_to_a_message(text, older, newer):
    import ctok

    assert [ctok_counter(name).count(text) for name in FAMILIES] == [older, newer]
    if text:
        assert ctok_counter("claude").count(text) == ctok.token_count(text) - 7


@with_ctok
def test_chunks_hardly_matter():
    import ctok

    text = "def fit(messages):\n    return [m for m in messages if m.fits]\n\n" * 300
    whole = ctok.token_count(text) - 7
    assert ctok_counter("claude").count(text) == pytest.approx(whole, rel=0.002)
