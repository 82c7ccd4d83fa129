"""The format of messages is judged from the data alone, in whatever order they stand."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import agents_items as agents
from support import langchain_messages as langchain
from support import llama_index_messages as llama_index
from support import mcp_messages as mcp
from support import pydantic_ai_messages as pydantic_ai
from support import vercel_messages as vercel
from support.corpus import conversations, requires_corpus
from trimtab import Conversation, InvalidHistory, UnknownFormat, check, fit
from trimtab.formats.registry import FORMATS, detected

USER = {"role": "user", "content": "hi"}
REPLY = {"role": "assistant", "content": "yes"}
TEXT = {"type": "text", "text": "x"}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
CHAT, CLAUDE, ITEMS = "openai-chat", "anthropic", "openai-responses"


def said(*parts, role="user"):
    return {"role": role, "content": list(parts)}


def replied(*parts, **more):
    return {**said(*parts, role="assistant"), **more}


TELLING = [
    (CHAT, "role tool", {"role": "tool", "tool_call_id": "a", "content": "x"}),
    (CHAT, "tool_calls", {"role": "assistant", "content": None, "tool_calls": [CALL]}),
    (CHAT, "function_call", {"role": "assistant", "function_call": {"name": "f"}}),
    (CHAT, "role function", {"role": "function", "name": "f", "content": "x"}),
    (CHAT, "image_url", said(TEXT, {"type": "image_url", "image_url": {"url": "x"}})),
    (CHAT, "input_audio", said({"type": "input_audio", "input_audio": {"data": ""}})),
    (CHAT, "type file", said({"type": "file", "file": {"file_id": "x"}})),
    (CHAT, "refusal", replied({"type": "refusal", "refusal": "no"})),
    (CLAUDE, "tool_use", replied(TEXT, USE)),
    (CLAUDE, "tool_result", said(RESULT, TEXT)),
    (CLAUDE, "thinking", replied({"type": "thinking", "thinking": "x", "signature": "s"})),
    (CLAUDE, "redacted_thinking", replied({"type": "redacted_thinking", "data": "s"}, TEXT)),
    (CLAUDE, "image", said({"type": "image", "source": {"type": "url", "url": "x"}})),
    (CLAUDE, "document", said({"type": "document", "source": {"type": "text", "data": "x"}})),
    (CLAUDE, "server_tool_use", replied({**USE, "type": "server_tool_use"})),
    (CLAUDE, "web_search_tool_result", replied({**RESULT, "type": "web_search_tool_result"})),
    (ITEMS, "function_call", {"type": "function_call", "call_id": "a", "name": "f"}),
    (ITEMS, "function_call_output", {"type": "function_call_output", "call_id": "a"}),
    (ITEMS, "web_search_call", {"type": "web_search_call", "id": "w"}),
    (ITEMS, "reasoning", {"type": "reasoning", "id": "r", "summary": []}),
    (ITEMS, "item_reference", {"type": "item_reference", "id": "r"}),
    (ITEMS, "compaction", {"type": "compaction", "encrypted_content": "x"}),
    (ITEMS, "type message", {"type": "message", "role": "user", "content": "x"}),
    (ITEMS, "input_text", said({"type": "input_text", "text": "x"})),
    (ITEMS, "output_text", replied({"type": "output_text", "text": "x"}, type="message")),
    ("gemini", "parts", {"role": "user", "parts": [{"text": "x"}]}),
    ("gemini", "parts", {"parts": [{"text": "x"}]}),
    ("gemini", "parts", {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}),
    ("bedrock-converse", "text", said({"text": "x"})),
    ("bedrock-converse", "toolUse", replied({"toolUse": {"toolUseId": "a", "name": "f"}})),
    ("bedrock-converse", "cachePoint", said({"cachePoint": {"type": "default"}})),
    ("sharegpt", "from and value", {"from": "human", "value": "x"}),
    ("sharegpt", "from and value", {"from": "gpt", "value": "", "weight": 0}),
    ("llama-index", "blocks", {"role": "user", "additional_kwargs": {}, "blocks": []}),
    ("vercel-ai", "tool-call", replied({"type": "tool-call", "toolCallId": "a", "toolName": "f"})),
    ("vercel-ai", "tool-result", said({"type": "tool-result", "toolCallId": "a"}, role="tool")),
    ("vercel-ai", "image", said({"type": "image", "image": "x"})),
    ("vercel-ai", "file", said({"type": "file", "data": "x", "mediaType": "image/png"})),
    ("vercel-ui", "typed parts", {"id": "1", "role": "user", "parts": [TEXT]}),
    ("vercel-ui", "typed parts", {"role": "assistant", "parts": [{"type": "step-start"}, TEXT]}),
    ("mcp", "one block", {"role": "user", "content": TEXT}),
    ("mcp", "toolUseId", said({"type": "tool_result", "toolUseId": "a", "content": [TEXT]})),
    ("mcp", "mimeType", said({"type": "image", "data": "x", "mimeType": "image/png"})),
    (CHAT, "tool_calls", replied({"type": "thinking", "thinking": [TEXT]}, tool_calls=[CALL])),
    (CLAUDE, "container_upload", said({"type": "container_upload", "file_id": "x"})),
    (CLAUDE, "compaction", replied({"type": "compaction", "content": "x"})),
    (ITEMS, "type message", replied({"type": "refusal", "refusal": "no"}, type="message")),
    ("pydantic-ai", "kind request", {"kind": "request", "parts": [{"part_kind": "user-prompt"}]}),
    ("langchain", "type ai", {"type": "ai", "content": "", "tool_calls": [{"id": "a"}]}),
]
NAMES = [f"{name} {words}" for name, words, _ in TELLING]


@pytest.mark.parametrize(("name", "words", "message"), TELLING, ids=NAMES)
def test_one_message_tells_wherever_it_stands(name, words, message):
    for at, messages in enumerate(([message], [USER, message], [USER, REPLY, message], [message, USER])):
        format, why, told = detected(messages, "claude-opus-4-1")
        assert (format.name, told) == (name, True)
        assert words in why
        assert f"(message {at % 3})" in why


@pytest.mark.parametrize(
    "message",
    [
        said(TEXT),
        {**REPLY, "name": "bob"},
        {**REPLY, "tool_calls": None, "refusal": None, "annotations": []},
        {"role": "system", "content": "x"},
        said({"type": "video", "path": "x"}),
        said({"type": "file", "path": "x", "content": "a client's own"}, TEXT),
        said({"type": "image", "url": "of a chat template"}, TEXT),
        replied({"type": "thinking", "thinking": [TEXT]}, TEXT),
        {"id": "1", "role": "assistant", "parts": []},
    ],
)
def test_what_several_formats_read_alike_tells_nothing(message):
    assert not detected([message]).told
    for name, _, other in TELLING:
        assert detected([message, other]).format.name == name


@pytest.mark.parametrize(
    ("messages", "name", "words"),
    [
        ([replied(USE), said({**RESULT, "toolUseId": "a", "tool_use_id": None})], "mcp", "toolUseId"),
        ([replied(USE), said(RESULT)], CLAUDE, "a content block of type tool_"),
        ([replied(USE), USER], CLAUDE, "tool_use"),
        ([replied(USE, tool_calls=[CALL]), {"role": "tool", "tool_call_id": "a"}], CHAT, "tool"),
        ([replied(USE, tool_calls=[CALL]), said(RESULT)], CLAUDE, "tool_result"),
    ],
)
def test_several_messages_leave_what_all_of_them_can_be(messages, name, words):
    for order in (messages, messages[::-1]):
        format, why, _ = detected(order)
        assert format.name == name
        assert words in why


def test_messages_of_several_formats_are_refused_with_what_was_tried():
    rows = {name: message for name, _, message in TELLING}
    pairs = [(a, b) for a in rows for b in rows if a < b]
    allowed = {("anthropic", "mcp"), (CHAT, "llama-index")}
    for first, second in [pair for pair in pairs if pair not in allowed]:
        for order in ([rows[first], USER, rows[second]], [rows[second], rows[first]]):
            with pytest.raises(UnknownFormat) as caught:
                detected(order)
            assert f"{first}: " in str(caught.value) and f"{second}: " in str(caught.value)
            assert "format=" in str(caught.value)
            assert "(message 0)" in str(caught.value)


@pytest.mark.parametrize(
    ("messages", "model", "name", "words"),
    [
        ([USER], None, CHAT, "alike"),
        ([USER], "claude-opus-4-1", CLAUDE, "model"),
        ([{"role": "system", "content": "x"}, USER], "claude-opus-4-1", CHAT, "system message"),
        ([], None, CHAT, "alike"),
    ],
)
def test_plain_messages_are_judged_by_what_is_left(messages, model, name, words):
    format, why, told = detected(messages, model)
    assert (format.name, told) == (name, False)
    assert words in why


# What is not detected by itself is another format's shape, and chosen by its name.
EQUALS = {"plain": {CHAT, "sharegpt"}, CLAUDE: {CLAUDE, CHAT}, ITEMS: {ITEMS, CHAT}}


@requires_corpus
@pytest.mark.parametrize("corpus", [CHAT, CLAUDE, ITEMS, "gemini", "plain"])
def test_recorded_conversations(corpus):
    for row in conversations(corpus):
        messages = row["messages"]
        format, _, told = detected(messages)
        assert format.name in EQUALS.get(corpus, {corpus})
        assert told or format.name == CHAT
        assert detected(messages[::-1])[::2] == (format, told)


MADE = [langchain, llama_index, pydantic_ai, vercel]


@requires_corpus
@pytest.mark.parametrize("module", MADE, ids=[module.NAME for module in MADE])
def test_recorded_conversations_as_the_messages_of_a_framework(module):
    with module.installed("twin") as package:
        for row in list(conversations(CHAT))[::4]:
            messages = module.from_chat(row["messages"], package)
            format, _, told = detected(messages)
            assert format.name == (module.NAME if told else CHAT)
            assert told or module is vercel
            assert detected(messages[::-1])[::2] == (format, told)
            if module is vercel and not check(messages, format="vercel-ai"):
                assert detected(vercel.as_ui(messages)).format.name == "vercel-ui"


@requires_corpus
def test_recorded_conversations_of_mcp_and_of_agents():
    for row in list(conversations(CHAT))[::4]:
        messages = mcp.from_chat(row["messages"])
        format, _, told = detected(messages)
        assert format.name == ("mcp" if told else CHAT)
        assert not told or check(messages) == check(messages, format="mcp")
    for row in conversations(ITEMS):
        items = agents.from_items(row["messages"], "twin")
        wrapped = any(hasattr(item, "raw_item") for item in items)
        names = {"openai-agents"} if wrapped else {ITEMS, CHAT}
        assert detected(items).format.name in names


def test_nothing_of_a_framework_is_imported():
    code = """
import sys
import trimtab
heavy = ("langchain_core", "pydantic_ai", "llama_index", "agents", "mcp", "openai", "anthropic",
         "google.genai", "botocore", "transformers", "mistral_common", "pydantic", "rich", "click")
loaded = [name for name in heavy if name in sys.modules]
trimtab.fit([{"role": "user", "content": "hi"}], 100)
for name in trimtab.formats.registry.FORMATS:
    trimtab.check([], format=name)
loaded += [name for name in heavy if name in sys.modules]
sys.exit(" ".join(loaded) or 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_format_is_detected_or_chosen_by_name():
    found = {name for name, _, _ in TELLING} | {module.NAME for module in MADE}
    assert set(FORMATS) - found == {"mistral", "strict-chat", "fine-tuning", "openai-agents"}


@pytest.mark.parametrize(("name", "words", "message"), TELLING, ids=NAMES)
def test_a_conversation_hears_it_as_it_grows(name, words, message):
    grown = Conversation(10_000)
    try:
        expected = fit([USER, message], 10_000).format
    except InvalidHistory:
        return  # one message alone is no sound history
    grown.append(USER)
    grown.append(message)
    assert grown.fit().format == expected == name


def test_a_conversation_of_mcp_begins_like_one_of_anthropic():
    answer = said({"type": "tool_result", "toolUseId": "a", "content": [TEXT]})
    grown = Conversation(10_000)
    for message in (said(TEXT), replied(USE)):
        grown.append(message)
    assert grown.fit().format == CLAUDE
    with pytest.raises(UnknownFormat):
        grown.append({"role": "tool", "tool_call_id": "a", "content": "x"})
    grown.append(answer)
    assert grown.fit().format == "mcp"
    assert grown.fit().messages == fit([said(TEXT), replied(USE), answer], 10_000).messages
