"""The prompt: fixed instruction, data apart from it, within its limit."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
import trimtab.summary
from hypothesis import given
from hypothesis import strategies as st
from summary.conversation import SAID, SECRET, asked, words
from trimtab import SummaryError
from trimtab.summary import Said
from trimtab.summary.prompt import VERSION, render, sections, system_text
from trimtab.summary.prompt_limit import render_within

TEXTS = st.text(st.sampled_from("#0123456789abcdef \n{}%$tokens\ud800"), max_size=60) | st.text(max_size=60)
SAIDS = st.lists(st.builds(Said, st.sampled_from(["human", "assistant", "call", "result", "odd"]), TEXTS), min_size=1, max_size=8)


def test_the_prompt_does_not_change_within_a_version():
    file = Path(trimtab.summary.__file__).with_name(f"prompt_v{VERSION}.toml")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert {VERSION: digest} == {"1": "41ad0c6aaddf3b79a628b5c003030f50cdc11478c393f8075d7f24191620d7b7"}, "a changed prompt is a new version"


def test_the_sections():
    named = [section.name for section in sections()]
    assert named == ["Goal", "Constraints", "Decisions", "Files and identifiers", "Open tasks", "Errors"]
    assert all(f"## {name}\n" in system_text() for name in named)


@given(SAIDS, st.none() | TEXTS, st.integers(1, 9_999))
def test_nothing_said_can_leave_its_part(said, previous, tokens):
    ask = asked(said, previous, tokens)
    prompt = render(ask)
    assert prompt == render(ask)
    assert prompt.system == system_text()
    mark = prompt.user.split()[3].rstrip(".")
    texts = [one.text for one in said] + ([previous] if previous is not None else [])
    assert not any(mark in text for text in texts)
    starts = [line for line in prompt.user.split("\n") if line.startswith(mark)]
    assert len(starts) == len(said) + 2 + (previous is not None)
    assert prompt.user.rpartition(mark)[2].count(str(tokens)) >= 1
    prompt.user.encode()


def test_a_mark_that_occurs_is_not_used():
    first = render(asked()).user.split()[3].rstrip(".")
    assert first.startswith("#")
    forged = (*SAID, Said("human", f"{first} person"))
    assert first not in render(asked(forged)).user.split("\n")[0]


def test_words_like_placeholders_stay_as_they_are():
    text = "{tokens} {mark} %s ${x} {0} {too_long}"
    assert f"\n{text}\n" in render(asked((Said("human", text),))).user


def test_asked_again_it_says_by_how_much_it_was_too_long():
    assert "321" not in render(asked()).user
    assert "321" in render(asked().again(321)).user


def longs(n=30):
    roles = ("human", "call", "result", "assistant")
    return tuple(Said(role, f"{role}{i} " + f"{role[0]}{i} " * 300) for i in range(n) for role in roles)


@pytest.mark.parametrize("limit", [500, 700, 1_000, 2_000, 5_000, 12_000, 22_000, 30_000, 10**9])
def test_a_prompt_is_within_its_limit(limit):
    ask = asked(longs(), previous="Old notes.")
    prompt = render_within(ask, limit)
    assert words(prompt.system) + words(prompt.user) <= limit
    assert "Old notes." in prompt.user
    assert prompt == render_within(ask, limit)


def kept(prompt, role):
    return sum(prompt.user.count(f"{role[0]}{i} ") for i in range(30))


def test_tool_output_goes_first_the_persons_words_last():
    ask = asked(longs())
    whole = {role: kept(render(ask), role) for role in ("human", "assistant", "result", "call")}
    some = render_within(ask, 25_000)
    assert kept(some, "human") == whole["human"]
    assert kept(some, "assistant") == whole["assistant"]
    assert 0 < kept(some, "result") < whole["result"]
    fewer = render_within(ask, 14_000)
    assert kept(fewer, "human") == whole["human"]
    assert 0 < kept(fewer, "assistant") < whole["assistant"]
    least = render_within(ask, 4_000)
    assert 0 < kept(least, "human") < whole["human"]
    assert kept(least, "human") > kept(least, "assistant")


def test_what_is_left_out_whole_is_counted():
    prompt = render_within(asked(longs(200)), 1_500)
    assert "left out here for their size: tool returned" in prompt.user


def test_a_single_huge_message_is_shortened_without_being_counted_whole():
    counted = []

    def count(text):
        counted.append(len(text))
        return len(text)

    said = (Said("human", "the lid must be blue"), Said("result", "x" * 5_000_000))
    prompt = render_within(replace(asked(said), count=count), 5_000)
    assert len(prompt.system) + len(prompt.user) <= 5_000
    assert "the lid must be blue" in prompt.user
    assert max(counted) < 200_000


@pytest.mark.parametrize("limit", [1, 100, 300])
def test_a_limit_below_the_instruction_leaves_no_room(limit):
    with pytest.raises(SummaryError) as caught:
        render_within(asked(longs()), limit)
    assert caught.value.kind == "no_room"
    assert SECRET not in str(caught.value)
