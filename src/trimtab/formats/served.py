"""Calls that the provider runs by itself, and their answers in the assistant's own turn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Served(NamedTuple):
    """Ids of the calls and of the answers in one message."""

    calls: tuple[str, ...]
    answers: tuple[str, ...]


def served(found: Iterable[tuple[bool, str]]) -> Served:
    """The pairs of one message, from what it holds in order: (whether it is a call, its id).

    An answer that stands before its call in the message belongs to none: it gets a name that
    no call has.
    """
    order = list(found)
    behind = {id for called, id in order if called}
    answers: list[str] = []
    for called, id in order:
        if called:
            behind.discard(id)
        else:
            answers.append(f"{id} (before its call)" if id in behind else id)
    return Served(tuple(id for called, id in order if called), tuple(answers))
