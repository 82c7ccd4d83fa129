"""Reading: lists, bodies and JSONL are told apart by their content."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from trimtab.cli.amount import tokens
from trimtab.cli.source import Item, Source, Unreadable, read

HI = [{"role": "user", "content": "hi"}]
BODY = {"model": "some-model", "messages": HI}


def source(text: str | bytes) -> Source:
    """The source for an input given as text or bytes."""
    return read(io.BytesIO(text if isinstance(text, bytes) else text.encode()))


def only(text: str | bytes) -> Any:
    """The value of an input that is one document."""
    found = source(text)
    assert not found.many
    [item] = found.items
    assert item.line is None
    return item.value


@pytest.mark.parametrize("value", [HI, BODY, []])
@pytest.mark.parametrize("indent", [None, 0, 4])
def test_one_document_however_it_is_laid_out(value: object, indent: int | None) -> None:
    """A list or a body, on one line or on many, with blank lines around it."""
    text = json.dumps(value, indent=indent)
    for around in ("{}", "{}\n", "\n \n{}\n\n", "\ufeff{}", "\ufeff\n{}", "{}\r\n"):
        assert only(around.replace("{}", text)) == value


def test_lines_of_json_are_many_conversations() -> None:
    """Each line is one; blank lines are passed on so that numbers stay right."""
    text = f"\ufeff{json.dumps(HI)}\n\n{json.dumps(BODY)}\r\n   \n[]"
    found = source(text)
    assert found.many
    assert list(found.items) == [
        Item(1, HI),
        Item(2, None),
        Item(3, BODY),
        Item(4, None),
        Item(5, []),
    ]


@pytest.mark.parametrize("key", ["messages", "input", "contents", "conversations"])
def test_a_body_of_any_api(key: str) -> None:
    """The messages stand under the name that the API has for them."""
    body = {"model": "m", key: HI}
    found = list(source(json.dumps(body)).items) + list(source(f"{json.dumps(body)}\n" * 2).items)
    assert [item.body for item in found] == [body] * 3
    assert all(item.messages == HI and item.model == "m" for item in found)


@pytest.mark.parametrize("within", ["body", "params", "request", "modelInput"])
def test_a_body_in_the_envelope_of_a_batch(within: str) -> None:
    """What stands around the body comes back around it."""
    line = {"custom_id": "1", within: BODY, "more": 1}
    [item] = source(json.dumps(line)).items
    assert (item.body, item.messages) == (BODY, HI)
    assert item.with_messages([], None) == {**line, within: {**BODY, "messages": []}}
    assert item.value is not BODY and item.envelope == line


def test_a_message_on_each_line_is_one_conversation() -> None:
    """Each message keeps the number of its line; one line is enough."""
    text = f"\n{json.dumps(HI[0])}\n \n{json.dumps(HI[0])}\r\n"
    found = source(text)
    [item] = found.items
    assert not found.many
    assert (item.value, item.lines) == (HI * 2, (2, 4))
    [item] = source(json.dumps({"from": "human", "value": "x"})).items
    assert item.lines == (1,)
    [item] = source(json.dumps({"type": "function_call", "call_id": "a"}) + "\n").items
    assert item.lines == (1,)


def test_leading_blank_lines_count() -> None:
    """The first conversation of a JSONL input may stand on line 3."""
    items = source("\n\n[]\n[]\n").items
    assert [item.line for item in items if item.value is not None] == [3, 4]


def test_a_line_separator_inside_a_string_is_no_new_line() -> None:
    """Only a line feed ends a line."""
    odd = [{"role": "user", "content": "a\u2028b\u0085c"}]
    text = json.dumps(odd, ensure_ascii=False)
    assert only(text) == odd
    assert [item.value for item in source(f"{text}\n{text}\n").items] == [odd, odd]


@pytest.mark.parametrize("first", ['[{"role": "user"', "oops", '{"messages": 1} x', "\udcff"])
def test_jsonl_survives_a_damaged_first_line(first: str) -> None:
    """The lines after it are still conversations."""
    data = first.encode("utf-8", "surrogateescape") + b"\n" + json.dumps(HI).encode() + b"\n[]"
    found = source(data)
    assert found.many
    broken, *rest = found.items
    assert broken.error is not None and broken.value is None
    assert rest == [Item(2, HI), Item(3, [])]


def test_bad_lines_carry_their_error() -> None:
    """One unreadable line does not stop the others."""
    found = source('[]\n{"a": }\n{"role": "user"}\n3\n{"messages": {}}\n[]\n')
    errors = [item.error and str(item.error) for item in found.items]
    assert errors[0] is None and errors[5] is None
    assert errors[1] == "not JSON: Expecting value (column 7)"
    [_, cut, _] = source('[]\n[{"role": 1\r\n[]').items
    assert str(cut.error) == "not JSON: Expecting ',' delimiter (column 12)"
    assert "one message" in str(errors[2])
    assert "JSON list" in str(errors[3])
    assert '"messages"' in str(errors[4])


class Endless(io.RawIOBase):
    """A stream that would go on for ever; it counts what is taken from it."""

    def __init__(self) -> None:
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        line = b'[{"role": "user", "content": "hi"}]\n'
        self.taken += len(line)
        buffer[: len(line)] = line
        return len(line)


def test_jsonl_is_read_line_by_line() -> None:
    """Taking three conversations reads about three lines."""
    stream = Endless()
    items = read(io.BufferedReader(stream, 64)).items
    assert [next(items).line for _ in range(3)] == [1, 2, 3]
    assert stream.taken < 1000


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n\n\t\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b'[\n  {"role" "user"}\n]', "line 2, column 11"),
        (b'\n\n[{"role": }]', "line 3, column 11"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b"[1" + b"0" * 5000 + b"]", "digits"),
        (b'["\xff"]', "not UTF-8: invalid start byte at byte 3"),
        ("[]".encode("utf-16"), "not UTF-8"),
        (b'{\n"role": "user", "content": "hi"}', "one message"),
        (b'{"input": "a column of a data set"}', '"messages"'),
        (b'{"role": "user"}\n{"role": ', "line 2: not JSON: Expecting value .column 10"),
        (b'{"role": "user"}\n\n[]', "line 3: no message"),
        (b'{"messages": "hi"}', '"messages"'),
        (b"3", "JSON list"),
        (b'"[]"', "JSON list"),
        (b"null", "JSON list"),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes, words: str) -> None:
    """The error says what is wrong, and where."""
    with pytest.raises(Unreadable, match=words):
        list(source(data).items)


def test_numbers_that_json_does_not_have_are_read_as_the_json_module_does() -> None:
    """NaN and Infinity are accepted, a lone surrogate too."""
    [value] = only('[{"a": NaN, "b": -Infinity, "c": "\\ud800"}]')
    assert value["a"] != value["a"]
    assert value["b"] == float("-inf")
    assert value["c"] == "\ud800"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("8000", 8000),
        ("8,000", 8000),
        ("1_000_000", 1_000_000),
        ("8k", 8000),
        ("32K", 32_000),
        ("1m", 1_000_000),
        ("1.5k", 1500),
        ("0.128m", 128_000),
        ("7.0", 7),
        ("0", 0),
    ],
)
def test_amounts(text: str, number: int) -> None:
    """Tokens as people write them."""
    assert tokens(text) == number


@pytest.mark.parametrize(
    "text",
    ["", "k", "-5", "+5", "nan", "inf", "1e3", "1.2", "1.2345k", "8kb", "8,00", "٣", "9" * 5000],
)
def test_what_is_no_amount(text: str) -> None:
    """No signs, no fractions of a token, no guesses."""
    with pytest.raises(ValueError):
        tokens(text)
