"""Head and tail of one text within a cap."""

from __future__ import annotations

import re
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.texts import texts as any_texts
from trimtab.shrink.excerpt import excerpt
from trimtab.tokens.encodings import encoding

MARK = re.compile(r"\n\[\.\.\. (\d+) characters left out \.\.\.\]\n")
TOKENS = encoding("o200k_base")
LONE = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
LINES = "\n".join(f"line {n}: the quick brown fox" for n in range(300))


def by_length(text, limit):
    return len(text) <= limit


def by_tokens(text, limit):
    return TOKENS.within(text, limit) is not None


def parts(text, short):
    """Head, number of characters left out, tail; of a text without marker the head alone."""
    found = MARK.search(short)
    if found is None:
        return short, None, ""
    return short[: found.start()], int(found[1]), short[found.end() :]


MEASURES = {"characters": (by_length, len), "tokens": (by_tokens, TOKENS.count)}
measures = pytest.mark.parametrize("measure", sorted(MEASURES))


@measures
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_head_and_tail_within_the_cap(measure, data):
    fits, size = MEASURES[measure]
    text = data.draw(st.one_of(any_texts, st.integers(1, 60).map(lambda n: LINES[: n * 29])))
    cap = data.draw(st.integers(1, 60))
    short = excerpt(text, cap, fits)
    assert size(short) <= cap
    if size(text) <= cap:
        assert short == text
        return
    head, gone, tail = parts(text, short)
    written = LONE.sub("\ufffd", text)
    assert written.startswith(head)
    if gone is not None:
        assert written.endswith(tail) and len(head) + gone + len(tail) == len(text)
    assert excerpt(short, cap, fits) == short
    assert excerpt(text, cap, fits) == short


@measures
def test_every_cap(measure):
    fits, size = MEASURES[measure]
    for cap in range(1, 61):
        short = excerpt(LINES, cap, fits)
        assert 0 < size(short) <= cap
    sizes = [size(excerpt(LINES, cap, fits)) for cap in range(60, 2_000, 60)]
    assert all(cap * 0.6 <= got for cap, got in zip(range(60, 2_000, 60), sizes, strict=True))


def test_both_ends_are_cut_at_line_ends():
    head, gone, tail = parts(LINES, excerpt(LINES, 1_000, by_length))
    assert LINES[len(head)] == "\n"
    assert LINES[len(head) + gone - 1] == "\n"
    assert abs(len(head) - len(tail)) < 100


def test_a_long_line_is_cut_where_it_must():
    text = "\n" + "x" * 5_000 + "\n"
    head, _, tail = parts(text, excerpt(text, 1_000, by_length))
    assert len(head) > 400 and len(tail) > 400


@pytest.mark.parametrize(
    ("cap", "short"), [(0, ""), (1, "a"), (5, "abcab"), (26, "abc" * 8 + "ab")]
)
def test_where_no_marker_fits_a_head_is_left(cap, short):
    assert excerpt("abc" * 100, cap, by_length) == short


@pytest.mark.parametrize("text", ["", "short", "a" * 40])
def test_what_fits_comes_back_as_it_is(text):
    assert excerpt(text, 40, by_length) is text


CLUSTERS = {
    "accents": "e\u0301",
    "family": "👩\u200d👩\u200d👧",
    "skin": "👍🏽",
    "heart": "❤\ufe0f",
    "flag and blank": "🇩🇪 ",
    "surrogates": "\ud83d\udc19",
}
SPLIT = {
    "keycap": "1\ufe0f\u20e3",
    "tag flag": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "ideograph variant": "葛\U000e0100",
    "devanagari": "कि",
    "thai": "กี",
    "hangul": "\u1112\u1161\u11ab",
    "tamil": "நி",
}


@pytest.mark.parametrize(
    "cluster",
    [
        *(pytest.param(cluster, id=name) for name, cluster in CLUSTERS.items()),
        *(pytest.param(cluster, id=name) for name, cluster in SPLIT.items()),
    ],
)
def test_a_cluster_is_never_split(cluster):
    text = cluster * 60
    inside = {0, 2} if cluster.endswith(" ") else {0}  # where a cut may fall within one repeat
    shortened = 0
    for cap in range(1, 100):
        short = excerpt(text, cap, by_length)
        head, gone, tail = parts(text, short)
        shortened += gone is not None
        for cut in (len(head), len(text) - len(tail)):
            assert cut % len(cluster) in inside, (cap, ascii(short))
    assert shortened > 20


def test_flags_in_a_row_are_not_split():
    text = "x" * 50 + "🇩🇪🇫🇷" * 30 + "y" * 50
    for cap in range(1, 120):
        head, _, tail = parts(text, excerpt(text, cap, by_length))
        assert set(head + tail) <= {"x", "y"} or excerpt(text, cap, by_length) == text


@pytest.mark.parametrize("cap", [1, 30, 1_000])
@pytest.mark.parametrize("size", [2_000, 200_000, 5_000_000])
def test_the_measure_is_asked_a_logarithmic_number_of_times(cap, size):
    asked = []

    def fits(text, limit):
        asked.append(len(text))
        return len(text) <= limit

    text = "word and " * (size // 9)
    excerpt(text, cap, fits)
    assert len(asked) <= 6 * log2(cap + 60) + 6
    assert sum(length > 2 * cap + 200 for length in asked) <= 1  # the text itself, once


@pytest.mark.parametrize("text", ["\u0301" * 3_000, "\u200d" * 3_000, "🇩" * 3_000, "\r\n" * 3_000])
def test_one_cluster_longer_than_the_cap(text):
    for cap in (1, 10, 40, 100):
        short = excerpt(text, cap, by_length)
        assert len(short) <= cap
        _, gone, tail = parts(text, short)
        assert gone is None or 0 < gone <= len(text)
