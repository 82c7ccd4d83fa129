"""OpenAI Chat: what is read from a message, what of it costs, and how parts are taken out."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest
from openai.types.chat import (
    ChatCompletionMessage,
    ChatCompletionMessageCustomToolCall,
    ChatCompletionMessageFunctionToolCall,
)
from openai.types.chat.chat_completion_message import FunctionCall
from openai.types.chat.chat_completion_message_custom_tool_call import Custom
from openai.types.chat.chat_completion_message_function_tool_call import Function
from support.weights import texts_of
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.openai_chat import OpenAIChat
from trimtab.formats.weight import Call, Media

chat = OpenAIChat()
HEARD = Facts(HUMAN, human=True, leads_human=True)


def call(id, name="f", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def sdk_call(id, name="f", arguments="{}"):
    function = Function(name=name, arguments=arguments)
    return ChatCompletionMessageFunctionToolCall(id=id, type="function", function=function)


def sdk_custom(id, input):
    custom = Custom(name="shell", input=input)
    return ChatCompletionMessageCustomToolCall(id=id, type="custom", custom=custom)


def sdk(**fields):
    return ChatCompletionMessage(role="assistant", **fields)


CUSTOM = {"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
LEGACY = {"name": "mail", "arguments": "{}"}
PARTS = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "u"}}]


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ({"role": "user", "content": "hi"}, HEARD),
        ({"role": "user", "content": PARTS}, HEARD),
        ({"role": "user", "content": ({"type": "text", "text": "a"},)}, HEARD),
        ({"role": "user", "content": ""}, HEARD),
        ({"role": "user", "content": "hi", "name": "ann"}, HEARD),
        ({"role": "system", "content": "be brief"}, Facts(SYSTEM)),
        ({"role": "system", "content": PARTS[:1]}, Facts(SYSTEM)),
        ({"role": "developer", "content": "be brief"}, Facts(SYSTEM)),
        ({"role": "assistant", "content": "yes"}, Facts(MODEL)),
        ({"role": "assistant", "content": None}, Facts(MODEL)),
        ({"role": "assistant"}, Facts(MODEL)),
        ({"role": "assistant", "content": None, "refusal": "no"}, Facts(MODEL)),
        ({"role": "assistant", "content": "x", "tool_calls": []}, Facts(MODEL)),
        ({"role": "assistant", "content": "x", "tool_calls": None}, Facts(MODEL)),
        ({"role": "assistant", "content": None, "audio": {"id": "a"}}, Facts(MODEL)),
        ({"role": "assistant", "tool_calls": [call("a")]}, Facts(MODEL, ("a",))),
        ({"role": "assistant", "tool_calls": [call("b"), call("a")]}, Facts(MODEL, ("b", "a"))),
        ({"role": "assistant", "tool_calls": (call("a"),)}, Facts(MODEL, ("a",))),
        ({"role": "assistant", "tool_calls": [CUSTOM]}, Facts(MODEL, ("c",))),
        ({"role": "assistant", "tool_calls": [sdk_call("a")]}, Facts(MODEL, ("a",))),
        ({"role": "assistant", "function_call": LEGACY}, Facts(MODEL, ("function:mail",))),
        ({"role": "tool", "tool_call_id": "a", "content": "r"}, Facts(RESULT, answers=("a",))),
        ({"role": "tool", "tool_call_id": "a"}, Facts(RESULT, answers=("a",))),
        (
            {"role": "function", "name": "mail", "content": "r"},
            Facts(RESULT, answers=("function:mail",)),
        ),
        (sdk(content="yes"), Facts(MODEL)),
        (sdk(content=None, refusal="no"), Facts(MODEL)),
        (sdk(tool_calls=[sdk_call("a"), sdk_custom("b", "ls")]), Facts(MODEL, ("a", "b"))),
        (
            sdk(function_call=FunctionCall(name="mail", arguments="{}")),
            Facts(MODEL, ("function:mail",)),
        ),
    ],
)
def test_facts(message, facts):
    before = copy.deepcopy(message)
    assert chat.read(message) == facts
    assert message == before


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"role": "tool", "content": "r"}, "orphan_result"),
        ({"role": "tool", "tool_call_id": None, "content": "r"}, "orphan_result"),
        ({"role": "tool", "tool_call_id": "", "content": "r"}, "orphan_result"),
        ({"role": "tool", "tool_call_id": 7, "content": "r"}, "orphan_result"),
        ({"role": "robot", "content": "x"}, "unknown_role"),
        ({"role": None, "content": "x"}, "unknown_role"),
        ({"role": ["user"], "content": "x"}, "unknown_role"),
        ({"content": "x"}, "unknown_role"),
        ({"role": "user", "content": 5}, "malformed"),
        ({"role": "user", "content": {"type": "text"}}, "malformed"),
        ({"role": "assistant", "tool_calls": {"id": "a"}}, "malformed"),
        ({"role": "assistant", "tool_calls": "abc"}, "malformed"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "malformed"),
        ({"role": "assistant", "tool_calls": [call("a"), call(None)]}, "malformed"),
        ({"role": "assistant", "tool_calls": [None]}, "malformed"),
        ({"role": "assistant", "tool_calls": [call(7)]}, "malformed"),
        ({"role": "assistant", "tool_calls": [call("")]}, "malformed"),
        ({"role": "assistant", "tool_calls": [call(["a"])]}, "malformed"),
    ],
)
def test_facts_of_what_breaks_a_rule_alone(message, code):
    (fault,) = chat.read(message).faults
    assert fault[0] == code


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"role": "user", "content": "x"}, None),
        ({"role": "system", "content": "x"}, None),
        ({"role": "assistant", "content": [{"type": "text", "text": "x"}]}, None),
        ({"role": "assistant", "content": "x", "tool_calls": []}, None),
        ({"role": "developer", "content": "x"}, None),  # OpenAI Responses has it too
        ({"type": "message", "role": "assistant", "content": [{"type": "refusal"}]}, None),
        ({"role": "tool", "tool_call_id": "a", "content": "x"}, "role tool"),
        ({"role": "function", "name": "f", "content": "x"}, "role function"),
        ({"role": "assistant", "tool_calls": [call("a")]}, "tool_calls or function_call"),
        ({"role": "assistant", "function_call": LEGACY}, "tool_calls or function_call"),
        ({"role": "user", "content": PARTS}, "type image_url"),
        ({"role": "user", "content": [{"type": "file", "file": {}}]}, "type file"),
        ({"role": "user", "content": [{"type": "input_audio"}]}, "type input_audio"),
        ({"role": "assistant", "content": [{"type": "refusal"}]}, "type refusal"),
        (sdk(content="x"), None),
        (sdk(tool_calls=[sdk_call("a")]), "tool_calls or function_call"),
    ],
)
def test_what_marks_a_message_as_this_format(message, why):
    found = chat.recognises(message)
    assert found is None if why is None else why in found


def spent(message):
    """All that a message costs, in a form that can be compared."""
    return replace(chat.weigh(message), role="")


PLAIN = {"role": "assistant", "content": "x", "tool_calls": [call("a")]}


@pytest.mark.parametrize(
    "costs_nothing",
    [
        {**PLAIN, "tool_calls": [call("another-and-longer-id" * 9)]},
        {**PLAIN, "tool_calls": [{**call("a"), "index": 0}]},
        {**PLAIN, "id": "msg_1", "created": 5, "usage": {"total_tokens": 9}},
        {**PLAIN, "refusal": None, "annotations": [], "audio": None, "function_call": None},
        {**PLAIN, "content": [{"type": "text", "text": "x"}]},
        {**PLAIN, "content": [{"type": "text", "text": "x", "cache_control": {"type": "e"}}]},
        sdk(content="x", tool_calls=[sdk_call("a")]),
    ],
)
def test_ids_and_envelopes_cost_nothing(costs_nothing):
    assert spent(costs_nothing) == spent(PLAIN)


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        ({"role": "user", "content": "hi", "name": "ann"}, ["ann", "hi"]),
        ({"role": "user", "content": ["bare", {"type": "text", "text": "t"}]}, ["bare", "t"]),
        ({"role": "assistant", "content": None, "refusal": "no"}, ["no"]),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, ["no"]),
        ({"role": "assistant", "content": "a", "reasoning_content": "hm"}, ["a", "hm"]),
        ({"role": "assistant", "tool_calls": [call("1", "f", '{"q":1}')]}, ["f", '{"q":1}']),
        ({"role": "assistant", "tool_calls": [CUSTOM]}, ["ls", "shell"]),
        ({"role": "assistant", "function_call": LEGACY}, ["mail", "{}"]),
        ({"role": "function", "name": "mail", "content": "sent"}, ["mail", "sent"]),
        ({"role": "tool", "tool_call_id": "a", "content": None}, []),
        (sdk(content=None, refusal="no"), ["no"]),
        (
            sdk(tool_calls=[sdk_call("a", "f", "[]"), sdk_custom("b", "ls")]),
            sorted("f [] shell ls".split()),
        ),
        (sdk(function_call=FunctionCall(name="mail", arguments="{}")), ["mail", "{}"]),
    ],
)
def test_the_texts_that_cost(message, texts):
    assert sorted(texts_of(chat.weigh(message))) == sorted(t for t in texts if t)


def test_names_and_calls_are_told_apart_from_texts():
    named = chat.weigh({"role": "user", "content": "x", "name": "ann"})
    assert (named.role, named.name, named.texts, named.plain) == ("user", "ann", ["x"], False)
    calling = chat.weigh({"role": "assistant", "tool_calls": [call("a", "f", "{}"), CUSTOM]})
    assert calling.calls == (Call("f", "{}"), Call("shell", "ls"))
    assert chat.weigh({"role": "user", "content": "x"}).plain


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,{}"}},
        {"type": "image_url", "image_url": "data:image/png;base64,{}"},
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,{}"}},
        {"type": "file", "file": {"file_id": "{}"}},
    ],
)
def test_media_are_no_texts_however_long_their_data(part):
    def filled(value, data):
        if isinstance(value, dict):
            return {key: filled(inner, data) for key, inner in value.items()}
        return value.replace("{}", data)

    short = chat.weigh({"role": "user", "content": [filled(part, "AAAA")]})
    long = chat.weigh({"role": "user", "content": [filled(part, "AAAA" * 9_999)]})
    assert short.texts == long.texts == [] and short.values == long.values == ()
    assert len(short.media) == len(long.media) == 1


def test_an_image_carries_its_data_and_detail():
    url = {"url": "data:image/png;base64,QUJD", "detail": "low"}
    (image,) = chat.weigh(
        {"role": "user", "content": [{"type": "image_url", "image_url": url}]}
    ).media
    assert image == Media("image", "QUJD", "low")
    (image,) = chat.weigh({"role": "user", "content": PARTS}).media
    assert image == Media("image", "", "auto")


def test_audio_is_media():
    part = {"type": "input_audio", "input_audio": {"data": "QUJD", "format": "wav"}}
    assert chat.weigh({"role": "user", "content": [part]}).media == (Media("audio", "QUJD"),)


def test_results_and_their_replacement():
    parts = [{"type": "text", "text": "a", "cache_control": {}}, {"type": "text", "text": "b"}]
    message = {"role": "tool", "tool_call_id": "1", "content": parts}
    assert chat.results(message) == [(0, ["a", "b"])]
    changed = chat.with_result(message, 0, ["a", "c"])
    assert changed == {**message, "content": [parts[0], {"type": "text", "text": "c"}]}
    assert changed["content"][0] is parts[0]
    assert parts[1]["text"] == "b"
    assert chat.results({"role": "tool", "content": "x"}) == [(0, ["x"])]
    assert chat.results({"role": "function", "name": "f", "content": "x"}) == [(0, ["x"])]
    assert chat.results({"role": "tool", "content": None}) == [(0, [])]
    assert chat.results({"role": "user", "content": "x"}) == []
    assert chat.results(PLAIN) == []


@pytest.mark.parametrize(
    ("message", "drop", "left"),
    [
        (
            {"role": "assistant", "content": "x", "tool_calls": [call("a"), call("b")]},
            {"call": {0}},
            {"role": "assistant", "content": "x", "tool_calls": [call("b")]},
        ),
        (PLAIN, {"call": {0}}, {"role": "assistant", "content": "x"}),
        ({"role": "assistant", "content": None, "tool_calls": [call("a")]}, {"call": {0}}, None),
        ({"role": "assistant", "content": "", "tool_calls": [call("a")]}, {"call": {0}}, None),
        (
            {"role": "assistant", "content": None, "refusal": "no", "tool_calls": [call("a")]},
            {"call": {0}},
            {"role": "assistant", "content": None, "refusal": "no"},
        ),
        (
            {"role": "assistant", "content": "x", "function_call": LEGACY},
            {"call": {0}},
            {"role": "assistant", "content": "x"},
        ),
        ({"role": "tool", "tool_call_id": "a", "content": "r"}, {"answer": {0}}, None),
        (
            sdk(content="x", tool_calls=[sdk_call("a"), sdk_call("b")]),
            {"call": {1}},
            sdk(content="x", tool_calls=[sdk_call("a")]),
        ),
        (sdk(content="x", tool_calls=[sdk_call("a")]), {"call": {0}}, sdk(content="x")),
    ],
)
def test_taking_parts_out(message, drop, left):
    before = copy.deepcopy(message)
    assert chat.without(message, drop) == left
    assert message == before


def test_answers_for_interrupted_calls():
    message = {"role": "assistant", "tool_calls": [call("a"), call("b"), call("c")]}
    assert chat.interrupted(message, [0, 2], "gone") == [
        {"role": "tool", "tool_call_id": "a", "content": "gone"},
        {"role": "tool", "tool_call_id": "c", "content": "gone"},
    ]
    assert chat.interrupted({"role": "assistant", "function_call": LEGACY}, [0], "gone") == [
        {"role": "function", "name": "mail", "content": "gone"}
    ]
    assert chat.interrupted(sdk(tool_calls=[sdk_call("a")]), [0], "gone")[0]["tool_call_id"] == "a"


@pytest.mark.parametrize(
    ("body", "tools", "output"),
    [
        ({}, None, None),
        ({"max_tokens": 9}, None, 9),
        ({"max_completion_tokens": 7, "max_tokens": 9}, None, 7),
        ({"tools": ["t"]}, ["t"], None),
        ({"functions": ["f"]}, ["f"], None),
        ({"system": "no field of this format"}, None, None),
    ],
)
def test_a_body(body, tools, output):
    read = chat.body({"messages": [], **body})
    assert (read.messages, read.system, read.tools, read.output) == ([], None, tools, output)
