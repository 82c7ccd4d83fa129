"""OpenAI's count endpoint, ``POST /v1/responses/input_tokens``.

It takes what the Responses API takes. Messages of Chat Completions are translated into
its items, images and files included.
Source: OpenAI's API reference.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...formats.base import MODEL, SYSTEM, Format, Message
from ...formats.content import kind_of, listed
from ...formats.objects import getter
from ...tokens.schemas import Tool
from ..chat import written
from ..gauge import FILLER, Kind, Piece
from .base import Endpoint, EndpointCounter, asker

_OUTPUT: Final = "function_call_output"


def openai_endpoint(client: Any, model: str, **options: Any) -> EndpointCounter:
    """A counter by OpenAI's endpoint: ``fit(..., counter=openai_endpoint(client, model))``.

    ``client`` is an ``openai.OpenAI``, ``options`` go with every request (``reasoning``,
    ``extra_headers``, ...). Raises `InvalidOptions` for an asynchronous client. See
    `EndpointCounter` for what it costs.
    """
    ask = asker(client, "responses", "input_tokens", "count")
    return EndpointCounter(_OpenAI(ask, f"OpenAI's count of {model}", {"model": model, **options}))


class _OpenAI(Endpoint):
    def _count(self, messages: Sequence[Any], tools: Sequence[Any], choice: Any) -> int:
        given: dict[str, Any] = {"tools": list(tools)} if tools else {}
        return self._asked("input_tokens", input=list(messages), **given)

    def say(self, kind: Kind, text: str = FILLER, ids: Sequence[str] = ()) -> list[Any]:
        used = ids or self.ids(1)
        if kind == "calls":
            return [_call(id, FILLER, f'{{"x":"{FILLER}"}}') for id in used]
        if kind == "result":
            return [_output(id, text) for id in used]
        return [{"role": kind, "content": text}]

    def read(self, message: Message, format: Format) -> list[Piece]:
        if format.name == "openai-responses" and (own := _native(message, format)):
            return [own]
        found = self._from_weight(format.weigh(message))
        if format.name == "openai-chat" and len(found) == 1 and found[0].plus:
            return [_with_parts(found[0], getter(message)("content"))]
        return found

    def tool(self, tool: Tool) -> Any:
        if tool.kind != "function":
            return tool.value
        schema = tool.schema or {"type": "object", "properties": {}}
        own = {"type": "function", "name": tool.name, "description": tool.description}
        return {**own, "parameters": schema, "strict": False}

    def _translated(self, said: Mapping[str, Any]) -> list[Any]:
        role, content = said["role"], said["content"]
        if role == "tool":
            return [_output(said["tool_call_id"], content)]
        words = "\n".join(filter(None, (said.get("reasoning") or "", content)))
        calls = [
            _call(call["id"], call["function"]["name"], written(call["function"]["arguments"]))
            for call in said.get("tool_calls", ())
        ]
        return [{"role": role, "content": words}, *calls] if words or not calls else calls


def _native(message: Message, format: Format) -> Piece | None:
    """An item as it is, if it can stand by itself or with a function's call or output."""
    facts, kind = format.read(message), kind_of(message) or "message"
    if kind == "message":
        spoken: Kind = "assistant" if facts.role == MODEL else "user"
        return Piece("system" if facts.role == SYSTEM else spoken, [message])
    if kind == "function_call":
        return Piece("calls", [message], tuple(facts.calls))
    return Piece("result", [message], tuple(facts.answers)) if kind == _OUTPUT else None


def _with_parts(piece: Piece, content: Any) -> Piece:
    """The piece with the images and files of a chat message instead of an estimate."""
    own = dict(piece.messages[0])
    own["output" if piece.kind == "result" else "content"] = [_part(p) for p in listed(content)]
    return piece._replace(messages=[own, *piece.messages[1:]], plus=0)


def _part(part: Any) -> Any:
    get, kind = getter(part), kind_of(part)
    if kind == "image_url":
        source = get("image_url")
        url = source if isinstance(source, str) else getter(source)("url")
        detail = None if isinstance(source, str) else getter(source)("detail")
        return {"type": "input_image", "image_url": url, "detail": detail or "auto"}
    if kind == "file":
        file = getter(get("file"))
        named = {name: file(name) for name in ("file_id", "file_data", "filename")}
        return {"type": "input_file", **{k: v for k, v in named.items() if v is not None}}
    if kind == "input_audio":
        return {"type": "input_audio", "input_audio": get("input_audio")}
    text = get("text")
    return {"type": "input_text", "text": text if isinstance(text, str) else ""}


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": name, "arguments": arguments}


def _output(id: str, text: str) -> dict[str, Any]:
    return {"type": _OUTPUT, "call_id": id, "output": text}
