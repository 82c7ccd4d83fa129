"""Anthropic's count endpoint, ``POST /v1/messages/count_tokens``.

It checks requests as the Messages API does: no blank text, no result without its call,
no call without its result. Anthropic calls its answers an estimate.
Source: Anthropic's documentation of token counting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...formats.base import HUMAN, SYSTEM, Format, Message
from ...formats.content import is_blank, kind_of, listed
from ...formats.objects import getter, shallow
from ...tokens.schemas import Tool
from ..chat import as_object
from ..gauge import FILLER, Kind, Piece
from .base import Endpoint, EndpointCounter, asker, spoken

_DUMMY: Final = {"name": FILLER, "input_schema": {"type": "object", "properties": {}}}
_PAIRED: Final = frozenset({"tool_use", "tool_result"})


def anthropic_endpoint(client: Any, model: str, **options: Any) -> EndpointCounter:
    """A counter by Anthropic's endpoint: ``fit(..., counter=anthropic_endpoint(client, model))``.

    ``client`` is an ``anthropic.Anthropic`` (or of Bedrock or Vertex), ``options`` go with
    every request (``thinking``, ``extra_headers``, ...). Raises `InvalidOptions` for an
    asynchronous client. See `EndpointCounter` for what it costs.
    """
    ask = asker(client, "messages", "count_tokens")
    return EndpointCounter(
        _Anthropic(ask, f"Anthropic's count of {model}", {"model": model, **options})
    )


class _Anthropic(Endpoint):
    _dummy: int | None = None

    def _count(self, messages: Sequence[Any], tools: Sequence[Any], choice: Any) -> int:
        system = [text for said in messages if said["role"] == "system" for text in said["texts"]]
        rest = [said for said in messages if said["role"] != "system"]
        request: dict[str, Any] = {"messages": rest}
        if system:
            request["system"] = system
        if tools:
            request["tools"] = list(tools)
            if isinstance(choice, Mapping) and "type" in choice:
                request["tool_choice"] = choice
        elif any(map(_is_paired, rest)):
            # Calls without any tools are refused on some of the roads to the API.
            return self._asked("input_tokens", **request, tools=[_DUMMY]) - self._dummy_cost()
        return self._asked("input_tokens", **request)

    def _dummy_cost(self) -> int:
        if self._dummy is None:
            hello = self.say("user")
            with_tool = self._asked("input_tokens", messages=hello, tools=[_DUMMY])
            self._dummy = with_tool - self._asked("input_tokens", messages=hello)
        return self._dummy

    def say(self, kind: Kind, text: str = FILLER, ids: Sequence[str] = ()) -> list[Any]:
        used = ids or self.ids(1)
        if kind == "system":
            return [{"role": "system", "texts": [{"type": "text", "text": text}]}]
        if kind == "calls":
            calls = [
                {"type": "tool_use", "id": id, "name": "x", "input": {"x": text}} for id in used
            ]
            return [{"role": "assistant", "content": calls}]
        if kind == "result":
            results = [{"type": "tool_result", "tool_use_id": id, "content": text} for id in used]
            return [{"role": "user", "content": results}]
        return [{"role": kind, "content": text}]

    def read(self, message: Message, format: Format) -> list[Piece]:
        if format.name != "anthropic":
            return self._from_weight(format.weigh(message))
        facts = format.read(message)
        if facts.role == SYSTEM:
            return self._from_weight(format.weigh(message))
        said = [_acceptable(message)]
        if facts.answers:
            return [Piece("result", said, tuple(facts.answers))]
        if facts.calls:
            return [Piece("calls", said, tuple(facts.calls))]
        return [Piece("user" if facts.role == HUMAN else "assistant", said)]

    def tool(self, tool: Tool) -> Any:
        own = isinstance(tool.value, Mapping) and "input_schema" in tool.value
        if own or tool.kind != "function":
            return tool.value
        schema = tool.schema or {"type": "object", "properties": {}}
        return {"name": tool.name, "description": tool.description, "input_schema": schema}

    def _translated(self, said: Mapping[str, Any]) -> list[Any]:
        role, content = said["role"], said["content"]
        if role in ("system", "developer"):
            return [{"role": "system", "texts": [{"type": "text", "text": spoken(content)}]}]
        if role == "tool":
            result = {
                "type": "tool_result",
                "tool_use_id": said["tool_call_id"],
                "content": content,
            }
            return [{"role": "user", "content": [result]}]
        words = "\n".join(filter(str.strip, (said.get("reasoning") or "", content)))
        blocks: list[Any] = [{"type": "text", "text": words}] if words else []
        for call in said.get("tool_calls", ()):
            function = call["function"]
            given = as_object(function["arguments"])
            blocks.append(
                {"type": "tool_use", "id": call["id"], "name": function["name"], "input": given}
            )
        return [{"role": role, "content": blocks or spoken(content)}]


def _is_paired(message: Mapping[str, Any]) -> bool:
    return any(kind_of(block) in _PAIRED for block in listed(message["content"]))


def _acceptable(message: Message) -> dict[str, Any]:
    """The message as the SDK takes it, with texts in it that are not blank."""
    get = getter(message)
    content = get("content")
    if isinstance(content, str):
        return {"role": get("role"), "content": spoken(content)}
    return {"role": get("role"), "content": [_block(b) for b in listed(content)] or FILLER}


def _block(block: Any) -> Any:
    text = getter(block)("text")
    if kind_of(block) != "text" or not is_blank(text):
        return block
    return shallow(block, text=spoken(text or ""))
