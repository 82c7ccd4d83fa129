"""Short histories written once, as OpenAI Chat messages, and said in every format."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from support import langchain_messages, llama_index_messages, mcp_messages
from support import pydantic_ai_messages, vercel_messages
from support.agents_items import from_items
from support.shapes import History, Message

Writer = Callable[[History], list[Any]]


def human(text: str = "hi") -> Message:
    return {"role": "user", "content": text}


def say(text: str = "yes") -> Message:
    return {"role": "assistant", "content": text}


def asks(*ids: str) -> Message:
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool(id: str, text: str = "4") -> Message:
    return {"role": "tool", "tool_call_id": id, "content": text}


def system(text: str = "be brief") -> Message:
    return {"role": "system", "content": text}


def _calls(message: Message) -> list[str]:
    return [call["id"] for call in message.get("tool_calls") or ()]


def _anthropic(history: History) -> History:
    made: History = []
    for message in history:
        if message["role"] == "tool":
            own = {"type": "tool_result", "tool_use_id": message["tool_call_id"]}
            made.append({"role": "user", "content": [{**own, "content": message["content"]}]})
        elif _calls(message):
            uses = [
                {"type": "tool_use", "id": id, "name": "f", "input": {}} for id in _calls(message)
            ]
            made.append({"role": "assistant", "content": uses})
        else:
            made.append(message)
    return made


def _gemini(history: History) -> History:
    made: History = []
    for message in history:
        if message["role"] == "tool":
            answer = {"id": message["tool_call_id"], "name": "f", "response": {"result": "4"}}
            made.append({"role": "user", "parts": [{"functionResponse": answer}]})
        elif _calls(message):
            calls = [
                {"functionCall": {"id": id, "name": "f", "args": {}}} for id in _calls(message)
            ]
            made.append({"role": "model", "parts": calls})
        else:
            role = {"assistant": "model"}.get(message["role"], message["role"])
            parts = [{"text": message["content"]}] if message["content"] else []
            made.append({"role": role, "parts": parts})
    return made


def _converse(history: History) -> History:
    made: History = []
    for message in history:
        if message["role"] == "tool":
            answer = {"toolUseId": message["tool_call_id"], "content": [{"text": "4"}]}
            made.append({"role": "user", "content": [{"toolResult": answer}]})
        elif _calls(message):
            uses = [
                {"toolUse": {"toolUseId": id, "name": "f", "input": {}}} for id in _calls(message)
            ]
            made.append({"role": "assistant", "content": uses})
        else:
            text = message["content"]
            made.append({**message, "content": [] if text is None else [{"text": text}]})
    return made


def _responses(history: History) -> History:
    made: History = []
    for message in history:
        if message["role"] == "tool":
            own = {"call_id": message["tool_call_id"], "output": message["content"]}
            made.append({"type": "function_call_output", **own})
        elif _calls(message):
            own = {"type": "function_call", "name": "f", "arguments": "{}"}
            made += [{**own, "call_id": id} for id in _calls(message)]
        elif message["role"] == "reasoning":
            made.append({"type": "reasoning", "id": "rs_1", "summary": []})
        else:
            made.append({"type": "message", "content": "", **message})
    return made


def _sharegpt(history: History) -> History:
    names = {"user": "human", "assistant": "gpt", "tool": "observation"}
    made: History = []
    for message in history:
        if _calls(message):
            calls = json.dumps([{"name": "f", "arguments": {}}])
            made.append({"from": "function_call", "value": calls})
        else:
            own = names.get(message["role"], message["role"])
            made.append({"from": own, "value": message["content"]})
    return made


def _ui(history: History) -> History:
    """An answer stands in the part of its call; one without a call cannot be said."""
    made: History = []
    open_calls: dict[str, Any] = {}
    for at, message in enumerate(history):
        own = {"id": f"m{at}", "role": message["role"]}
        if message["role"] == "tool":
            if part := open_calls.pop(message["tool_call_id"], None):
                part |= {"state": "output-available", "output": message["content"]}
            continue
        parts: list[Any] = [{"type": "text", "text": message["content"]}]
        if _calls(message):
            state = {"state": "input-available", "input": {}}
            parts = [{"type": "tool-f", "toolCallId": id, **state} for id in _calls(message)]
            open_calls |= {part["toolCallId"]: part for part in parts}
        made.append({**own, "parts": parts})
    return made


def _of(support: Any) -> Writer:
    return lambda history: support.from_chat(history, getattr(support, "TWIN", None))


WRITERS: dict[str, Writer] = {
    **dict.fromkeys(("openai-chat", "mistral", "strict-chat", "fine-tuning"), list),
    "anthropic": _anthropic,
    "openai-responses": _responses,
    "gemini": _gemini,
    "bedrock-converse": _converse,
    "sharegpt": _sharegpt,
    "langchain": _of(langchain_messages),
    "pydantic-ai": _of(pydantic_ai_messages),
    "llama-index": _of(llama_index_messages),
    "openai-agents": lambda history: from_items(_responses(history), "twin"),
    "vercel-ai": vercel_messages.from_chat,
    "vercel-ui": _ui,
    "mcp": mcp_messages.from_chat,
}
