"""Numbers come back as they were written."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.cli import numbers
from trimtab.cli.numbers import Exact, dumps, number

WRITTEN = ["1.0", "1.10", "1e3", "1E+3", "-0.0", "1e400", "-1e400", "0.1000000000000000055", "5e-324", "1e-999"]


@pytest.mark.parametrize("text", WRITTEN)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_number_keeps_its_text(text: str, indent: int | None) -> None:
    """And is still the number that it was."""
    value = json.loads(f'{{"a": [{text}, 1]}}', parse_float=number)
    assert value["a"][0] == float(text)
    assert re.sub(r"\s", "", dumps(value, indent)) == f'{{"a":[{text},1]}}'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 0, 2]))
def test_all_else_is_written_as_the_json_module_does(value: Any, indent: int | None) -> None:
    """Layout, escapes, and what JSON does not have."""
    expected = json.dumps(value, ensure_ascii=False, indent=indent)
    Exact.of("1.0")
    assert dumps(value, indent) == expected


def test_the_fast_writer_serves_until_there_is_such_a_number(monkeypatch: Any) -> None:
    """The slow one is not asked."""
    monkeypatch.setattr(Exact, "seen", False)
    monkeypatch.setattr(numbers, "_write", None)
    assert dumps(json.loads("[1.5, 2]", parse_float=number), None) == "[1.5, 2]"
    assert not Exact.seen


@pytest.mark.parametrize("command", [("fit", "--budget", "1k"), ("check", "--fix")])
def test_a_document_keeps_its_numbers(run: Any, command: tuple[str, ...]) -> None:
    """In messages, in arguments and beside them."""
    numbers = ", ".join([*WRITTEN, "12345678901234567890123", "-7"])
    text = f'{{"messages": [{{"role": "user", "content": "hi", "n": [{numbers}]}}], "n": [{numbers}]}}'
    for data in (text, f"{text}\n{text}"):
        out = run(*command, input=data.encode()).text
        assert re.sub(r"\s", "", out) == re.sub(r"\s", "", data)
