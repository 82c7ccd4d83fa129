"""Where calls and results stand in a history, for both formats.

Written without a look at the library: the oracles' preparation and the damage
generator must not share a mistake with the code under test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Message = dict[str, Any]
History = list[Message]


@dataclass(frozen=True)
class Ref:
    """One call or result: message ``index``, place ``pos`` within it, its ``id`` and the item."""

    index: int
    pos: int
    id: Any
    item: Any


def blocks(message: Message) -> list[Any]:
    """The content blocks of a message; a string or nothing is no block."""
    content = message.get("content")
    return content if isinstance(content, list) else []


def is_anthropic(messages: History) -> bool:
    """Whether the tool traffic of this history has the shape of Anthropic blocks."""
    kinds = {b.get("type") for m in messages for b in blocks(m) if isinstance(b, dict)}
    return not kinds.isdisjoint({"tool_use", "tool_result", "thinking", "server_tool_use"})


def calls(messages: History) -> list[Ref]:
    """Every client call with an id, in order."""
    return [ref for index, m in enumerate(messages) for ref in _calls_of(index, m)]


def results(messages: History) -> list[Ref]:
    """Every client result, in order."""
    return [ref for index, m in enumerate(messages) for ref in _results_of(index, m)]


def _calls_of(index: int, message: Message) -> Iterator[Ref]:
    for pos, call in enumerate(message.get("tool_calls") or []):
        yield Ref(index, pos, call.get("id"), call)
    for pos, block in enumerate(blocks(message)):
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield Ref(index, pos, block.get("id"), block)


def _results_of(index: int, message: Message) -> Iterator[Ref]:
    if message.get("role") == "tool":
        yield Ref(index, 0, message.get("tool_call_id"), message)
    for pos, block in enumerate(blocks(message)):
        if isinstance(block, dict) and block.get("type") == "tool_result":
            yield Ref(index, pos, block.get("tool_use_id"), block)


def take_result(messages: History, ref: Ref) -> Any:
    """Remove one result (and its message, where nothing else is left) and return it."""
    if messages[ref.index].get("role") == "tool":
        return messages.pop(ref.index)
    return _take_block(messages, ref)


def take_call(messages: History, ref: Ref) -> Any:
    """Remove one call (and its message, where nothing else is left) and return it."""
    message = messages[ref.index]
    if "tool_calls" not in message:
        return _take_block(messages, ref)
    call = message["tool_calls"].pop(ref.pos)
    if not message["tool_calls"]:
        del message["tool_calls"]
        if not message.get("content"):
            del messages[ref.index]
    return call


def put_result(messages: History, index: int, item: Any) -> None:
    """Insert a result as a message of its own before ``index``."""
    block = item.get("type") == "tool_result"
    messages.insert(index, {"role": "user", "content": [item]} if block else item)


def _take_block(messages: History, ref: Ref) -> Any:
    block = messages[ref.index]["content"].pop(ref.pos)
    if not messages[ref.index]["content"]:
        del messages[ref.index]
    return block
