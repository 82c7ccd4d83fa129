"""A JSON text is shortened to JSON: checked by a slow twin that reads both."""

from __future__ import annotations

import json
import re
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab.shrink import structured_scan
from trimtab.shrink.excerpt import excerpt
from trimtab.shrink.structured_scan import MAX_DEPTH, scan
from trimtab.tokens.encodings import encoding

TOKENS = encoding("o200k_base")
CUT = re.compile(r"\[\.\.\. (\d+) characters left out \.\.\.\]")
ITEMS = re.compile(r"\[\.\.\. (\d+) items left out \.\.\.\]")
MEMBERS = re.compile(r"(\d+) members left out")
LINES = re.compile(r"(\d+) lines left out")


def by_length(text, limit):
    return len(text) <= limit


def by_tokens(text, limit):
    return TOKENS.within(text, limit) is not None


class Number(str):
    """A number as it is written."""


class Members(list):
    """The members of an object, doubled keys and all."""


def read(text):
    return json.loads(
        text,
        object_pairs_hook=Members,
        parse_int=Number,
        parse_float=Number,
        parse_constant=Number,
    )


def same_kind(one, two):
    return type(one) is type(two)


def agree(short, whole):
    """Whether one value is an excerpt of another, all counts being right."""
    if short == whole and same_kind(short, whole):
        return True
    if not same_kind(short, whole):
        return False
    if type(whole) is str:
        found = CUT.search(short)
        return any(
            whole.startswith(short[: found.start()]) and whole.endswith(short[found.end() :])
            for found in CUT.finditer(short)
        )
    if isinstance(whole, Members):
        keys = {key for key, _ in whole}
        return ends_agree(
            short,
            whole,
            lambda m: set(m[0]) == {"."} and m[0] not in keys and MEMBERS.fullmatch(m[1]),
            lambda a, b: a[0] == b[0] and agree(a[1], b[1]),
        )
    if type(whole) is list:
        return ends_agree(short, whole, lambda m: type(m) is str and ITEMS.fullmatch(m), agree)
    return False


def ends_agree(short, whole, marker, same):
    """Head and tail agree, around a marker whose count is of what is gone, or all do."""
    if len(short) == len(whole) and all(map(same, short, whole)):
        return True
    for at, one in enumerate(short):
        found = marker(one)
        if not found or int(found[1]) + len(short) - 1 != len(whole):
            continue
        tail = len(short) - at - 1
        if all(map(same, short[:at], whole)) and all(
            map(same, short[at + 1 :], whole[len(whole) - tail :])
        ):
            return True
    return False


strings = st.text(max_size=80) | st.sampled_from(
    ["", "\\" * 40, '"' * 30, "\n" * 50, "👩\u200d👩\u200d👧" * 20, "e\u0301" * 30, "a b " * 60]
)
numbers = st.sampled_from(["0", "-0", "1.0", "1e400", "-2.50E-3", "9" * 60, "true", "null"])
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\t"])


@st.composite
def documents(draw, depth=4):
    """The text of a value, in any spelling."""
    kind = draw(st.integers(0, 9 if depth else 4))
    if kind < 2:
        return draw(numbers)
    if kind < 5:
        return json.dumps(draw(strings), ensure_ascii=draw(st.booleans()))
    blank = draw(blanks)
    if kind < 8:
        items = draw(st.lists(documents(depth=depth - 1), max_size=6))
        if items and draw(st.booleans()):
            items *= draw(st.integers(1, 12))
        return f"[{blank}{(',' + blank).join(items)}{blank}]"
    keys = st.sampled_from(['"a"', '"b\\n"', '"..."', '"\\u00e9"', '"long key with words"'])
    members = draw(st.lists(st.tuples(keys, documents(depth=depth - 1)), max_size=6))
    return f"{{{blank}{(',' + blank).join(f'{key}:{blank}{one}' for key, one in members)}{blank}}}"


containers = documents().filter(lambda text: text[0] in "[{")


def is_size(short, whole):
    kind = "members" if isinstance(whole, Members) else "items"
    return short == f"{len(whole)} {kind} left out"


@pytest.mark.parametrize("fits", [by_length, by_tokens])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=containers, cap=st.integers(1, 300))
def test_json_stays_json(fits, text, cap):
    short = excerpt(text, cap, fits)
    assert fits(short, cap) and len(short) <= len(text)
    assert excerpt(short, cap, fits) == short == excerpt(text, cap, fits)
    if fits(text, cap):
        assert short == text
        return
    try:
        shown, whole = read(short), read(text)
    except ValueError:
        size = '"999 members left out"'
        assert len(text) < 40 or not fits(size, cap)  # only where the size itself is too much
        assert text.startswith(short)
        return
    assert agree(shown, whole) or is_size(shown, whole)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(alphabet='[]{},:"\\ue1-.0tnfalsr \n', max_size=30) | documents())
def test_what_is_json_is_told_as_the_reference_tells_it(text):
    try:
        value = json.loads(text)
    except ValueError:
        spans = scan(text)
        assert spans is None or len(spans.roots) > 1
    else:
        spans = scan(text)
        assert (spans is not None) == isinstance(value, (list, dict))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(containers)
def test_the_spans_are_those_of_the_values(text):
    spans = scan(text)
    todo = [(spans.roots[0], read(text))]
    while todo:
        value, known = todo.pop()
        assert read(text[value.bare : value.end]) == known
        if type(known) not in (list, Members):
            continue
        starts, ends = spans.inside(value)
        assert len(starts) == len(known)
        for start, end, own in zip(starts, ends, known, strict=True):
            if isinstance(known, Members):
                bare = spans.bare(start)
                assert json.loads(text[start:bare].strip().removesuffix(":")) == own[0]
                own = own[1]
            else:
                bare = start
            todo.append((type(value)(start, bare, end), own))


@pytest.mark.parametrize("version", ["inside", "value", "member", "key"])
def test_a_group_that_is_repeated_fails_where_it_began(version):
    """Until Python 3.11.5 a possessive repeat of any other group matched what it should not."""
    held = getattr(structured_scan._patterns(), version)
    for pattern in held.values() if isinstance(held, dict) else [held]:
        repeated = list(possessive(re._parser.parse(pattern.pattern)))
        assert repeated
        for (body, *more) in repeated:
            assert not more
            kind, given = body
            if str(kind) == "BRANCH":
                assert [str(op) for op, _ in given[1][-1]] in (["FAILURE"], ["ASSERT_NOT"])
            else:
                assert str(kind) in ("IN", "LITERAL", "NOT_LITERAL")


def possessive(parsed):
    """The bodies of all possessive repeats of a pattern."""
    todo = [parsed]
    while todo:
        item = todo.pop()
        if isinstance(item, tuple) and item and str(item[0]) == "POSSESSIVE_REPEAT":
            body = list(item[1][2])
            while len(body) == 1 and str(body[0][0]) == "SUBPATTERN":
                body = list(body[0][1][-1])
            yield body
        if isinstance(item, (tuple, list, re._parser.SubPattern)):
            todo += list(item)


ROWS = [{"id": n, "name": f"user {n}", "tags": ["a", "b\n"], "score": n / 7} for n in range(400)]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("cap", range(60, 3_000, 200))
def test_items_go_from_the_middle(cap, indent):
    text = json.dumps(ROWS, indent=indent)
    short = excerpt(text, cap, by_tokens)
    shown = json.loads(short)
    assert agree(read(short), read(text))
    kept = [row for row in shown if isinstance(row, dict)]
    if cap > 200:
        assert TOKENS.count(short) > 0.75 * cap
        assert shown[0] == ROWS[0] and shown[-1] == ROWS[-1]
    assert len(kept) + int(ITEMS.search(short)[1]) == 400


def test_what_is_small_stays_beside_what_is_long():
    log = "\n".join(f"step {n} done" for n in range(4_000))
    text = json.dumps({"status": 1.0, "log": log, "rows": ROWS, "end": [None, {"ok": True}]})
    shown = json.loads(excerpt(text, 900, by_tokens))
    assert list(shown) == ["status", "log", "rows", "end"]
    assert shown["status"] == 1.0 and shown["end"] == [None, {"ok": True}]
    assert CUT.search(shown["log"]) and shown["log"].startswith("step 0 done\nstep 1")
    assert shown["log"].endswith("step 3999 done")
    assert shown["rows"][0] == ROWS[0] and shown["rows"][-1] == ROWS[-1]


def test_one_item_between_small_ones():
    shown = json.loads(excerpt(json.dumps([1, "x" * 9_000, 2]), 300, by_length))
    assert shown[0] == 1 and shown[2] == 2 and len(shown[1]) > 250


def test_numbers_escapes_and_order_are_those_of_the_text():
    head = '{"z": 1.0, "a": 1e400, "z": -0.0, "\\u0041": "\\u00e9\\/", "n": 12345678901234567890123'
    text = head + ', "rows": [' + ", ".join(["1.50"] * 900) + "]}"
    short = excerpt(text, 200, by_length)
    assert short.startswith(head + ', "rows": [1.50, 1.50, ') and short.endswith("1.50, 1.50]}")
    assert json.loads(short)["z"] == 0


def test_lines_of_json_stay_lines_of_json():
    text = "\n".join(map(json.dumps, ROWS)) + "\n"
    for cap in (20, 60, 300, 2_000):
        short = excerpt(text, cap, by_tokens)
        rows = [json.loads(line) for line in short.splitlines()]
        (gone,) = [row for row in rows if LINES.fullmatch(str(row.get("...")))]
        assert int(LINES.fullmatch(gone["..."])[1]) + len(rows) - 1 == 400
        assert cap < 300 or (rows[0] == ROWS[0] and rows[-1] == ROWS[-1])


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        (
            json.dumps(ROWS),
            ['["[... 400 items left out ...]"]', '"400 items left out"', "[{"],
        ),
        (
            json.dumps({f"k{n}": n for n in range(99)}),
            ['{"...": "99 members left out"}', '"99 members left out"', '{"'],
        ),
        (
            "\n".join(map(json.dumps, ROWS)),
            ['{"...": "400 lines left out"}', '"400 lines left out"', '{"'],
        ),
    ],
)
def test_a_cap_that_is_too_small_for_the_text(text, steps):
    for step in steps:
        assert excerpt(text, len(step), by_length) == step


@pytest.mark.parametrize(
    "text", ["[1, 2", "{'a': 1}", "[1,]" * 9, "{} {}", "1", '"words"', "[1] and so on"]
)
def test_other_texts_are_no_json(text):
    assert scan(text) is None
    assert "characters left out" in excerpt(text + "x" * 300, 100, by_length)


def test_what_nests_too_deep_is_a_text_like_any_other():
    assert scan("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    deep = "[" * 100_000 + "]" * 100_000
    assert scan(deep) is None
    assert "characters left out" in excerpt(deep, 100, by_length)
    shown = excerpt('{"a":' * 400 + "[" + "1," * 999 + "1]" + "}" * 400, 900, by_length)
    assert isinstance(json.loads(shown), dict)


HUGE = {
    "rows": json.dumps(ROWS * 120),
    "text": json.dumps({"stdout": 'line "x"\n' * 400_000}),
    "map": json.dumps({f"key {n}": n for n in range(250_000)}),
    "numbers": json.dumps(list(range(600_000))),
    "key": json.dumps({"k" * 4_000_000: 1}),
    "backslashes": json.dumps(["\\" * 2_000_000]),
    "blanks": "[1," + " " * 4_000_000 + "2]",
}


@pytest.mark.parametrize("name", sorted(HUGE))
@pytest.mark.parametrize("cap", [30, 1_000])
def test_the_measure_is_asked_a_logarithmic_number_of_times(name, cap):
    asked = []

    def fits(text, limit):
        asked.append(len(text))
        return len(text) <= limit

    short = excerpt(HUGE[name], cap, fits)
    json.loads(short)
    assert len(asked) <= 8 * log2(cap + 60) + 8
    assert sum(length > 3 * cap + 200 for length in asked) <= 2 + (name == "key")


@pytest.mark.parametrize(
    "cluster", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "1\ufe0f\u20e3", "कि", "\U0001f600"]
)
@pytest.mark.parametrize("ascii", [True, False])
def test_no_cluster_and_no_escape_is_split_in_a_string(cluster, ascii):
    text = json.dumps([cluster * 60], ensure_ascii=ascii)
    for cap in range(40, 200):
        (shown,) = json.loads(excerpt(text, cap, by_length))
        found = CUT.search(shown)
        if found is not None:
            assert found.start() % len(cluster) == 0, cap
            assert (len(shown) - found.end()) % len(cluster) == 0, cap
