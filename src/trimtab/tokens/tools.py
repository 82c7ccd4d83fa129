"""What tool schemas cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..errors import InvalidOptions
from .jsontext import jsontext

# OpenAI cookbook, "How to count tokens with tiktoken", section 7 (gpt-4o).
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
# What recorded requests to Claude 4 models with tools were billed beside the schemas; the
# documentation says 346.
_CLAUDE_PROMPT: Final = 540


def weigh_tools(tools: Any, family: str) -> tuple[int, list[str]]:
    """The fixed tokens of some tool schemas and the texts to be tokenised beside them.

    An estimate for every family. OpenAI: the cookbook's formula, applied to nested
    schemas as well. Claude: the JSON of the schemas and a prompt of fixed size.
    """
    items = list(tools)
    if not items:
        return 0, []
    if any(isinstance(tool, type) for tool in items):
        raise InvalidOptions("a tool is a schema, not a class; give its JSON schema")
    if family == "claude":
        return _CLAUDE_PROMPT, [jsontext(tool) for tool in items]
    overhead, texts = _END, list[str]()
    for tool in items:
        try:
            overhead += _weigh_function(tool, texts)
        except RecursionError:
            texts.append(jsontext(tool))
    return overhead, texts


def _weigh_function(tool: Any, texts: list[str]) -> int:
    plain = plain_data(tool)
    function = plain.get("function", plain) if isinstance(plain, Mapping) else None
    if not isinstance(function, Mapping) or "name" not in function:
        texts.append(jsontext(tool))
        return _PER_FUNCTION
    schema = function.get("parameters") or function.get("input_schema")
    texts.append(f"{function['name']}:{function.get('description') or ''}".rstrip("."))
    return _PER_FUNCTION + _weigh_schema(schema, texts)


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


def plain_data(value: Any) -> Any:
    """A pydantic object as plain data, anything else as it is."""
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value
