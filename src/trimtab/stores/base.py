"""What a store is."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self


@dataclass(frozen=True, slots=True)
class Record:
    """A value that was put under a key.

    ``created`` and ``expires`` are seconds since the epoch by the store's clock; from
    ``expires`` on the record is as good as gone, None means that it stays.
    """

    key: str
    value: str
    created: float
    expires: float | None = None


class Store(Protocol):
    """Text by key, of which the first that is put stays.

    Keys, values and holders are any text, NUL and lone surrogates included. A key or holder
    has 1 to 1,000 bytes in UTF-8. Every method raises `StoreError` where the store fails,
    never with a value or a password in its text, and `InvalidOptions` for arguments that
    make no sense. Nothing is tried again.
    """

    def get(self, key: str) -> Record | None:
        """The record under the key, None where there is none or it has expired."""
        ...

    def put(self, key: str, value: str) -> Record:
        """Put the value unless the key has one, and return the record that is now there.

        Of any number of callers in any number of processes the first wins, and all get
        the winner's record. When this returns, the record is as safe as the store makes it.
        """
        ...

    def claim(self, key: str, holder: str, seconds: float) -> bool:
        """Ask to be the one who makes the value of the key; True means: make it.

        False where the key has a record or is claimed by another holder. A claim ends by
        `release` or after ``seconds``; its holder may claim again to have it longer.
        A claim keeps nobody from putting.
        """
        ...

    def release(self, key: str, holder: str) -> bool:
        """End the holder's claim; False if it was not, or no longer, the holder's."""
        ...

    def scan(self, *, older_than: float = 0, limit: int = 100) -> list[Record]:
        """At most ``limit`` records, oldest first, that are more than so many seconds old.

        With ``older_than=0`` those of this very moment too. Equally old ones come in the
        order of their keys; expired ones are left out.
        """
        ...

    def prune(
        self,
        *,
        max_age: float | None = None,
        max_records: int | None = None,
        max_bytes: int | None = None,
    ) -> int:
        """Remove what has expired, then the oldest until the limits hold; how many went.

        ``max_age`` is in seconds, ``max_bytes`` counts keys and values in UTF-8. A limit that
        is not given is the store's own, if it has one.
        """
        ...

    def close(self) -> None:
        """Let go of files and connections. Any later call but this one raises `StoreError`."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
