"""The price of one stay."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from garage import money


@dataclass(frozen=True)
class Tariff:
    """Prices in cents."""

    free_minutes: int
    per_hour: int
    day_cap: int


def load(path: Path) -> Tariff:
    """The tariff in a JSON file, where amounts are text such as "2.40"."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Tariff(
        free_minutes=data["free_minutes"],
        per_hour=money.parse(data["per_hour"]),
        day_cap=money.parse(data["day_cap"]),
    )


def started(length: timedelta, unit: timedelta) -> int:
    """How many units have at least begun."""
    return -(-length // unit)


def price(tariff: Tariff, entry: datetime, exit: datetime) -> int:
    """Cents for a stay from `entry` to `exit`."""
    length = exit - entry
    if length < timedelta(0):
        raise ValueError("exit before entry")
    if length <= timedelta(minutes=tariff.free_minutes):
        return 0
    hours = started(length, timedelta(hours=1))
    return min(hours * tariff.per_hour, tariff.day_cap)
