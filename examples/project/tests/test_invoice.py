import unittest
from datetime import datetime, timedelta

from garage.accounts import Account
from garage.invoice import build
from garage.stays import Stay
from garage.tariff import Tariff

TARIFF = Tariff(free_minutes=15, per_hour=240, day_cap=1750)


def account(discount: int = 0, payers: tuple[str, ...] = ()) -> Account:
    return Account("A-1", "Test", frozenset({"A1"}), discount, payers)


def stay(day: int, hours: int, plate: str = "A1") -> Stay:
    entry = datetime(2026, 3, day, 9)
    return Stay(plate, entry, entry + timedelta(hours=hours))


class Build(unittest.TestCase):
    def test_only_own_plates(self) -> None:
        invoice = build(account(), [stay(2, 1), stay(3, 1, "B2")], TARIFF, "2026-03")
        self.assertEqual(len(invoice.lines), 1)

    def test_only_that_month(self) -> None:
        self.assertEqual(build(account(), [stay(2, 1)], TARIFF, "2026-04").lines, ())

    def test_discount(self) -> None:
        invoice = build(account(discount=15), [stay(2, 3), stay(3, 2)], TARIFF, "2026-03")
        self.assertEqual((invoice.subtotal, invoice.discount, invoice.total), (1200, 180, 1020))

    def test_not_a_month(self) -> None:
        with self.assertRaises(ValueError):
            build(account(), [], TARIFF, "2026-13")


class Parts(unittest.TestCase):
    def test_one_payer_needs_no_parts(self) -> None:
        self.assertEqual(build(account(), [stay(2, 1)], TARIFF, "2026-03").parts, {})

    def test_two_payers(self) -> None:
        invoice = build(account(payers=("Deck", "Engine")), [stay(2, 3)], TARIFF, "2026-03")
        self.assertEqual(invoice.parts, {"Deck": 360, "Engine": 360})
