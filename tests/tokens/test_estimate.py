"""Estimates: the base's count, the kinds of characters, limits."""

from __future__ import annotations

import pickle
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab.tokens.claude_ctok import is_available
from trimtab.tokens.claude_ratios import CLAUDE_RATIOS
from trimtab.tokens.counter import Counter
from trimtab.tokens.encodings import encoding
from trimtab.tokens.estimate import Estimate, Ratios
from trimtab.tokens.estimators import estimator

CLAUDE = Estimate(encoding("o200k_base"), "claude", CLAUDE_RATIOS["claude"])
NEWER = Estimate(encoding("o200k_base"), "claude-4.7", CLAUDE_RATIOS["claude-4.7"])


class Letters:
    """A base counter of a token per character, which notes what it was asked for."""

    name = "letters"
    exact = True

    def __init__(self) -> None:
        self.counted: list[str] = []
        self.limits: list[int] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return len(text)

    def count_many(self, texts: Iterable[str]) -> list[int]:
        return [self.count(text) for text in texts]

    def fits(self, text: str, limit: int) -> bool:
        return self.within(text, limit) is not None

    def within(self, text: str, limit: int) -> int | None:
        self.limits.append(limit)
        return len(text) if len(text) <= limit else None


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("small", "az"),
        ("capital", "AZ"),
        ("digit", "09"),
        ("mark", "!~_{}[@`^"),
        ("blank", "  "),
        ("control", "\n\t\0\x7f"),
        ("latin", "éÿß\u0080\u02ff"),
        ("cyrillic", "\u0300αжЯ\u04ff"),
        ("semitic", "\u0500אعܐ\u07ff"),
        ("indic", "\u0800हไກ\u1fff"),
        ("symbol", "\u2000—’…─✓"),
        ("kana", "\u3000あア、\u3fff"),
        ("han", "\u4000漢字\u9fff"),
        ("hangul", "\ua000한글\ue000\uffff\ud800"),
        ("astral", "\U00010000😀\U0010ffff"),
    ],
)
def test_each_character_is_of_one_kind(kind: str, text: str) -> None:
    dear = Estimate(Letters(), "x", Ratios(tokens=1000, **{kind: 1000}))
    free = Estimate(Letters(), "x", Ratios(tokens=1000))
    assert free.count(text) == len(text)
    assert dear.count(text) == 2 * len(text)


@pytest.mark.parametrize(
    "text", ["aB", "a.", "a", "", "aaBBa..a", "xxxaB", "camelCase(foo)", "é.", "aЖ"]
)
def test_pairs_are_counted_where_they_stand(text: str) -> None:
    pairs = list(zip(text, text[1:], strict=False))
    humps = sum("a" <= one <= "z" and "A" <= two <= "Z" for one, two in pairs)
    seams = sum("a" <= one <= "z" and two in ".()" for one, two in pairs)
    found = Estimate(Letters(), "x", Ratios(tokens=1000, seam=1000, hump=5000)).count(text)
    assert found == len(text) + seams + 5 * humps


def test_an_estimate_is_rounded_to_the_nearest() -> None:
    third = Estimate(Letters(), "x", Ratios(tokens=300))
    assert [third.count("a" * n) for n in range(6)] == [0, 0, 1, 1, 1, 2]


@pytest.mark.parametrize("counter", [CLAUDE, NEWER, Estimate(Letters(), "x", Ratios(300, 700))])
@settings(deadline=None)  # the first one loads the vocabulary
@given(text=st.text(max_size=60), times=st.sampled_from([1, 1, 200]))
def test_a_limit_agrees_with_the_count(counter: Estimate, text: str, times: int) -> None:
    text = text * times
    tokens = Estimate(counter._base, "other", counter._ratios).count(text)
    for limit in (0, tokens - 1, tokens, tokens + 1):
        if limit >= 0:
            assert counter.within(text, limit) == (tokens if tokens <= limit else None)
            assert counter.fits(text, limit) == (tokens <= limit)
    assert counter.count(text) == tokens
    assert counter.count_many([text, "", text]) == [tokens, 0, tokens]


def test_a_long_text_is_given_to_the_base_with_the_room_that_is_left() -> None:
    base = Letters()
    counter = Estimate(base, "x", Ratios(tokens=2000, small=1000))
    assert counter.within("a" * 5000, 7000) is None
    assert base.limits == [1000]
    assert counter.within("a" * 5000, 4000) is None  # the letters alone are too many
    assert counter.within("a" * 1_000_000, 1000) is None  # and here the length
    assert base.limits == [1000]
    assert base.counted == []


def test_a_text_is_counted_once() -> None:
    base = Letters()
    counter = Estimate(base, "x", Ratios(tokens=1300))
    assert [counter.count("hello"), counter.within("hello", 9)] == [7, 7]
    assert counter.count_many(["hello", "you"]) == [7, 4]
    assert base.counted == ["hello", "you"]


def test_an_estimate_is_a_counter_that_is_not_exact_and_survives_pickling() -> None:
    assert isinstance(CLAUDE, Counter)
    assert not CLAUDE.exact
    again = pickle.loads(pickle.dumps(CLAUDE))
    assert (again.name, again.count("Hello, 世界")) == ("claude", CLAUDE.count("Hello, 世界"))


@pytest.mark.parametrize(
    ("text", "older", "newer"),  # by ctok 1.3.0
    [
        ("The library steers what a model sees by fitting a talk into its window. " * 4, 65, 81),
        ("def fit(messages, budget=None):\n    return [m for m in messages if m]\n" * 4, 87, 103),
        ('{"name": "get_weather", "city": "Oslo", "unit": "celsius"}\n' * 4, 83, 119),
        ("Сегодня хорошая погода, и мы пойдём гулять в парк. " * 4, 105, 105),
        ("今天天气很好，我们去公园散步吧。" * 4, 69, 69),
    ],
)
def test_claude_is_met_within_a_quarter(text: str, older: int, newer: int) -> None:
    assert CLAUDE.count(text) == pytest.approx(older, rel=0.25)
    assert NEWER.count(text) == pytest.approx(newer, rel=0.25)


def test_an_estimator_is_one_object_and_strange_names_are_other() -> None:
    assert estimator("gemini") is estimator("gemini")
    assert estimator("no such").name == "other"
    assert not estimator("claude").exact
    assert isinstance(estimator("claude"), Estimate) is not is_available()
