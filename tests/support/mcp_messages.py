"""MCP sampling messages for tests, made of an OpenAI Chat history."""

from __future__ import annotations

from typing import Any

from support import vercel_messages
from support.shapes import History


def from_chat(history: History) -> History:
    """The history as on the wire, all results that stand together in one message."""
    made: History = []
    for message in vercel_messages.from_chat(history):
        role, content = message["role"], message["content"]
        blocks = [_text(content)] if isinstance(content, str) else list(map(_block, content))
        side = "assistant" if role == "assistant" else "user"
        if role == "tool" and made and made[-1]["content"][-1]["type"] == "tool_result":
            made[-1]["content"] += blocks
        else:
            made.append({"role": side, "content": blocks or [_text("")]})
    return made


def _text(words: Any) -> Any:
    return {"type": "text", "text": words or "x"}


def _block(part: Any) -> Any:
    if part["type"] == "tool-call":
        asked = part["args"] if part.get("input") is None else part["input"]
        own = {"type": "tool_use", "id": part["toolCallId"], "name": part["toolName"]}
        return {**own, "input": asked}
    if part["type"] == "tool-result":
        said = _text(str(part.get("output", part.get("result"))))
        return {"type": "tool_result", "toolUseId": part["toolCallId"], "content": [said]}
    return _text(part.get("text"))
