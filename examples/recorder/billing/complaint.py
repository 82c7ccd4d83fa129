"""The human reports the bill; the agent looks and changes nothing."""

from recorder.script import Human, Step, do, read, say, search, shell, tests

SPELLINGS = """\
python - <<'END'
import csv
from collections import Counter
rows = list(csv.DictReader(open("data/gate-log.csv")))
ok = [row for row in rows if row["read"] == "ok"]
print(len(rows), "rows,", len(ok), "read")
for gate in ("north", "south"):
    plates = [row["plate"] for row in ok if row["gate"] == gate]
    kinds = Counter("hyphen" if "-" in plate else "no hyphen" for plate in plates)
    print(gate, dict(kinds), sum(plate != plate.upper() for plate in plates), "in small letters")
END"""

REPEATS = """\
python - <<'END'
import csv
from datetime import datetime
last, gaps, gates = {}, [], 0
for row in csv.DictReader(open("data/gate-log.csv")):
    if row["read"] != "ok":
        continue
    plate = row["plate"].upper().replace("-", "")
    time = datetime.fromisoformat(row["time"])
    before = last.get(plate)
    if before and before[1] == row["direction"]:
        gap = int((time - before[0]).total_seconds())
        gaps.append(gap)
        gates += before[2] != row["gate"]
        print(row["time"], plate.ljust(10), row["direction"].ljust(3), row["gate"], f"{gap:>3} s")
    last[plate] = (time, row["direction"], row["gate"])
print(len(gaps), "repeats,", min(gaps), "to", max(gaps), "s apart;", gates, "at two gates")
END"""

STEPS: list[Step] = [
    Human(
        "Harbour Street 12 (account A-103) called about their March bill, the one for 639.62. "
        "They say it lists one car several times at once, and a stay of five days for a car that "
        "goes to work every morning. I printed it again and they are right, it makes no sense.\n\n"
        "Please find out what is wrong. Don't change anything yet, I want to understand it first."
    ),
    do(
        "I'll start with what the project says about itself.",
        shell("git log --oneline && ls -R garage data tests tools"),
        read("README.md"),
    ),
    do("Now the bill they are talking about.", shell("python -m garage invoice A-103 2026-03")),
    do(
        "I see what they mean. HL-HS1202 is on the bill from 19 March 18:30 to 21 March, and "
        "again from 19 March 18:31 to 23 March: one car, inside twice. The five days are the same "
        "car again, 13 to 19 March. I'll read everything between the log and the bill.",
        read("garage/invoice.py"),
        read("garage/stays.py"),
        read("garage/gatelog.py"),
        read("garage/plates.py"),
    ),
    do(
        "`pair` keeps a queue of entries for each plate, and an exit takes the oldest. So one "
        "exit that is not recognised leaves an entry behind, and from then on every exit of that "
        "car closes the wrong entry. The README says that the south gate leaves hyphens out, and "
        "`normalise` takes out spaces but not hyphens. Let me see whether that happens to this "
        "car: hyphen or not, any spelling.",
        shell("grep -inE 'HL-?HS 1202' data/gate-log.csv"),
    ),
    do(
        "It does: on 14 March at 06:19 it leaves through the south gate as `HLHS 1202`, which is "
        "a different plate for the program, so the entry of the 13th waits until the 19th. And 19 "
        "March shows a second thing, two lines 6 seconds apart for one entry. I'd rather look at "
        "the log as a whole now than search for what I already expect.",
        read("data/gate-log.csv"),
    ),
    do(
        "Two patterns by eye: lines from the south gate have no hyphen, and now and then a line "
        "comes twice within seconds. I'll count the first, over the whole file.",
        shell(SPELLINGS),
    ),
    do(
        "Without exception: the north gate always writes the hyphen, the south gate never does. "
        "Now the repeats, with the spelling out of the way so that they can be seen.",
        shell(REPEATS),
        search("[Dd]ouble|twice|repeat|[Hh]alf a"),
    ),
    do(
        "Last question: do the tests know about either of them?",
        tests(),
        search("south|hyphen|-KT|seconds", "tests"),
    ),
    say(
        "Two separate faults, and both do the same damage: they leave an entry in the queue that "
        "should be gone, so the car's next exit closes the wrong one, and the one after that "
        "too.\n\n1. **Hyphens.** The north gate reads `HL-HS 1202`, the south gate `HLHS 1202`. "
        "The README says these are the same car, but `garage/plates.py` only removes spaces. 130 "
        "of the 1074 readable lines come from the south gate, so this hits nearly every regular "
        "customer sooner or later. Example: the car that left on 14 March at 06:19 by the south "
        "gate was kept as inside until 19 March, which is your stay of five days.\n2. **Double "
        "reads.** 34 times a gate reports the same passage twice, 4 to 24 seconds apart and "
        "always at the same gate. The README says that counts once; no code does that. Example: "
        "HL-HS1202 on 19 March, 18:30:59 and 18:31:05.\n\nAll 34 tests pass because none of them "
        "has a plate from the south gate or two reads in a row. Worse, `tests/test_plates.py` "
        "line 8 expects the hyphen to stay (`HL-KT4471`), against the README.\n\nNote that the "
        "bill is not simply too high. Most of these stays are over the day cap anyway, and "
        "passages that could not be paired are missing from it altogether. The correct bill may "
        "well be higher than 639.62. I have changed nothing."
    ),
]
