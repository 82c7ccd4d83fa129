"""How each kind of store is made for a test."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from trimtab.stores import MemoryStore, PostgresStore, RedisStore, SQLiteStore

EMBEDDED = ("memory", "sqlite")
SHARED = ("sqlite", "postgres", "redis")
KINDS = ("memory", *SHARED)
NUMBERS = count()


def services():
    """tools/services.py, which is no package."""
    path = Path(__file__).parents[2] / "tools" / "services.py"
    spec = importlib.util.spec_from_file_location("trimtab_services", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass
class Place:
    """Where a store is; all stores that are made of one place share their records."""

    kind: str
    address: str = ""
    namespace: str = ""

    def emptied(self) -> Place:
        """This place, or another of the same kind, without anything in it."""
        number = next(NUMBERS)
        match self.kind:
            case "sqlite":
                return replace(self, address=f"{self.address}.{number}")
            case "redis":
                return replace(self, namespace=f"{self.namespace}.{number}")
            case "postgres":
                import psycopg

                with self.store() as store, psycopg.connect(self.address) as connection:
                    store.get("makes the tables")
                    connection.execute("TRUNCATE trimtab_records, trimtab_claims")
        return self

    def store(self, **options):
        match self.kind:
            case "memory":
                return MemoryStore(**options)
            case "sqlite":
                return SQLiteStore(self.address, **options)
            case "postgres":
                return PostgresStore(self.address, **options)
            case "redis":
                return RedisStore(self.address, namespace=self.namespace, **options)
