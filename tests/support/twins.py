"""A framework's classes for tests: the real ones, or light twins where the package is absent."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class Package:
    """A module of a framework, by name, and its twin."""

    name: str
    twin: ModuleType

    def of(self, kind: str) -> Any:
        """The module with the classes: the ``twin`` or the ``real`` one."""
        return self.twin if kind == "twin" else import_module(self.name)

    @contextmanager
    def installed(self, kind: str) -> Generator[Any]:
        """The module under its own name, as it is where its objects are given."""
        before = sys.modules.get(self.name)
        if kind == "twin":
            sys.modules[self.name] = self.twin
        try:
            yield self.of(kind)
        finally:
            if before is not None:
                sys.modules[self.name] = before
            elif kind == "twin":
                del sys.modules[self.name]
