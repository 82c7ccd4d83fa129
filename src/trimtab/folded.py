"""A history that was folded, as those read it who work at its cuts."""

from __future__ import annotations

from typing import Protocol

from .core.fold import Fold
from .core.lead import Leads
from .formats.base import Facts, Message
from .setup import Setup


class Folded(Protocol):
    """What `trimtab.transcript.Transcript` tells of itself."""

    setup: Setup
    messages: list[Message]
    starts: list[int]
    held: list[bool]
    batch: set[int]
    leads: Leads
    fold: Fold | None
    recaps: dict[int, str]

    @property
    def cuts(self) -> int: ...

    def span(self, unit: int) -> range: ...

    def unit_of(self, index: int) -> int: ...

    def facts(self, index: int) -> Facts: ...

    def shown(self, index: int, cuts: int = 0) -> Message: ...

    def cost(self, index: int, cuts: int = 0) -> int: ...
