"""Reading and copying messages of any type: mappings, and objects of an SDK."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from copy import copy
from dataclasses import is_dataclass, replace
from typing import Any

from ..errors import InvalidOptions
from .base import Message


def getter(message: Message) -> Callable[[str], Any]:
    """A function that reads a field of a mapping or an SDK object, None where it is missing."""
    if isinstance(message, Mapping):
        return message.get
    return lambda name: getattr(message, name, None)


def shallow(message: Message, **fields: Any) -> Message:
    """A shallow copy in which only ``fields`` differ, of the same type as the original.

    Mappings are copied as such (read-only ones become dicts), pydantic models through
    ``model_copy``, other objects through ``copy.copy``. Raises `InvalidOptions` for an
    object that cannot be copied.
    """
    if type(message) is dict or (
        isinstance(message, Mapping) and not isinstance(message, MutableMapping)
    ):
        return {**message, **fields}
    model_copy = getattr(message, "model_copy", None)
    if callable(model_copy):
        return model_copy(update=fields)
    try:
        if is_dataclass(message) and not isinstance(message, type):
            return replace(message, **fields)
        twin = copy(message)
        if isinstance(twin, MutableMapping):
            twin.update(fields)
            return twin
        for name, value in fields.items():
            setattr(twin, name, value)
    except (AttributeError, TypeError) as error:
        kind = type(message).__name__
        raise InvalidOptions(f"a message of type {kind} cannot be changed: {error}") from error
    return twin
