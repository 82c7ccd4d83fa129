"""Values as the JSON text that a provider would see, for counting only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def jsontext(value: Any) -> str:
    """Compact JSON of a value; of an object, of its fields.

    The text is only ever counted; nothing that is returned to the caller passes
    through here. It is the same in every process.
    """
    try:
        return json.dumps(  # noqa: TID251 - the text is only counted
            value, ensure_ascii=False, separators=(",", ":"), default=fields_of
        )
    except (TypeError, ValueError, RecursionError):
        return ",".join(_leaves(value))


def fields_of(value: Any) -> Any:
    """The fields of an object that JSON does not know, or the name of its type."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_none=True)
    fields = getattr(value, "__dict__", None)
    return fields if isinstance(fields, dict) else type(value).__name__


def _leaves(value: Any) -> Iterator[str]:
    """The texts of a value that JSON cannot write: too deep, circular, or with odd keys."""
    todo: list[Any] = [value]
    seen: set[int] = set()
    while todo:
        item = todo.pop()
        if isinstance(item, (Mapping, list, tuple)):
            if id(item) in seen:
                continue
            seen.add(id(item))
            todo += [*item, *item.values()] if isinstance(item, Mapping) else item
            yield "[]"
        else:
            yield _leaf(item)


def _leaf(item: Any) -> str:
    if isinstance(item, int):
        return f"{item:x}"  # unlike decimal digits, there may be any number of them
    return str(item) if isinstance(item, (str, float)) else type(item).__name__
