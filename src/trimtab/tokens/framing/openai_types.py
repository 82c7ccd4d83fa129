"""JSON Schema as the TypeScript-like text in which OpenAI's models read it.

Sources: openai/harmony's renderer, published prompts of ChatGPT's own tools, a published
probe of every keyword through OpenAI's code mode, and 190 recorded requests with tools
(November 2026), of which two are a token off.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_SIMPLE: Final = frozenset({"string", "number", "integer", "boolean", "null"})
_NOTED: Final = (
    *("minLength", "maxLength", "pattern", "format", "minimum", "maximum"),
    *("exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"),
    "default",
)
_SPACED: Final = json.JSONEncoder(ensure_ascii=False, default=str)
_MOST: Final = 20_000  # schemas in one, references followed


class SchemaTooLarge(ValueError):
    """A schema grows beyond all measure where its references are followed."""


class _Type(NamedTuple):
    """A type: what stands above it, its text, what stands behind it.

    ``block`` says that the text spans lines, ``union`` that it has alternatives.
    """

    head: str
    text: str
    notes: list[str]
    block: bool = False
    union: bool = False

    @property
    def bare(self) -> bool:
        return not (self.head or self.notes or self.block)

    @property
    def line(self) -> str:
        notes = f" // {', '.join(self.notes)}" if self.notes else ""
        return f"{self.text}{notes}\n"


def spaced(value: Any) -> str:
    """The JSON of a value with blanks, as Python writes it; only ever counted."""
    try:
        return _SPACED.encode(value)
    except (TypeError, ValueError):
        return str(value)


def comment(text: str) -> str:
    """Lines of a comment; a blank line inside keeps its place."""
    lines = [line.strip() for line in text.strip().split("\n")]
    return "".join(f"// {line}\n" if line else "//\n" for line in lines) if text.strip() else ""


def parameters(schema: Any) -> str:
    """The parameters of a function: ``()`` or ``(_: ...)``.

    Raises `SchemaTooLarge` and `RecursionError`. Linear in the schema with its references
    followed.
    """
    if not isinstance(schema, Mapping) or not schema:
        return "()"
    root = _Writer(schema).type_of(schema)
    return "()" if root.text == "object" else f"(_: {root.head}{root.text})"


class _Writer:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._defs: dict[str, Any] = {}
        for key in ("definitions", "$defs"):
            if isinstance(found := root.get(key), Mapping):
                self._defs.update(found)
        self._open: list[str] = []
        self._left = _MOST

    def type_of(self, schema: Any) -> _Type:
        self._left -= 1
        if self._left < 0:
            raise SchemaTooLarge("references without end")
        if not isinstance(schema, Mapping):
            return _Type("", "never" if schema is False else "any", [])
        target = schema.get("$ref")
        if not isinstance(target, str):
            return self._written(schema)
        name = target.rpartition("/")[2]
        if name in self._open or not isinstance(self._defs.get(name), Mapping):
            return _Type("", "any", [])
        self._open.append(name)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        written = self.type_of({**self._defs[name], **rest})
        self._open.pop()
        return written

    def _written(self, schema: Mapping[str, Any]) -> _Type:
        text, block, union = self._text(schema)
        if schema.get("nullable") is True and "null" not in text:
            text, union = f"{text} | null", True
        notes = _notes(schema, ("default",) if isinstance(schema.get("type"), list) else _NOTED)
        return _Type(_head(schema), text, notes, block, union)

    def _text(self, schema: Mapping[str, Any]) -> tuple[str, bool, bool]:
        """The text of a type, whether it spans lines and whether it has alternatives."""
        for key, mark in (("anyOf", "|"), ("oneOf", "|"), ("allOf", "&")):
            if isinstance(parts := schema.get(key), list) and parts:
                return self._joined(parts, mark)
        if isinstance(choices := schema.get("enum"), list) and choices:
            return " | ".join(map(spaced, choices)), False, len(choices) > 1
        if "const" in schema:
            return spaced(schema["const"]), False, False
        kind = schema.get("type")
        kind = kind.lower() if isinstance(kind, str) else kind
        if isinstance(kind, list) and kind:
            shared = {k: v for k, v in schema.items() if k not in ("type", "title", "default")}
            return self._joined([{**shared, "type": one} for one in kind], "|")
        if kind == "array":
            return self._array(schema)
        if kind == "object" or schema.get("properties"):
            return self._object(schema)
        return (kind if isinstance(kind, str) and kind in _SIMPLE else "any"), False, False

    def _joined(self, parts: list[Any], mark: str) -> tuple[str, bool, bool]:
        types = [self.type_of(part) for part in parts]
        several = len(types) > 1
        if all(one.bare for one in types):
            return f" {mark} ".join(one.text for one in types), False, several
        return "\n" + "".join(f"{one.head} {mark} {one.line}" for one in types), True, several

    def _array(self, schema: Mapping[str, Any]) -> tuple[str, bool, bool]:
        if isinstance(places := schema.get("prefixItems"), list):
            texts = [self.type_of(place).text for place in places]
            return f"[{', '.join(f'item{i}?: {t}' for i, t in enumerate(texts))}]", False, False
        item = self.type_of(schema.get("items"))
        if not item.bare:
            return f"Array<\n{item.head}{item.line}>", True, False
        return f"Array<{item.text}>" if item.union else f"{item.text}[]", False, False

    def _object(self, schema: Mapping[str, Any]) -> tuple[str, bool, bool]:
        members = dict(_mapping(schema.get("properties")))
        required = schema.get("required")
        needed = {str(name) for name in required} if isinstance(required, list) else set[str]()
        named = [
            (f"{name}{'' if str(name) in needed else '?'}", self.type_of(value))
            for name, value in members.items()
        ]
        if more := schema.get("additionalProperties"):
            named.append(("[key: string]", self.type_of(more)))
        if not named:
            return "object", False, False
        if all(one.bare for _, one in named):
            return f"{{ {', '.join(f'{name}: {one.text}' for name, one in named)} }}", False, False
        return "{\n" + "".join(_member(name, one) for name, one in named) + "}", True, False


def _member(name: str, one: _Type) -> str:
    if not one.block:
        notes = f" // {', '.join(one.notes)}" if one.notes else ""
        return f"{one.head}{name}: {one.text},{notes}\n"
    above = one.head + "".join(f"// {note}\n" for note in one.notes)
    gap = "" if one.text.startswith("\n") else " "
    return f"{above}{name}:{gap}{one.text},\n"


def _head(schema: Mapping[str, Any]) -> str:
    """The title and the description of a schema, and its examples."""
    parts = [comment(str(schema[key])) for key in ("title", "description") if schema.get(key)]
    head = "//\n".join(filter(None, parts))
    examples = schema.get("examples")
    if not isinstance(examples, list) or not examples:
        return head
    if len(examples) == 1:
        return f"{head}// Example: {spaced(examples[0])}\n"
    return f"{head}// Examples:\n" + "".join(f"// - {spaced(one)}\n" for one in examples)


def _notes(schema: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    return [f"{key}: {_note(key, schema[key])}" for key in keys if key in schema]


def _note(key: str, value: Any) -> str:
    return f"/{value}/" if key == "pattern" else spaced(value)


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}
