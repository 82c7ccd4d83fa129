"""Tool definitions of every provider, read into one shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..errors import InvalidOptions


class Tool(NamedTuple):
    """A function with its schema; or a tool of another ``kind``, with its own ``value``."""

    name: str
    description: str
    schema: Any
    kind: str
    value: Any


def read_tools(tools: Iterable[Any]) -> list[Tool]:
    """The tools in one shape; SDK objects are read as plain data.

    Understands OpenAI (chat and responses), Anthropic, Gemini (declarations become a
    tool each) and Bedrock Converse. Raises `InvalidOptions` for a class.
    """
    return [read for tool in tools for read in _read(tool)]


def _read(tool: Any) -> Iterator[Tool]:
    if isinstance(tool, type):
        raise InvalidOptions("a tool is a schema, not a class; give its JSON schema")
    plain = plain_data(tool)
    if not isinstance(plain, Mapping):
        yield Tool("", "", None, "unknown", plain)
        return
    declared = plain.get("functionDeclarations") or plain.get("function_declarations")
    if isinstance(declared, (list, tuple)):
        for one in declared:
            yield _function(plain_data(one), plain)
        return
    inner = plain.get("function") or plain.get("toolSpec") or plain
    yield _function(plain_data(inner), plain)


def _function(function: Any, whole: Mapping[str, Any]) -> Tool:
    kind = whole.get("type")
    kind = kind if isinstance(kind, str) else "function"
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        return Tool("", "", None, kind, whole)
    schema = next((function[key] for key in _SCHEMAS if function.get(key) is not None), None)
    if isinstance(schema, Mapping) and isinstance(schema.get("json"), Mapping):
        schema = schema["json"]  # Converse
    described = function.get("description")
    described = described if isinstance(described, str) else ""
    known = schema is not None or kind in ("function", "custom")
    return Tool(function["name"], described, schema, "function" if known else kind, whole)


_SCHEMAS = (
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "input_schema",
    "inputSchema",
)


def plain_data(value: Any) -> Any:
    """A pydantic object as plain data, anything else as it is."""
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value
