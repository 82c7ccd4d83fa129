"""A new command: the usual week."""

from recorder.script import Human, Step, create, do, edit, read, say, shell, tests

WEEK_TEST = """\
import unittest
from datetime import date, datetime, timedelta

from garage.gatelog import Event
from garage.week import usual

MONDAY = datetime(2026, 3, 2)


def event(direction: str, hours: float, plate: str = "A1") -> Event:
    return Event(MONDAY + timedelta(hours=hours), "north", direction, plate)


class Usual(unittest.TestCase):
    def test_seven_days_of_hours(self) -> None:
        table = usual([], date(2026, 3, 2), date(2026, 3, 8))
        self.assertEqual([len(hours) for hours in table], [24] * 7)

    def test_the_average_of_two_mondays(self) -> None:
        events = [event("in", 8.5), event("out", 9.5), event("in", 7 * 24 + 30, "B2")]
        table = usual(events, date(2026, 3, 2), date(2026, 3, 15))
        self.assertEqual(table[0][8:10], [0.5, 0.0])

    def test_five_sundays(self) -> None:
        events = [event("in", -24), event("in", 6 * 24 + 8), event("out", 6 * 24 + 10)]
        table = usual(events, date(2026, 3, 1), date(2026, 3, 31))
        self.assertEqual(table[6][8], 1 + 1 / 5)

    def test_a_weekday_that_does_not_occur(self) -> None:
        self.assertEqual(usual([], date(2026, 3, 2), date(2026, 3, 3))[6], [0.0] * 24)
"""
WEEK = '''\
"""The usual week: average cars inside, by weekday and hour."""

from collections.abc import Sequence
from datetime import date, timedelta

from garage.gatelog import Event
from garage.occupancy import of_day


def usual(events: Sequence[Event], first: date, last: date) -> list[list[float]]:
    """Seven rows, Monday first, of 24 averages at the end of each hour, over the days given."""
    days = (last - first).days + 1
    sums = [[0] * 24 for _ in range(7)]
    for number in range(days):
        day = first + timedelta(days=number)
        for hour, sample in enumerate(of_day(events, day)):
            sums[day.weekday()][hour] += sample.cars
    return [[cars / (days / 7) for cars in row] for row in sums]
'''
COUNTED = """\
    counted = [0] * 7
    for number in range(days):
        day = first + timedelta(days=number)
        counted[day.weekday()] += 1
"""
TEXT = '''\
def week_text(table: Sequence[Sequence[float]]) -> str:
    """A row for every hour, a column for every weekday."""
    rows = ["       " + "".join(f"{day:>6}" for day in calendar.day_abbr)]
    for hour, cars in enumerate(zip(*table, strict=True), start=1):
        rows.append(f"{hour % 24:02d}:00  " + "".join(f"{average:>6.1f}" for average in cars))
    return "\\n".join(rows)
'''

STEPS: list[Step] = [
    Human(
        "Now that the numbers can be trusted I would like to use them. The cleaning machine needs "
        "the park nearly empty for an hour. Which hour of which weekday is usually the emptiest? "
        "A table of averages for a month would be ideal, weekdays across, hours down, as a "
        "command."
    ),
    do("Where would a table go?", read("garage/report.py"), read("garage/__main__.py")),
    do(
        "Like the others: numbers in a module of their own, text in `report`. I'll call it "
        "`week`. Not every weekday is equally frequent in a month, so one test has five Sundays.",
        create("tests/test_week.py", WEEK_TEST),
    ),
    do("", create("garage/week.py", WEEK)),
    do("", tests("tests.test_week")),
    do(
        "The test I put in for that caught me: March has 31 days, so `days / 7` is 4.43 and not "
        "five. The days have to be counted for each weekday.",
        edit(
            "garage/week.py",
            "    for number in range(days):\n        day = first + timedelta(days=number)\n",
            COUNTED,
        ),
        edit(
            "garage/week.py",
            "    return [[cars / (days / 7) for cars in row] for row in sums]\n",
            "    pairs = zip(sums, counted, strict=True)\n"
            "    return [[cars / max(times, 1) for cars in row] for row, times in pairs]\n",
        ),
    ),
    do("", tests("tests.test_week")),
    do(
        "Now the text and the command.",
        edit("garage/report.py", "def inside_text", TEXT + "\n\ndef inside_text"),
        edit(
            "garage/report.py",
            "from collections.abc import Sequence\n",
            "import calendar\nfrom collections.abc import Sequence\n",
        ),
    ),
    do(
        "",
        edit(
            "garage/__main__.py",
            '    commands.add_parser("open",',
            '    usual = commands.add_parser("week", help="average cars by weekday and hour")\n'
            '    usual.add_argument("first", type=date.fromisoformat, help="such as 2026-03-01")\n'
            '    usual.add_argument("last", type=date.fromisoformat, help="such as 2026-03-31")\n'
            '    commands.add_parser("open",',
        ),
        edit(
            "garage/__main__.py",
            "    pairing = stays.pair(events)\n",
            '    if options.command == "week":\n'
            "        return report.week_text(week.usual(events, options.first, options.last))\n"
            "    pairing = stays.pair(events)\n",
        ),
        edit("garage/__main__.py", "stays, tariff\n", "stays, tariff, week\n"),
        edit("garage/__main__.py", "occupancy | open.", "occupancy | week | open."),
    ),
    do("", shell("python -m garage week 2026-03-01 2026-03-31")),
    do(
        "That is the table. A few things at the edges: first and last swapped, one day, days "
        "outside the log.",
        shell("python -m garage week 2026-03-31 2026-03-01 | head -n 3"),
        shell("python -m garage week 2026-03-20 2026-03-20 | head -n 4"),
        shell("python -m garage week 2026-05-01 2026-05-31 | head -n 3"),
    ),
    do(
        "Swapped dates give a table of zeros and May a table of sixes, because the 6 cars of the "
        "last day seem to stay forever. Both are numbers somebody might believe. I'll refuse them.",
        edit(
            "garage/week.py",
            "    days = (last - first).days + 1\n",
            "    if first > last:\n"
            '        raise ValueError("the first day is after the last")\n'
            "    if events and not events[0].time.date() <= first <= last <= "
            "events[-1].time.date():\n"
            '        raise ValueError("the log does not cover these days")\n'
            "    days = (last - first).days + 1\n",
        ),
        tests("tests.test_week"),
    ),
    Human("Six cars for the whole of May? Shouldn't it know that the log ends in April?"),
    do(
        "It should, that is the check I have just added. But my own tests run into it: their logs "
        "are shorter than the days they ask for. They should have an event at both ends.",
        read("tests/test_week.py", 14, 25),
    ),
    do(
        "I'd rather keep `usual` a plain average and put the question whether the log covers the "
        "days into the command, where the log is read.",
        edit(
            "garage/week.py",
            "    if events and not events[0].time.date() <= first <= last <= "
            "events[-1].time.date():\n"
            '        raise ValueError("the log does not cover these days")\n',
            "",
        ),
        edit(
            "garage/__main__.py",
            '    if options.command == "week":\n',
            '    if options.command == "week":\n'
            "        covered = events[0].time.date(), events[-1].time.date()\n"
            "        if options.first < covered[0] or options.last > covered[1]:\n"
            '            raise ValueError(f"the log covers {covered[0]} to {covered[1]}")\n',
        ),
        tests("tests.test_week"),
    ),
    do(
        "",
        shell("python -m garage week 2026-05-01 2026-05-31"),
        shell("python -m garage week 2026-03-31 2026-03-01"),
        tests(),
    ),
    do(
        "",
        shell(
            "git add -A && git commit -qm 'Add week: averages by weekday and hour' && git log "
            "--oneline"
        ),
    ),
    say(
        "`python -m garage week 2026-03-01 2026-03-31` prints the table. The emptiest times in "
        "March were Tuesday at 02:00 and 03:00, in the night, with 2.8 cars on average. If the "
        "cleaning should be in the daytime: Monday 08:00 and 09:00, with 3.0.\n\nThe command "
        "refuses days that the log does not cover, as you asked, and dates in the wrong order. "
        "Please keep in mind that each average is over four or five days only."
    ),
]
