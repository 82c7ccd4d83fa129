"""What a forked child must not share with its parent: locks, files, connections."""

from __future__ import annotations

import os
from typing import Any, Final
from weakref import WeakSet

_stores: Final[WeakSet[Any]] = WeakSet()


def renewed_in_children(store: Any) -> None:
    """Have ``store.forked()`` called in every process that is forked from this one."""
    _stores.add(store)


def _forked() -> None:
    for store in list(_stores):
        store.forked()


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forked)
