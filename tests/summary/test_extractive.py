"""Extracts: bounded, the same every time, never nested, in linear time."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from summary.conversation import asked, words
from trimtab import SummaryError
from trimtab.summary import ExtractiveSummariser, Said, summarise
from trimtab.summary import extractive_facts as facts
from trimtab.summary.extractive_lines import LABEL, lines_of, lines_of_summary

TALK = (
    Said("human", "Port the tide server to Rust. It must not use unsafe code.\nWhich port does it listen on?"),
    Said("assistant", "I decided to keep the port because clients have it in config/ports.toml."),
    Said("call", 'run {"command": "cargo test --lib"}'),
    Said("result", "running 14 tests\nerror[E0308]: mismatched types in src/tide/mod.rs\nok\nok\nok"),
    Said("assistant", "The next step is to write the docs at https://example.org/tides?year=2026."),
)
FILLER = tuple(
    Said(role, f"nothing of note happened on watch, calm sea and {word} sky all along the coast")
    for word in ("grey", "blue", "white", "pale", "dull") for role in ("assistant", "result")
)


def extracts(said=TALK, previous=None, max_tokens=120, **more):
    return summarise(ExtractiveSummariser(), asked(said, previous, max_tokens, **more))


def section(text, name):
    return text.partition(f"## {name}\n")[2].partition("\n## ")[0]


def test_what_matters_stands_in_its_section():
    text = extracts(TALK + FILLER)
    assert text.startswith(LABEL)
    assert "Port the tide server" in section(text, "Goal")
    assert "unsafe" in section(text, "Constraints") + section(text, "Goal")
    assert "- user: Which port does it listen on?" in section(text, "Open tasks")
    assert "- assistant: The next step" in section(text, "Open tasks")
    assert "decided to keep the port" in section(text, "Decisions")
    assert "- tool: error[E0308]" in section(text, "Errors")
    assert "src/tide/mod.rs" in section(text, "Files and identifiers")
    for name in ("config/ports.toml", "src/tide/mod.rs", "https://example.org/tides?year=2026"):
        assert name in text  # listed, or in a line that is shown


def test_all_of_it_was_said():
    said = "\n".join(one.text for one in TALK)
    for line in extracts().splitlines():
        if line.startswith("- "):
            assert line.partition(": ")[2] in said


TEXTS = st.text(st.sampled_from("abcDE_/. \n-:,0189日本?é\ud800"), max_size=120) | st.text(max_size=50)
SAIDS = st.lists(st.builds(Said, st.sampled_from(["human", "assistant", "call", "result", "odd"]), TEXTS), min_size=1, max_size=12)


@settings(deadline=None)
@given(SAIDS, st.none() | TEXTS, st.integers(1, 80), st.sampled_from([len, words]))
def test_the_limit_holds_for_any_text_and_counter(said, previous, limit, count):
    ask = asked(said, previous, limit, count=count)
    try:
        text = ExtractiveSummariser()(ask)
    except SummaryError as error:
        assert error.kind in ("nothing", "no_room")
        return
    assert count(text) <= limit
    assert text == ExtractiveSummariser()(ask)
    text.encode()


def test_without_room_for_a_page_it_is_one_line():
    assert extracts((Said("human", "keep the lid blue please"),), max_tokens=4) == "Extract: keep the lid"
    text = extracts((Said("human", "keep the lid blue please"),), "Extract: keep the", 9)
    assert text.count("Extract") == 1


def test_asked_again_it_is_shorter():
    first = extracts(TALK + FILLER, max_tokens=60)
    again = summarise(ExtractiveSummariser(), asked(TALK + FILLER, None, 60).again(90))
    assert words(again) <= 40 < words(first) <= 60


def rounds(n, limit=150):
    previous, sizes = None, []
    for i in range(n):
        said = tuple(Said(one.role, one.text.replace("tide", f"tide{i}")) for one in TALK) + FILLER
        previous = extracts(said, previous, limit)
        sizes.append(words(previous))
    return previous, sizes


def test_summaries_of_summaries_neither_nest_nor_grow():
    text, sizes = rounds(8)
    assert max(sizes) <= 150
    assert text.count(LABEL) == 1
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(headings) == len(set(headings)) <= 6
    assert "user: user:" not in text and "- -" not in text
    assert "tide0 server" in text  # the first goal
    assert "tide7" in text


def test_its_own_page_is_read_back():
    text = extracts(TALK + FILLER)
    lines, names = lines_of_summary(text)
    assert {line.section for line in lines} >= {"goal", "decisions", "open", "errors"}
    assert [line.text for line in lines] == [
        shown.partition(": ")[2] for shown in text.splitlines() if shown.startswith("- ")
    ]
    assert all(line.role in ("human", "assistant", "result") for line in lines)
    assert "src/tide/mod.rs" in names


def test_a_models_summary_is_taken_apart_too():
    previous = "## Goal\nPort the tide server.\n\n## Errors\n- E0308 in src/tide/mod.rs, solved\n"
    text = extracts(FILLER, previous)
    assert "Port the tide server." in section(text, "Goal")
    assert "E0308" in section(text, "Errors")


def test_the_same_bytes_in_every_process():
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "from summary.test_extractive import extracts, TALK, FILLER\n"
        "sys.stdout.buffer.write(extracts(TALK * 3 + FILLER, max_tokens=70).encode())"
    )
    tests = str(Path(__file__).parents[1])
    seen = {
        subprocess.run(
            [sys.executable, "-c", code, tests], capture_output=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert seen == {extracts(TALK * 3 + FILLER, max_tokens=70).encode()}


def test_the_bytes_belong_to_the_version():
    digest = hashlib.sha256(extracts(TALK + FILLER).encode()).hexdigest()[:16]
    assert {ExtractiveSummariser.name: digest} == {"extractive/1": "b5e0cd8829cb7fdd"}, "needs a new version"


def test_work_grows_no_faster_than_the_history(monkeypatch):
    """Counted: lines looked at by the patterns, and texts given to the counter."""
    looked = [0]
    names = facts.names

    def counting(line):
        looked[0] += 1
        return names(line)

    from trimtab.summary import extractive

    monkeypatch.setattr(extractive, "names", counting)
    work, counts = [], []
    for n in (500, 1_000, 2_000):
        counted = [0]

        def count(text):
            counted[0] += 1
            return words(text)

        said = tuple(
            Said(("human", "assistant", "result")[i % 3], f"item_{i} in dir/{i % 50}/f{i}.py\nfailed {i}")
            for i in range(n)
        )
        looked[0] = 0
        ExtractiveSummariser()(asked(said, None, 300, count=count))
        work.append(looked[0])
        counts.append(counted[0])
    assert work[1] <= 2.1 * work[0] and work[2] <= 2.1 * work[1]
    assert max(counts) < 2_500  # whatever the length


def test_a_long_run_without_spaces_takes_linear_time():
    """It ends at all: patterns that try every place anew would take hours."""
    for text in ("A" * 500_000, "a/" * 200_000, "1." * 200_000, "_a" * 200_000, "<" * 200_000):
        ask = asked((Said("human", "look"), Said("result", text)), None, 300, count=lambda t: len(t) // 4)
        assert ExtractiveSummariser()(ask)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("see src/app/main.py:12, please", ["src/app/main.py:12"]),
        ("请修改src/app.py文件", ["src/app.py"]),
        (r"open C:\tools\run.bat now", [r"C:\tools\run.bat"]),
        ("and/or 1/2 e.g. i.e. etc.", []),
        ("call get_tide(lowWater) at v1.22.3 on 3f2a9c41d", ["get_tide", "lowWater", "v1.22.3", "3f2a9c41d"]),
        ("(https://example.org/a_b?c=1).", ["https://example.org/a_b?c=1"]),
        ("PATH=/usr/local/bin", ["/usr/local/bin"]),
        ("nothing to see here", []),
        ("x" * 10_000, []),
    ],
)
def test_names(line, found):
    assert [name for name, _ in facts.names(line)] == found


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("ValueError: bad tide", "errors"), ("编译失败", "errors"), ("Der Fehler bleibt", "errors"),
        ("you must not touch it", "constraints"), ("不要改测试", "constraints"),
        ("is it done?", "open"), ("これは何ですか？", "open"), ("TODO write docs", "open"),
        ("we decided on Rust", "decisions"), ("J'ai décidé", "decisions"),
    ],
)
def test_kinds(line, kind):
    assert facts.says(line, kind)
    assert not facts.says("the sea is calm", kind)


def test_long_lines_are_cut_at_sentences_and_noise_is_left_out():
    text = "-----\n<b>\n\n" + "One sentence about tides here. " * 20
    lines = [line.text for line in lines_of((Said("human", text),))]
    assert all(len(line) <= 240 and line.endswith(".") for line in lines)
    assert sum(line.count("sentence") for line in lines) == 20
