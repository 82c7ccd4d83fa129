"""The strip: how the picture looks."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
from rich.console import Console

from trimtab import ClearResults, Fitted, Policy, Summary, fit, per_message
from trimtab.show.account import changes
from trimtab.show.strip import strip
from trimtab.stores import MemoryStore


def cost(message: Any) -> int:
    """Characters of the content, and ten for a call."""
    return len(message["content"] or "") + 10 * len(message.get("tool_calls", []))


def agent(steps: int) -> list[Any]:
    """A task, and an agent that works on it, with an ever larger tool result."""
    history: list[Any] = [
        {"role": "system", "content": "s" * 30},
        {"role": "user", "content": "h" * 20},
    ]
    for step in range(steps):
        function = {"name": "look", "arguments": "{}"}
        call = {"id": f"call_{step}", "type": "function", "function": function}
        history.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "result line\n" * (step % 7 + 1)
        history.append({"role": "tool", "tool_call_id": f"call_{step}", "content": text})
    return [*history, {"role": "assistant", "content": "a" * 40}]


def fitted(steps: int = 20, budget: int = 500) -> Fitted:
    """A result with every state in it: kept, changed, dropped, inserted, fixed."""
    policy = Policy(max_result_tokens=60, notice="n" * 15, keep_first=2)
    return fit(agent(steps), budget, counter=per_message(cost), system=25, policy=policy)


def shrunk(budget: int = 1000) -> Fitted:
    """A result with excerpts, cleared results and a summary."""
    summary = Summary(lambda ask: "z" * 60, max_summary_tokens=90, store=MemoryStore())
    rule = ClearResults(keep=2, smallest=20)
    policy = Policy(max_result_tokens=75, clear_results=rule, keep_first=2, summary=summary)
    return fit(agent(20), budget, counter=per_message(cost), system=25, policy=policy)


def drawn(result: Fitted, width: int, **options: Any) -> list[str]:
    """The lines of the picture, without what stands to the right of them."""
    out = io.StringIO()
    console = Console(file=out, width=width, **options)
    console.print(strip(result))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_picture(width: int) -> None:
    """How it looks without colour."""
    assert "\n".join(drawn(fitted(), width)) == PICTURES[width].strip("\n")


PICTURES = {
    60: """
██░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░█▞▞▞▞████████████▞▞▞▞██
shcrcrcrcrrcrrcrrrcrrrcrcrcrcrrcrrcrrcrrrrcrcrcrcrcrrcrrrraa
╵0         ╵10            ╵20        ▲28  ╵30        ╵40 42╵
█ kept  ▞ excerpted  ░ dropped  ▲ cut  s system  h human
a assistant  c call  r result

          messages  before  after
kept            15     340    340
changed          2     156    114
dropped         26     718      0
inserted         1             15
fixed                   25     25
total           43   1,239    494

used 494 of 500, 98 %
━━━━━━━━━━━━━━━━━━━━━━━─
per message, exact
2 excerpted
the kept run begins at message 28
the cut last moved at message 41
""",
    80: """
███░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░█▞▞▞▞▞████████████████▞▞▞▞▞███
sshcrcrcrrcrrrcrrrrcrrrrcrrrrrcrcrcrrcrrrcrrrcrrrrcrrrrrcrcrcrrcrrrcrrrcrrrrraaa
╵0            ╵10                 ╵20             ▲28   ╵30            ╵40   42╵
█ kept  ▞ excerpted  ░ dropped  ▲ cut  s system  h human  a assistant  c call
r result

          messages  before  after    used 494 of 500, 98 %
kept            15     340    340    ━━━━━━━━━━━━━━━━━━━━━━━─
changed          2     156    114    per message, exact
dropped         26     718      0    2 excerpted
inserted         1             15    the kept run begins at message 28
fixed                   25     25    the cut last moved at message 41
total           43   1,239    494
""",
    120: """
█████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░█▞▞▞▞▞▞▞▞████████████████████████▞▞▞▞▞▞▞████
ssshhcrcrrcrrrrcrrrrrcrrrrrrcrrrrrrrcrrrrrrrrcrcrrcrrrrcrrrrrcrrrrrrcrrrrrrrcrrrrrrrrcrcrrcrrrrcrrrrrcrrrrrrcrrrrrrraaaa
╵0      ╵5           ╵10             ╵15          ╵20         ╵25           ▲28      ╵30   ╵35              ╵40      42╵
█ kept  ▞ excerpted  ░ dropped  ▲ cut  s system  h human  a assistant  c call  r result

          messages  before  after    used 494 of 500, 98 %
kept            15     340    340    ━━━━━━━━━━━━━━━━━━━━━━━─
changed          2     156    114    per message, exact
dropped         26     718      0    2 excerpted
inserted         1             15    the kept run begins at message 28
fixed                   25     25    the cut last moved at message 41
total           43   1,239    494
""",
}


def test_picture_of_what_was_made_shorter_and_summed_up() -> None:
    """One glyph each, and how messages were changed, in words."""
    assert "\n".join(drawn(shrunk(), 80)) == SHRUNK.strip("\n")
    row, _, _, legend, *_ = in_ascii(shrunk())
    assert set(row) == {"#", "+", "="}
    assert "= summarised" in legend


SHRUNK = """
███▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒█▓▓▓▓▓▓████████████████▓▓▓▓▓█▓▓▓▓▓███████████████████████
sshcrcrcrrcrrrcrrrcrrrrcrrrrrrcrcrcrrcrrrcrrrcrrrrrcrrrrrcrcrcrrcrrrcrrrrcrrrraa
╵0            ╵10      ▲14        ╵20                    ╵30             ╵40 42╵
█ kept  ▓ cleared  ▒ summarised  ▲ cut  s system  h human  a assistant  c call
r result

            messages  before  after    used 968 of 1,000, 96 %
kept              28     662    662    ━━━━━━━━━━━━━━━━━━━━━━━─
changed            3     240    186    per message, exact
summarised        12     312      0    2 excerpted, 3 cleared
inserted           1             95    a summary of 95 tokens
fixed                     25     25    the kept run begins at message 14
total             43   1,239    968    the cut last moved at message 41
"""


def test_a_cut_that_only_clears_is_a_cut() -> None:
    """Nothing is gone, so the run begins nowhere, but the cut has a place."""
    policy = Policy(clear_results=ClearResults(keep=2, smallest=20))
    result = fit(agent(20), 1_200, counter=per_message(cost), policy=policy)
    text = "\n".join(drawn(result, 80))
    assert result.dropped == []
    assert f"the cut last moved at message {result.cut_at}" in text
    assert "everything fits" not in text
    assert "the kept run" not in text


def test_a_message_that_was_changed_twice_counts_in_both_ways() -> None:
    """The table counts it once."""
    result = shrunk()
    changed = [d for d in result.decisions if d.action == "changed"]
    ways = changes(result)
    assert set(ways) == {"excerpted", "cleared"}
    assert sum(ways.values()) > len(changed)


def in_ascii(result: Fitted) -> list[str]:
    """The lines where the terminal knows no block characters."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=out, width=80).print(strip(result))
    out.flush()
    return out.buffer.getvalue().decode("ascii").splitlines()  # type: ignore[attr-defined]


def test_picture_in_ascii() -> None:
    """Where the terminal knows no block characters."""
    row, letters, ruler, legend = in_ascii(fitted())[:4]
    assert set(row) == {"#", "~", "."}
    assert set(letters) == set("shcra")
    assert "^28" in ruler
    assert legend.startswith("# kept  ~ excerpted  . dropped  ^ cut  s system")


def test_colours_tell_the_roles_and_glyphs_the_fate() -> None:
    """With colours there are two equal rows and no letters; dropped cells are dim."""
    first, second, ruler, *_ = drawn(fitted(), 80, force_terminal=True, color_system="standard")
    assert first == second
    assert "\x1b[33m█" in first  # system, kept
    assert "\x1b[2;35m░" in first  # a call, dropped
    assert "\x1b[36m▞" in first  # a result, excerpted
    assert "▲28" in ruler


def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the convention says: set and not empty."""
    monkeypatch.setenv("NO_COLOR", "1")
    coloured = drawn(fitted(), 80, force_terminal=True, color_system="standard")
    assert not any("\x1b[3" in line for line in coloured)
    assert set("shcra") <= set(coloured[1])


def test_the_account_adds_up() -> None:
    """The last column is what is used; every message is in one row."""
    result = fitted()
    rows = [line.replace(",", "").split() for line in drawn(result, 60)]
    table = rows[rows.index(["messages", "before", "after"]) + 1 :][:6]
    numbers = {name: [int(cell) for cell in cells] for name, *cells in table}
    assert list(numbers) == ["kept", "changed", "dropped", "inserted", "fixed", "total"]
    states = ("kept", "changed", "dropped")
    assert sum(numbers[name][0] for name in states) == numbers["total"][0] == len(agent(20))
    assert sum(row[-1] for name, row in numbers.items() if name != "total") == result.used
    assert numbers["total"][-1] == result.used


def plain(messages: list[Any], budget: int = 10**9) -> Fitted:
    """A fit that counts characters."""
    return fit(messages, budget, counter=per_message(cost))


def test_no_messages() -> None:
    """There is no strip, but there is an account."""
    lines = drawn(plain([]), 80)
    assert lines[0] == "no messages"
    assert any("used 0 of 1,000,000,000" in line for line in lines)


def test_one_message_fills_the_strip() -> None:
    """With one index below it."""
    row, letters, ruler, *_ = drawn(plain([{"role": "user", "content": "hello"}]), 60)
    assert (row, letters, ruler) == ("█" * 60, "h" * 60, "╵0")


def test_messages_of_no_tokens_share_the_strip_alike() -> None:
    """There is nothing to be in proportion to."""
    messages = [{"role": role, "content": ""} for role in ("user", "assistant") * 2]
    row, letters, *_ = drawn(plain(messages), 60)
    assert row == "█" * 60
    assert letters == ("h" * 15 + "a" * 15) * 2


def test_ten_thousand_messages() -> None:
    """A strip is as wide as the terminal, however long the history is."""
    result = plain(agent(5000), 20_000)
    row, letters, ruler, *_ = drawn(result, 80)
    assert len(row) == len(letters) == 80
    assert row.index("░") == 1  # what is always kept stays visible
    assert f"▲{result.dropped[-1] + 1}" in ruler
    share = sum(d.after for d in result.decisions) / sum(d.before for d in result.decisions)
    assert math.isclose(row.count("█") / 80, share, abs_tol=2 / 80)


@pytest.mark.parametrize("width", range(1, 40))
def test_tiny_widths(width: int) -> None:
    """Nothing fails, and no line is wider than the terminal."""
    for result in (fitted(), plain([]), plain(agent(1))):
        assert all(len(line) <= width for line in drawn(result, width))


def test_a_history_without_a_cut_says_so() -> None:
    """No mark on the ruler, no cut in the legend."""
    text = "\n".join(drawn(plain(agent(3)), 80))
    assert "▲" not in text
    assert "no cut, everything fits" in text


def test_what_repair_removes_is_no_cut() -> None:
    """A dropped orphan is a hole, not the border of the kept run."""
    orphan = {"role": "tool", "tool_call_id": "lost", "content": "x" * 50}
    history = [*agent(2)[:-1], orphan, agent(0)[-1]]
    result = fit(history, 10**6, counter=per_message(cost), on_invalid="repair")
    text = "\n".join(drawn(result, 80))
    assert "░" in text
    assert "▲" not in text
