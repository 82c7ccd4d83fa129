"""Whatever a caller passes ends in a result or in a typed error, never in a traceback."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from types import MappingProxyType, SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.junk import SOUND, broken, junk, places
from trimtab import (
    Conversation,
    InvalidHistory,
    InvalidOptions,
    Policy,
    TrimtabError,
    check,
    count,
    fit,
    fit_request,
    repair,
    verify,
)
from trimtab.formats.registry import FORMATS

chat_junk = junk("openai-chat")
patient = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
quick = settings(patient, max_examples=30)
long = settings(patient, max_examples=3_000)
formats = pytest.mark.parametrize("format", [None, *FORMATS])


def judge(messages, budget, format):
    """All calls end in a result that is sound, or in a typed error; the input stays."""
    before = shown(messages)
    capped = Policy(max_result_tokens=3)
    for call in (
        lambda: check(messages, format=format),
        lambda: count(messages, format=format),
        lambda: repair(messages, format=format),
        lambda: sound(fit(messages, budget, format=format)),
        lambda: sound(fit(messages, budget, format=format, on_invalid="repair", policy=capped)),
        lambda: Conversation(budget, format=format).extend(messages),
    ):
        try:
            call()
        except TrimtabError as error:
            assert str(error)
        assert shown(messages) == before


def shown(value):
    """What stands in plain data, however deep, so that two states of it can be told apart."""
    todo, found = [value], []
    while todo:
        item = todo.pop()
        if isinstance(item, Mapping):
            found.append(list(item))
            todo += item.values()
        elif isinstance(item, list):
            found.append(len(item))
            todo += item
        else:
            found.append(item)
    return found


def sound(fitted):
    assert verify(fitted) == []
    assert json.dumps(fitted.to_dict())
    assert fitted.explain()


def histories(format):
    """Broken histories of a format, and lists of whatever is made of its words."""
    name = format or "openai-chat"
    likely = st.dictionaries(st.sampled_from(sorted(SOUND[name][0])), junk(name), max_size=5)
    return broken(name) | st.lists(likely | junk(name), max_size=4)


@formats
@quick
@given(data=st.data(), budget=st.integers(0, 200))
def test_junk_messages(format, data, budget):
    judge(data.draw(histories(format)), budget, format)


@pytest.mark.slow
@formats
@long
@given(data=st.data(), budget=st.integers(0, 200))
def test_much_junk(format, data, budget):
    judge(data.draw(histories(format)), budget, format)


@pytest.mark.parametrize("format", FORMATS)
def test_the_histories_that_are_broken_are_sound(format):
    assert check(SOUND[format], format=format) == []
    sound(fit(SOUND[format], 10**6, format=format, policy=Policy(max_result_tokens=1)))


@patient
@given(chat_junk, chat_junk, chat_junk)
def test_junk_system_tools_and_options(system, tools, other):
    messages = [{"role": "user", "content": "hello"}]
    for call in (
        lambda: fit(messages, 1_000, system=system, tools=tools).to_dict(),
        lambda: fit(messages, other),
        lambda: fit(messages, 100, reserve=other),
        lambda: fit(messages, 100, format=other),
        lambda: fit(messages, 100, model=other),
        lambda: fit(messages, 100, counter=other),
        lambda: fit(messages, 100, policy=other),
        lambda: fit(messages, 100, pin=other),
        lambda: fit(messages, 100, on_invalid=other),
        lambda: fit(other, 100),
        lambda: fit_request(other, 100),
        lambda: fit_request({"messages": messages, "system": system, "tools": tools}, 900),
        lambda: count(messages, response_format=other, model=system),
        lambda: Policy(depth=other),
        lambda: Policy(keep_first=other),
        lambda: Policy(max_result_tokens=other),
        lambda: Policy(notice=other),
    ):
        try:
            call()
        except TrimtabError as error:
            assert str(error)


def test_an_object_without_a_role():
    with pytest.raises(TypeError, match="message 0 is of type object"):
        fit([object()], 100)


@pytest.mark.parametrize(
    "text",
    ["\ud800", "a\x00b", "<|endoftext|>", " " * 50_000, "=" * 50_000, "\u202e\x1b[31m", "😀" * 999],
)
def test_texts_that_a_user_can_paste(text):
    history = [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}]
    fitted = fit(history, 10**6)
    assert fitted.messages == history
    assert fitted.exact


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"role": "robot", "content": "x"}, "the role 'robot'"),
        ({"role": "user", "content": 5}, "neither text nor a list"),
        ({"role": "assistant", "tool_calls": {"id": 1}}, "tool_calls is no list"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "a tool call without an id"),
        ({"role": "tool", "content": "x"}, "without tool_call_id"),
    ],
)
def test_malformed_messages_are_named(message, words):
    history = [{"role": "user", "content": "a"}, message, {"role": "user", "content": "b"}]
    with pytest.raises(InvalidHistory, match=words) as caught:
        fit(history, 1_000)
    assert caught.value.index == 1


@pytest.mark.parametrize("budget", [-1, 1.5, float("nan"), "100", True, []])
def test_bad_budgets(budget):
    with pytest.raises(InvalidOptions, match="budget"):
        fit([{"role": "user", "content": "a"}], budget)


def test_a_budget_is_needed():
    with pytest.raises(InvalidOptions, match="needs a model"):
        fit([{"role": "user", "content": "a"}])


def test_nothing_fits_into_nothing():
    assert fit([], 0).messages == []
    assert fit([], 0).used == 0


class Slots:
    """An SDK's object without a ``__dict__``."""

    __slots__ = ("content", "id", "parts", "role", "text", "type")

    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


class Fields(dict):
    """A framework's own dict."""


def nested(box, depth=1_000):
    value = "deep"
    for _ in range(depth):
        value = [value] if box is list else {"a": value}
    return value


HOSTILE = {
    "number": 7,
    "too many digits": 10**5_000,
    "nothing": None,
    "empty": "",
    "long": "x" * 100_000,
    "deep list": nested(list),
    "deep dict": nested(dict),
    "not a number": float("nan"),
    "infinity": float("inf"),
    "list": [],
    "dict": {},
    "set": {1},
    "read only": MappingProxyType({"type": "text", "text": "a"}),
    "own dict": Fields(type="text", text="a"),
    "slots": Slots(type="text", text="a"),
    "bytes": b"\xff",
    "half": "\ud800",
    "type": dict,
    "keys": {1: 2, None: 3, ("a",): 4},
}


def put(format, value, step, start):
    """Sound histories in each of which one place, or what stands for a message, is hostile."""
    for at in range(start, len(list(places(SOUND[format]))), step):
        history = deepcopy(SOUND[format])
        box, key = list(places(history))[at]
        box[key] = value
        yield history


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("format", FORMATS)
def test_hostile_values(format, hostile):
    start = list(HOSTILE).index(hostile)
    for history in put(format, HOSTILE[hostile], 11, start % 11):
        judge(history, 200, format)


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("format", FORMATS)
def test_hostile_values_everywhere(format, hostile):
    for history in put(format, HOSTILE[hostile], 1, 0):
        for name in (format, None):
            judge(history, 200, name)


def dressed(value, dress):
    """Plain data with every dict in it in another dress."""
    if isinstance(value, dict):
        return dress({key: dressed(item, dress) for key, item in value.items()})
    return [dressed(item, dress) for item in value] if isinstance(value, list) else value


def same(result, source):
    return len(result) == len(source) and all(a is b for a, b in zip(result, source, strict=True))


def slotted(fields):
    made = type("Own", (), {"__slots__": tuple(fields)})()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.mark.parametrize(
    "dress", [MappingProxyType, Fields, slotted, lambda f: SimpleNamespace(**f)]
)
@pytest.mark.parametrize("format", FORMATS)
def test_mappings_and_objects_of_any_class(format, dress):
    history = dressed(SOUND[format], dress)
    judge(history, 60, format)
    for at in range(len(history)):
        judge(history[:at] + history[at + 1 :], 60, format)
    if dress is not slotted and not isinstance(dress({}), SimpleNamespace):
        assert same(fit(history, 10**4, format=format).messages, history)
        assert check(history[1:], format=format) == check(SOUND[format][1:], format=format)
