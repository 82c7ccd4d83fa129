import unittest
from datetime import datetime, timedelta

from garage.gatelog import Event
from garage.stays import Stay, pair

EIGHT = datetime(2026, 3, 2, 8)


def event(direction: str, minutes: float, plate: str = "A1") -> Event:
    return Event(EIGHT + timedelta(minutes=minutes), "north", direction, plate)


class Pair(unittest.TestCase):
    def test_a_stay(self) -> None:
        pairing = pair([event("in", 0), event("out", 90)])
        self.assertEqual(pairing.stays, [Stay("A1", EIGHT, EIGHT + timedelta(minutes=90))])
        self.assertEqual(pairing.stays[0].length, timedelta(minutes=90))

    def test_two_cars(self) -> None:
        first = [event("in", 0), event("in", 5, "B2")]
        stays = pair([*first, event("out", 7, "B2"), event("out", 9)]).stays
        self.assertEqual([stay.plate for stay in stays], ["B2", "A1"])

    def test_still_inside(self) -> None:
        entry = event("in", 0)
        self.assertEqual(pair([entry]).inside, [entry])

    def test_stray_exit(self) -> None:
        stray = event("out", 0)
        self.assertEqual(pair([stray]).strays, [stray])

    def test_two_visits(self) -> None:
        events = [event("in", 0), event("out", 10), event("in", 60), event("out", 80)]
        minutes = [stay.length.total_seconds() / 60 for stay in pair(events).stays]
        self.assertEqual(minutes, [10, 20])
