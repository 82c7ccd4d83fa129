"""Messages in the shape that chat templates read, made of what a message weighs.

That shape is OpenAI's for chat, with the fields for reasoning that servers add to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..formats.weight import Call, Weight
from ..jsontext import jsontext
from ..tokens.media import media_tokens
from ..tokens.schemas import Tool
from .gauge import Kind, Piece

ROLES: Final[Mapping[Kind, str]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "calls": "assistant",
    "result": "tool",
}
_SYSTEM: Final = frozenset({"system", "developer"})
_HIDDEN_CHARS: Final = 4  # characters of redacted reasoning that cost about one token
_NAME: Final = "x"


def say(kind: Kind, text: str, ids: Sequence[str]) -> list[Any]:
    """Chat messages of a kind; ``text`` is what is said, or the argument of every call."""
    if kind == "calls":
        calls = [_call(id, Call(_NAME, {"x": text})) for id in ids]
        return [{"role": "assistant", "content": "", "tool_calls": calls}]
    if kind == "result":
        return [_result(id, text) for id in ids]
    return [{"role": ROLES[kind], "content": text}]


def pieces(weight: Weight, hears: Callable[[str], bool], ids: Sequence[str]) -> list[Piece]:
    """The chat messages that say what a message weighs, each to be priced by itself.

    ``hears(role)`` says whether the model reads messages of a role, or ``calls``; what
    it does not read is told in words. ``ids`` are call ids, enough for every call.
    """
    found = [piece for result in weight.results for piece in _answer(result, hears, ids)]
    if weight.role in ("tool", "function"):
        return [*found, *_answer(weight, hears, ids)]
    own = weight.texts or weight.calls or weight.reasoning or weight.values
    if own or not found:
        found.append(_spoken(weight, hears, ids))
    elif weight.media or weight.hidden:
        found[-1] = found[-1]._replace(plus=found[-1].plus + _plus(weight), sure=False)
    return found


def _answer(weight: Weight, hears: Callable[[str], bool], ids: Sequence[str]) -> list[Piece]:
    text, plus, sure = _text(weight), _plus(weight), _is_sure(weight)
    if not hears("result"):
        return [Piece("user", [{"role": "user", "content": text}], plus=plus, sure=False)]
    return [Piece("result", [_result(ids[0], text)], (ids[0],), plus, sure)]


def _spoken(weight: Weight, hears: Callable[[str], bool], ids: Sequence[str]) -> Piece:
    plus, sure = _plus(weight), _is_sure(weight)
    if weight.role not in ("assistant", "model"):
        role = _heard(weight.role, hears)
        said = {"role": role, "content": _text(weight)}
        kind = "system" if role in _SYSTEM else "user"
        return Piece(kind, [said], plus=plus, sure=sure and role == weight.role)
    said: dict[str, Any] = {"role": "assistant", "content": _text(weight)}
    if weight.reasoning:
        # the names that templates have for it; servers give more than one as well
        thought = "\n".join(weight.reasoning)
        said |= {"reasoning_content": thought, "reasoning": thought, "thinking": thought}
    if not weight.calls:
        return Piece("assistant", [said], plus=plus, sure=sure)
    if not hears("calls"):
        words = [f"{call.name} {written(call.arguments)}" for call in weight.calls]
        said["content"] = "\n".join([_text(weight), *words])
        return Piece("assistant", [said], plus=plus, sure=False)
    used = tuple(ids[: len(weight.calls)])
    said["tool_calls"] = [_call(id, call) for id, call in zip(used, weight.calls, strict=True)]
    return Piece("calls", [said], used, plus, sure)


def _heard(role: str, hears: Callable[[str], bool]) -> str:
    for name in (role, "system") if role in _SYSTEM else ():
        if hears(name):
            return name
    return "user"


def _text(weight: Weight) -> str:
    return "\n".join([*weight.texts, *map(jsontext, weight.values)])


def _plus(weight: Weight) -> int:
    pictures = sum(media_tokens(media, "tiles") for media in weight.media)
    return pictures + weight.hidden // _HIDDEN_CHARS


def _is_sure(weight: Weight) -> bool:
    guessed = weight.values or weight.media or weight.hidden or weight.reasoning
    return not guessed and len(weight.texts) < 2


def _result(id: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "name": _NAME, "content": text}


def _call(id: str, call: Call) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments or "{}"}
    return {"id": id, "type": "function", "function": function}


def written(arguments: Any) -> str:
    """The arguments of a call as a text, which they may be already."""
    return arguments if isinstance(arguments, str) else jsontext(arguments)


def as_object(arguments: Any) -> Any:
    """The arguments of a call as an object; any other value under a name."""
    value = _loaded(arguments)
    return value if isinstance(value, Mapping) else {"value": value}


def parsed(messages: Sequence[Any]) -> list[Any]:
    """Chat messages whose arguments are objects, as servers give them to a template."""
    return [_parsed(message) if "tool_calls" in message else message for message in messages]


def _parsed(message: Mapping[str, Any]) -> dict[str, Any]:
    calls: list[Any] = []
    for call in message["tool_calls"]:
        function = call["function"]
        arguments = _loaded(function["arguments"])
        calls.append({**call, "function": {**function, "arguments": arguments}})
    return {**message, "tool_calls": calls}


def _loaded(arguments: Any) -> Any:
    try:
        return json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return arguments


def chat_tool(tool: Tool) -> Any:
    """A tool in OpenAI's shape for chat; one that is no function as it is."""
    if tool.kind != "function" or not tool.name:
        return tool.value
    if isinstance(tool.value, Mapping) and isinstance(tool.value.get("function"), Mapping):
        return tool.value
    schema = tool.schema or {"type": "object", "properties": {}}
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return {"type": "function", "function": function}
