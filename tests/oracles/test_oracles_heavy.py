"""Every format whose own framework mends histories: it must find nothing to mend in ours.

The packages live in an environment of their own (``make oracles``); where one is absent its
rows are skipped. Damaged histories by seed: 3,000 for each format under ``-m slow``, which
print how often ``check`` and the oracle agree (``-rP`` shows it).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support import gemini_damage, heavy_cases
from support.agents_items import to_items
from support.corpus import requires_corpus
from support.forall import sizes
from support.heavy_excuses import TOO_MUCH
from support.heavy_oracles import get, oracle
from support.responses_oracle import is_call, is_result, link
from support.shapes import blocks
from trimtab import DoesNotFit, InvalidHistory, check, fit, per_message, repair, verify
from trimtab.faults import Fault

COUNTER = per_message(lambda message: 1 + len(str(message)) // 20)
every_format = pytest.mark.parametrize(
    "format",
    [
        pytest.param(name, marks=[] if oracle(name) else pytest.mark.skip(reason="not installed"))
        for name in heavy_cases.FORMATS
    ],
)

# ---- What the oracles do not see, and where they see too much -------------------------------

Excuse = Callable[[Fault, list[Any]], bool]


def codes(*names: str) -> Excuse:
    """Faults with one of these codes."""
    return lambda fault, history: fault.code in names


def _nameless(fault: Fault, history: list[Any]) -> bool:
    return str(fault.id).startswith("name:") and fault.code in ("missing_result", "orphan_result")


def _asked_again(fault: Fault, history: list[Any]) -> bool:
    same = [place for place in gemini_damage.calls(history) if place.item.get("id") == fault.id]
    return fault.code == "missing_result" and len(same) > 1


def _in_a_user_turn(fault: Fault, history: list[Any]) -> bool:
    answers = {place.index for place in gemini_damage.responses(history)}
    return fault.code == "misplaced" and fault.index in answers


def _by_the_other_role(fault: Fault, history: list[Any]) -> bool:
    asks = {c.index for c in gemini_damage.calls(history) if history[c.index]["role"] != "model"}
    says = {
        r.index for r in gemini_damage.responses(history) if history[r.index]["role"] == "model"
    }
    return bool(asks | says)


def _elsewhere(fault: Fault, history: list[Any]) -> bool:
    found = [item for item in to_items(history) if _id(item) == fault.id]
    return any(map(is_call, found)) and any(map(is_result, found))


def _unknown_kind(fault: Fault, history: list[Any]) -> bool:
    kinds = [str(item.get("type")) for item in to_items(history) if _id(item) == fault.id]
    return any(kind.startswith(("mcp_approval", "future")) for kind in kinds)


def _running_program(fault: Fault, history: list[Any]) -> bool:
    items = to_items(history)
    owners = {(item.get("caller") or {}).get("caller_id") for item in items}
    return fault.code == "missing_result" and fault.id in owners


def _id(item: Any) -> Any:
    found = link(item)
    return found.removeprefix("approval ") if isinstance(found, str) else found


def _system_message(fault: Fault, history: list[Any]) -> bool:
    if fault.code == "misplaced" and history[fault.index]["role"] == "system":
        return True
    parted = zip(history, history[1:])
    return any(
        a["role"] == "system" and any(block["type"] == "tool_result" for block in blocks(b))
        for a, b in parted
    )


def _of_the_server(fault: Fault, history: list[Any]) -> bool:
    return any(
        fault.id == get(block, "id", "tool_use_id") and block["type"] not in CLIENT
        for message in history
        for block in blocks(message)
    )


CLIENT = ("tool_use", "tool_result")
TWICE = "it takes the set of ids, so the same one twice is one to it"
_AGENTS: dict[str, Excuse] = {
    TWICE: codes("duplicate_call", "duplicate_result"),
    "reasoning is only looked at beside a call that is dropped": codes("lone_reasoning"),
    "a call and its output may stand anywhere, the output first": _elsewhere,
    "it has no pairs of this kind: MCP approvals, kinds of next year": _unknown_kind,
    "a program whose calls are still there may be running": _running_program,
}
UNSEEN: dict[str, dict[str, Excuse]] = {
    "bedrock-converse": {
        "it mends tool traffic alone, not the order of roles": codes("not_alternating"),
        "it does not read texts": codes("blank_text"),
    },
    "gemini": {
        TWICE: codes("duplicate_call", "duplicate_result"),
        "a response to a later call of the same id will do for both": _asked_again,
        "without ids it asks for the function's name, not for their number": _nameless,
        "words before the responses in the same user turn": _in_a_user_turn,
        "it does not mind who says a call or a response": _by_the_other_role,
    },
    "openai-responses": _AGENTS,
    "openai-agents": _AGENTS,
    "mcp": {TWICE: codes("duplicate_call", "duplicate_result")},
    "anthropic": {
        TWICE + ", also in a later turn": codes("duplicate_call", "duplicate_result"),
        "MCP has no system messages": _system_message,
        "MCP has no tools of the server": _of_the_server,
    },
    "pydantic-ai": {
        "ids are matched first in, first out": codes("duplicate_call", "duplicate_result"),
        "responses in a row are merged, so the model's words part no pair": codes("misplaced"),
    },
}
"""Faults that `check` reports and the oracle of the format cannot see: why, and which."""

# ---- The tests ------------------------------------------------------------------------------


def objections(format: str, history: list[Any]) -> list[str]:
    ask = oracle(format)
    assert ask is not None
    said = ask(history)
    return [] if any(holds(history) for holds in TOO_MUCH.get(format, {}).values()) else said


def verdict(format: str, history: list[Any], used: set[str]) -> str:
    """How `check` and the oracle compare; the excuses that it takes are added to ``used``."""
    ask, faults = oracle(format), check(history, format=format)
    assert ask is not None
    if said := ask(history):
        if not faults:
            found = {why for why, holds in TOO_MUCH.get(format, {}).items() if holds(history)}
            used |= found
            return "excused" if found else f"only the oracle: {said}"
        return "both"
    if not faults:
        return "neither"
    for fault in faults:
        found = {why for why, holds in UNSEEN[format].items() if holds(fault, history)}
        if not found:
            return f"only check: {fault}"
        used |= found
    return "excused"


@every_format
@sizes(quick=60, slow=3000)
def test_sound_histories_are_accepted(format, examples):
    for seed in range(examples):
        history = heavy_cases.sound(format, seed)
        assert check(history, format=format) == [], seed
        assert oracle(format)(history) == [], seed
        assert fit(history, 10**9, format=format, counter=COUNTER).messages == history


@every_format
@sizes(quick=150, slow=3000)
def test_check_agrees_on_damage(format, examples):
    tally, used = Counter[str](), set[str]()
    for seed in range(examples):
        kind, history = heavy_cases.damaged(format, seed)
        found = verdict(format, history, used)
        tally[found] += 1
        assert found in ("both", "neither", "excused"), (seed, kind)
    print(format, dict(tally))
    assert tally["both"] > examples / 10
    if examples >= 3000:
        assert used == {*UNSEEN[format], *TOO_MUCH.get(format, {})}, "a row of no use"


@every_format
@sizes(quick=80, slow=3000)
def test_what_is_repaired_is_accepted_whole_and_cut(format, examples):
    tally = Counter[str]()
    for seed in range(examples):
        _, history = heavy_cases.damaged(format, seed)
        try:
            mended = repair(history, format=format).messages
        except InvalidHistory:
            tally["no repair"] += 1
            continue
        assert objections(format, mended) == [], seed
        for budget in (60, 300):
            try:
                fitted = fit(mended, budget, format=format, counter=COUNTER)
            except DoesNotFit as error:
                assert error.needs.total > budget
                continue
            tally["fitted"] += 1
            tally["cut"] += bool(fitted.dropped)
            assert objections(format, fitted.messages) == [], (seed, budget)
            assert verify(fitted) == [], (seed, budget)
    print(format, dict(tally))
    assert tally["cut"] > examples / 10 and tally["no repair"] < examples / 8


@requires_corpus
@every_format
@pytest.mark.parametrize(
    "step", [pytest.param(12, id="quick"), pytest.param(1, id="slow", marks=pytest.mark.slow)]
)
def test_recorded_conversations_stay_accepted(format, step):
    """Mended, whole and cut. Only what the whole one draws already may a cut draw."""
    tally = Counter[str]()
    for name, messages in heavy_cases.recorded(format, step):
        mended = repair(messages, format=format).messages
        before = oracle(format)(mended)
        tally["whole", bool(before)] += 1
        for budget in (500, 8_000):
            try:
                fitted = fit(mended, budget, format=format)
            except DoesNotFit:
                continue
            tally["cut"] += bool(fitted.dropped)
            assert oracle(format)(fitted.messages) in ([], before), (name, budget)
            assert verify(fitted) == [], (name, budget)
    print(format, dict(tally))
    assert tally["whole", True] <= tally["whole", False] / 10
    assert tally["cut"]
