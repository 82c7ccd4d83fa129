"""Checks on a conversation that grows turn by turn: how often the first kept turn changes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from cases.checks import means
from cases.runs import Run
from cases.views import view
from support.shapes import History

from trimtab import Conversation, Policy, fit, per_message


@means(r"(?:over (\d+) steps: )?first kept turn changes at most (\d+) times(?: \(.+\))?")
def _steady(run: Run, steps: str | None, most: str) -> None:
    outputs = _outputs(run)
    assert steps is None or len(outputs) == int(steps)
    firsts = [_first(output) for output in outputs]
    changes = sum(one is not other for one, other in pairwise(firsts))
    assert 0 < changes <= int(most)


@means(r"every step: used<=budget")
def _never_over(run: Run) -> None:
    for output in _outputs(run):
        assert 0 < sum(map(run.case.cost, output)) <= run.case.budget


@means(r"between two changes each output is a prefix of the next output")
def _grows(run: Run) -> None:
    same = 0
    for one, other in pairwise(_outputs(run)):
        if _first(one) is _first(other):
            same += 1
            assert all(a is b for a, b in zip(one, other[: len(one)], strict=True))
    assert same


@means(r"(\d+) <= turns in output <= (\d+) once \d+ turns exist")
def _turns_within(run: Run, low: str, high: str) -> None:
    for step, output in enumerate(_outputs(run), 1):
        turns = sum(view(message).role == "user" for message in output)
        assert min(step, int(low)) <= turns <= int(high), step


@means(r"over (\d+) steps: the strip boundary changes at most (\d+) times")
def _strips_in_jumps(run: Run, steps: str, most: str) -> None:
    _, turns = _by_turns(run.inputs)
    counter = per_message(run.case.cost)
    # Thinking goes at cuts alone, which a budget brings about and a depth makes rare.
    budget = sum(map(run.case.cost, run.inputs)) // 2
    policy = Policy(depth=0.5, reasoning="drop_after_edit")
    boundaries: list[int] = []
    for step in range(1, len(turns) + 1):
        history = [message for turn in turns[:step] for message in turn]
        fitted = fit(history, budget, format=run.format, counter=counter, policy=policy)
        thoughts = {m["content"][0]["signature"] for m in fitted.messages if view(m).thought}
        with_thought = [i for i, m in enumerate(history) if view(m).thought]
        stripped = [
            i for i in with_thought if history[i]["content"][0]["signature"] not in thoughts
        ]
        boundaries.append(len(stripped))
        assert stripped == with_thought[: len(stripped)]
    assert len(boundaries) == int(steps)
    assert boundaries == sorted(boundaries)
    assert 0 < sum(one != other for one, other in pairwise(boundaries)) <= int(most)


def _first(output: History) -> Any:
    return next(message for message in output if view(message).role != "system")


def _outputs(run: Run) -> list[History]:
    """What is sent at each turn, by the way of asking that the case states."""
    system, turns = _by_turns(run.inputs)
    budget, policy = _slack(run.case.options, run.case.budget)
    asked = {**run.asked(), "policy": policy}
    del asked["on_invalid"]
    if run.mode == "previous cut given":
        return list(_remembered(system, turns, Conversation(budget, **{"policy": Policy(), **asked})))
    fed_back = "PREVIOUS OUTPUT" in run.case.rule
    outputs: list[History] = []
    before = system
    for turn in turns:
        outputs.append(fit([*before, *turn], budget, **asked).messages)
        before = outputs[-1] if fed_back else [*before, *turn]
    return outputs


def _remembered(system: History, turns: list[History], talk: Conversation) -> Iterator[History]:
    talk.extend(system)
    for turn in turns:
        talk.extend(turn)
        yield talk.fit().messages


def _slack(options: dict[str, Any], budget: int) -> tuple[int, Policy]:
    """Budget and depth: of what a case calls low water, a grid, or a number of turns."""
    if "low_water" in options:
        return budget, Policy(depth=options["low_water"])
    if "drop_grid" in options:  # a cut frees at least one step of the grid
        return budget, Policy(depth=round(1 - options["drop_grid"] / budget, 2))
    low, high = options["keep_last_turns"], options["high_turns"]
    # The depth is of what is left beside the question, which is a turn itself.
    return high, Policy(depth=round((low - 1) / (high - 1) + 0.005, 2))


def _by_turns(messages: History) -> tuple[History, list[History]]:
    turns: list[History] = []
    system: History = []
    for message in messages:
        if view(message).role == "system":
            system.append(message)
        elif view(message).role == "user":
            turns.append([message])
        else:
            turns[-1].append(message)
    return system, turns
