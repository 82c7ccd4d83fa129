"""Claude: next to nothing is documented; this was learned from what requests were billed.

Source: 1,060 recorded requests to 15 models (November 2026). With the texts counted by
a reconstruction of Claude's tokeniser (the package ``ctok``), what is left of most of them
is 0 to 5 tokens, through every gateway. Reasoning of earlier turns, which some models are
no longer shown, is counted in full.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ...formats.weight import Call, Weight
from ...jsontext import jsontext
from ..media import media_tokens
from ..schemas import Tool
from .base import Priced

_PER_CALL: Final = 20
_PER_RESULT: Final = 20
_PER_PARAMETER: Final = 15  # the marks around the name and the value
_PARALLEL: Final = 16  # for each of several calls in one message
_SYSTEM: Final = 1  # what keeps it apart from another one
_HIDDEN_CHARS: Final = 4  # characters of redacted reasoning that cost at most one token
_VALUE: Final = 18
_REFERENCE: Final = 80  # a tool that was deferred and is now shown, of a middling size
_PER_TOOL: Final = 1
_SPACED: Final = json.JSONEncoder(ensure_ascii=False)
_SCHEMA: Final = 125  # the instructions that come with a response format
# Tools that Anthropic defines, by the beginning of their type. Bash, text editor and
# computer: documentation; the rest: recorded requests, without what is found or run.
_OWN_TOOLS: Final = (
    ("bash", 245),
    ("text_editor", 700),
    ("computer", 1230),
    ("tool_search", 270),
    ("advisor", 720),
    ("memory", 1070),
    ("", 2000),  # web search, web fetch, code execution
)


class Generation(NamedTuple):
    """What differs between generations, in tokens.

    ``primer`` is once a request and ``message`` each message. ``auto`` is the prompt that
    comes with tools, ``forced`` the one where a tool must be called, ``thinking`` what a
    request with a budget for thinking costs more.
    """

    primer: int
    message: int
    auto: int
    forced: int
    thinking: int = 29


GENERATIONS: Final = MappingProxyType(
    {
        "claude-3-opus": Generation(4, 3, auto=533, forced=285),
        "claude-3": Generation(4, 3, auto=265, forced=361),
        "claude-3.5": Generation(4, 3, auto=325, forced=325),
        "claude-4": Generation(4, 3, auto=314, forced=316),
        "claude-4.5": Generation(4, 3, auto=497, forced=592),
        "claude-4.7": Generation(9, 2, auto=497, forced=592, thinking=0),  # tools not recorded
        "claude-4.8": Generation(4, 2, auto=382, forced=480, thinking=0),  # forced not recorded
    }
)
"""The generations of Claude by the name of their framing."""


class Claude:
    """How one generation of Claude sees a request; see the module."""

    contextual = False

    def __init__(self, name: str, images: str) -> None:
        self.name = name
        self._generation = GENERATIONS[name]
        self._images = images
        self.primer = self._generation.primer
        self.thinking = self._generation.thinking
        turn = self._generation.message
        # Claude knows no roles but two: a tool's message is part of a user's turn.
        self._roles = {
            "system": _SYSTEM,
            "developer": _SYSTEM,
            "tool": turn + _PER_RESULT,
            "function": turn + _PER_RESULT,
        }

    def message(self, weight: Weight, batch: bool = False) -> Priced:
        per_message = self._roles.get(weight.role, self._generation.message)
        if weight.plain:
            return Priced(per_message, weight.texts)
        overhead, texts = self._parts(weight)
        return Priced(per_message + overhead, texts)

    def _parts(self, weight: Weight) -> Priced:
        if weight.plain:
            return Priced(0, weight.texts)
        texts = [*weight.texts, *weight.reasoning]
        overhead = sum(media_tokens(m, self._images) for m in weight.media)
        if len(weight.calls) > 1:
            overhead += _PARALLEL * len(weight.calls)
        for call in weight.calls:
            overhead += _call(call, texts)
        for result in weight.results:
            inner = self._parts(result)
            overhead += _PER_RESULT + inner.overhead
            texts += inner.texts
        for value in weight.values:
            overhead += _value(value, texts)
        return Priced(overhead + weight.hidden // _HIDDEN_CHARS, texts)

    def is_exact(self, weight: Weight) -> bool:
        return False

    def system(self, weight: Weight) -> Priced:
        return self._parts(weight)

    def tools(self, tools: Sequence[Tool], choice: Any = None, system: str | None = None) -> Priced:
        generation = self._generation
        overhead = generation.forced if _is_forced(choice) else generation.auto
        texts = list[str]()
        for tool in tools:
            overhead += _tool(tool, texts)
        return Priced(overhead, texts)

    def response_format(
        self, wanted: Any, system: str | None = None, tools: bool = False
    ) -> Priced:
        inner = wanted.get("json_schema")
        if isinstance(inner, Mapping):
            # Gateways of OpenAI's shape turn it into a tool that must be called.
            text = _function("", "", inner.get("schema"))
            return Priced(self._generation.forced + _PER_TOOL, [text])
        schema = wanted.get("schema")
        return Priced(_SCHEMA, [_spaced(schema)]) if schema else Priced(0, [])


def _call(call: Call, texts: list[str]) -> int:
    """Price a call: Claude writes each argument between marks, a text as it is."""
    texts.append(call.name)
    arguments = _read(call.arguments)
    if not isinstance(arguments, Mapping):
        texts.append(arguments if isinstance(arguments, str) else _spaced(arguments))
        return _PER_CALL
    for name, value in arguments.items():
        texts += [str(name), value if isinstance(value, str) else _spaced(value)]
    return _PER_CALL + _PER_PARAMETER * len(arguments)


def _read(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _value(value: Any, texts: list[str]) -> int:
    if isinstance(value, Mapping) and set(value) == {"tool_name"}:
        return _REFERENCE
    texts.append(_spaced(value))
    return _VALUE


def _tool(tool: Tool, texts: list[str]) -> int:
    """Price a tool: its JSON between marks; what is deferred is not shown to the model."""
    if isinstance(tool.value, Mapping) and tool.value.get("defer_loading"):
        return 0
    if tool.kind == "function":
        texts.append(_function(tool.name, tool.description, tool.schema))
        return _PER_TOOL
    return next(tokens for kind, tokens in _OWN_TOOLS if tool.kind.startswith(kind))


def _function(name: str, description: str, schema: Any) -> str:
    described = {"description": description} if description else {}
    parts = {**described, "name": name, "parameters": schema}
    return f"<function>{_spaced(parts)}</function>\n"


def _spaced(value: Any) -> str:
    """JSON as Claude is shown it, with a blank after each colon and comma."""
    try:
        return _SPACED.encode(value)
    except (TypeError, ValueError, RecursionError):
        return jsontext(value)


def _is_forced(choice: Any) -> bool:
    """Whether a ``tool_choice`` of Anthropic, OpenAI or Bedrock demands a call."""
    if isinstance(choice, Mapping):
        kind = choice.get("type")
        return kind in ("any", "tool", "function") if kind else bool({"any", "tool"} & set(choice))
    return choice in ("required", "any")
