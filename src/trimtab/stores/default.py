"""The store of whoever names none: a SQLite file of the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from ..errors import StoreError
from .backend import PRUNE_EVERY
from .sqlite import SQLiteStore

VARIABLE: Final = "TRIMTAB_STORE"
TTL: Final = 30 * 86_400  # seconds
MAX_BYTES: Final = 100_000_000

_stores: Final[dict[str, SQLiteStore]] = {}


def default_store() -> SQLiteStore:
    """The store that is used where none is given: one for each process and path.

    The file that ``TRIMTAB_STORE`` names, else ``trimtab/summaries.db`` in the user's
    state directory (``XDG_STATE_HOME``, by default ``~/.local/state``; ``LOCALAPPDATA`` on
    Windows). A missing directory is made, for its owner alone. Records stay 30 days; the
    oldest go where they are more than 100 MB, looked for at a process's first put
    and then every 64. Raises `StoreError` where there is no such place.
    """
    path = _path()
    store = _stores.get(str(path))
    if store is not None and store.closed:
        _stores.pop(str(path), None)
        store = None
    return store or _stores.setdefault(str(path), _made(path))


def _made(path: Path) -> SQLiteStore:
    store = SQLiteStore(path, ttl=TTL, max_bytes=MAX_BYTES)
    store.puts = PRUNE_EVERY - 1  # many short processes would never get to prune
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise StoreError(f"the default store {str(path)!r} cannot be made: {reason}") from None
    return store


def _path() -> Path:
    given = os.environ.get(VARIABLE)
    if given and "://" in given:
        raise StoreError(f"{VARIABLE} must be the path of a file")
    try:
        path = Path(given).expanduser() if given else _state() / "trimtab" / "summaries.db"
        return path.absolute()
    except (RuntimeError, OSError) as error:  # no home, or no working directory any more
        raise StoreError(f"there is no place for the default store: {error}") from None


def _state() -> Path:
    named = Path(os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", ""))
    return named if named.is_absolute() else Path.home() / ".local" / "state"
