"""Whole request bodies of every API: where their parts stand, and that only messages change."""

from __future__ import annotations

import copy

import pytest
from trimtab import InvalidOptions, fit, fit_request, verify
from trimtab.formats.registry import format_named

LONG = "a question that is longer than the others " * 8
FUNCTION = {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}
TOOL = {"type": "function", "function": FUNCTION}
CLAUDE_TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
SPEC = {"toolSpec": {"name": "look", "inputSchema": {"json": {"type": "object"}}}}
CLAUDE = "claude-sonnet-4-5"
BEDROCK = "anthropic.claude-sonnet-4-5-20250929-v1:0"


def turns(user="user", model="assistant", content=lambda text: {"content": text}):
    """A long question and its answer, then a short one."""
    said = [(user, LONG), (model, "so"), (user, "and now?")]
    return [{"role": role, **content(text)} for role, text in said]


CHAT = turns()
GEMINI = turns(model="model", content=lambda text: {"parts": [{"text": text}]})
CONVERSE = turns(content=lambda text: {"content": [{"text": text}]})
ITEMS = turns(content=lambda text: {"type": "message", "content": text})
MCP = turns(content=lambda text: {"content": {"type": "text", "text": text}})
UI = turns(content=lambda text: {"id": "m", "parts": [{"type": "text", "text": text}]})
SHARE = [{"from": who, "value": v} for who, v in [("human", LONG), ("gpt", "so"), ("human", "now?"), ("gpt", "yes")]]
ROW = [*CHAT, {"role": "assistant", "content": "now"}]


def body(key, messages, **more):
    return {"x": 1.5, key: messages, **more}


def gemini(config):
    return {"system_instruction": "be brief", "tools": [{"function_declarations": [FUNCTION]}], **config}


# name: body, format, model, output limit, whether there is system text, whether tools
BODIES = {
    "chat": (body("messages", CHAT, model="gpt-4o", max_completion_tokens=50, tools=[TOOL], tool_choice="auto"), "openai-chat", "gpt-4o", 50, False, True),
    "responses": (body("input", ITEMS, model="gpt-5", instructions="be brief", max_output_tokens=50, tools=[{"type": "function", **FUNCTION}]), "openai-responses", "gpt-5", 50, True, True),
    "responses continued": (body("input", ITEMS, model="gpt-5", previous_response_id="resp_1"), "openai-responses", "gpt-5", None, False, False),
    "anthropic": (body("messages", CHAT, model=CLAUDE, max_tokens=50, system="be brief", tools=[CLAUDE_TOOL], tool_choice={"type": "auto"}), "anthropic", CLAUDE, 50, True, True),
    "anthropic on bedrock": (body("messages", CHAT, anthropic_version="bedrock-2023-05-31", max_tokens=50), "anthropic", None, 50, False, False),
    "gemini": (body("contents", GEMINI, systemInstruction={"parts": [{"text": "be brief"}]}, generationConfig={"maxOutputTokens": 50}, tools=[{"functionDeclarations": [FUNCTION]}]), "gemini", None, 50, True, True),
    "gemini in snake case": (body("contents", GEMINI, system_instruction={"parts": [{"text": "be brief"}]}, generation_config={"max_output_tokens": 50}, tools=[{"function_declarations": [FUNCTION]}]), "gemini", None, 50, True, True),
    "gemini of the SDK": (body("contents", GEMINI, model="gemini-2.5-pro", config=gemini({"max_output_tokens": 50})), "gemini", "gemini-2.5-pro", 50, True, True),
    "gemini of the SDK in camel case": (body("contents", GEMINI, model="gemini-2.5-pro", config={"systemInstruction": "be brief", "maxOutputTokens": 50}), "gemini", "gemini-2.5-pro", 50, True, False),
    "converse": (body("messages", CONVERSE, modelId=f"us.{BEDROCK}", system=[{"text": "be brief"}], toolConfig={"tools": [SPEC]}, inferenceConfig={"maxTokens": 50}), "bedrock-converse", f"us.{BEDROCK}", 50, True, True),
    "converse by ARN": (body("messages", CONVERSE, modelId=f"arn:aws:bedrock:us-east-1:1:inference-profile/eu.{BEDROCK}"), "bedrock-converse", f"arn:aws:bedrock:us-east-1:1:inference-profile/eu.{BEDROCK}", None, False, False),
    "mcp": (body("messages", MCP, systemPrompt="be brief", maxTokens=50), "mcp", None, 50, True, False),
    "ai sdk": (body("messages", [*CHAT[:1], {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}]}, {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "f", "output": {"type": "text", "value": "x"}}]}, *CHAT[1:]], system="be brief", maxOutputTokens=50), "vercel-ai", None, 50, True, False),
    "useChat": (body("messages", UI, id="chat", trigger="submit-message"), "vercel-ui", None, None, False, False),
    "sharegpt": (body("conversations", SHARE, system="be brief", tools='[{"name": "look"}]'), "sharegpt", None, None, True, True),
    "a data set": (body("conversations", CHAT), "openai-chat", None, None, False, False),
    "items in a data set": (body("messages", ITEMS), "openai-responses", None, None, False, False),
    "contents in a data set": (body("messages", GEMINI), "gemini", None, None, False, False),
}  # fmt: skip
every = pytest.mark.parametrize("name", BODIES)


@every
def test_the_parts_are_read_where_they_stand(name):
    given, format, model, output, system, tools = BODIES[name]
    fitted = fit_request(given, 100_000)
    assert (fitted.format, fitted.model) == (format, model)
    assert bool(fitted.fixed_parts.system) == system
    assert bool(fitted.fixed_parts.tools) == tools
    assert format_named(format).body({"messages": [], "input": [], "contents": [], "conversations": [], **given}).output == output
    if model is not None:
        assert fit_request(given).fixed_parts.reserve == (output or 0)


@every
def test_only_the_messages_change_and_everything_else_is_the_same_object(name):
    given = BODIES[name][0]
    key = next(k for k in ("messages", "input", "contents", "conversations") if k in given)
    before = copy.deepcopy(given)
    whole = fit_request(given, 100_000)
    assert whole.request == given
    assert all(a is b for a, b in zip(whole.request[key], given[key], strict=True))
    cut = fit_request(given, whole.used - 1)
    assert given == before
    assert list(cut.request) == list(given)
    assert all(k == key or cut.request[k] is v for k, v in given.items())
    assert cut.request[key] == cut.messages
    assert 0 < len(cut.messages) < len(given[key])
    assert all(any(m is own for own in given[key]) for m in cut.messages)
    assert verify(cut) == []


@every
def test_it_is_what_fit_gives_for_the_messages(name):
    given, format, model, *_ = BODIES[name]
    room = fit_request(given, 100_000).used - 1
    fitted = fit_request(given, room)
    beside = fitted.fixed_parts
    key = next(k for k in ("messages", "input", "contents", "conversations") if k in given)
    by_hand = fit(given[key], room - beside.system - beside.tools, model=model, format=format)
    assert fitted.messages == by_hand.messages


@pytest.mark.parametrize("format", ["mistral", "fine-tuning", "strict-chat"])
@pytest.mark.parametrize("key", ["messages", "conversations"])
def test_rows_of_a_data_set_by_the_name_of_their_format(format, key):
    given = {key: ROW, "weight": 0.5}
    fitted = fit_request(given, 40, format=format)
    assert fitted.format == format
    assert fitted.request == {key: ROW[2:], "weight": 0.5}


def test_a_text_stands_for_one_message():
    for key, model in (("input", "gpt-5"), ("contents", "gemini-2.5-pro")):
        fitted = fit_request({"model": model, key: "hello there"})
        assert fitted.request == {"model": model, key: "hello there"}
        assert len(fitted.messages) == 1 and fitted.used > 2


@pytest.mark.parametrize("system", ["be brief", [{"type": "text", "text": "be brief"}]])
def test_messages_of_chat_beside_a_system_text_are_judged_by_anthropics_rules(system):
    with pytest.raises(Exception, match="'tool'"):
        fit_request({"messages": [{"role": "tool", "content": "x"}], "system": system}, 100)


@pytest.mark.parametrize("given", [{"contents": 5}, {"conversations": "x"}, {"conversations": None}])
def test_what_holds_no_messages(given):
    with pytest.raises(InvalidOptions):
        fit_request(given, 100)
