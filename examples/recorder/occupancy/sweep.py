"""The same numbers with less work."""

from recorder.script import Human, Step, do, edit, read, say, shell, tests

COUNT = """\
python - <<'END'
from datetime import date
from pathlib import Path
from garage import gatelog, week

class Counted(list):
    looks = 0
    def __iter__(self):
        for item in super().__iter__():
            Counted.looks += 1
            yield item
    def __getitem__(self, place):
        Counted.looks += 1
        return super().__getitem__(place)

events = Counted(gatelog.load(Path("data/gate-log.csv")))
for days in (7, 14, 28):
    Counted.looks = 0
    week.usual(events, date(2026, 3, 1), date(2026, 3, days))
    print(f"{days} days, {len(events)} events: {Counted.looks} looks at an event")
END"""
TEST = """\
class Counts(unittest.TestCase):
    def test_as_counting_each_moment_alone(self) -> None:
        random = Random(1)
        for _ in range(50):
            times = sorted(random.randrange(48) / 2 for _ in range(random.randrange(12)))
            events = [event(random.choice(["in", "out"]), hours) for hours in times]
            moments = [MIDNIGHT + timedelta(hours=hour) for hour in range(-1, 26)]
            slow = [inside(events, moment) for moment in moments]
            self.assertEqual(list(counts(events, moments)), slow)


class Peak(unittest.TestCase):
"""
COUNTS = '''\
def counts(events: Iterable[Event], moments: Iterable[datetime]) -> Iterator[int]:
    """Cars inside at each moment. Both come oldest first, and each event is looked at once."""
    cars = 0
    coming = iter(events)
    event = next(coming, None)
    for moment in moments:
        while event is not None and event.time <= moment:
            cars += 1 if event.direction == "in" else -1
            event = next(coming, None)
        yield cars


def inside('''
OLD_LOOP = """\
    end = start + timedelta(days=1)
    samples: list[Sample] = []
    moment = start
    while moment < end:
        moment += timedelta(minutes=step)
        samples.append(Sample(moment, inside(events, moment)))
    return samples
"""
NEW_LOOP = '''\
    return sampled(events, start, step, MINUTES // step)


def sampled(events: Iterable[Event], start: datetime, step: int, times: int) -> list[Sample]:
    """Cars inside after each of `times` steps of `step` minutes."""
    moments = [start + timedelta(minutes=step * number) for number in range(1, times + 1)]
    return list(map(Sample, moments, counts(events, moments)))
'''
OLD_WEEK = """\
    for number in range(days):
        day = first + timedelta(days=number)
        counted[day.weekday()] += 1
        for hour, sample in enumerate(of_day(events, day)):
            sums[day.weekday()][hour] += sample.cars
"""
NEW_WEEK = """\
    samples = iter(sampled(events, datetime.combine(first, time.min), 60, 24 * days))
    for number in range(days):
        weekday = (first + timedelta(days=number)).weekday()
        counted[weekday] += 1
        for hour in range(24):
            sums[weekday][hour] += next(samples).cars
"""

STEPS: list[Step] = [
    Human(
        "Tuesday at two it is, they work at night anyway. One worry: this log is five weeks, next "
        "year it will be fifty, and the screen asks every minute. Will `week` still be quick?"
    ),
    do(
        "Seconds on this machine would not tell us much. I'll count instead how often the program "
        "looks at an event.",
        shell(COUNT),
    ),
    do(
        "Every sample walks through the whole log: 24 samples a day times the number of events. "
        "Ten times the log and ten times the days is a hundred times the work. One walk is enough "
        "if the samples come in order.",
        read("garage/occupancy.py"),
    ),
    do(
        "I'll write `counts`, which walks through events and moments side by side, and keep the "
        "slow `inside` as the definition it is tested against, on random logs.",
        edit("tests/test_occupancy.py", "class Peak(unittest.TestCase):\n", TEST),
        edit(
            "tests/test_occupancy.py",
            "timedelta\n\nfrom garage.gatelog import Event\nfrom garage.occupancy import Sample, "
            "of_day, peak\n",
            "timedelta\nfrom random import Random\n\nfrom garage.gatelog import Event\n"
            "from garage.occupancy import Sample, counts, inside, of_day, peak\n",
        ),
    ),
    do(
        "",
        edit("garage/occupancy.py", "def inside(", COUNTS),
        edit(
            "garage/occupancy.py",
            "from collections.abc import Sequence\n",
            "from collections.abc import Iterable, Iterator, Sequence\n",
        ),
    ),
    do("", tests("tests.test_occupancy.Counts")),
    do(
        "Equal on fifty random logs. Now `of_day` on top of it, with a part that `week` can use "
        "for many days.",
        edit("garage/occupancy.py", OLD_LOOP, NEW_LOOP),
    ),
    do("", tests()),
    do(
        "And `week` with one walk for all its days.",
        shell(
            "python -m garage week 2026-03-01 2026-03-31 > before.txt; wc -l < before.txt | tr -d "
            "' '"
        ),
        read("garage/week.py"),
    ),
    do(
        "",
        edit("garage/week.py", OLD_WEEK, NEW_WEEK),
        edit("garage/week.py", "import of_day\n", "import sampled\n"),
    ),
    do("", tests("tests.test_week")),
    do(
        "The names from `datetime` are missing.",
        edit(
            "garage/week.py", "import date, timedelta\n", "import date, datetime, time, timedelta\n"
        ),
        tests("tests.test_week"),
    ),
    do(
        "The same table as before? And how many looks now?",
        shell(
            "python -m garage week 2026-03-01 2026-03-31 > after.txt; cmp before.txt after.txt "
            "&& echo same; rm before.txt after.txt; git status --short"
        ),
        shell(COUNT),
    ),
    do(
        "",
        tests(),
        shell("git commit -qam 'Count many moments in one walk' && git show --stat --format=%s"),
    ),
    say(
        "It would not have stayed quick: 28 days took 698,880 looks at an event, because every "
        "hour went through the whole log. Now the log is walked through once, and 28 days take "
        "888 looks, at most one for each event. Ten times the log is ten times the work and no "
        "more.\n\nThe table is the same to the last byte, and the fast way is tested against the "
        "slow one on fifty random logs."
    ),
]
