"""Frameworks whose own objects a format makes; they are imported only where one is made."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ..errors import InvalidOptions


def package(name: str) -> ModuleType:
    """A module of a framework; raises `InvalidOptions` where it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise InvalidOptions(f"new messages of this format need {name}: {error}") from error
