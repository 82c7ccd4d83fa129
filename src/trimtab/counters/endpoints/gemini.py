"""Gemini's count endpoint, ``models.countTokens``.

Google's own API takes contents only, and the client says so itself; there a system text
is counted as a user's, and tools by their JSON. Vertex takes both.
Source: Google's documentation of token counting, and google-genai 3.6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ...formats.base import MODEL, SYSTEM, Format, Message
from ...jsontext import jsontext
from ...tokens.schemas import Tool
from ..chat import as_object
from ..gauge import FILLER, Kind, Piece, Refused
from .base import Endpoint, EndpointCounter, asker, spoken

_ROLES: Final = {"assistant": "model"}


def gemini_endpoint(client: Any, model: str, **options: Any) -> EndpointCounter:
    """A counter by Gemini's endpoint: ``fit(..., counter=gemini_endpoint(client, model))``.

    ``client`` is a ``google.genai.Client``, ``options`` go with every request. Raises
    `InvalidOptions` for an asynchronous client. See `EndpointCounter` for what it costs.
    """
    ask = asker(client, "models", "count_tokens")
    return EndpointCounter(_Gemini(ask, f"Gemini's count of {model}", {"model": model, **options}))


class _Gemini(Endpoint):
    _configurable = True

    def _count(self, messages: Sequence[Any], tools: Sequence[Any], choice: Any) -> int:
        system = [part for m in messages if _role(m) == "system" for part in m["parts"]]
        said = [message for message in messages if _role(message) != "system"]
        if not system and not tools:
            return self._asked("total_tokens", contents=said)
        if self._configurable:
            config = {"system_instruction": {"parts": system}} if system else {}
            config |= {"tools": list(tools)} if tools else {}
            try:
                return self._asked("total_tokens", contents=said, config=config)
            except Refused:
                self._configurable = False
        if tools:
            system.append({"text": jsontext(list(tools))})
        beside = [{"role": "user", "parts": system}]
        return self._asked("total_tokens", contents=beside + said)

    def _failure(self, error: Exception) -> Exception:
        # what the client itself refuses, before anything is sent
        own = isinstance(error, ValueError)
        return Refused(type(error).__name__) if own else super()._failure(error)

    def say(self, kind: Kind, text: str = FILLER, ids: Sequence[str] = ()) -> list[Any]:
        used = ids or self.ids(1)
        if kind == "calls":
            return [{"role": "model", "parts": [_call(_name(id), {"x": text}) for id in used]}]
        if kind == "result":
            return [{"role": "user", "parts": [_response(text, _name(id)) for id in used]}]
        return [{"role": _ROLES.get(kind, kind), "parts": [{"text": text}]}]

    def read(self, message: Message, format: Format) -> list[Piece]:
        if not format.name.startswith("gemini"):
            return self._from_weight(format.weigh(message))
        facts = format.read(message)
        if facts.role == SYSTEM:
            return self._from_weight(format.weigh(message))
        if facts.answers or facts.calls:
            kind: Kind = "result" if facts.answers else "calls"
            return [Piece(kind, [message], tuple(facts.answers or facts.calls))]
        return [Piece("assistant" if facts.role == MODEL else "user", [message])]

    def tool(self, tool: Tool) -> Any:
        if tool.kind != "function":
            return tool.value
        declared = {"name": tool.name, "description": tool.description}
        if tool.schema:
            declared["parameters_json_schema"] = tool.schema
        return {"function_declarations": [declared]}

    def _translated(self, said: Mapping[str, Any]) -> list[Any]:
        role, content = said["role"], said["content"]
        if role == "tool":
            return [{"role": "user", "parts": [_response(content)]}]
        words = "\n".join(filter(str.strip, (said.get("reasoning") or "", content)))
        parts: list[Any] = [{"text": words}] if words else []
        for call in said.get("tool_calls", ()):
            function = call["function"]
            parts.append(_call(function["name"], as_object(function["arguments"])))
        own = "system" if role in ("system", "developer") else _ROLES.get(role, "user")
        return [{"role": own, "parts": parts or [{"text": spoken(content)}]}]


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, Mapping) else None


def _call(name: str, arguments: Any) -> dict[str, Any]:
    return {"function_call": {"name": name, "args": arguments}}


def _response(text: str, name: str = FILLER) -> dict[str, Any]:
    return {"function_response": {"name": name, "response": {"result": text}}}


def _name(id: str) -> str:
    """The function's name that goes with an id of the format."""
    return getattr(id, "name", FILLER)
