"""A picture of the front desk's screen: fewer than no cars."""

from collections.abc import Callable

from recorder.picture import bars
from recorder.script import Human, Step, do, edit, read, say, shell, tests

CARRY_TEST = """\
    def test_cars_that_came_yesterday(self) -> None:
        events = [event("in", -3), event("in", -2, "B2"), event("out", 6.5)]
        cars = [sample.cars for sample in of_day(events, DAY)]
        self.assertEqual(cars[:8], [2, 2, 2, 2, 2, 2, 1, 1])

    def test_finer_steps(self) -> None:
"""
OVERNIGHT = """\
python - <<'END'
from datetime import datetime, timedelta
from pathlib import Path
from garage import gatelog, occupancy
events = gatelog.load(Path("data/gate-log.csv"))
print(events[0].time, "to", events[-1].time)
for day in range(17, 23):
    midnight = datetime(2026, 3, day)
    print(midnight.date(), "starts with", occupancy.inside(events, midnight))
END"""


def chart(shell: Callable[[str], str]) -> bytes:
    """What the screen shows: the program's own numbers for 20 March as bars."""
    rows = shell("python -m garage occupancy 2026-03-20").splitlines()[:-1]
    return bars([int(row.split()[1]) for row in rows])


STEPS: list[Step] = [
    Human(
        "This is the screen at the front desk for Friday, 20 March, one bar an hour. Most bars "
        "hang below the line. The desk asks me how many cars minus seven is. Can you find out "
        "what is wrong and fix it?",
        chart,
    ),
    do(
        "In the picture every bar but one hangs below the line, all day and night, the longest at "
        "about 21:00. I'll look at the project first.",
        shell("git log --oneline && git ls-files"),
    ),
    do("", read("README.md")),
    do("Now the numbers behind the bars.", shell("python -m garage occupancy 2026-03-20")),
    do("Same shape as your picture: -7 at 21:00.", read("garage/occupancy.py")),
    do(
        "`of_day` keeps only the events of that day and starts counting at zero. A car that came "
        "on Thursday evening and left on Friday morning is then only seen leaving. That would "
        "explain it, if cars stay overnight here. Let me count from the beginning of the log "
        "instead.",
        shell(OVERNIGHT),
    ),
    do(
        "They do, every night. So a day must start with the cars that are inside at midnight. "
        "What do the tests say?",
        read("tests/test_occupancy.py"),
    ),
    do(
        "Each test has a day on its own. I'll add one with two cars from the evening before.",
        edit("tests/test_occupancy.py", "    def test_finer_steps(self) -> None:\n", CARRY_TEST),
    ),
    do("", tests("tests.test_occupancy")),
    do(
        "It fails with the same minus as the screen. The simplest fix is not to cut the events "
        "down to the day; `inside` already counts everything up to a moment.",
        edit(
            "garage/occupancy.py",
            "    today = [event for event in events if start <= event.time < end]\n",
            "",
        ),
    ),
    do(
        "",
        edit("garage/occupancy.py", "inside(today, moment)", "inside(events, moment)"),
    ),
    do("", tests("tests.test_occupancy"), shell("python -m garage occupancy 2026-03-20")),
    do("", tests()),
    do("", shell("git commit -qam 'Start a day with the cars of the night' && git status --short")),
    say(
        "The screen counted every day from zero, as if the car park were empty at midnight. Cars "
        "that stay overnight were seen leaving but not coming, hence the minus. A day now starts "
        "with the cars that are inside. Friday the 20th begins with 11 at 01:00, falls to 5 at "
        "21:00 (that was your -7) and peaks at 12 at 17:00.\n\nI have checked that no hour of "
        "that day is negative, but not yet that the numbers are right: all of them rest on the "
        "log being complete."
    ),
]
