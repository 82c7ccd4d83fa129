"""Framings by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Final

from .base import Framing
from .chatml import ChatML
from .claude import Claude

_FRAMINGS: Final[dict[str, Callable[[str], Framing]]] = {
    "chatml": ChatML,
    "claude": Claude,
}


@cache
def framing_named(name: str, images: str) -> Framing:
    """The framing of a name, with a rule for the price of images."""
    return _FRAMINGS[name](images)
