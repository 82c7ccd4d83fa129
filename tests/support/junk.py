"""Junk: sound histories of every format with a few fields broken, and messages of nothing else.

A sound history gives a format's words and keys, so that junk comes near to what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

Place = tuple[Any, Any]
"""A container and the key or index in it."""

_ASK, _END = {"role": "user", "content": "look it up"}, {"role": "user", "content": "thanks"}
_FUNCTION = {"name": "look", "arguments": '{"q": 1}'}
_CALL = {"id": "c1", "type": "function", "function": _FUNCTION}
_URL = "data:image/png;base64,AAAA"
_PICTURE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
_CHAT: list[Any] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": [{"type": "text", "text": "look it up"}]},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "found it"}]},
    {"role": "assistant", "content": "here", "reasoning_content": "hm", "refusal": None},
    _END,
    {"role": "assistant", "content": "", "function_call": _FUNCTION},
    {"role": "function", "name": "look", "content": "found it"},
    {"role": "assistant", "content": "again", "audio": {"id": "audio_1"}},
]
_ITEMS: list[Any] = [
    {"role": "user", "content": [{"type": "input_text", "text": "look it up"}]},
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text"}]},
    {"type": "shell_call", "call_id": "c2", "action": {"commands": ["ls"]}},
    {"type": "shell_call_output", "call_id": "c2", "output": [{"stdout": "a", "stderr": "b"}]},
    {"type": "mcp_approval_request", "id": "c3", "name": "look", "arguments": "{}"},
    {"type": "mcp_approval_response", "approval_request_id": "c3", "approve": True},
    {"type": "code_interpreter_call", "id": "c4", "outputs": [{"type": "logs", "logs": "1"}]},
    {"type": "computer_call", "call_id": "c5", "action": {"type": "screenshot"}},
    {"type": "computer_call_output", "call_id": "c5", "output": {"type": "computer_screenshot"}},
    {"type": "function_call", "call_id": "c6", "caller": {"caller_id": "c7"}, "namespace": "n"},
    {"type": "function_call_output", "call_id": "c6", "output": "found it"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
    {"role": "user", "content": [{"type": "input_image", "image_url": _URL, "detail": "low"}]},
]

SOUND: dict[str, list[Any]] = {
    "openai-chat": _CHAT,
    "anthropic": [
        {"role": "user", "content": [{"type": "text", "text": "look it up"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
                {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "found it"}],
                },
                {"type": "document", "title": "t", "source": {"type": "text", "data": "d"}},
                {"type": "image", "source": {"type": "base64", "media_type": "m", "data": "A"}},
            ],
        },
        {"role": "assistant", "content": [{"type": "compaction", "content": "so far"}]},
        _END,
    ],
    "openai-responses": _ITEMS,
    "openai-agents": _ITEMS,
    "gemini": [
        {"role": "user", "parts": [{"text": "look it up"}]},
        {
            "role": "model",
            "parts": [
                {"text": "hm", "thought": True},
                {"functionCall": {"id": "c1", "name": "look", "args": {"q": 1}}},
                {"function_call": {"name": "look", "args": {}}, "thoughtSignature": "s"},
            ],
        },
        {
            "role": "function",
            "parts": [
                {
                    "functionResponse": {
                        "id": "c1",
                        "name": "look",
                        "response": {"result": ["found it"]},
                        "parts": [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}],
                    }
                },
                {"function_response": {"name": "look", "response": {"result": "found it"}}},
            ],
        },
        {
            "role": "model",
            "parts": [
                {"executableCode": {"id": "s1", "code": "1"}},
                {"codeExecutionResult": {"id": "s1", "output": "1"}},
                {"text": "here"},
            ],
        },
        {"parts": [{"fileData": {"fileUri": "f", "mimeType": "video/mp4"}}, {"text": "thanks"}]},
    ],
    "bedrock-converse": [
        {"role": "user", "content": [{"text": "look it up"}, {"cachePoint": {"type": "default"}}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
                {
                    "toolUse": {
                        "toolUseId": "s1",
                        "name": "n",
                        "input": {},
                        "type": "server_tool_use",
                    }
                },
                {"toolResult": {"toolUseId": "s1", "content": [{"text": "r"}]}},
                {"toolUse": {"toolUseId": "c1", "name": "look", "input": {"q": 1}}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "toolResult": {
                        "toolUseId": "c1",
                        "content": [{"json": {"a": ["found it"]}}, {"text": "found it"}],
                        "status": "error",
                    }
                },
                {"document": {"name": "d", "format": "txt", "source": {"text": "t"}}},
                {"image": {"format": "png", "source": {"bytes": b"AAAA"}}},
            ],
        },
        {"role": "assistant", "content": [{"citationsContent": {"content": [{"text": "here"}]}}]},
        {"role": "user", "content": [{"guardContent": {"text": {"text": "thanks"}}}]},
    ],
    "mistral": _CHAT,
    "strict-chat": _CHAT,
    "fine-tuning": _CHAT,
    "sharegpt": [
        {"from": "system", "value": "be brief"},
        {"from": "human", "value": "look it up"},
        {"from": "function_call", "value": '{"name": "look", "arguments": {}}'},
        {"from": "observation", "value": "found it"},
        {"from": "gpt", "value": "here"},
        {"from": "human", "value": "again"},
        {"from": "gpt", "value": "<tool_call>{}</tool_call>"},
        {"from": "tool", "value": "found it"},
        {"from": "gpt", "value": "here"},
    ],
    "langchain": [
        {"type": "system", "content": "be brief"},
        {"type": "human", "content": [{"type": "text", "text": "look it up"}, _PICTURE]},
        {
            "type": "ai",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "tool_use", "id": "c1", "name": "look", "input": {}},
                {"type": "server_tool_use", "id": "s1", "name": "n", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            ],
            "tool_calls": [{"id": "c1", "name": "look", "args": {"q": 1}}],
            "invalid_tool_calls": [{"id": "c2", "name": "look", "args": "{", "error": None}],
            "additional_kwargs": {"tool_calls": [_CALL]},
        },
        {"type": "tool", "tool_call_id": "c1", "content": "found it", "status": "success"},
        {"type": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "no"}]},
        {"type": "ai", "content": "", "additional_kwargs": {"function_call": _FUNCTION}},
        {"type": "function", "name": "look", "content": "found it"},
        {"type": "chat", "role": "user", "content": "thanks"},
        {"type": "ai", "content": "here", "additional_kwargs": {"refusal": "no"}},
    ],
    "pydantic-ai": [
        {
            "kind": "request",
            "parts": [
                {"part_kind": "system-prompt", "content": "be brief"},
                {"part_kind": "user-prompt", "content": ["look", {"kind": "image-url"}]},
            ],
        },
        {
            "kind": "response",
            "parts": [
                {"part_kind": "thinking", "content": "hm", "provider_name": "anthropic"},
                {"part_kind": "tool-call", "tool_name": "look", "args": {}, "tool_call_id": "c1"},
                {"part_kind": "tool-call", "tool_name": "look", "args": "{}", "tool_call_id": "c2"},
            ],
        },
        {
            "kind": "request",
            "parts": [
                {"part_kind": "tool-return", "content": "found it", "tool_call_id": "c1"},
                {
                    "part_kind": "retry-prompt",
                    "tool_name": "look",
                    "content": ["no"],
                    "tool_call_id": "c2",
                },
                {"part_kind": "speech", "transcript": "thanks", "audio": {"kind": "binary"}},
            ],
        },
        {"kind": "response", "parts": [{"part_kind": "text", "content": "here"}]},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "again"}]},
    ],
    "llama-index": [
        {"role": "system", "blocks": [{"block_type": "text", "text": "a"}]},
        {
            "role": "user",
            "blocks": [{"block_type": "image", "image": "AAAA", "detail": "low"}],
            "additional_kwargs": {},
        },
        {
            "role": "assistant",
            "blocks": [
                {
                    "block_type": "thinking",
                    "content": "hm",
                    "additional_information": {"signature": "s"},
                },
                {
                    "block_type": "tool_call",
                    "tool_call_id": "c1",
                    "tool_name": "look",
                    "tool_kwargs": {},
                },
            ],
            "additional_kwargs": {"tool_calls": [_CALL]},
        },
        {
            "role": "tool",
            "blocks": [{"block_type": "text", "text": "found it"}],
            "additional_kwargs": {"tool_call_id": "c1"},
        },
        {"role": "assistant", "blocks": [], "additional_kwargs": {"function_call": _FUNCTION}},
        {
            "role": "function",
            "blocks": [{"block_type": "text", "text": "found it"}],
            "additional_kwargs": {"name": "look"},
        },
        {"role": "assistant", "blocks": [{"block_type": "citable", "title": "t", "content": []}]},
    ],
    "vercel-ai": [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": [{"type": "file", "mediaType": "image/png", "data": "AAAA"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "reasoning", "text": "hm", "providerOptions": {"anthropic": {}}},
                {
                    "type": "tool-call",
                    "toolCallId": "s1",
                    "toolName": "n",
                    "providerExecuted": True,
                },
                {"type": "tool-result", "toolCallId": "s1", "toolName": "n", "output": {}},
                {"type": "tool-call", "toolCallId": "c1", "toolName": "look", "input": {"q": 1}},
                {"type": "tool-call", "toolCallId": "c2", "toolName": "look", "args": {"q": 1}},
                {"type": "tool-approval-request", "approvalId": "p", "toolCallId": "c1"},
            ],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "look",
                    "output": {"type": "content", "value": [{"type": "text", "text": "found"}]},
                },
                {"type": "tool-result", "toolCallId": "c2", "toolName": "look", "result": "found"},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "here"}]},
        {"role": "user", "content": "thanks"},
    ],
    "vercel-ui": [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "look it up"}]},
        {
            "id": "m2",
            "role": "assistant",
            "parts": [
                {"type": "step-start"},
                {"type": "reasoning", "text": "hm", "providerMetadata": {"anthropic": {}}},
                {
                    "type": "tool-look",
                    "toolCallId": "c1",
                    "state": "output-available",
                    "input": {"q": 1},
                    "output": "found it",
                },
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "toolCallId": "c2",
                        "toolName": "look",
                        "state": "result",
                        "args": {},
                        "result": "found it",
                    },
                },
                {"type": "dynamic-tool", "toolCallId": "c3", "state": "output-error"},
            ],
        },
        {"id": "m3", "role": "user", "parts": [{"type": "text", "text": "thanks"}]},
    ],
    "mcp": [
        {"role": "user", "content": {"type": "text", "text": "look it up"}},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "toolUseId": "c1",
                    "content": [{"type": "text", "text": "found it"}],
                }
            ],
        },
        {"role": "assistant", "content": {"type": "resource", "resource": {"text": "here"}}},
        {"role": "user", "content": [_PICTURE]},
    ],
}
"""A sound history of every format as plain data, with most of what the format reads."""


def places(value: Any) -> Iterator[Place]:
    """Every place in plain data at which something stands."""
    if isinstance(value, (dict, list)):
        for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
            yield value, key
            yield from places(item)


def junk(format: str) -> st.SearchStrategy[Any]:
    """Any value, made of the words and keys of a format."""
    held = [(key, box[key]) for box, key in places(SOUND[format])]
    keys = sorted({key for key, _ in held if isinstance(key, str)})
    words = sorted({item for _, item in held if isinstance(item, str)})
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4)
    return st.recursive(
        scalars | st.sampled_from([*words, "\ud800", "", " "]),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(keys), inner, max_size=4)
        ),
        max_leaves=8,
    )


@st.composite
def broken(draw: st.DrawFn, format: str) -> list[Any]:
    """A sound history in which up to four places are replaced, emptied, doubled or exchanged."""
    history = deepcopy(SOUND[format])
    value = junk(format)
    for _ in range(draw(st.integers(1, 4))):
        found = list(places(history))
        box, key = found[draw(st.integers(0, len(found) - 1))] if found else (history, None)
        action = draw(st.sampled_from(("junk", "drop", "twice", "like another")))
        if key is None:
            history.append(draw(value))
        elif action == "drop":
            del box[key]
        elif action == "twice" and isinstance(box, list):
            box.insert(key, deepcopy(box[key]))
        elif action == "like another":
            other, at = found[draw(st.integers(0, len(found) - 1))]
            box[key] = deepcopy(other[at])
        else:
            box[key] = draw(value)
    return history
