"""The list of cars inside is far too long: two spellings of a plate."""

from recorder.script import Human, Step, do, edit, read, say, search, shell, tests

TEST = """\
    def test_hyphens_do_not_matter(self) -> None:
        self.assertEqual(normalise("HL-KT 4471"), normalise("hlkt 4471"))

    def test_empty(self) -> None:
"""
AGREE = """\
python - <<'END'
from datetime import datetime, timedelta
from pathlib import Path
from garage import gatelog, occupancy, stays
events = gatelog.load(Path("data/gate-log.csv"))
differ = 0
for hour in range(36 * 24 + 1):
    moment = datetime(2026, 2, 26) + timedelta(hours=hour)
    pairing = stays.pair(event for event in events if event.time <= moment)
    differ += len(pairing.inside) != occupancy.inside(events, moment)
print(hour + 1, "hours,", differ, "differ;", len(pairing.strays), "stray exits in all")
END"""

STEPS: list[Step] = [
    Human("Then please look at `open` as well. 103 cars would not even fit."),
    do("How many is it now, and which?", shell("python -m garage open")),
    do(
        "Plates with a hyphen and plates without, and the oldest have been here since February. "
        "I'll follow the first two through the log, in any spelling.",
        search("(?i)OD-?B 224,", "data/gate-log.csv"),
        search("(?i)HL-?E 22,", "data/gate-log.csv"),
    ),
    do(
        "`ODB 224` came by the south gate and left by the north gate as `OD-B 224`; `HL-E 22` the "
        "other way round. Where are plates made equal?",
        search("normalise"),
    ),
    do("", read("garage/plates.py"), read("tests/test_plates.py")),
    do(
        "",
        edit("tests/test_plates.py", "    def test_empty(self) -> None:\n", TEST),
        tests("tests.test_plates"),
    ),
    Human(
        "While you are at it: HL-FC 9001 belongs to the ferry crew. If it is on the list that is "
        "fine, they leave it for days."
    ),
    do(
        "Good to know, I'll leave it out of account. The test fails as it should; the fix is one "
        "line.",
        edit(
            "garage/plates.py",
            '"".join(text.split()).upper()',
            '"".join(text.split()).upper().replace("-", "")',
        ),
    ),
    do("", tests()),
    do(
        "One older test wants the hyphen kept, which contradicts the README (`HL-KT 4471` and "
        "`hlkt 4471` are the same car). The test is wrong.",
        edit("tests/test_plates.py", '"HL-KT4471")', '"HLKT4471")'),
        edit(
            "garage/plates.py",
            "capital letters, no spaces.",
            "capital letters, no spaces, no hyphens.",
        ),
    ),
    do("", tests("tests.test_plates"), shell("python -m garage open")),
    do(
        "Six cars, the ferry crew's among them. Two commands that count the same thing in two "
        "ways should agree at any time, not only at the end. I'll compare them hour by hour.",
        shell(AGREE),
    ),
    do("", shell("git commit -qam 'Compare plates without hyphens' && git status --short")),
    say(
        "`open` lists 6 cars now, HLFC9001 of the ferry crew being one. The reason for the long "
        "list: the south gate writes plates without a hyphen, and the program took `ODB 224` for "
        "another car than `OD-B 224`, so a car that came by one gate and went by the other never "
        "left.\n\n`open` and `occupancy` now agree at every full hour of the 36 days in the log."
    ),
]
