"""What the corrections amount to, the letter, and the end."""

from recorder.script import Human, Step, create, do, edit, read, say, search, shell, tests

COMPARE = """\
git worktree add -q .before $(git rev-list --max-parents=0 HEAD)
for a in $(cut -d, -f1 data/accounts.csv | tail -n +2); do
  before=$(cd .before && python -m garage invoice $a 2026-03 | awk '/^Total/ {print $2}')
  now=$(python -m garage invoice $a 2026-03 | awk '/^Total/ {print $2}')
  echo "$a $before $now" | awk '{printf "%s %10.2f %10.2f %+10.2f\\n", $1, $2, $3, $3 - $2}'
done
git worktree remove .before && git worktree list | wc -l | tr -d ' '"""

SAMPLE_TEST = """\
import unittest
from itertools import pairwise
from pathlib import Path

from garage import gatelog, stays

LOG = Path(__file__).parent.parent / "data" / "gate-log.csv"


class SampleLog(unittest.TestCase):
    def setUp(self) -> None:
        self.pairing = stays.pair(gatelog.load(LOG))

    def test_no_car_is_inside_twice(self) -> None:
        order = sorted(self.pairing.stays, key=lambda stay: (stay.plate, stay.entry))
        twice = [b for a, b in pairwise(order) if a.plate == b.plate and b.entry < a.exit]
        self.assertEqual(len(twice), 0)

    def test_nobody_leaves_without_having_entered(self) -> None:
        self.assertEqual(len(self.pairing.strays), 0)
"""
WOULD_FAIL = """\
for commit in $(git rev-list --reverse HEAD | head -n 3); do
  git worktree add -q .old $commit
  cp tests/test_sample.py .old/tests/
  git log -1 --format='== %s' $commit
  (cd .old && python -m unittest tests.test_sample 2>&1 | grep -E '^(FAIL|OK|Assertion)')
  git worktree remove --force .old
done"""

README_RULE = """\
**Double reads.** A gate sometimes reports the same car in the same direction twice within half a
minute. That is one passage, not two.
"""
README_NEW_RULE = """\
**Double reads.** A gate sometimes reports the same car in the same direction twice within half a
minute. That is one passage, not two. `gatelog.load` leaves the second out, so nothing behind it
ever sees one.
"""

STEPS: list[Step] = [
    Human(
        "She is happy with the CSV. Before I write to anyone: what would March have been with the "
        "program as it was, and what is it now, for each account?"
    ),
    do(
        "The first commit is the program as you had it. I'll check it out beside the current one "
        "and run both over the same log.",
        shell(COMPARE),
    ),
    do(
        "A-104 stands out: it falls, while all others rise. I want to understand that before you "
        "write to them.",
        shell("python -m garage invoice A-104 2026-03"),
        shell(
            "git checkout -q $(git rev-list --max-parents=0 HEAD) && "
            "python -m garage invoice A-104 2026-03; git checkout -q main && git status --short"
        ),
        search("TD-? ?550.*south|south.*TD-? ?550", "data/gate-log.csv"),
    ),
    say(
        "March, old program and new, from the two runs above:\n\n| account | old | new | "
        "difference |\n|---|---:|---:|---:|\n| A-101 Marlow Bakery | 504.00 | 533.79 | +29.79 |\n"
        "| A-102 Dr. Zoë Lindqvist | 245.00 | 315.00 | +70.00 |\n| A-103 Harbour Street 12 | "
        "639.62 | 773.50 | +133.88 |\n| A-104 Teo & Daughters | 179.55 | 150.48 | -29.07 |\n| "
        "A-105 Café Żurek | 551.25 | 597.87 | +46.62 |\n| A-106 Ferry Crew Pool | 84.00 | 312.64 "
        "| +228.64 |\n| A-107 Ida Sørensen | 262.50 | 297.50 | +35.00 |\n| A-108 Night Shift Lab "
        "| 647.50 | 735.00 | +87.50 |\n| A-109 Piano Workshop Arnaud | 190.57 | 193.80 | +3.23 |\n"
        "| A-110 Quay Chess Club | 91.20 | 115.20 | +24.00 |\n| together | 3395.19 | 4024.78 | "
        "+629.59 |\n\nA-104 is the only one who paid too much: 29.07. They park for about four "
        "hours at a time, far below the cap. One double read on 15 March shifted every stay after "
        "it, so stays of four hours became stays of two and three days, at 17.50 each. For "
        "everyone else the lost passages and the missing caps weighed more.\n\nWhether you ask "
        "nine customers for more money because of a fault of the program is your decision. A-104 "
        "should get theirs back either way."
    ),
    Human(
        "We will waive the rest and pay A-104 back. Write me two short paragraphs to Harbour "
        "Street: what they saw, why, and that nothing is owed. Use a concrete example from their "
        "bill, you had two at the very beginning."
    ),
    say(
        "Dear all,\n\nYou were right about your bill for March. It listed HL-HS 1202 as parked "
        "from 13 to 19 March, although the car left on 14 March at 06:19. It left through the "
        "south gate, whose camera writes number plates without the hyphen, and our program took "
        "that for a different car. On 19 March the same car is listed twice, because the gate "
        "reported one entry at 18:30:59 and again at 18:31:05. Both faults are repaired, and so "
        "are two others that we found on the way: the shares of a bill now add up to its total, "
        "and a stay is billed in the month in which the car leaves.\n\nThe correct amount for "
        "March is 773.50 instead of the 639.62 on your bill. The mistake was ours, so the 639.62 "
        "stands and nothing more is owed. From April on your bills follow the corrected program. "
        "Thank you for calling."
    ),
    Human(
        "Perfect. One last piece of work: I want a test that would have caught this on the real "
        "log. No car inside twice, no stray exits."
    ),
    do(
        "That is the check I ran by hand after the double reads were fixed. As a test, over the "
        "log in `data`:",
        create("tests/test_sample.py", SAMPLE_TEST),
        tests("tests.test_sample"),
    ),
    do(
        "It passes now. A test that has never failed proves little, so: would it have failed on "
        "the old program, and with only the hyphens fixed?",
        shell(WOULD_FAIL),
    ),
    do(
        "Both times, as it should.",
        shell(
            "git add -A && git commit -qm 'Check the sample log: no car inside twice' && git "
            "status --short"
        ),
    ),
    say(
        "`tests/test_sample.py` has two tests over the real log. On the first version of the "
        "program they fail with 131 overlaps and 91 stray exits, with only the hyphens fixed with "
        "76 and 12, and now they pass. A new log with a fault of this kind will turn them red."
    ),
    Human(
        "Sent. Now put the README in order and show me the whole change to the code since we "
        "started, without the tests. Then we are done."
    ),
    do(
        "",
        edit(
            "README.md",
            "    python -m garage occupancy 2026-03-14       cars inside during one day\n",
            "    python -m garage bills 2026-03              all bills of a month as CSV\n"
            "    python -m garage occupancy 2026-03-14       cars inside during one day\n",
        ),
        edit(
            "README.md",
            "    garage/occupancy.py   cars",
            "    garage/export.py      the bills of a month as CSV\n    garage/occupancy.py   cars",
        ),
        edit("README.md", README_RULE, README_NEW_RULE),
        edit(
            "README.md",
            "cent and add up to the total.\n",
            "cent and add up to the total; the payers listed first get the cents that are left.\n",
        ),
    ),
    do(
        "Every command of the README should work as it is written there.",
        read("README.md", 1, 12),
        shell(
            "sed -n 's/^    \\(python -m [^ ]* [^ ]* [^ ]* [^ ]*\\)  .*/\\1/p' README.md | "
            'while read -r c; do echo "$ $c"; $c 2>&1 | tail -n 2; done'
        ),
        search("TODO|FIXME"),
    ),
    do(
        "",
        tests(),
        shell(
            "git add -A && git commit -qm 'Describe bills and double reads' && git log --oneline"
        ),
        shell("git diff --stat $(git rev-list --max-parents=0 HEAD)"),
        shell("git diff $(git rev-list --max-parents=0 HEAD) -- garage README.md"),
    ),
    say(
        "The README lists `bills`, says where double reads are removed and who gets the odd cent, "
        "and all its commands run as written. The whole change to the code is above: eight files "
        "outside the tests, eight commits on top of yours, 51 tests, all passing."
    ),
    Human(
        "Good work. For my notes: how many double reads were in the log, how far apart were they, "
        "and which rule of the README was broken by each of your five fixes?"
    ),
    say(
        "34 double reads, 4 to 24 seconds apart, always at the same gate.\n\n1. *Log*: `HL-KT "
        "4471` and `hlkt 4471` are the same car. Hyphens were kept, so they were not.\n2. *Double "
        "reads*: twice within half a minute is one passage. Nothing looked for them.\n3. *Shared "
        "accounts*: the parts add up to the total. The remainder was thrown away.\n4. *Price*: "
        "the day cap is for each 24 hours. It was applied once to the whole stay.\n5. *Month*: a "
        "stay belongs to the month of its exit. The entry was compared.\n\nEvery one of them was "
        "already written in the README. The code and the tests did not follow it."
    ),
    Human(
        "Thanks. If her program trips over the CSV after all, which commit do I go back to, and "
        "what would I lose?"
    ),
]
