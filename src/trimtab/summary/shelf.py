"""A store that never fails: what it cannot do is done in memory, and said."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from uuid import uuid4

from ..errors import InvalidOptions, StoreError
from ..stores.base import Store
from ..stores.memory import MemoryStore

Value = TypeVar("Value")

_REMEMBERED = 4_096  # records


class Shelf:
    """Texts by key, of which the first that is put stays.

    What was read or put once is remembered, since a record never changes; so a conversation
    goes on as it was when its store fails. ``trouble`` is called with a sentence then.
    """

    def __init__(self, store: Store | None) -> None:
        self._given = store
        self._memory = MemoryStore(max_records=_REMEMBERED)

    def __reduce__(self) -> tuple[object, ...]:
        return Shelf, (self._given,)

    def get(self, key: str, trouble: Callable[[str], None]) -> str | None:
        """The text under the key, None where there is none."""
        record = self._memory.get(key)
        if record is not None:
            return record.value
        found = self._tried(lambda store: store.get(key), None, trouble)
        return None if found is None else self._memory.put(key, found.value).value

    def put(self, key: str, text: str, trouble: Callable[[str], None]) -> str:
        """Put a text unless there is one; returns the one that is there now."""
        record = self._tried(lambda store: store.put(key, text), None, trouble)
        return self._memory.put(key, text if record is None else record.value).value

    def first(self, key: str) -> bool:
        """Whether this is the first call for the key, in this process."""
        own = uuid4().hex
        return self._memory.put(f"first:{key}", own).value == own

    def claim(self, key: str, holder: str, seconds: float, trouble: Callable[[str], None]) -> bool:
        """Ask to be the one who makes the text; see `Store.claim`."""
        if not self._memory.claim(key, holder, seconds):
            return False
        granted = self._tried(lambda store: store.claim(key, holder, seconds), True, trouble)
        if not granted:
            self._memory.release(key, holder)
        return granted

    def release(self, key: str, holder: str, trouble: Callable[[str], None]) -> None:
        """End a claim."""
        self._tried(lambda store: store.release(key, holder), False, trouble)
        self._memory.release(key, holder)

    def _tried(
        self, act: Callable[[Store], Value], otherwise: Value, trouble: Callable[[str], None]
    ) -> Value:
        try:
            return act(self._store())
        except InvalidOptions:
            raise
        except Exception as error:  # noqa: BLE001 - a store of the caller's may raise anything
            reason = error if isinstance(error, StoreError) else type(error).__name__
            trouble(f"the store of summaries failed, memory stands in for it: {reason}")
            return otherwise

    def _store(self) -> Store:
        if self._given is not None:
            return self._given
        from ..stores.default import default_store

        return default_store()
