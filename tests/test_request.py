"""Whole request bodies: what is read from them, and what the new body is."""

from __future__ import annotations

import copy
from collections import UserDict
from types import MappingProxyType

import pytest
from trimtab import (
    DoesNotFit,
    InvalidHistory,
    InvalidOptions,
    Policy,
    UnknownFormat,
    count,
    fit,
    fit_request,
    per_message,
    verify,
)

TURNS = [
    {"role": "user", "content": "first question " * 20},
    {"role": "assistant", "content": "first answer " * 20},
    {"role": "user", "content": "second question"},
]
CHAT_TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": {}},
}
CLAUDE_TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}


def chat(**more):
    system = {"role": "system", "content": "be brief"}
    return {
        "model": "gpt-4o",
        "messages": [system, *TURNS],
        "temperature": 0.5,
        "stop": ["x"],
        **more,
    }


def claude(**more):
    system = [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 1_000, "system": system, "messages": TURNS}
    return {**body, "metadata": {"user_id": "u"}, **more}


BODIES = {"openai-chat": chat, "anthropic": claude}
both = pytest.mark.parametrize("format", sorted(BODIES))


@both
def test_the_new_body_differs_in_its_messages_alone(format):
    body = BODIES[format]()
    before = copy.deepcopy(body)
    fitted = fit_request(body, fit_request(body, 10_000).used - 1)
    assert fitted.format == format
    assert body == before
    assert fitted.request is not body and type(fitted.request) is dict
    assert list(fitted.request) == list(body)
    assert fitted.request["messages"] == fitted.messages
    assert 0 < len(fitted.messages) < len(body["messages"])
    for key, value in body.items():
        assert key == "messages" or fitted.request[key] is value
    assert all(any(m is own for own in body["messages"]) for m in fitted.messages)
    assert verify(fitted) == []


@both
def test_what_fits_comes_back_as_it_was(format):
    body = BODIES[format]()
    fitted = fit_request(body, 10_000)
    assert fitted.request == body
    assert all(a is b for a, b in zip(fitted.messages, body["messages"], strict=True))


@both
def test_it_is_what_fit_gives_for_the_parts(format):
    tools = [CHAT_TOOL if format == "openai-chat" else CLAUDE_TOOL]
    body = BODIES[format](tools=tools)
    by_hand = fit(
        body["messages"],
        600,
        model=body["model"],
        format=format,
        system=body.get("system"),
        tools=tools,
    )
    fitted = fit_request(body, 600)
    assert fitted.to_dict() == by_hand.to_dict()
    assert fitted.fixed_parts.tools > 0
    assert (fitted.fixed_parts.system > 0) == (format == "anthropic")
    assert by_hand.request is None


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4o-mini", 128_000),
        ("openai/gpt-4o", 128_000),
        ("claude-sonnet-4-5", 200_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-3-5-sonnet-20241022", 200_000),
    ],
)
def test_without_a_budget_it_is_the_models_window(model, window):
    fitted = fit_request({"model": model, "messages": TURNS})
    assert (fitted.budget, fitted.fixed_parts.reserve) == (window, 0)


@pytest.mark.parametrize(
    ("body", "budget", "options", "reserve"),
    [
        (chat(), None, {}, 0),
        (chat(max_tokens=300), None, {}, 300),
        (chat(max_completion_tokens=400), None, {}, 400),
        (chat(max_tokens=300, max_completion_tokens=400), None, {}, 400),
        (chat(max_tokens=300), 5_000, {}, 0),
        (chat(max_tokens=300), 5_000, {"reserve": 70}, 70),
        (chat(max_tokens=300), None, {"reserve": 70}, 70),
        (chat(max_tokens=300), None, {"reserve": 0}, 0),
        (chat(max_tokens=None), None, {}, 0),
        (claude(), None, {}, 1_000),
        (claude(), 5_000, {}, 0),
        (claude(), 5_000, {"reserve": 70}, 70),
        (claude(), None, {"reserve": 0}, 0),
    ],
)
def test_what_is_kept_back_for_the_reply(body, budget, options, reserve):
    fitted = fit_request(body, budget, **options)
    assert fitted.fixed_parts.reserve == reserve
    assert fitted.used == fit_request(body, budget, **{**options, "reserve": 0}).used + reserve


@pytest.mark.parametrize(
    ("body", "options", "format"),
    [
        ({"messages": TURNS}, {}, "openai-chat"),
        ({"messages": TURNS, "system": "s"}, {}, "anthropic"),
        ({"messages": TURNS, "system": ""}, {}, "anthropic"),
        ({"messages": TURNS, "system": None}, {}, "openai-chat"),
        ({"messages": TURNS, "model": "claude-opus-4-1"}, {}, "anthropic"),
        ({"messages": TURNS, "model": "gpt-4o"}, {"model": "claude-opus-4-1"}, "anthropic"),
        ({"messages": TURNS, "model": "gpt-4o", "system": "s"}, {}, "anthropic"),
        ({"messages": TURNS, "system": "s"}, {"format": "openai-chat"}, "openai-chat"),
        ({"messages": TURNS}, {"format": "anthropic"}, "anthropic"),
        (
            {"messages": [{"role": "tool", "tool_call_id": "a", "content": "x"}]},
            {"on_invalid": "repair"},
            "openai-chat",
        ),
    ],
)
def test_which_format_a_body_is_of(body, options, format):
    assert fit_request(body, 5_000, **options).format == format


def test_the_system_text_counts_where_it_stands():
    text = "be very brief and kind " * 10
    bare = fit_request(claude(system=None), 5_000, format="anthropic").used
    for system in (text, [{"type": "text", "text": text}]):
        fitted = fit_request(claude(system=system), 5_000)
        assert fitted.used - bare == fitted.fixed_parts.system > 40
        assert fitted.system is system
    in_chat = fit_request(chat(), 5_000)
    assert in_chat.fixed_parts.system == 0
    assert in_chat.decisions[0].reasons == ("run",)
    assert fit_request(chat(), 60).decisions[0].reasons == ("system",)


def test_tools_and_functions_and_response_formats_count():
    bare = fit_request(chat(), 5_000).used
    function = CHAT_TOOL["function"]
    shape = {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}}
    for more in ({"tools": [CHAT_TOOL]}, {"functions": [function]}, {"response_format": shape}):
        fitted = fit_request(chat(**more), 5_000)
        assert fitted.used - bare == fitted.fixed_parts.tools > 0
        assert not fitted.exact
    assert fit_request(chat(), 5_000).exact


def test_a_request_that_does_not_fit_says_what_would():
    with pytest.raises(DoesNotFit) as caught:
        fit_request(claude(), 5)
    assert fit_request(claude(), caught.value.needs.total).used == caught.value.needs.total


def test_options_are_passed_on():
    body = chat(messages=[*chat()["messages"], {"role": "tool", "content": "x"}])
    with pytest.raises(InvalidHistory):
        fit_request(body, 5_000)
    fitted = fit_request(body, 5_000, on_invalid="repair", counter=len)
    assert [repair.code for repair in fitted.repairs] == ["orphan_result"]
    assert fitted.counter == "len"
    whole = fit_request(chat(), 5_000).used
    cut = fit_request(chat(), whole - 1, pin=[1], policy=Policy(notice="[cut]"))
    assert [row.kind for row in cut.inserted] == ["notice"]
    assert cut.decisions[1].reasons == ("pinned",) and cut.dropped == [2]


@pytest.mark.parametrize("make", [dict, UserDict, MappingProxyType])
def test_any_mapping_is_a_body(make):
    body = make(chat())
    fitted = fit_request(body, 60)
    assert fitted.request["temperature"] == 0.5
    assert len(fitted.request["messages"]) < len(body["messages"])


@pytest.mark.parametrize(
    "body", [None, [], "text", 5, {}, {"model": "gpt-4o"}, TURNS, {"prompt": "hi"}]
)
def test_what_is_no_body(body):
    with pytest.raises(InvalidOptions, match="request body"):
        fit_request(body, 100)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"messages": "text"}, InvalidOptions),
        ({"messages": None}, InvalidOptions),
        ({"messages": [5]}, InvalidOptions),
        ({"messages": TURNS}, InvalidOptions),  # no budget, no model
        ({"messages": TURNS, "model": "nobody-knows"}, InvalidOptions),
        (chat(max_tokens="many"), InvalidOptions),
        (chat(max_tokens=-1), InvalidOptions),
        (chat(tools="look"), InvalidOptions),
    ],
)
def test_wrong_values(body, error):
    with pytest.raises(error):
        fit_request(body)


@pytest.mark.parametrize(
    "call", [lambda: fit_request({"messages": TURNS, "model": 5}), lambda: fit(TURNS, model=5)]
)
def test_a_model_is_a_name_also_without_a_budget(call):
    with pytest.raises(InvalidOptions, match="model"):
        call()


def test_an_unknown_format():
    with pytest.raises(UnknownFormat):
        fit_request(chat(), 100, format="nope")


def test_a_counter_of_whole_messages_cannot_count_the_system_text_or_tools():
    for body in (claude(), claude(system=0, tools=[CLAUDE_TOOL])):
        with pytest.raises(InvalidOptions, match="a number of tokens"):
            fit_request(body, 100, counter=per_message(lambda message: 1))


def test_numbers_of_tokens_may_stand_in_a_body():
    body = claude(system=40, tools=60)
    fitted = fit_request(body, 1_000, counter=per_message(lambda message: 1))
    assert fitted.used == 40 + 60 + len(TURNS)


def test_the_count_of_the_parts_is_the_count_of_the_body():
    body = claude(tools=[CLAUDE_TOOL])
    total = count(TURNS, model=body["model"], system=body["system"], tools=body["tools"]).total
    assert fit_request(body, 5_000).used == total
