"""A response format as OpenAI's models read it: a section with the schema's JSON.

Source: openai/harmony, docs/format.md; a published prompt of gpt-4.1; and 40 recorded
requests (November 2026): of a schema only what the model must know is written, whether
``strict`` or not. JSON mode without a schema costs nothing (8 recorded requests).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...jsontext import jsontext
from .openai_types import comment

_NAMED: Final = frozenset({"properties", "$defs", "definitions"})
_VALUES: Final = frozenset({"enum", "const"})
_WRITTEN: Final = (
    _NAMED
    | _VALUES
    | {"type", "title", "description", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$ref"}
)


def section(wanted: Any) -> str:
    """The text of a response format; empty for plain text and for JSON mode."""
    if not isinstance(wanted, Mapping):
        return jsontext(wanted)
    inner = wanted.get("json_schema", wanted)
    if not isinstance(inner, Mapping) or inner.get("schema") is None:
        known = wanted.get("type") in ("text", "json_object", "json_schema")
        return "" if known else jsontext(wanted)
    described = inner.get("description")
    above = comment(described) if isinstance(described, str) else ""
    try:
        schema = jsontext(_written(inner["schema"]))
    except RecursionError:
        schema = jsontext(inner["schema"])
    return f"# Response Formats\n\n## {inner.get('name') or ''}\n\n{above}{schema}"


def _written(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_written(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _part(key, value) for key, value in schema.items() if key in _WRITTEN}


def _part(key: Any, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _NAMED and isinstance(value, Mapping):
        return {name: _written(part) for name, part in value.items()}
    return _written(value)
