"""Copies of messages in which one field differs, and content that is text or parts."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, UserDict
from types import MappingProxyType, SimpleNamespace

import pytest
from pydantic import BaseModel, ConfigDict
from trimtab import InvalidOptions
from trimtab.formats.objects import getter, shallow
from trimtab.formats.content import is_blank, kind_of, listed, part_text, with_texts

INNER = [{"type": "text", "text": "a"}]


class Model(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)
    role: str
    content: object


@dataclasses.dataclass
class Record:
    role: str
    content: object


@dataclasses.dataclass(frozen=True)
class FrozenRecord:
    role: str
    content: object


class Slots:
    __slots__ = ("role", "content")

    def __init__(self, role, content):
        self.role, self.content = role, content


def same_fields(message):
    return {name: getter(message)(name) for name in ("role", "content", "extra")}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "content": INNER, "extra": INNER},
        SimpleNamespace(role="tool", content=INNER, extra=INNER),
        Model(role="tool", content=INNER, extra=INNER),
        Record("tool", INNER),
        Slots("tool", INNER),
        pytest.param(
            OrderedDict(role="tool", content=INNER),
        ),
        pytest.param(
            UserDict(role="tool", content=INNER),
        ),
        pytest.param(
            FrozenRecord("tool", INNER),
        ),
    ],
    ids=lambda message: type(message).__name__,
)
def test_only_the_given_field_differs_and_the_type_is_the_same(message):
    before = same_fields(message)
    twin = shallow(message, content="new")
    assert twin is not message
    assert type(twin) is type(message)
    assert same_fields(twin) == {**before, "content": "new"}
    assert getter(twin)("extra") is getter(message)("extra")
    assert same_fields(message) == before and getter(message)("content") is INNER


def test_a_mapping_that_cannot_change_becomes_a_dict():
    assert shallow(MappingProxyType({"role": "tool", "content": "x"}), content="y") == {
        "role": "tool",
        "content": "y",
    }


@pytest.mark.parametrize("message", [5, "text", object(), (1, 2)])
def test_what_cannot_be_copied_is_named(message):
    with pytest.raises(InvalidOptions, match=f"of type {type(message).__name__} cannot be changed"):
        shallow(message, content="y")


@pytest.mark.parametrize("message", [{"a": 1}, SimpleNamespace(a=1), MappingProxyType({"a": 1})])
def test_reading_a_field(message):
    assert (getter(message)("a"), getter(message)("b")) == (1, None)


@pytest.mark.parametrize(
    ("content", "texts", "replaced"),
    [
        ("a", ["b"], "b"),
        ([{"type": "text", "text": "a"}], ["b"], [{"type": "text", "text": "b"}]),
        (["a", {"text": "b"}], ["c", "b"], ["c", {"text": "b"}]),
        ([SimpleNamespace(text="a")], ["b"], [SimpleNamespace(text="b")]),
        pytest.param(
            ({"text": "a"}, {"text": "b"}),
            ["c", "b"],
            ({"text": "c"}, {"text": "b"}),
        ),
    ],
)
def test_replacing_texts(content, texts, replaced):
    assert with_texts(content, texts) == replaced


def test_parts_whose_text_stays_are_the_same_objects():
    content = [{"type": "image"}, {"type": "text", "text": "a"}, "b"]
    replaced = with_texts(content, ["", "a", "c"])
    assert replaced[0] is content[0] and replaced[1] is content[1] and replaced[2] == "c"
    assert content[2] == "b"


@pytest.mark.parametrize(
    ("part", "kind", "text"),
    [
        ({"type": "text", "text": "a"}, "text", "a"),
        ({"type": "image"}, "image", ""),
        ({"type": None, "text": None}, "", ""),
        ({"type": ["text"], "text": 5}, "", ""),
        ("bare", "", "bare"),
        (SimpleNamespace(type="text", text="a"), "text", "a"),
        (None, "", ""),
    ],
)
def test_parts(part, kind, text):
    assert (kind_of(part), part_text(part)) == (kind, text)


def test_lists_and_blanks():
    assert listed([1]) == [1] and listed((1,)) == (1,)
    assert all(listed(value) == () for value in (None, "ab", 5, {"a": 1}))
    assert all(map(is_blank, ["", " ", "\n\t", "\u2003", None, 5]))
    assert not any(map(is_blank, ["x", " x ", "\u200b", "\x00"]))
