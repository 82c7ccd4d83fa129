"""What function schemas cost OpenAI's models.

Source: OpenAI cookbook, "How to count tokens with tiktoken", section 7 (gpt-4o), applied
to nested schemas as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..jsontext import jsontext
from ..schemas import Tool
from .base import Priced

_PER_FUNCTION: Final = 7
_PER_SCHEMA: Final = 3
_PER_KEY: Final = 3
_PER_CHOICE: Final = 3
_ENUM: Final = -3
_END: Final = 12
_WEIGHED: Final = frozenset(
    {"type", "description", "enum", "properties", "items", "$defs", "definitions"}
    | {"required", "title", "$schema"}  # rendered as marks or not at all
)


def weigh_functions(tools: Sequence[Tool]) -> Priced:
    """The fixed tokens of some tools and the texts to be tokenised beside them."""
    overhead, texts = _END, list[str]()
    for tool in tools:
        try:
            overhead += _weigh_function(tool, texts)
        except RecursionError:
            texts.append(jsontext(tool.value))
    return Priced(overhead, texts)


def _weigh_function(tool: Tool, texts: list[str]) -> int:
    if tool.kind != "function":
        texts.append(jsontext(tool.value))
        return _PER_FUNCTION
    texts.append(f"{tool.name}:{tool.description}".rstrip("."))
    return _PER_FUNCTION + _weigh_schema(tool.schema, texts)


def _weigh_schema(schema: Any, texts: list[str]) -> int:
    """Weigh a schema: the formula for its properties, and its other parts as their JSON."""
    if not isinstance(schema, Mapping):
        return 0
    overhead = 0
    for name in ("properties", "$defs", "definitions"):
        parts = schema.get(name)
        if isinstance(parts, Mapping) and parts:
            overhead += _PER_SCHEMA
            for key, value in parts.items():
                overhead += _PER_KEY + _weigh_property(key, value, texts)
    overhead += _weigh_schema(schema.get("items"), texts)
    if rest := {key: value for key, value in schema.items() if key not in _WEIGHED}:
        texts.append(jsontext(rest))
    return overhead


def _weigh_property(key: str, value: Any, texts: list[str]) -> int:
    if not isinstance(value, Mapping):
        return 0
    overhead = 0
    choices = value.get("enum")
    if isinstance(choices, list):
        overhead += _ENUM + _PER_CHOICE * len(choices)
        texts += map(str, choices)
    kind = value.get("type")
    kind = kind if isinstance(kind, str) else jsontext(kind) if kind else "any"
    texts.append(f"{key}:{kind}:{value.get('description') or ''}".rstrip("."))
    return overhead + _weigh_schema(value, texts)
