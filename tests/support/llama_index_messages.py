"""LlamaIndex messages for tests: real ones, or a light twin where the package is absent.

``from_chat`` makes them of an OpenAI Chat history, calls as blocks, as keywords or as both;
``to_chat`` reads them back for the oracles, without the library.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from support.twins import Package
from support.shapes import History, Message

NAME = "llama-index"
PACKAGE = "llama_index.core.base.llms.types"
REAL = find_spec("llama_index") is not None


def _twin() -> ModuleType:
    module = ModuleType(PACKAGE)

    class MessageRole(str, Enum):
        USER, ASSISTANT, MODEL, SYSTEM = "user", "assistant", "model", "system"
        DEVELOPER, TOOL, FUNCTION = "developer", "tool", "function"

    class TextBlock(BaseModel):
        block_type: str = "text"
        text: str

    class ImageBlock(BaseModel):
        block_type: str = "image"
        url: str | None = None
        image: bytes | None = None
        detail: str | None = None

    class ThinkingBlock(BaseModel):
        block_type: str = "thinking"
        content: str | None = None
        additional_information: dict[str, Any] = {}

    class ToolCallBlock(BaseModel):
        block_type: str = "tool_call"
        tool_call_id: str | None = None
        tool_name: str
        tool_kwargs: dict[str, Any] | str = {}

    class ChatMessage(BaseModel):
        role: MessageRole = MessageRole.USER
        additional_kwargs: dict[str, Any] = {}
        blocks: list[Any] = []

        def __init__(self, content: Any = None, **fields: Any) -> None:
            if content is not None:
                fields["blocks"] = content
                if isinstance(content, str):
                    fields["blocks"] = [TextBlock(text=content)]
            super().__init__(**fields)

    for cls in (MessageRole, TextBlock, ImageBlock, ThinkingBlock, ToolCallBlock, ChatMessage):
        cls.__module__ = PACKAGE
        setattr(module, cls.__name__, cls)
    return module


TWIN = _twin()
_OWN = Package(PACKAGE, TWIN)
package, installed = _OWN.of, _OWN.installed


def from_chat(history: History, li: Any) -> list[Any]:
    """An OpenAI Chat history as LlamaIndex messages."""
    return [_made(message, li, Random(at)) for at, message in enumerate(history)]


def _made(message: Message, li: Any, rng: Random) -> Any:
    role, content = message["role"], message.get("content") or ""
    blocks = [_block(part, li) for part in content] if isinstance(content, list) else None
    blocks = [li.TextBlock(text=content)] if blocks is None else blocks
    extra = {key: message[key] for key in ("tool_call_id", "name") if message.get(key)}
    if role == "assistant":
        return _assistant(message, blocks if content else [], li, rng)
    return li.ChatMessage(role=role, blocks=blocks, additional_kwargs=extra)


def _block(part: Any, li: Any) -> Any:
    if part["type"] == "text":
        return li.TextBlock(text=part["text"])
    return li.ImageBlock(url="https://example.org/a.png", detail="low")


def _assistant(message: Message, blocks: list[Any], li: Any, rng: Random) -> Any:
    extra = {"function_call": message["function_call"]} if message.get("function_call") else {}
    if message.get("reasoning_content"):
        blocks = [li.ThinkingBlock(content=message["reasoning_content"]), *blocks]
    if message.get("refusal"):
        blocks = [*blocks, li.TextBlock(text=message["refusal"])]
    calls, form = message.get("tool_calls") or [], rng.random()
    if calls and form < 0.6:
        blocks = [*blocks, *(_call(call, li) for call in calls)]
    if calls and form > 0.3:
        extra["tool_calls"] = calls
    return li.ChatMessage(role="assistant", blocks=blocks, additional_kwargs=extra)


def _call(call: Any, li: Any) -> Any:
    inner = call.get("function") or call["custom"]
    args = inner.get("arguments") or inner["input"]
    return li.ToolCallBlock(tool_call_id=call["id"], tool_name=inner["name"], tool_kwargs=args)


def to_chat(messages: list[Any]) -> History:
    """What matters to the oracles, as an OpenAI Chat history."""
    return [_read(message) for message in messages]


def _read(message: Any) -> Message:
    extra = message.additional_kwargs
    made: Message = {"role": message.role.value, "content": "x"}
    made |= {key: extra[key] for key in ("tool_call_id", "name", "function_call") if key in extra}
    blocks = [b.tool_call_id for b in message.blocks if b.block_type == "tool_call"]
    ids = blocks or [call["id"] for call in extra.get("tool_calls", [])]
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    return {**made, "tool_calls": [{"id": id, **call} for id in ids]} if ids else made
