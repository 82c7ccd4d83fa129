"""Lines stay as they are, byte for byte; of a changed one only the field changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trimtab import InvalidOptions
from trimtab.sessions.lines import joined, lines_of, new_line, with_fields

ODD = (
    b'\xef\xbb\xbf  { "a" : 1.10, "p":"old" ,\t"deep":{"x":[1e999,{"p":2}],"p":[0, 1]}, '
    b'"u":"\\u00e9\\ud83d", "n":123456789012345678901, "p":"last" }\r\n'
)


def test_text_comes_back_byte_for_byte(tmp_path: Path) -> None:
    """Whatever the ends of the lines, blank lines and lines that are no JSON included."""
    text = ODD + b"\n  \nnot json\n[1]\n\xff\xfe\n" + b'{"a":1}\r{"b":2}\n' + b'{"c":"\xe2\x80\xa8"}'
    path = tmp_path / "x.jsonl"
    path.write_bytes(text)
    for source in (text, path, str(path), lines_of(text)):
        assert joined(lines_of(source)) == text
    lines = lines_of(text)
    assert [line.number for line in lines] == list(range(1, 9))
    assert [line.value is not None for line in lines] == [True, *[False] * 6, True]
    assert [line.blank for line in lines] == [False, True, True, *[False] * 5]


def test_lines_of_text() -> None:
    """Texts without ends get them, all but the last; a half surrogate becomes its escape."""
    lines = lines_of(['{"a":1}', '{"b":"\ud83d"}'])
    assert joined(lines) == b'{"a":1}\n{"b":"\\ud83d"}'
    assert lines[1].value == {"b": "\ud83d"}
    with pytest.raises(InvalidOptions, match="line 2 is of type dict"):
        lines_of(['{"a":1}', {"b": 2}])  # type: ignore[list-item]


def test_only_the_field_changes() -> None:
    """Spaces, numbers, escapes and the other of two equal keys stay."""
    [line] = lines_of(ODD)
    changed = with_fields(line, [(("p",), "neu \u00fc"), (("deep", "p"), None)])
    assert changed.raw == ODD.replace(b'"last"', '"neu \u00fc"'.encode()).replace(b"[0, 1]", b"null")
    assert changed.number == 1
    assert changed.value == {**line.value, "p": "neu \u00fc", "deep": {"x": line.value["deep"]["x"], "p": None}}


def test_a_missing_field_is_added() -> None:
    """At the front."""
    [line] = lines_of(b'{ "a": {"b": 1} }')
    assert with_fields(line, [(("a", "c"), 2), (("z",), [])]).raw == b'{"z":[], "a": {"c":2,"b": 1} }'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), json_values, min_size=1, max_size=5),
    json_values,
    st.data(),
    st.sampled_from([None, 1]),
    st.booleans(),
)
def test_any_field_of_any_object(value, new, data, indent, ascii_only) -> None:
    """Reading the changed line gives the object with that field changed."""
    key = data.draw(st.sampled_from(sorted(value)))
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).replace("\n", " ")
    try:
        [line] = lines_of([text])
    except ValueError:
        return
    assert with_fields(line, [((key,), new)]).value == {**value, key: new}


def test_a_new_line_is_one_line() -> None:
    """Whatever stands in it."""
    line = new_line({"a": "x\ny\u2028\ud83d"})
    assert (line.number, line.raw.count(b"\n"), line.raw[-1:]) == (0, 1, b"\n")
    assert json.loads(line.raw) == {"a": "x\ny\u2028\ud83d"}
