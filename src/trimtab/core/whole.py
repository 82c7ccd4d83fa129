"""One rule for every number of tokens that a caller hands in."""

from __future__ import annotations

import operator

from ..errors import InvalidOptions


def whole(value: object, name: str, *, negative: bool = False) -> int:
    """Return ``value`` as an int, or raise `InvalidOptions` that names it.

    Accepts ints and what behaves like one (``__index__``); refuses bools, floats,
    NaN, strings, and, unless ``negative`` is set, numbers below zero.
    """
    if isinstance(value, bool):
        raise InvalidOptions(f"{name} must be a whole number, not {value!r}")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        kind = type(value).__name__
        raise InvalidOptions(f"{name} must be a whole number, not of type {kind}") from None
    if number < 0 and not negative:
        raise InvalidOptions(f"{name} must not be negative: {number}")
    return number
