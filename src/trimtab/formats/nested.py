"""The texts within plain data: a result that is JSON is shortened text by text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_DEPTH: Final = 32


def nested_texts(value: Any, depth: int = _DEPTH) -> list[str]:
    """All texts in plain data, in order; those nested very deep are left alone."""
    if isinstance(value, str):
        return [value]
    return [text for item in _values(value, depth) for text in nested_texts(item, depth - 1)]


def with_nested_texts(value: Any, texts: Sequence[str]) -> Any:
    """The data with its texts replaced; what holds no replaced text stays the same object."""
    return _replaced(value, iter(texts), _DEPTH)


def _replaced(value: Any, texts: Iterator[str], depth: int) -> Any:
    if isinstance(value, str):
        text = next(texts)
        return value if text == value else text
    old = _values(value, depth)
    new = [_replaced(item, texts, depth - 1) for item in old]
    if all(one is two for one, two in zip(old, new, strict=True)):
        return value
    return dict(zip(value, new, strict=True)) if isinstance(value, Mapping) else new


def _values(value: Any, depth: int) -> list[Any]:
    if not depth:
        return []
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else []
