import unittest
from datetime import datetime, timedelta

from garage.tariff import Tariff, price

TARIFF = Tariff(free_minutes=15, per_hour=240, day_cap=1750)
NOON = datetime(2026, 3, 2, 12)


class Price(unittest.TestCase):
    def check(self, cents: int, **length: int) -> None:
        self.assertEqual(price(TARIFF, NOON, NOON + timedelta(**length)), cents)

    def test_free_minutes(self) -> None:
        self.check(0, minutes=15)

    def test_started_hours(self) -> None:
        self.check(240, minutes=16)
        self.check(240, minutes=60)
        self.check(480, minutes=61)

    def test_day_cap(self) -> None:
        self.check(1680, hours=7)
        self.check(1750, hours=8)
        self.check(1750, hours=24)

    def test_exit_before_entry(self) -> None:
        with self.assertRaises(ValueError):
            price(TARIFF, NOON, NOON - timedelta(seconds=1))
