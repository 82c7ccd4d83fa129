"""Cars inside, hour by hour."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from garage.gatelog import Event


@dataclass(frozen=True)
class Sample:
    """How many cars are inside at a moment."""

    time: datetime
    cars: int


def of_day(events: Sequence[Event], day: date, step: int = 60) -> list[Sample]:
    """Cars inside at the end of every `step` minutes of a day."""
    start = datetime.combine(day, time.min)
    end = start + timedelta(days=1)
    today = [event for event in events if start <= event.time < end]
    samples: list[Sample] = []
    moment = start
    while moment < end:
        moment += timedelta(minutes=step)
        samples.append(Sample(moment, inside(today, moment)))
    return samples


def inside(events: Sequence[Event], moment: datetime) -> int:
    """Entries minus exits up to a moment."""
    cars = 0
    for event in events:
        if event.time <= moment:
            cars += 1 if event.direction == "in" else -1
    return cars


def peak(samples: Sequence[Sample]) -> Sample:
    """The first sample with the most cars."""
    if not samples:
        raise ValueError("no samples")
    return max(samples, key=lambda sample: sample.cars)
