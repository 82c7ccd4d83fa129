"""Fenced code in an excerpt: every fence that is opened is closed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab.shrink.excerpt import excerpt
from trimtab.shrink.fenced import Fences

MARK = re.compile(r"\n\[\.\.\. (\d+) characters left out \.\.\.\]\n")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


def by_length(text, limit):
    return len(text) <= limit


def unclosed(text):
    """The fence that is open at the end, read line by line; None where all are closed."""
    fence = None
    for line in text.split("\n"):
        found = FENCE.fullmatch(line)
        if found is None:
            continue
        ticks, words = found.groups()
        if fence is None:
            fence = ticks if ticks[0] == "~" or "`" not in words else None
        elif ticks[0] == fence[0] and len(ticks) >= len(fence) and not words.strip():
            fence = None
    return fence


CODE = "x = 1\n" * 60
TEXTS = {
    "one long block": f"Look:\n```python\n{CODE}```\nThat was it.\n",
    "head in code": f"```\n{CODE}```\n" + "and words\n" * 60,
    "tail in code": "words and\n" * 60 + f"```sh\n{CODE}```\n",
    "two blocks": f"```py\n{CODE}```\nbetween\n```js\n{CODE}```\n",
    "two kinds": f"```py\n{CODE}```\nbetween\n~~~~\n{CODE}~~~~\n",
    "nested": f"````md\n```py\n{CODE}```\n````\nend",
    "many": "text\n```\ncode\n```\n" * 40,
    "long words": f"```{'w' * 200}\n{CODE}```\n",
}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_fences_stay_closed(name):
    text = TEXTS[name]
    assert unclosed(text) is None
    shown = 0
    for cap in range(1, 600, 3):
        short = excerpt(text, cap, by_length)
        assert len(short) <= min(cap, len(text))
        assert excerpt(short, cap, by_length) == short
        if MARK.search(short):
            shown += 1
        if cap > 60:
            assert unclosed(short) is None, short
    assert shown > 100


def test_the_marker_stands_in_the_code_where_both_ends_do():
    short = excerpt(TEXTS["one long block"], 140, by_length)
    assert short.startswith("Look:\n```python\nx = 1\n") and short.endswith("```\nThat was it.\n")
    assert short.count("```") == 2


def test_what_is_gone_is_counted_without_the_fences_that_were_added():
    text = TEXTS["head in code"]
    short = excerpt(text, 160, by_length)
    head, gone, tail = MARK.split(short)
    assert head.endswith("\n```") and text.startswith(head.removesuffix("\n```"))
    assert text.endswith(tail)
    assert len(head) - 4 + int(gone) + len(tail) == len(text)


pieces = st.sampled_from(["```", "```py", "~~~", "````", "  ```", "    ```", "word", "", "a `b`"])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(pieces, max_size=60), st.integers(50, 200))
def test_closed_stays_closed(lines, cap):
    text = "\n".join(lines)
    text += "" if (fence := unclosed(text)) is None else "\n" + fence
    short = excerpt(text, cap, by_length)
    assert len(short) <= cap
    if MARK.search(short):
        assert unclosed(short) is None


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(pieces, max_size=30))
def test_what_is_open_where(lines):
    text = "\n".join(lines)
    open_now = unclosed(text)
    assert Fences(text).closing(len(text)) == ("" if open_now is None else f"\n{open_now}")
