"""Reading a field of a mapping or an object, for the second opinions only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def field(value: Any, name: str) -> Any:
    """The field, or None."""
    if isinstance(value, Mapping):
        return value.get(name)
    return getattr(value, name, None)


def word(value: Any, name: str) -> str:
    """The field if it is a text, else an empty one."""
    found = field(value, name)
    return found if isinstance(found, str) else ""
