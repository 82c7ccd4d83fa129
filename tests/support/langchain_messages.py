"""LangChain messages for tests: real ones, or a light twin where the package is absent.

``from_chat`` makes them of an OpenAI Chat history, calls mirrored here and there as
integrations do it; ``to_chat`` reads them back for the oracles, without the library.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ConfigDict

from support.twins import Package
from support.shapes import History, Message

NAME = "langchain"
PACKAGE = "langchain_core.messages"
REAL = find_spec("langchain_core") is not None
CHANGED = {"content", "tool_calls", "invalid_tool_calls", "additional_kwargs"}


def _twin() -> ModuleType:
    module = ModuleType(PACKAGE)

    class BaseMessage(BaseModel):
        model_config = ConfigDict(extra="allow")

        content: str | list[Any]
        additional_kwargs: dict[str, Any] = {}
        response_metadata: dict[str, Any] = {}
        type: str
        name: str | None = None
        id: str | None = None

        def __init__(self, content: Any = None, **fields: Any) -> None:
            super().__init__(content=content, **fields)

    def kind(name: str, type: str, **fields: Any) -> None:
        made = {"__annotations__": {"type": str} | dict.fromkeys(fields, Any), "type": type}
        made |= {"__module__": PACKAGE, **fields}
        cls = BaseMessage.__class__(name, (BaseMessage,), made)
        setattr(module, name, cls)

    BaseMessage.__module__ = PACKAGE
    module.BaseMessage = BaseMessage
    kind("HumanMessage", "human")
    kind("SystemMessage", "system")
    kind("AIMessage", "ai", tool_calls=[], invalid_tool_calls=[])
    kind("AIMessageChunk", "AIMessageChunk", tool_calls=[], tool_call_chunks=[])
    kind("ToolMessage", "tool", tool_call_id="", artifact=None, status="success")
    kind("FunctionMessage", "function")
    kind("ChatMessage", "chat", role="")
    kind("RemoveMessage", "remove")
    return module


TWIN = _twin()
_OWN = Package(PACKAGE, TWIN)
package, installed = _OWN.of, _OWN.installed


def from_chat(history: History, lc: Any) -> list[Any]:
    """An OpenAI Chat history as LangChain messages."""
    return [_made(message, lc, Random(at)) for at, message in enumerate(history)]


def _made(message: Message, lc: Any, rng: Random) -> Any:
    role, content = message["role"], message.get("content") or ""
    if role == "user":
        return lc.HumanMessage(content, name=message.get("name"))
    if role in ("system", "developer"):
        extra = {"__openai_role__": "developer"} if role == "developer" else {}
        return lc.SystemMessage(content, additional_kwargs=extra)
    if role == "tool":
        return lc.ToolMessage(content, tool_call_id=message.get("tool_call_id"))
    if role == "function":
        return lc.FunctionMessage(content, name=message["name"])
    return _assistant(message, content, lc, rng)


def _assistant(message: Message, content: Any, lc: Any, rng: Random) -> Any:
    keys = ("refusal", "reasoning_content", "function_call")
    extra = {key: message[key] for key in keys if message.get(key)}
    calls = message.get("tool_calls") or []
    raw = [call for call in calls if "function" in call]
    parsed = [_parsed(call) for call in raw]
    blocks = [_custom(call) for call in calls if "custom" in call]
    if parsed and rng.random() < 0.5:
        extra["tool_calls"] = raw
    if parsed and rng.random() < 0.3:
        blocks += [
            {"type": "tool_use", "input": c["args"]} | c | {"type": "tool_use"} for c in parsed
        ]
        if rng.random() < 0.3:  # nowhere else
            parsed = []
            extra.pop("tool_calls", None)
    if blocks:
        words = [{"type": "text", "text": content}] if isinstance(content, str) else content
        content = [*(words if content else []), *blocks]
    invalid = []
    if parsed and rng.random() < 0.2:
        invalid = [{**parsed.pop(), "type": "invalid_tool_call", "args": "{", "error": "no JSON"}]
    fields = {"tool_calls": parsed, "invalid_tool_calls": invalid, "additional_kwargs": extra}
    return lc.AIMessage(content, **fields)


def _parsed(call: Any) -> Any:
    inner = call["function"]
    made = {"type": "tool_call", "id": call["id"], "name": inner["name"]}
    return {**made, "args": arguments(inner["arguments"])}


def arguments(text: str) -> dict[str, Any]:
    """The arguments of a call; models write some that are no JSON object."""
    try:
        read = json.loads(text)
    except ValueError:
        read = text
    return read if isinstance(read, dict) else {"input": read}


def _custom(call: Any) -> Any:
    inner = call["custom"]
    return {"type": "custom_tool_call", "call_id": call["id"], **inner}


def to_chat(messages: list[Any]) -> History:
    """What matters to the oracles, as an OpenAI Chat history."""
    return [_read(message) for message in messages]


def _read(message: Any) -> Message:
    roles = {"human": "user", "ai": "assistant"}
    made: Message = {"role": roles.get(message.type, message.type), "content": "x"}
    if message.type == "tool":
        made["tool_call_id"] = message.tool_call_id
    if message.type == "function":
        made["name"] = message.name
    if message.type == "ai":
        ids = _ids(message)
        call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
        if ids:
            made["tool_calls"] = [{"id": id, **call} for id in ids]
        elif legacy := message.additional_kwargs.get("function_call"):
            made["function_call"] = legacy
    return made


def _ids(message: Any) -> list[Any]:
    parsed = [call["id"] for call in [*message.tool_calls, *message.invalid_tool_calls]]
    raw = [call["id"] for call in message.additional_kwargs.get("tool_calls", [])]
    blocks = message.content if isinstance(message.content, list) else []
    own = [b.get("call_id") or b["id"] for b in blocks if b["type"].endswith(("_use", "_call"))]
    counts = Counter(parsed or raw) | Counter(own)
    return list(counts.elements())
