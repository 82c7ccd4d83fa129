"""Faults of a history, and a history without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .faults import Fault
from .formats.base import Format, Message
from .formats.registry import detect, format_named
from .mending import mend
from .outcome import Repair
from .setup import as_list
from .units import Grouper


@dataclass(frozen=True, slots=True)
class Repaired:
    """A mended history and what was done to it, in the order of the input."""

    messages: list[Message]
    repairs: list[Repair]


def check(messages: Sequence[Message], *, format: str | Format | None = None) -> list[Fault]:
    """The faults of a history by its format's rules, oldest first; empty when it is sound.

    Calls that wait for their results at the very end are sound. Codes are listed in
    ``docs/faults.md``. Raises `UnknownFormat` and `InvalidOptions`. O(messages).
    """
    source = as_list(messages)
    return faults_of(source, _format(source, format))


def repair(messages: Sequence[Message], *, format: str | Format | None = None) -> Repaired:
    """A copy of the history in which every fault is mended, and what was done.

    A sound history comes back with the same objects. Results move up behind their
    calls, orphans and second results go (alone, the words beside them stay), and a call
    that was never answered gets a result that says it was interrupted. Raises
    `InvalidHistory` for a fault that cannot be mended, `UnknownFormat`,
    `InvalidOptions`. O(messages).
    """
    source = as_list(messages)
    shape = _format(source, format)
    if not faults_of(source, shape):
        return Repaired(source, [])
    origin, mended = mend(source, shape)
    if left := faults_of(mended, shape):
        raise left[0].error()
    return Repaired(mended, origin.repairs)


def faults_of(messages: Sequence[Message], format: Format) -> list[Fault]:
    """The faults of messages in a known format."""
    grouper = Grouper(format)
    for index, message in enumerate(messages):
        grouper.step(index, format.read(message))
    return grouper.faults


def _format(messages: Sequence[Message], name: str | Format | None) -> Format:
    return format_named(name) if name is not None else detect(messages)
