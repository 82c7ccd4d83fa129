"""JSON for the screen, the README, and questions about what was found."""

from recorder.script import Human, Step, create, do, edit, read, say, search, shell, tests

TEST = """\
import json
import unittest
from datetime import datetime

from garage.occupancy import Sample
from garage.report import occupancy_json

SAMPLES = [Sample(datetime(2026, 3, 2, 8), 3), Sample(datetime(2026, 3, 2, 9), 5)]


class OccupancyJson(unittest.TestCase):
    def test_samples_and_peak(self) -> None:
        self.assertEqual(
            json.loads(occupancy_json(SAMPLES)),
            {
                "samples": [
                    {"time": "2026-03-02T08:00:00", "cars": 3},
                    {"time": "2026-03-02T09:00:00", "cars": 5},
                ],
                "peak": {"time": "2026-03-02T09:00:00", "cars": 5},
            },
        )

    def test_one_line(self) -> None:
        self.assertNotIn("\\n", occupancy_json(SAMPLES))
"""
JSON = '''\
def occupancy_json(samples: Sequence[Sample]) -> str:
    """The samples and the peak for a machine, on one line."""

    def plain(sample: Sample) -> dict[str, str | int]:
        return {"time": sample.time.isoformat(), "cars": sample.cars}

    return json.dumps({"samples": [plain(s) for s in samples], "peak": plain(peak(samples))})


'''
OLD_RUN = """\
        return report.occupancy_text(occupancy.of_day(events, options.day, options.step))
"""
NEW_RUN = """\
        write = report.occupancy_json if options.json else report.occupancy_text
        return write(occupancy.of_day(events, options.day, options.step))
"""
RULE = """\
**Occupancy.** A day starts with the cars that are inside at midnight. The steps of a day must
divide it. `inside` in `garage/occupancy.py` is the definition; `counts` gives the same numbers for
many moments in one walk through the log.

**Price.**"""

STEPS: list[Step] = [
    Human(
        "The screen people ask for JSON, they have been picking the numbers out of the text with "
        "the bars. Can `occupancy` do that?"
    ),
    do(
        "With `--json`. A test first, for the words of the answer.",
        create("tests/test_report.py", TEST),
        search("import|^def ", "garage/report.py"),
    ),
    do(
        "",
        edit("garage/report.py", "def week_text", JSON + "def week_text"),
        edit("garage/report.py", "import calendar\n", "import calendar\nimport json\n"),
    ),
    do("", tests("tests.test_report")),
    do(
        "Then the option.",
        edit(
            "garage/__main__.py",
            '    usual = commands.add_parser("week",',
            '    cars.add_argument("--json", action="store_true", help="for a machine")\n'
            '    usual = commands.add_parser("week",',
        ),
        edit("garage/__main__.py", OLD_RUN, NEW_RUN),
    ),
    do(
        "",
        shell("python -m garage occupancy 2026-03-20 --json"),
        shell("python -m garage occupancy 2026-03-20 --json --step 720 | python -m json.tool"),
    ),
    do(
        "",
        shell("python -m garage occupancy 2026-03-20 --json --step 0"),
        read("garage/__main__.py", 28, 26),
    ),
    do(
        "",
        tests(),
        shell("git add -A && git commit -qm 'Add occupancy --json' && git log --oneline"),
    ),
    say(
        "`python -m garage occupancy 2026-03-20 --json` prints one line with `samples` and "
        "`peak`. A step that is refused gives no JSON but exit code 1 and the message on standard "
        "error; they should look at the exit code first."
    ),
    Human(
        "Back to the picture from the beginning. I want to tell the desk what minus seven was. "
        "What is the right number for that bar, and what did each of your fixes do to it?"
    ),
    do(
        "The bar was 21:00 on 20 March. I know the -7 and the 5 after the first fix; I'll run the "
        "versions in between to be exact.",
        shell(
            "for commit in $(git rev-list --reverse HEAD); do\n  git worktree add -q .then "
            "$commit\n  bar=$(cd .then && python -m garage occupancy 2026-03-20 | grep '^21:00' | "
            "cut -c6-10)\n  git worktree remove .then\n"
            '  echo "$bar  $(git log -1 --format=%s $commit)"\n'
            "done"
        ),
    ),
    say(
        "The right number is 2.\n\n- -7: the program began the day with an empty car park. There "
        "were 12 in its own count at midnight.\n- 5, after *Start a day with the cars of the "
        "night*: -7 + 12.\n- 2, after *Leave double reads out*: by then three more entries than "
        "exits had been read twice.\n- The hyphens, the steps, `week` and the JSON did not change "
        "this number; the hyphens only concern which car it is, not how many.\n\nFor the desk: "
        "the bar showed how many more cars had left than come since midnight, not how many were "
        "inside."
    ),
    Human("They will like that. Please bring the README up to date and we are done."),
    do(
        "",
        edit(
            "README.md",
            "    python -m garage open                       cars",
            "    python -m garage occupancy 2026-03-14 --json\n"
            "                                                the same for a machine\n"
            "    python -m garage week 2026-03-01 2026-03-31\n"
            "                                                averages by weekday and hour\n"
            "    python -m garage open                       cars",
        ),
        edit("README.md", "**Price.**", RULE),
        edit(
            "README.md",
            "    garage/report.py      text",
            "    garage/week.py        averages by weekday and hour\n    garage/report.py     "
            " text",
        ),
        edit(
            "README.md",
            "minute. That is one passage, not two.\n",
            "minute. That is one passage, not two, and `garage/gatelog.py` leaves the second "
            "out.\n",
        ),
    ),
    do("I'll read it once as a newcomer would.", read("README.md")),
    do(
        "",
        tests(),
        shell("git commit -qam 'Describe occupancy, week and double reads' && git status --short"),
    ),
    do("", shell("git diff --stat $(git rev-list --max-parents=0 HEAD)")),
    do(
        "And the whole change to the code, for your records.",
        shell("git diff $(git rev-list --max-parents=0 HEAD) -- garage"),
    ),
    say(
        "The README has the new commands, a rule for the occupancy, and says where double reads "
        "are left out. The change is the seven commits above the first and the one for the "
        "README: six files of `garage`, one of them new, and 15 new tests; all 49 pass."
    ),
    Human(
        "One last thing, out of curiosity: which of the things you found would have gone wrong on "
        "the bills too?"
    ),
    do("", search(r"gatelog\.load|stays\.pair|of_day|normalise", "garage")),
    say(
        "Two of the four.\n\n- The double reads: bills are made of the pairs of `stays.pair`, "
        "which takes what `gatelog.load` gives it. An entry that was read twice waited for a "
        "second exit and got the one of the next visit, so that visit became days long.\n- The "
        "hyphens: a car that came by one gate and left by the other had no stay at all, or one "
        "that ended with a later visit.\n\nThe empty car park at midnight and the endless step "
        "are only in `of_day`, which the bills do not use. I have not looked at prices and months "
        "in this session, so I cannot say whether the bills are right otherwise. The bills of "
        "March that went out before today should be made again and compared."
    ),
    Human(
        "Then make the bills of March again, compare them with what the first version prints, and "
        "tell me which accounts differ."
    ),
]
