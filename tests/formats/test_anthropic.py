"""Anthropic Messages: what is read from a message, what of it costs, how parts are taken out."""

from __future__ import annotations

import copy
from dataclasses import replace

import anthropic.types as sdk
import pytest
from support.weights import texts_of, values_of
from trimtab import TrimtabError, check, count
from trimtab.formats.anthropic import Anthropic
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.weight import Media

anthropic = Anthropic()
HEARD = Facts(HUMAN, human=True, leads_human=True)


def text(words):
    return {"type": "text", "text": words}


def use(id, input=None):
    return {"type": "tool_use", "id": id, "name": "f", "input": input or {}}


def result(id, content="r", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def user(*content):
    return {"role": "user", "content": list(content)}


def model(*content):
    return {"role": "assistant", "content": list(content)}


def served(id):
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {"q": "x"}}


def found(id, content=()):
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": list(content)}


def message(*content):
    """What the SDK returns."""
    usage = sdk.Usage(input_tokens=1, output_tokens=1)
    return sdk.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude-opus-4-1",
        content=list(content),
        stop_reason="end_turn",
        usage=usage,
    )


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5j"}
MCP_CALL = {"type": "mcp_tool_use", "id": "m", "name": "f", "server_name": "s", "input": {}}
MCP_RESULT = {"type": "mcp_tool_result", "tool_use_id": "m", "content": []}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
PDF = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "QUJD"},
}
SDK_TEXT = sdk.TextBlock(type="text", text="x")
SDK_USE = sdk.ToolUseBlock(type="tool_use", id="t", name="f", input={"a": 1})
SDK_THOUGHT = sdk.ThinkingBlock(type="thinking", thinking="hm", signature="c2ln")
SDK_HIDDEN = sdk.RedactedThinkingBlock(type="redacted_thinking", data="ZW5j")
SDK_SERVED = sdk.ServerToolUseBlock(type="server_tool_use", id="s", name="web_search", input={})
SDK_FOUND = sdk.WebSearchToolResultBlock(type="web_search_tool_result", tool_use_id="s", content=[])


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ({"role": "user", "content": "hi"}, HEARD),
        (user(text("hi")), HEARD),
        (user(IMAGE), HEARD),
        (user(PDF, text("what is this?")), HEARD),
        (user({**text("hi"), "cache_control": {"type": "ephemeral"}}), HEARD),
        ({"role": "user", "content": (text("hi"),)}, HEARD),
        ({"role": "system", "content": "be brief"}, Facts(SYSTEM)),
        ({"role": "system", "content": [text("be brief")]}, Facts(SYSTEM)),
        ({"role": "assistant", "content": "yes"}, Facts(MODEL)),
        (model(text("yes")), Facts(MODEL)),
        (model(text(" \n")), Facts(MODEL)),
        (model(use("a")), Facts(MODEL, ("a",))),
        (model(text("x"), use("b"), use("a")), Facts(MODEL, ("b", "a"))),
        (model(THOUGHT, text("x")), Facts(MODEL, reasons=True, thought=True)),
        (model(HIDDEN, THOUGHT, use("a")), Facts(MODEL, ("a",), reasons=True, thought=True)),
        (model(text("x"), THOUGHT), Facts(MODEL, thought=True)),
        (model(served("s")), Facts(MODEL, server_calls=("s",))),
        (
            model(served("s"), found("s"), text("x")),
            Facts(MODEL, server_calls=("s",), server_answers=("s",)),
        ),
        (
            model(MCP_CALL, MCP_RESULT, use("a")),
            Facts(MODEL, ("a",), server_calls=("m",), server_answers=("m",)),
        ),
        (model({"type": "compaction", "content": "s"}), Facts(MODEL, stands=True)),
        (model({"type": "compaction", "content": None}), Facts(MODEL)),  # it failed
        (user(result("a")), Facts(RESULT, answers=("a",))),
        (user(result("a"), result("b", is_error=True)), Facts(RESULT, answers=("a", "b"))),
        (user({"type": "tool_result", "tool_use_id": "a"}), Facts(RESULT, answers=("a",))),
        (user(result("a"), text("go on")), Facts(RESULT, answers=("a",), human=True)),
        (message(SDK_TEXT), Facts(MODEL)),
        (message(SDK_THOUGHT, SDK_TEXT, SDK_USE), Facts(MODEL, ("t",), reasons=True, thought=True)),
        (message(SDK_HIDDEN, SDK_TEXT), Facts(MODEL, reasons=True, thought=True)),
        (
            message(SDK_SERVED, SDK_FOUND),
            Facts(MODEL, server_calls=("s",), server_answers=("s",)),
        ),
        ({"role": "assistant", "content": [SDK_USE]}, Facts(MODEL, ("t",))),
        ({"role": "assistant", "content": message(SDK_USE).content}, Facts(MODEL, ("t",))),
    ],
)
def test_facts(message, facts):
    before = copy.deepcopy(message)
    assert anthropic.read(message) == facts
    assert message == before


@pytest.mark.parametrize(
    ("message", "code", "id"),
    [
        ({"role": "user", "content": ""}, "blank_text", None),
        ({"role": "user", "content": " \n"}, "blank_text", None),
        (user(text("")), "blank_text", None),
        (user(text("\t"), text("x")), "blank_text", None),
        (user(result("a"), text(" ")), "blank_text", None),
        (model(text("")), "blank_text", None),
        (user({"type": "text"}), "blank_text", None),
        (user(text("x"), result("a")), "misplaced", "a"),
        (user(use("a")), "misplaced", "a"),
        (model(result("a")), "misplaced", "a"),
        ({"role": "tool", "content": "x"}, "unknown_role", None),
        ({"role": "developer", "content": "x"}, "unknown_role", None),
        ({"role": "user", "content": None}, "malformed", None),
        ({"role": "assistant"}, "malformed", None),
        ({"role": "user", "content": text("x")}, "malformed", None),
    ],
)
def test_facts_of_what_breaks_a_rule_alone(message, code, id):
    (fault,) = anthropic.read(message).faults
    assert fault[:2] == (code, id)


@pytest.mark.parametrize("id", [{}, {"id": None}, {"id": ""}, {"id": 7}])
def test_a_call_without_an_id_is_malformed(id):
    call = {"type": "tool_use", "name": "f", "input": {}, **id}
    answer = {"type": "tool_result", "content": "r", "tool_use_id": id.get("id")}
    faults = check([{"role": "user", "content": "q"}, model(call), user(answer)])
    assert (faults[0].code, faults[0].index) == ("malformed", 1)
    assert {fault.index for fault in faults[1:]} == {2}


@pytest.mark.parametrize(
    "empty",
    [
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": []},
        {"role": "user", "content": []},
    ],
)
def test_an_empty_message_in_the_middle_is_a_fault(empty):
    """The API: all messages must have content, except for the optional final assistant message."""
    history = [{"role": "user", "content": "a"}, empty, {"role": "user", "content": "b"}]
    assert check(history, format="anthropic")


@pytest.mark.parametrize("empty", ["", []])
def test_an_empty_reply_at_the_very_end_is_sound(empty):
    history = [{"role": "user", "content": "a"}, {"role": "assistant", "content": empty}]
    assert check(history, format="anthropic") == []


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"role": "user", "content": "x"}, None),
        (user(text("x")), None),
        ({"role": "system", "content": "x"}, None),
        (user({"type": "image_url", "image_url": {}}), None),
        (user(result("a")), "tool_result"),
        (user(IMAGE), "type image"),
        (user(PDF), "document"),
        (model(use("a")), "tool_use"),
        (model(THOUGHT), "thinking"),
        (model(HIDDEN), "redacted_thinking"),
        (model(text("x"), served("s")), "server_tool_use"),
        (model(MCP_CALL), "mcp_tool_use"),
        (model({"type": "code_execution_tool_result", "tool_use_id": "s"}), "code_execution"),
        (message(SDK_TEXT), None),
        (message(SDK_TEXT, SDK_USE), "tool_use"),
    ],
)
def test_what_marks_a_message_as_this_format(message, why):
    reason = anthropic.recognises(message)
    assert reason is None if why is None else why in reason


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([model(served("s"), found("s"), text("x"))], []),
        ([model(served("s")), model(found("s"))], []),  # paused, and gone on with
        ([model(served("s"))], []),  # paused at the very end
        ([model(served("s"), use("a")), user(result("a")), model(found("s"), text("x"))], []),
        ([model(served("s")), user(text("hello?"))], ["missing_result"]),
        ([model(found("s"))], ["orphan_result"]),
        ([model(served("s"), found("z"))], ["orphan_result"]),
        (
            [model(served("s"), found("s")), user(text("x")), model(served("s"), found("s"))],
            ["duplicate_call"],
        ),
    ],
)
def test_server_tools_in_the_same_and_in_a_later_turn(history, codes):
    history = [{"role": "user", "content": "q"}, *history]
    assert [fault.code for fault in check(history)] == codes


def spent(message):
    """All that a message costs, in a form that can be compared."""
    return anthropic.weigh(message)


CACHED = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


@pytest.mark.parametrize(
    ("message", "same"),
    [
        ({"role": "user", "content": "x"}, user(text("x"))),
        (user({**text("x"), **CACHED}), user(text("x"))),
        (user(result("toolu_0123456789" * 5)), user(result("a"))),
        (user(result("a", is_error=True, **CACHED)), user(result("a"))),
        (user(result("a", [text("r")])), user(result("a", "r"))),
        (model(use("toolu_0123456789" * 5)), model({**use("a"), **CACHED, "caller": {}})),
        (model({**THOUGHT, "signature": "c2ln" * 5000}), model(THOUGHT)),
        (message(SDK_TEXT), model(text("x"))),
        (message(SDK_THOUGHT, SDK_USE), model(THOUGHT, use("a", {"a": 1}))),
        (model({"type": "fallback", "from": {"model": "m"}}), model()),
        (
            model(served("s"), found("s" * 99, [{"type": "r", "encrypted_content": "A" * 9999}])),
            model(served("s" * 99), found("s", [{"type": "r"}])),
        ),
        (user({**IMAGE, **CACHED}), user(IMAGE)),
    ],
)
def test_what_costs_nothing(message, same):
    assert spent(message) == spent(same)


@pytest.mark.parametrize(
    ("message", "texts", "values"),
    [
        ({"role": "assistant", "content": "x"}, ["x"], 0),
        (model(text("a"), text("b")), ["a", "b"], 0),
        (model(THOUGHT), ["hm"], 0),
        (model(use("a", {"q": 1})), ["f"], 1),
        (model(served("s")), ["web_search"], 1),
        (user(result("a", [text("r"), IMAGE, text("s")])), ["r", "s"], 0),
        (user(result("a", None)), [], 0),
        (user({"type": "document", "source": {"type": "text", "data": "words"}}), ["words"], 0),
        (
            user({"type": "document", "source": {"type": "content", "content": [text("w")]}}),
            ["w"],
            0,
        ),
        (user({"type": "block_of_next_year", "payload": {"x": 1}}), [], 1),
        (message(SDK_TEXT, SDK_USE), ["x", "f"], 1),
    ],
)
def test_the_texts_that_cost(message, texts, values):
    weight = anthropic.weigh(message)
    assert texts_of(weight) == texts
    assert len(values_of(weight)) == values


def test_documents_and_images_do_not_cost_by_the_length_of_their_data():
    def filled(block, data):
        return user({**block, "source": {**block["source"], "data": data}})

    for block in (PDF, IMAGE):
        short, long = (anthropic.weigh(filled(block, data)) for data in ("AAAA", "AAAA" * 9_999))
        assert replace(short, media=()) == replace(long, media=())
    weight = anthropic.weigh(user(IMAGE, result("a", [IMAGE])))
    assert weight.media == weight.results[0].media == (Media("image", "QUJD"),)
    assert [media.kind for media in anthropic.weigh(user(PDF)).media] == ["document"]


def test_a_fetched_document_does_not_cost_by_the_length_of_its_data():
    def fetched(data):
        source = {**PDF["source"], "data": data}
        inner = {"type": "web_fetch_result", "url": "u", "content": {**PDF, "source": source}}
        block = {"type": "web_fetch_tool_result", "tool_use_id": "s", "content": inner}
        return count([model(served("s"), block)]).total

    assert fetched("AAAA" * 9_999) == fetched("AAAA")


@pytest.mark.parametrize("block", [IMAGE, PDF, use("a")])
def test_what_is_estimated_says_so(block):
    role = "assistant" if block["type"] == "tool_use" else "user"
    assert not count([{"role": role, "content": [block]}], counter=len).exact


def test_blocks_nested_without_end():
    block = text("x")
    for _ in range(3_000):
        block = result("a", [block])
    try:
        assert count([user(block)]).total > 3_000
    except TrimtabError:
        pass


def test_results_and_their_replacement():
    parts = [text("a"), IMAGE, {**text("b"), **CACHED}]
    block = result("2", parts, is_error=True, **CACHED)
    history = user(result("1", "x"), block, text("thanks"))
    assert anthropic.results(history) == [(0, ["x"]), (1, ["a", "", "b"])]
    changed = anthropic.with_result(history, 1, ["a", "", "c"])
    assert changed["content"][0] is history["content"][0]
    assert changed["content"][2] is history["content"][2]
    assert changed["content"][1] == {**block, "content": [parts[0], IMAGE, {**text("c"), **CACHED}]}
    assert changed["content"][1]["content"][1] is IMAGE
    assert parts[2]["text"] == "b"
    assert anthropic.with_result(history, 0, ["y"])["content"][0] == result("1", "y")
    assert anthropic.only_answers(history, [1]) == user(block)
    assert anthropic.results({"role": "user", "content": "x"}) == []


@pytest.mark.parametrize(
    ("message", "drop", "left"),
    [
        (model(text("x"), use("a"), use("b")), {"call": {0}}, model(text("x"), use("b"))),
        (model(use("a")), {"call": {0}}, None),
        (model(THOUGHT, use("a")), {"call": {0}}, None),
        (model(THOUGHT, text("x"), use("a")), {"call": {0}}, model(THOUGHT, text("x"))),
        (user(result("a"), text("x"), result("b")), {"answer": {0, 1}}, user(text("x"))),
        (user(text(""), text("x")), {"blank": {0}}, user(text("x"))),
        (user(text(""), text(" ")), {"blank": {0}}, None),
        (user(result("a"), text(" ")), {"blank": {0}}, user(result("a"))),
        (model(text(""), text(" ")), {"blank": {0}}, model(text(" "))),
        ({"role": "user", "content": " "}, {"blank": {0}}, None),
        (
            model(served("s"), text("x"), found("s")),
            {"server_call": {0}, "server_answer": {0}},
            model(text("x")),
        ),
    ],
)
def test_taking_parts_out(message, drop, left):
    before = copy.deepcopy(message)
    assert anthropic.without(message, drop) == left
    assert message == before


def test_taking_parts_out_of_an_sdk_message_leaves_one():
    original = message(SDK_TEXT, SDK_USE)
    left = anthropic.without(original, {"call": {0}})
    assert isinstance(left, sdk.Message)
    assert left.content == [SDK_TEXT] and left.content[0] is SDK_TEXT
    assert left.id == "msg_1"
    assert original.content == [SDK_TEXT, SDK_USE]


def test_results_go_first():
    history = user(text("note"), result("a"), IMAGE, result("b"))
    moved = anthropic.answers_first(history)
    assert moved == user(result("a"), result("b"), text("note"), IMAGE)
    assert moved["content"][3] is IMAGE


def test_answers_for_interrupted_calls():
    assert anthropic.interrupted(
        model(text("x"), use("a"), use("b"), use("c")), [0, 2], "gone"
    ) == [user(result("a", "gone", is_error=True), result("c", "gone", is_error=True))]
    (answer,) = anthropic.interrupted(message(SDK_TEXT, SDK_USE), [0], "gone")
    assert answer["content"][0]["tool_use_id"] == "t"


def test_a_body():
    body = {"messages": ["m"], "system": "s", "tools": ["t"], "max_tokens": 9}
    read = anthropic.body(body)
    assert (read.messages, read.system, read.tools, read.output) == (["m"], "s", ["t"], 9)
    read = anthropic.body({"messages": []})
    assert (read.system, read.tools, read.output) == (None, None, None)
