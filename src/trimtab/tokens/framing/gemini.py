"""Gemini: texts cost what they cost alone; functions are read as declarations or as Python.

The numbers below are in tokens of Gemma's vocabulary, by which Gemini counts texts too.
Source: 205 recorded requests to 15 models; all 46 of plain text agree to the token (November
2026). Over Vertex AI messages and tools cost less, as only the strings in them are counted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ...formats.weight import Call, Weight
from ...jsontext import jsontext
from ..media import media_tokens
from ..schemas import Tool
from .base import NOTHING, Priced
from .declared import QUOTES, bare, declaration, leaves, python_function

_MARKS: Final = 2  # special tokens around a declaration, a call, a response
_NAMELESS: Final = 8  # what is missing where a result does not say whose it is
# A signature of n characters stands for (n - 90) * 0.21 tokens of thoughts, give or take 15 %.
_UNSIGNED: Final = 90
_THOUGHTS: Final = 21
_ANSWERS: Final = frozenset({"tool", "function"})  # roles, where a message is a result


class Generation(NamedTuple):
    """``message`` is what each message costs, and ``style`` how functions are read."""

    message: int
    style: str


GENERATIONS: Final = MappingProxyType(
    {
        "gemini-2": Generation(0, "leaves"),
        "gemini-vertex": Generation(0, "leaves"),
        "gemini-2.5": Generation(1, "python"),
        "gemini": Generation(1, "declarations"),
    }
)
"""The generations by the name of their framing."""


class Gemini:
    """See the module.

    Thoughts that a signature holds count as input when they are sent back
    (documentation), though in recorded requests only in the turn that still goes on, and
    there not always. They are counted always, since what a message costs must not change.
    """

    contextual = False
    thinking = 0

    primer = 0

    def __init__(self, name: str, images: str) -> None:
        self.name = name
        self._generation = GENERATIONS[name]
        self._images = images

    def message(self, weight: Weight, batch: bool = False) -> Priced:
        if weight.plain and weight.role not in _ANSWERS:
            return Priced(self._generation.message, weight.texts)
        if weight.role in _ANSWERS and not weight.results:
            weight = Weight("user", results=(weight,))
        priced = [self._parts(weight), *map(self._call, weight.calls)]
        priced += map(self._result, weight.results)
        overhead = self._generation.message + sum(one.overhead for one in priced)
        thoughts = max(0, weight.hidden - _UNSIGNED) * _THOUGHTS // 100
        return Priced(overhead + thoughts, [text for one in priced for text in one.texts])

    def _parts(self, weight: Weight) -> Priced:
        """What needs no frame of its own."""
        texts = [*weight.texts, *weight.reasoning, *map(jsontext, weight.values)]
        return Priced(sum(media_tokens(m, self._images) for m in weight.media), texts)

    def _call(self, call: Call) -> Priced:
        arguments = _read(call.arguments)
        if self._generation.style == "declarations":
            return _declared(f"call:{call.name}", arguments)
        if self._generation.style == "python":
            return Priced(0, [f"print(default_api.{call.name}({jsontext(arguments)}))\n"])
        return Priced(0, [call.name, *_leaves(arguments)])

    def _result(self, result: Weight) -> Priced:
        name = result.name or ""
        media = sum(media_tokens(m, self._images) for m in result.media)
        response = result.values[0] if result.values else {"result": "".join(result.texts)}
        if self._generation.style == "declarations":
            priced = _declared(f"response:{name}", response)
        elif self._generation.style == "python":
            priced = Priced(0, [f'{{"{name}_response": {jsontext(response)}}}\n'])
        else:
            priced = Priced(0, [name, *_leaves(response)])
        return Priced(priced.overhead + media + (0 if name else _NAMELESS), priced.texts)

    def is_exact(self, weight: Weight) -> bool:
        return False

    def system(self, weight: Weight) -> Priced:
        return self.message(weight)

    def tools(self, tools: Sequence[Tool], choice: Any = None, system: str | None = None) -> Priced:
        priced = [self._tool(tool) for tool in tools]
        overhead = sum(one.overhead for one in priced)
        return Priced(overhead, [text for one in priced for text in one.texts])

    def _tool(self, tool: Tool) -> Priced:
        if tool.kind != "function" or not tool.name:
            return Priced(0, [jsontext(tool.value)])
        try:
            if self._generation.style == "declarations":
                text, strings = declaration(tool)
                return Priced(_MARKS + QUOTES * strings, [text])
            if self._generation.style == "python":
                return Priced(0, [python_function(tool)])
            return Priced(0, [tool.name, tool.description, *_strings(tool.schema)])
        except RecursionError:
            return Priced(0, [jsontext(tool.value)])

    def response_format(
        self, wanted: Any, system: str | None = None, tools: bool = False
    ) -> Priced:
        return NOTHING  # what an answer must look like is not billed, in 26 recorded requests


def _read(arguments: Any) -> Any:
    """Arguments that are written as JSON, as what they say."""
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            return json.loads(arguments)
    return arguments


def _declared(head: str, value: Any) -> Priced:
    try:
        text, strings = bare(value)
    except RecursionError:
        text, strings = jsontext(value), 0
    return Priced(_MARKS + QUOTES * strings, [head + text])


def _leaves(value: Any) -> list[str]:
    try:
        return list(leaves(value))
    except RecursionError:
        return [jsontext(value)]


def _strings(schema: Any) -> Iterable[str]:
    """What of a schema was counted before Gemini 2.5: its strings, no keys but names."""
    if not isinstance(schema, Mapping):
        return leaves(schema)
    found: list[str] = []
    for key, value in schema.items():
        if key == "properties" and isinstance(value, Mapping):
            for name, one in value.items():
                found += [name, *_strings(one)]
        elif key == "items":
            found += _strings(value)
        elif key in ("type", "description", "required", "enum", "default", "format", "pattern"):
            found += leaves(value)
    return found
