"""Drivers, which are imported when a store is made that needs them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ..errors import StoreError


def driver(module: str, extra: str) -> ModuleType:
    """The module, or a `StoreError` that says what to install."""
    try:
        return import_module(module)
    except ImportError as error:
        raise StoreError(f"{module} cannot be imported: pip install 'trimtab[{extra}]'") from error
