"""Reads the log that the gates write."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from garage.plates import normalise

FIELDS = ["time", "gate", "direction", "plate", "read"]
DIRECTIONS = ("in", "out")


class BadLine(ValueError):
    """A line of the log that cannot be understood."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"line {number}: {reason}")
        self.number = number


@dataclass(frozen=True)
class Event:
    """A car passes a gate."""

    time: datetime
    gate: str
    direction: str
    plate: str


def parse(lines: Iterable[str]) -> Iterator[Event]:
    """The events of a log in the order of its lines; bad reads are left out."""
    rows = csv.DictReader(lines)
    if rows.fieldnames != FIELDS:
        raise BadLine(1, f"expected the header {','.join(FIELDS)}")
    for number, row in enumerate(rows, start=2):
        if row["direction"] not in DIRECTIONS:
            raise BadLine(number, f"unknown direction {row['direction']!r}")
        if row["read"] == "bad":
            continue
        try:
            time = datetime.fromisoformat(row["time"])
            plate = normalise(row["plate"])
        except ValueError as error:
            raise BadLine(number, str(error)) from error
        yield Event(time, row["gate"], row["direction"], plate)


def load(path: Path) -> list[Event]:
    """All events of a file, oldest first."""
    with path.open(encoding="utf-8", newline="") as file:
        return sorted(parse(file), key=lambda event: event.time)
