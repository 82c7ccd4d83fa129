"""Bedrock Converse messages for tests, made of recorded Anthropic ones."""

from __future__ import annotations

from typing import Any

from support.shapes import History


def from_anthropic(history: History) -> History:
    """The same history in Converse's shape; blocks that have none ride along as unknown ones."""
    return [{"role": m["role"], "content": _blocks(m["content"])} for m in history]


def _blocks(content: Any) -> list[Any]:
    return [{"text": content}] if isinstance(content, str) else list(map(_block, content))


def _block(block: Any) -> Any:
    kind = block.get("type", "other") if isinstance(block, dict) else "other"
    if kind == "text":
        return {"text": block["text"]}
    if kind == "tool_use":
        own = {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}
        return {"toolUse": own}
    if kind == "tool_result":
        status = "error" if block.get("is_error") else "success"
        own = {"toolUseId": block["tool_use_id"], "content": _blocks(block.get("content") or "")}
        return {"toolResult": {**own, "status": status}}
    return {f"{kind}Block": block}
