"""Locks that a child process may find held by a thread that it does not have."""

from __future__ import annotations

import os
from threading import Lock
from typing import Any, Final
from weakref import WeakSet

_owners: Final[WeakSet[Any]] = WeakSet()


def unlocked_in_children(owner: Any) -> None:
    """Give ``owner._lock`` a new lock in every process that is forked from this one.

    What a lock guards here is a memo or something made once, and may be left half written:
    the child then counts again.
    """
    _owners.add(owner)


def _forked() -> None:
    for owner in list(_owners):
        owner._lock = Lock()


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_forked)
