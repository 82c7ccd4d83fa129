"""AI SDK model messages for tests, made of an OpenAI Chat history and read back again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from support.langchain_messages import arguments
from support.shapes import History, Message

NAME = "vercel-ai"
REAL = False  # the SDK is none of Python


@contextmanager
def installed(kind: str) -> Iterator[None]:
    """Plain data needs no package."""
    yield None


def from_chat(history: History, package: None = None) -> History:
    """An OpenAI Chat history as model messages; neighbours of role tool are put together."""
    made: History = []
    for at, message in enumerate(history):
        one, rng = _made(message, Random(at)), Random(-1 - at)
        together = made and one["role"] == made[-1]["role"] == "tool" and rng.random() < 0.5
        if together:
            made[-1]["content"] += one["content"]
        else:
            made.append(one)
    return made


def _made(message: Message, rng: Random) -> Message:
    role, content = message["role"], message.get("content") or ""
    if role in ("tool", "function"):
        id = message.get("tool_call_id") or f"function:{message.get('name')}"
        part = {"type": "tool-result", "toolCallId": id, "toolName": "f", **_output(content, rng)}
        return {"role": "tool", "content": [part]}
    if role in ("system", "developer"):
        return {"role": "system", "content": content}
    parts = [_part(part) for part in content] if isinstance(content, list) else content
    if role == "user":
        return {"role": "user", "content": parts}
    calls = [_call(call, rng) for call in message.get("tool_calls") or []]
    if legacy := message.get("function_call"):
        calls = [_call({"id": f"function:{legacy['name']}", "function": legacy}, rng)]
    if message.get("reasoning_content"):
        calls = [{"type": "reasoning", "text": "hm"}, *calls]
    if not calls:
        return {"role": "assistant", "content": parts or message.get("refusal") or ""}
    words = [{"type": "text", "text": parts}] if isinstance(parts, str) and parts else parts or []
    return {"role": "assistant", "content": [*words, *calls]}


def _output(content: Any, rng: Random) -> dict[str, Any]:
    if isinstance(content, list):
        return {"output": {"type": "content", "value": content}}
    forms = [
        {"output": {"type": "text", "value": content}},
        {"output": {"type": "json", "value": {"found": content}}},
        {"result": content},
    ]
    return rng.choice(forms)


def _part(part: Any) -> Any:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    return {"type": "file", "data": "QUJD", "mediaType": "application/pdf"}


def _call(call: Any, rng: Random) -> Any:
    inner = call.get("function") or call["custom"]
    given = inner.get("arguments")
    asked = arguments(given) if given else {"input": inner.get("input")}
    own = {"type": "tool-call", "toolCallId": call["id"], "toolName": inner["name"]}
    return {**own, rng.choice(["input", "args"]): asked}


def to_chat(messages: History) -> History:
    """What matters to the oracles, as an OpenAI Chat history: a message for every result."""
    return [made for message in messages for made in _read(message)]


def _read(message: Message) -> Iterator[Message]:
    parts = message["content"] if isinstance(message["content"], list) else []
    if message["role"] == "tool":
        for part in parts:
            yield {"role": "tool", "content": "x", "tool_call_id": part["toolCallId"]}
        return
    ids = [part["toolCallId"] for part in parts if part["type"] == "tool-call"]
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    calls = {"tool_calls": [{"id": id, **call} for id in ids]} if ids else {}
    yield {"role": message["role"], "content": "x", **calls}


def as_ui(messages: History) -> History:
    """Model messages as UI messages: results move into the part of their call."""
    made: History = []
    for message in messages:
        content = message["content"]
        if message["role"] == "tool":
            parts = {p["toolCallId"]: p for m in made[-1:] for p in m["parts"] if "state" in p}
            for answer in content:
                said = answer.get("output", {}).get("value", answer.get("result"))
                parts[answer["toolCallId"]] |= {"state": "output-available", "output": said}
            continue
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        parts = [_open(p) if p["type"] == "tool-call" else p for p in parts]
        made.append({"id": str(len(made)), "role": message["role"], "parts": parts})
    return made


def _open(call: Any) -> Any:
    asked = call["args"] if call.get("input") is None else call["input"]
    own = {"type": "tool-f", "toolCallId": call["toolCallId"], "input": asked}
    return {**own, "state": "input-available"}
