"""`inputs` and `cleared_input`: the arguments of calls in every format."""

import copy
import json

import pytest
from support import langchain_messages, llama_index_messages, pydantic_ai_messages

from trimtab.formats.registry import format_named

SAID = "9 characters removed"
DATA = {"cleared": SAID}
TEXT = json.dumps(DATA)
FREE = f"[{SAID}]"


def chat(**inner):
    return {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", **inner}]}


def model(*content, role="assistant", field="content"):
    return {"role": role, field: list(content)}


def use(given, **more):
    return {"type": "tool_use", "id": "a", "name": "f", "input": given, **more}


def part(**given):
    return {"type": "tool-call", "toolCallId": "a", "toolName": "f", **given}


def done(**given):
    return {"type": "tool-f", "toolCallId": "a", "state": "output-available", "output": 1, **given}


def old(given):
    about = {"toolCallId": "a", "toolName": "f", "state": "result", "result": 1, "args": given}
    return {"type": "tool-invocation", "toolInvocation": about}


def item(kind, **given):
    return {"type": kind, "call_id": "a", "name": "f", **given}


CLEARED = [
    (
        "openai-chat",
        chat(function={"name": "f", "arguments": "{}"}),
        chat(function={"name": "f", "arguments": TEXT}),
    ),
    (
        "openai-chat",
        chat(function={"name": "f", "arguments": {"a": 1}}),
        chat(function={"name": "f", "arguments": DATA}),
    ),
    (
        "mistral",
        chat(custom={"name": "f", "input": "x"}),
        chat(custom={"name": "f", "input": FREE}),
    ),
    (
        "openai-chat",
        {"role": "assistant", "content": "b", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "assistant", "content": "b", "function_call": {"name": "f", "arguments": TEXT}},
    ),
    (
        "anthropic",
        model({"type": "text", "text": "b"}, use({})),
        model({"type": "text", "text": "b"}, use(DATA)),
    ),
    ("mcp", model(use({"a": 1})), model(use(DATA))),
    (
        "gemini",
        model(
            {"function_call": {"id": "a", "name": "f", "args": {"a": 1}}},
            role="model",
            field="parts",
        ),
        model(
            {"function_call": {"id": "a", "name": "f", "args": DATA}}, role="model", field="parts"
        ),
    ),
    (
        "bedrock-converse",
        model({"toolUse": {"toolUseId": "a", "name": "f", "input": {"a": 1}}}),
        model({"toolUse": {"toolUseId": "a", "name": "f", "input": DATA}}),
    ),
    (
        "openai-responses",
        item("function_call", arguments="{}"),
        item("function_call", arguments=TEXT),
    ),
    ("openai-responses", item("custom_tool_call", input="x"), item("custom_tool_call", input=FREE)),
    ("vercel-ai", model(part(input={"a": 1})), model(part(input=DATA))),
    ("vercel-ai", model(part(args={"a": 1})), model(part(args=DATA))),
    (
        "vercel-ui",
        model(done(input={"a": 1}), field="parts"),
        model(done(input=DATA), field="parts"),
    ),
    ("vercel-ui", model(old({"a": 1}), field="parts"), model(old(DATA), field="parts")),
    (
        "sharegpt",
        {"from": "function_call", "value": '{"name": "f", "arguments": {"a": 1}}'},
        {"from": "function_call", "value": json.dumps({"name": "f", "arguments": DATA})},
    ),
]
SIGNED = {"google": {"thoughtSignature": "s"}}
STAYS = [
    ("anthropic", model(use({}, caller={"type": "code_execution_20250825", "tool_id": "s"}))),
    (
        "gemini",
        model(
            {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "s"},
            role="model",
            field="parts",
        ),
    ),
    ("openai-responses", item("function_call", arguments="{}", caller={"caller_id": "p"})),
    ("openai-responses", item("shell_call", action={"commands": ["ls"]})),
    ("openai-responses", item("apply_patch_call", operation={"type": "create_file"})),
    ("vercel-ai", model(part(input={"a": 1}, providerOptions=SIGNED))),
    ("vercel-ui", model(done(input={"a": 1}, callProviderMetadata=SIGNED), field="parts")),
    ("sharegpt", {"from": "function_call", "value": "no JSON"}),
]


@pytest.mark.parametrize(("format", "message", "left"), CLEARED)
def test_the_arguments_keep_their_kind(format, message, left):
    before = copy.deepcopy(message)
    shape = format_named(format)
    [asked] = shape.inputs(message)
    assert asked.id == (shape.read(message).calls or ("a",))[0]
    made = shape.cleared_input(message, 0, SAID)
    assert made == left and message == before
    assert shape.read(made) == shape.read(message)
    assert shape.call_names(made) == shape.call_names(message)


@pytest.mark.parametrize(("format", "message"), STAYS)
def test_what_must_stay_is_the_same_object(format, message):
    shape = format_named(format)
    assert len(shape.inputs(message)) == 1
    assert shape.cleared_input(message, 0, SAID) is message


def kinds(module):
    return ["twin", "real"] if module.REAL else ["twin"]


@pytest.mark.parametrize("kind", kinds(langchain_messages))
def test_langchain_wherever_a_call_is_mirrored(kind):
    shape = format_named("langchain")
    with langchain_messages.installed(kind) as package:
        calls = [{"type": "tool_call", "id": id, "name": "f", "args": {"q": id}} for id in "ab"]
        raw = [
            {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}
            for id in "ab"
        ]
        content = [{"type": "tool_use", "id": "b", "name": "f", "input": {"q": "b"}}]
        own = {"name": "f", "arguments": "{}"}
        message = package.AIMessage(
            content, tool_calls=calls, additional_kwargs={"tool_calls": raw, "function_call": own}
        )
        made = shape.cleared_input(message, 1, SAID)
        assert made.tool_calls[1]["args"] == DATA and made.tool_calls[0]["args"] == {"q": "a"}
        assert made.content[0]["input"] == DATA
        extra = made.additional_kwargs
        assert extra["tool_calls"][1]["function"]["arguments"] == TEXT
        assert extra["tool_calls"][0] is raw[0]
        assert extra["function_call"]["arguments"] == TEXT
        assert message.tool_calls[1]["args"] == {"q": "b"} and own["arguments"] == "{}"
        assert [one.id for one in shape.inputs(made)] == ["a", "b"]
        invalid = {"type": "invalid_tool_call", "id": "c", "name": "f", "args": "{", "error": None}
        broken = package.AIMessage("", invalid_tool_calls=[invalid])
        assert shape.cleared_input(broken, 0, SAID).invalid_tool_calls[0]["args"] == TEXT
        legacy = package.AIMessage("", additional_kwargs={"function_call": own})
        cleared = shape.cleared_input(legacy, 0, SAID)
        assert cleared.additional_kwargs["function_call"]["arguments"] == TEXT
        signed = {"__gemini_function_call_thought_signatures__": {"a": "s"}}
        kept = package.AIMessage("", tool_calls=calls, additional_kwargs=signed)
        assert shape.cleared_input(kept, 0, SAID) is kept
        assert shape.cleared_input(kept, 1, SAID) is not kept


@pytest.mark.parametrize("kind", kinds(llama_index_messages))
def test_llama_index_in_blocks_and_keywords(kind):
    shape = format_named("llama-index")
    with llama_index_messages.installed(kind) as package:
        block = package.ToolCallBlock(tool_call_id="a", tool_name="f", tool_kwargs={"q": 1})
        raw = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        message = package.ChatMessage(
            role="assistant", blocks=[block], additional_kwargs={"tool_calls": [raw], "x": 1}
        )
        made = shape.cleared_input(message, 0, SAID)
        assert made.blocks[0].tool_kwargs == DATA and block.tool_kwargs == {"q": 1}
        assert made.additional_kwargs["tool_calls"][0]["function"]["arguments"] == TEXT
        assert made.additional_kwargs["x"] == 1
        own = {"function_call": {"name": "f", "arguments": "{}"}}
        legacy = package.ChatMessage(role="assistant", blocks=[], additional_kwargs=own)
        cleared = shape.cleared_input(legacy, 0, SAID)
        assert cleared.additional_kwargs["function_call"]["arguments"] == TEXT


@pytest.mark.parametrize("kind", kinds(pydantic_ai_messages))
def test_pydantic_ai(kind):
    shape = format_named("pydantic-ai")
    with pydantic_ai_messages.installed(kind) as package:
        for given, left in (("{}", TEXT), ({"q": 1}, DATA)):
            call = package.ToolCallPart("f", given, tool_call_id="a")
            message = package.ModelResponse(parts=[call])
            assert shape.cleared_input(message, 0, SAID).parts[0].args == left
            assert call.args == given
        bare = package.ModelResponse(parts=[package.ToolCallPart("f", None, tool_call_id="a")])
        assert shape.cleared_input(bare, 0, SAID) is bare
