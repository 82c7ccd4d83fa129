"""Calls that the provider runs: answered in the assistant's own turn, and behind themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

_Told = tuple[int, str, Any]
"""Where it stands; whether it is a ``call``, an ``answer``, or what a ``person`` says; its id."""


def unserved(told: Iterable[_Told]) -> Iterator[tuple[int, str]]:
    """What breaks the rule; calls that wait at the very end are let through."""
    waiting: dict[Any, int] = {}
    for at, kind, id in told:
        if kind == "call":
            waiting[id] = at
        elif kind == "answer":
            if waiting.pop(id, None) is None:
                yield at, "an answer of the provider without its call before it"
        else:
            for place in waiting.values():
                yield place, "a call that the provider did not answer"
            waiting.clear()
