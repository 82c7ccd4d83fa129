"""Checks of what callers give to a store."""

from __future__ import annotations

from math import isfinite
from typing import Final

from ..errors import InvalidOptions, StoreError

LONGEST: Final = 1000
"""Bytes of a key: below what PostgreSQL can index (2,704)."""

_HUGE: Final = 2**62  # more than any store can hold, less than its integers


def encoded(value: object, name: str) -> bytes:
    """Text as bytes; lone surrogates are kept, for which UTF-8 proper has no place."""
    if not isinstance(value, str):
        raise InvalidOptions(f"{name} must be text, not {type(value).__name__}")
    return value.encode("utf-8", "surrogatepass")


def label(value: object, name: str) -> bytes:
    """A key or a holder as bytes."""
    made = encoded(value, name)
    if not 1 <= len(made) <= LONGEST:
        raise InvalidOptions(f"{name} must have 1 to {LONGEST} bytes, not {len(made)}")
    return made


def decoded(value: object) -> str:
    """The text that `encoded` took, read back from a store."""
    if not isinstance(value, bytes):
        raise StoreError(f"the store holds a {type(value).__name__} where text was put")
    try:
        return value.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        pass  # whose text shows the value
    raise StoreError("the store holds bytes that are no text")


def span(value: object, name: str, *, zero: bool = False) -> float:
    """Seconds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise InvalidOptions(f"{name} must be a number of seconds")
    if value < 0 or (value == 0 and not zero):
        raise InvalidOptions(f"{name} must be {'at least' if zero else 'more than'} 0 seconds")
    return float(value)


def amount(value: object, name: str) -> int:
    """A number of records or bytes."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidOptions(f"{name} must be a whole number of at least 0")
    return min(value, _HUGE)
