"""Functions, calls and results as Gemini models read them, written only to be counted.

Gemini 3 reads what FunctionGemma reads: declarations in which a special token stands on
both sides of every string. Source: Google's page on FunctionGemma's format; by Gemma's
vocabulary 16 of 22 recorded requests with tools agree to the token, 20 to three. Gemini
2.5 reads Python: a function with a docstring, and a dataclass for every nested object.
Source: its own replies, which quote that code now and then; 14 of 21 agree to the token,
17 to three. Both November 2026.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count, islice
from typing import Any, Final

from ...jsontext import jsontext
from ..schemas import Tool

QUOTES: Final = 2
"""Special tokens around a string in a declaration, which are no part of its text."""

_REFERENCES: Final = 5  # of one inside the other; a recorded schema was written out so deep
_CLASSES: Final = 64
_TYPES: Final = 20_000
_UNREAD: Final = frozenset({"title", "additionalProperties", "$schema"})
_PYTHON: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "object": "dict",
    "null": "None",
}


def declaration(tool: Tool) -> tuple[str, int]:
    """A function's declaration without the special tokens, and how many strings they quote."""
    parts = [f"description:{tool.description}"] if tool.description else []
    strings = len(parts)
    if isinstance(tool.schema, Mapping):
        written, inside = _schema(tool.schema)
        parts.append(f"parameters:{{{written}}}")
        strings += inside
    return f"declaration:{tool.name}{{{','.join(parts)}}}", strings


def _schema(schema: Mapping[str, Any]) -> tuple[str, int]:
    parts: list[str] = []
    strings = 0
    for key, value in schema.items():
        if key in _UNREAD or value in ("", {}):
            continue
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            inner = [(name, *_inner(one)) for name, one in value.items()]
            written = ",".join(f"{name}:{text}" for name, text, _ in inner)
            parts.append(f"{key}:{{{written}}}")
            strings += sum(quoted for _, _, quoted in inner)
        else:
            text, quoted = _inner(value) if key == "items" else bare(value)
            parts.append(f"{key}:{text}")
            strings += quoted
    return ",".join(parts), strings


def _inner(schema: Any) -> tuple[str, int]:
    if not isinstance(schema, Mapping):
        return bare(schema)
    text, strings = _schema(schema)
    return f"{{{text}}}", strings


def bare(value: Any) -> tuple[str, int]:
    """A value as in JSON but without quotes, and how many strings would have them."""
    if isinstance(value, str):
        return value, 1
    if isinstance(value, Mapping):
        inner = [(key, *bare(item)) for key, item in value.items()]
        text = ",".join(f"{key}:{written}" for key, written, _ in inner)
        return f"{{{text}}}", sum(strings for _, _, strings in inner)
    if isinstance(value, (list, tuple)):
        items = [bare(item) for item in value]
        return f"[{','.join(text for text, _ in items)}]", sum(strings for _, strings in items)
    return jsontext(value), 0


def python_function(tool: Tool) -> str:
    """A function as Python: the classes of its nested objects, then its signature."""
    schema = _mapping(tool.schema)
    writer = _Python(schema)
    signature, described = writer.fields(schema, _camel(tool.name), 0)
    named = "".join(f"    {line},\n" for line in signature)
    function = (
        f"def {tool.name}(\n{named}) -> dict:\n"
        f'  """{tool.description}\n\n  Args:\n{described}  """\n'
    )
    return "".join(writer.classes()) + function


class _Python:
    """Writes the fields of a schema, and keeps the nested objects for later.

    A reference is written out where it stands, one that leads to itself some times over.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._defined = {**_mapping(root.get("definitions")), **_mapping(root.get("$defs"))}
        self._waiting: dict[str, tuple[Mapping[str, Any], int]] = {}
        self._types = _TYPES  # how many more are written out

    def classes(self) -> Iterator[str]:
        for number in count():
            left = list(islice(self._waiting.items(), number, number + 1))
            if not left:
                return
            name, (schema, references) = left[0]
            fields, described = self.fields(schema, name, references)
            lines = "".join(f"  {field}\n" for field in fields)
            text = schema.get("description") or ""
            yield (
                f"@dataclasses.dataclass(kw_only=True)\nclass {name}:\n"
                f'  """{text}\n\n  Attributes:\n{described}  """\n{lines}'
            )

    def fields(
        self, schema: Mapping[str, Any], path: str, references: int
    ) -> tuple[list[str], str]:
        """The fields as ``name: type``, and what describes them."""
        required = schema.get("required")
        required = required if isinstance(required, (list, tuple)) else ()
        fields: list[str] = []
        described: list[str] = []
        for name, value in _mapping(schema.get("properties")).items():
            kind = self._type(value, path + _camel(name), references)
            optional = "" if name in required else " | None = None"
            fields.append(f"{name}: {kind}{optional}")
            described.append(f"    {name}: {_mapping(value).get('description') or ''}\n")
        return fields, "".join(described)

    def _type(self, schema: Any, path: str, references: int) -> str:
        schema = _mapping(schema)
        self._types -= 1
        if self._types < 0:
            return "Any"
        if isinstance(reference := schema.get("$ref"), str):
            if references == _REFERENCES or len(self._waiting) > _CLASSES:
                return "Any"
            return self._type(self._defined.get(reference.rpartition("/")[2]), path, references + 1)
        for choice in ("anyOf", "oneOf"):
            if isinstance(choices := schema.get(choice), (list, tuple)):
                return " | ".join(self._type(one, path, references) for one in choices)
        if isinstance(values := schema.get("enum"), (list, tuple)):
            return f"Literal[{', '.join(map(repr, values))}]"
        kinds = schema.get("type")
        kinds = kinds if isinstance(kinds, (list, tuple)) else [kinds]
        kinds = [str(kind or "").lower() for kind in kinds]
        return " | ".join(self._of(kind, schema, path, references) for kind in kinds)

    def _of(self, kind: str, schema: Mapping[str, Any], path: str, references: int) -> str:
        if kind == "array":
            return f"list[{self._type(schema.get('items'), path, references)}]"
        if kind == "object" and schema.get("properties"):
            self._waiting.setdefault(path, (schema, references))
            return path
        return _PYTHON.get(kind, "Any")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _camel(name: Any) -> str:
    return "".join(word[:1].upper() + word[1:] for word in str(name).split("_"))


def leaves(value: Any) -> Iterator[str]:
    """The texts in a value, its keys and its numbers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif value is not None:
        yield "0"
