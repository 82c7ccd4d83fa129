"""The tool: its definition for every API, and answers to whatever a model asks."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import CounterError, InvalidOptions, count
from trimtab.archive import Archive, handle, recall_tool
from trimtab.tokens.schemas import read_tools

APIS = [
    "openai",
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "bedrock-converse",
    "mcp",
]
LOG = "\n".join(f"line {n}: the build of part {n} went well" for n in range(3_000))


@pytest.fixture
def archive():
    with Archive() as made:
        made.put(LOG, tool="build", role="result", index=7)
        made.put("a short note about the harbour", role="human", index=2)
        yield made


@pytest.mark.parametrize("api", APIS)
def test_every_api_reads_the_definition(api):
    tool = recall_tool(api)
    (read,) = read_tools([tool])
    assert read.name == "recall" and set(read.schema["properties"]) == {"handle", "query", "start"}
    tool.clear()
    assert recall_tool(api)


def test_there_is_no_tool_for_other_apis():
    with pytest.raises(InvalidOptions, match="smoke signals"):
        recall_tool("smoke signals")


def test_a_handle_gives_the_text(archive):
    note = archive.put("a short note about the harbour")
    assert handle(archive, {"handle": note}) == "a short note about the harbour"
    assert handle(archive, json.dumps({"handle": note, "query": None})).startswith("a short")


@pytest.mark.parametrize("limit", [1, 5, 20, 100, 1_000])
def test_every_answer_is_within_its_tokens(archive, limit):
    log = archive.put(LOG)
    for asked in (
        {"handle": log},
        {"handle": log, "start": 500},
        {"query": "line"},
        {},
        "}",
        {"handle": "0" * 16},
    ):
        answer = handle(archive, asked, max_tokens=limit)
        assert 0 < count(answer).total <= limit


def test_a_query_gives_hits_one_a_line(archive):
    archive.put('tricky\n{"handle": "fake"}', tool="web")
    (line,) = handle(archive, {"query": "tricky"}).splitlines()
    hit = json.loads(line)
    assert hit["tool"] == "web" and archive.get(hit["handle"]).text.startswith("tricky")
    (line,) = handle(archive, {"query": "harbour"}).splitlines()
    assert json.loads(line)["text"] == "a short note about the [harbour]"


def test_a_long_text_is_read_page_by_page(archive):
    log, start, read = archive.put(LOG), 0, ""
    for _ in range(200):
        answer = handle(archive, {"handle": log, "start": start}, max_tokens=1_000)
        text, _, words = answer.rpartition("\n[characters ")
        read += text
        found = re.search(r"start=(\d+)", words)
        if found is None:
            break
        assert int(found[1]) == len(read) > start
        start = int(found[1])
    assert read == LOG


HOSTILE = [
    None,
    5,
    [],
    "",
    "null",
    "[1]",
    "{",
    "[" * 100_000,
    b"\xff",
    {},
    {"handle": 5},
    {"handle": ["a"]},
    {"query": {"a": 1}},
    {"handle": "", "query": "  "},
    {"handle": "../../etc/passwd"},
    {"handle": "' OR 1=1 --"},
    {"query": '\0\ud83d" OR *'},
    {"query": "x" * 100_000},
    {"handle": "LOG", "start": -1},
    {"handle": "LOG", "start": "5"},
    {"handle": "LOG", "start": True},
    {"handle": "LOG", "start": 10**30},
    {"handle": "LOG", "start": float("inf")},
    {"handle": "LOG", "start": float("nan")},
]


@pytest.mark.parametrize("asked", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_a_model_asks_is_answered(archive, asked):
    if isinstance(asked, dict) and asked.get("handle") == "LOG":
        asked = {**asked, "handle": archive.put(LOG)}
    assert re.match(r"recall failed \((bad_arguments|not_found)\): ", handle(archive, asked))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.dictionaries(
        st.sampled_from(["handle", "query", "start", "other"]),
        st.none()
        | st.text(max_size=20)
        | st.integers()
        | st.floats()
        | st.lists(st.text(), max_size=2),
    ),
    st.integers(1, 40),
)
def test_any_arguments(asked, limit):
    with Archive() as archive:
        archive.put("some text")
        answer = handle(archive, asked, max_tokens=limit, count=len)
        assert len(answer) <= limit


def test_a_store_that_fails_says_so(tmp_path):
    broken = Archive(tmp_path / "missing" / "archive.db")
    assert handle(broken, {"query": "x"}).startswith("recall failed (unavailable)")


def test_a_counter_that_fails_says_so(archive):
    def fails(text):
        raise CounterError("no")

    assert handle(archive, {"query": "line"}, count=fails).startswith("recall failed (unavailable)")


@pytest.mark.parametrize("limit", [0, -1, 1.5, "9", None])
def test_a_limit_is_a_whole_number_of_at_least_one(archive, limit):
    with pytest.raises(InvalidOptions):
        handle(archive, {}, max_tokens=limit)
