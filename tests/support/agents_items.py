"""Run items of the OpenAI Agents SDK for tests: real ones, or a light twin.

``from_items`` wraps the items of an OpenAI Responses history as the SDK does it; messages of
the user and items that the SDK has no class for stay input items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

from support.shapes import History

REAL = find_spec("agents") is not None and find_spec("openai") is not None
CLASSES = {
    "function_call": ("ToolCallItem", "tool_call_item"),
    "function_call_output": ("ToolCallOutputItem", "tool_call_output_item"),
    "reasoning": ("ReasoningItem", "reasoning_item"),
    "message": ("MessageOutputItem", "message_output_item"),
}


@dataclass
class RunItem:
    agent: Any
    raw_item: Any
    output: Any = None
    type: str = ""

    def to_input_item(self) -> Any:
        return self.raw_item


def wrapper(kind: str) -> Callable[[Any], Any]:
    """A function that makes a run item of an item."""
    if kind == "twin":
        return lambda item: RunItem("a", item, None, _class(item)[1])
    agents, types = import_module("agents"), import_module("openai.types.responses")
    agent = agents.Agent(name="a")
    parsed = SimpleNamespace(
        function_call=types.ResponseFunctionToolCall.model_validate,
        reasoning=types.ResponseReasoningItem.model_validate,
        message=types.ResponseOutputMessage.model_validate,
    )

    def wrap(item: Any) -> Any:
        cls = getattr(agents.items, _class(item)[0])
        read = getattr(parsed, item["type"], lambda given: given)
        extra = {"output": item["output"]} if "output" in item else {}
        made = cls(agent=agent, raw_item=read(item), **extra)
        wrap.alive.append(agent)
        return made

    wrap.alive = []
    return wrap


def _class(item: Any) -> tuple[str, str]:
    return CLASSES[item["type"]]


def from_items(history: History, kind: str) -> list[Any]:
    """An OpenAI Responses history with the model's items wrapped."""
    wrap = wrapper(kind)
    return [wrap(item) if _known(item) else item for item in history]


def _known(item: Any) -> bool:
    if item.get("type") == "message":
        return item.get("role") == "assistant" and "id" in item
    if item.get("type") == "reasoning":
        return "id" in item  # the SDK has no class for one without
    return item.get("type") in CLASSES


def to_items(messages: list[Any]) -> History:
    """The input items, as the SDK sends them."""
    return [m if isinstance(m, dict) else _plain(m.to_input_item()) for m in messages]


def _plain(item: Any) -> Any:
    return item if isinstance(item, dict) else item.model_dump(exclude_unset=True)
