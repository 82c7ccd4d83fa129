"""Pairs entries and exits."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from garage.gatelog import Event


@dataclass(frozen=True)
class Stay:
    """One visit of one car."""

    plate: str
    entry: datetime
    exit: datetime

    @property
    def length(self) -> timedelta:
        return self.exit - self.entry


@dataclass(frozen=True)
class Pairing:
    """Visits that have ended, cars still inside, and exits nobody entered for."""

    stays: list[Stay]
    inside: list[Event]
    strays: list[Event]


def pair(events: Iterable[Event]) -> Pairing:
    """Match every exit with an entry of the same plate. Events come oldest first."""
    waiting: dict[str, list[Event]] = defaultdict(list)
    stays: list[Stay] = []
    strays: list[Event] = []
    for event in events:
        if event.direction == "in":
            waiting[event.plate].append(event)
        elif waiting[event.plate]:
            entry = waiting[event.plate].pop(0)
            stays.append(Stay(event.plate, entry.time, event.time))
        else:
            strays.append(event)
    inside = [event for entries in waiting.values() for event in entries]
    return Pairing(stays, sorted(inside, key=lambda event: event.time), strays)
