import unittest
from datetime import datetime

from garage.gatelog import BadLine, Event, parse

HEADER = "time,gate,direction,plate,read"


class Parse(unittest.TestCase):
    def test_one_event(self) -> None:
        events = list(parse([HEADER, "2026-03-01T08:00:00,north,in,HL A 1,ok"]))
        self.assertEqual(events, [Event(datetime(2026, 3, 1, 8), "north", "in", "HLA1")])

    def test_bad_reads_are_left_out(self) -> None:
        self.assertEqual(list(parse([HEADER, "2026-03-01T08:00:00,north,in,0I7,bad"])), [])

    def test_wrong_header(self) -> None:
        with self.assertRaises(BadLine):
            list(parse(["when,where", "2026-03-01T08:00:00,north"]))

    def test_the_line_number_is_told(self) -> None:
        lines = [HEADER, "2026-03-01T08:00:00,north,in,HL A 1,ok", "yesterday,north,in,HL A 1,ok"]
        with self.assertRaises(BadLine) as caught:
            list(parse(lines))
        self.assertEqual(caught.exception.number, 3)

    def test_unknown_direction(self) -> None:
        with self.assertRaises(BadLine):
            list(parse([HEADER, "2026-03-01T08:00:00,north,up,HL A 1,ok"]))
