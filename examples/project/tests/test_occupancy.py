import unittest
from datetime import date, datetime, timedelta

from garage.gatelog import Event
from garage.occupancy import Sample, of_day, peak

DAY = date(2026, 3, 2)
MIDNIGHT = datetime(2026, 3, 2)


def event(direction: str, hours: float, plate: str = "A1") -> Event:
    return Event(MIDNIGHT + timedelta(hours=hours), "north", direction, plate)


class OfDay(unittest.TestCase):
    def test_a_row_an_hour(self) -> None:
        samples = of_day([], DAY)
        self.assertEqual(len(samples), 24)
        self.assertEqual(samples[0].time, MIDNIGHT + timedelta(hours=1))

    def test_in_and_out(self) -> None:
        cars = [sample.cars for sample in of_day([event("in", 8.5), event("out", 10.5)], DAY)]
        self.assertEqual(cars[7:12], [0, 1, 1, 0, 0])

    def test_finer_steps(self) -> None:
        self.assertEqual(len(of_day([], DAY, step=15)), 96)


class Peak(unittest.TestCase):
    def test_the_first_of_the_highest(self) -> None:
        samples = [Sample(MIDNIGHT + timedelta(hours=h), c) for h, c in [(1, 2), (2, 5), (3, 5)]]
        self.assertEqual(peak(samples).time.hour, 2)

    def test_nothing(self) -> None:
        with self.assertRaises(ValueError):
            peak([])
