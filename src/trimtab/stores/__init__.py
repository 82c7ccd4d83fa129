"""Where summaries are kept: in memory, in a SQLite file, in PostgreSQL, in Redis or Valkey.

All four behave alike (`Store` is the contract) and may be shared by threads and forked
processes, all but `MemoryStore` by separate processes and the last two by machines. No
driver is imported before a store that needs it is made. `default_store` is a SQLite file of
the user's own.
"""

from typing import TYPE_CHECKING

from ..lazy import loader

if TYPE_CHECKING:
    from .base import Record, Store
    from .default import default_store
    from .memory import MemoryStore
    from .postgres import PostgresStore
    from .redis import RedisStore
    from .sqlite import SQLiteStore

__all__ = [
    "MemoryStore",
    "PostgresStore",
    "Record",
    "RedisStore",
    "SQLiteStore",
    "Store",
    "default_store",
]

__getattr__ = loader(
    __name__,
    {
        "base": ("Record", "Store"),
        "default": ("default_store",),
        "memory": ("MemoryStore",),
        "postgres": ("PostgresStore",),
        "redis": ("RedisStore",),
        "sqlite": ("SQLiteStore",),
    },
)
