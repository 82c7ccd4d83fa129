"""Text from messages can do nothing to a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.safe import safe, safe_json


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, ümlaut, 日本語, 🙂", "plain words, ümlaut, 日本語, 🙂"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31mred", r"\x9b31mred"),
        ("\x1b]8;;http://e.example\x1b\\link\x1b]8;;\x07", None),
        ("a\x00b\x07c\x7f", r"a\x00b\x07c\x7f"),
        ("one\ntwo\r\n\tthree", r"one\ntwo\r\n\tthree"),
        ("abc\u202edcba\u2066x\u2069", r"abc\u202edcba\u2066x\u2069"),
        ("pass\u200bword\ufeff", r"pass\u200bword\ufeff"),
        ("line\u2028line\x85", r"line\u2028line\x85"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("half \ud83d", r"half \ud83d"),
        ("[bold]not markup[/bold] :smile:", "[bold]not markup[/bold] :smile:"),
    ],
)
def test_unsafe_characters_are_shown_escaped(text: str, shown: str | None) -> None:
    """Each family of steering or invisible characters, and nothing else."""
    result = safe(text)
    assert not any(char in result for char in "\x1b\x07\x9b\n")
    if shown is not None:
        assert result == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("\x1b" * 9, 10, r"\x1b\x1b…"),  # no escape is cut in half
        ("\x1b", 4, r"\x1b"),
        ("\x1b", 3, "…"),
        ("", 3, ""),
    ],
)
def test_long_text_is_cut(text: str, limit: int, shown: str) -> None:
    """At most ``limit`` characters, whole escapes only."""
    assert safe(text, limit) == shown


@given(st.text(st.characters()), st.integers(1, 30))
def test_limit_holds_and_result_is_a_prefix(text: str, limit: int) -> None:
    """For any text: never longer, and what is shown is how the whole begins."""
    shown = safe(text, limit)
    assert len(shown) <= limit
    whole = safe(text)
    assert shown == whole or (shown.endswith("…") and whole.startswith(shown[:-1]))


@given(st.text(st.characters()))
def test_safe_text_needs_no_second_pass(text: str) -> None:
    """Safe text holds nothing unsafe."""
    assert safe(safe(text)) == safe(text)


class Counted(str):
    """A string that tells how much of it was looked at."""

    taken = 0

    def __getitem__(self, key: object) -> str:
        part = str.__getitem__(self, key)  # type: ignore[index]
        Counted.taken += len(part)
        return part


def test_a_limit_looks_only_at_the_beginning() -> None:
    """The work depends on the limit, not on the text."""
    Counted.taken = 0
    assert safe(Counted("x" * 1_000_000), 20) == "x" * 19 + "…"
    assert Counted.taken <= 2 * 21


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_keeps_its_meaning(value: object) -> None:
    """Escaping inside JSON text changes how it looks, not what it says."""
    text = safe_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(text) == value
    assert not any(char in text for char in "\x1b\x7f\x9b\u202e\u2066\u2028")
