"""The screen hung: a step of zero never ends."""

from recorder.script import Human, Step, do, edit, say, search, shell, tests

LAST = "        self.assertEqual(len(of_day([], DAY, step=15)), 96)\n"
TEST = """
    def test_steps_that_do_not_fill_a_day(self) -> None:
        for step in [0, -60, 7, 1441]:
            with self.subTest(step=step), self.assertRaises(ValueError):
                of_day([], DAY, step)

    def test_a_step_of_a_day(self) -> None:
        self.assertEqual([sample.cars for sample in of_day([event("in", 8)], DAY, 1440)], [1])
"""
CHECK = """\
    if step < 1 or MINUTES % step:
        raise ValueError(f"{step} minutes do not divide a day")
    start = datetime.combine(day, time.min)
"""

STEPS: list[Step] = [
    Human(
        "Very good. Another thing about that screen: it froze on Tuesday. The desk says someone "
        "had set the minutes between two bars to 0 in its settings. Can that be?"
    ),
    do(
        "The setting becomes `--step`, I suppose. I'll give it a second, not more.",
        search("step"),
        shell("python -m garage occupancy 2026-03-20 --step 0", timeout=1),
    ),
    do(
        "It can: `while moment < end` adds zero minutes forever. What else is wrong with odd "
        "steps? A negative one should be as bad, and one that does not divide a day may run past "
        "midnight.",
        shell("python -m garage occupancy 2026-03-20 --step -60", timeout=1),
        shell("python -m garage occupancy 2026-03-20 --step 7 | tail -n 3"),
        shell("python -m garage occupancy 2026-03-20 --step 1000"),
    ),
    do(
        "Right, 7 ends at 00:02 on the next day and 1000 at 09:20. I would refuse every step "
        "that does not divide a day. Tests:",
        edit("tests/test_occupancy.py", LAST, LAST + TEST),
    ),
    do(
        "I won't run them yet, the 0 would hang the test run too. First the check.",
        edit(
            "garage/occupancy.py",
            "    start = datetime.combine(day, time.min)\n",
            CHECK,
        ),
    ),
    do("", tests("tests.test_occupancy")),
    do(
        "`MINUTES` is missing.",
        edit(
            "garage/occupancy.py",
            "\n\n@dataclass(frozen=True)\nclass Sample:",
            "\nMINUTES = 24 * 60\n\n\n@dataclass(frozen=True)\nclass Sample:",
        ),
        edit(
            "garage/occupancy.py",
            '    """Cars inside at the end of every `step` minutes of a day."""\n',
            '    """Cars inside after every `step` minutes of a day, which they must divide."""\n',
        ),
    ),
    do("", tests("tests.test_occupancy")),
    do(
        "To be sure that the new test would have caught it, I'll take the check out for a moment, "
        "with a limit on the time.",
        shell(
            "cp garage/occupancy.py keep.txt && sed -i.bak '/if step < 1/,/raise/d' "
            "garage/occupancy.py && python -m unittest tests.test_occupancy",
            timeout=1,
        ),
    ),
    do(
        "It hangs without the check, as expected. Back again.",
        shell(
            "mv keep.txt garage/occupancy.py && rm garage/occupancy.py.bak && git status --short"
        ),
        tests("tests.test_occupancy"),
    ),
    do(
        "",
        shell("python -m garage occupancy 2026-03-20 --step 0"),
        shell("python -m garage occupancy 2026-03-20 --step 480"),
    ),
    do("", shell("git commit -qam 'Refuse steps that do not divide a day' && git status --short")),
    say(
        "Yes. With 0 the loop never gets anywhere, and negative steps hang it as well. Now any "
        "step that does not divide 24 hours is refused with a message and exit code 1, so the "
        "screen can show it: `garage: 0 minutes do not divide a day`. That also ends the odd rows "
        "after midnight which a step of 7 produced."
    ),
]
