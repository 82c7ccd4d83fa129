"""Data made smaller: what is kept, what is counted, what is never touched."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from datetime import date

import pytest
from pydantic import BaseModel
from trimtab.jsontext import jsontext
from trimtab.shrink.values import smaller

LONG = "\n".join(f"line {n} of a long result" for n in range(300))


def cut(text, room):
    return text[: max(0, room - 5)] + "[cut]"


def within(value, size):
    before = copy.deepcopy(value)
    made = smaller(value, lambda made: len(jsontext(made)) <= size, cut)
    assert value == before
    return made


@pytest.mark.parametrize("size", [40, 100, 500, 2_000])
def test_items_go_from_the_middle(size):
    rows = [{"id": n, "name": f"user {n}"} for n in range(300)]
    made = within(rows, size)
    at = next(at for at, row in enumerate(made) if isinstance(row, str))
    assert made[at] == f"[... {300 - len(made) + 1} items left out ...]"
    kept = made[:at] + made[at + 1 :]
    assert len(jsontext(made)) <= size
    if size > 100:
        assert kept and all(any(row is own for own in rows) for row in kept)
        assert abs(2 * at - len(kept)) <= 4  # rows at the end are longer
        assert len(jsontext(made)) > 0.7 * size


def test_all_members_stay_while_they_can():
    value = {"code": 0, "out": LONG, "rows": list(range(900)), "name": "n"}
    made = within(value, 300)
    assert list(made) == list(value)
    assert made["out"].startswith("line 0 of") and made["out"].endswith("[cut]")
    assert made["rows"][0] == 0 and made["rows"][-1] == 899
    assert (made["code"], made["name"]) == (0, "n")


def test_members_that_go_are_counted_under_a_key_of_their_own():
    value = {f"key {n}": n for n in range(90)} | {"...": 1, "....": 2}
    made = within(value, 120)
    (count,) = [key for key in made if key not in value]
    assert count == "....." and made[count] == f"{92 - len(made) + 1} members left out"
    assert list(made)[0] == "key 0" and list(made)[-1] == "...."


@pytest.mark.parametrize("key", ["error", "is_error", "isError"])
@pytest.mark.parametrize("size", [1, 10, 30, 50, 80, 200])
def test_what_tells_a_failure_stays(key, size):
    value = {f"key {n}": n for n in range(90)} | {key: {"message": LONG}, "last": LONG}
    assert key in within(value, size)
    assert within({"a": LONG, key: True}, size)[key] is True


def test_what_is_larger_than_any_room_goes():
    assert within({"a": LONG}, 1) == {}
    assert within([LONG], 1) == []
    assert within({}, 1) == {}
    assert within({"k" * 5_000: 1, "b": 2}, 60) == {"...": "1 members left out", "b": 2}
    assert within([b"x" * 90, 10**5_000, 7], 60) in (["[...]", "[...]", 7], [b"x" * 90, "[...]", 7])


def test_empty_data_stay_the_same_object():
    for value in ({}, [], {"error": None}, {"error": ""}, 7, None, True):
        assert smaller(value, lambda made: False, cut) is value


class Model(BaseModel):
    rows: list[int]
    when: date


@dataclass
class Plain:
    rows: list[int]
    when: date


@pytest.mark.parametrize("kind", [Model, Plain])
def test_an_object_becomes_its_fields_and_what_is_in_it_stays(kind):
    value = kind(rows=list(range(500)), when=date(2026, 1, 2))
    made = within({"it": value, "pair": (1, 2)}, 150)
    assert made["it"]["when"] is value.when and made["it"]["rows"][:2] == [0, 1]
    assert made["pair"] == (1, 2)
    assert within(tuple(range(500)), 60)[-1] == 499
    assert type(within(tuple(range(500)), 60)) is tuple


def test_data_that_hold_themselves():
    value = ["x " * 400]
    value.append(value)
    made = smaller(value, lambda made: len(jsontext(made)) <= 300, cut)
    assert len(jsontext(made)) <= 300 and made[0].startswith("x x")


def test_data_that_nest_deeper_than_any_stack():
    deep = "x" * 500
    for turn in range(50_000):
        deep = [deep, turn] if turn % 2 else {"in": deep}
    made = smaller(deep, lambda made: len(jsontext(made)) <= 2_000, cut)
    assert "left out" in jsontext(made)


def test_the_work_does_not_grow_with_the_size():
    def asked(number):
        calls = []
        value = {"rows": [{"id": n, "text": "word " * 9} for n in range(number)]}
        smaller(value, lambda made: calls.append(len(jsontext(made))) or calls[-1] < 900, cut)
        return len(calls), sum(calls)

    few, many = asked(1_000), asked(20_000)
    assert many[0] <= few[0] + 6 and many[1] <= few[1] * 1.5
