"""Numbered steps from an empty database to the tables that this version uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from ..errors import StoreError

Steps = Sequence[Sequence[LiteralString]]
"""For each version, from 1 on, its statements."""


def missing(
    steps: Steps, version: int | None, where: str
) -> Sequence[tuple[int, Sequence[LiteralString]]]:
    """The versions that a database at ``version`` lacks, with their statements."""
    have = version or 0
    if have > len(steps):
        raise StoreError(f"{where} is of version {have}, this Trimtab knows {len(steps)} at most")
    return list(enumerate(steps, 1))[have:]
