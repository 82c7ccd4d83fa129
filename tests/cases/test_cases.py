"""Faults that people reported in other trimming tools, as tests of this one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from cases import (
    clearing_checks,
    kind_checks,
    number_checks,
    shape_checks,
    step_checks,
    summariser_checks,
    summary_checks,
)
from cases.checks import CHECKS, judge, split_mode
from cases.later import BROKEN, DECIDED_OTHERWISE, EVERY_BUDGET, LATER, why_skipped
from cases.loader import Case, load, simple_cost
from cases.runs import runs
from support.corpus import requires_cases

from trimtab import InvalidHistory, check, fit

pytestmark = requires_cases

CASES = load()


def _every_check() -> Iterator[Any]:
    for case in CASES:
        for text in case.checks:
            why = why_skipped(case.id, text)
            marks = [pytest.mark.skip(reason=why)] if why else []
            yield pytest.param(case, text, id=f"{case.id}: {text}", marks=marks)


@pytest.mark.parametrize(("case", "text"), list(_every_check()))
def test_case(case: Case, text: str) -> None:
    """One check of one report, in each run that its mode asks for."""
    mode, rest = split_mode(DECIDED_OTHERWISE.get((case.id, text), text))
    for run in runs(case, mode):
        judge(run, rest)


@pytest.mark.parametrize("case", [c for c in CASES if c.costs], ids=lambda case: case.id)
def test_the_counter_of_the_cases(case: Case) -> None:
    """The counter used here gives the costs that are written in the case."""
    one = case.rule.startswith("counter: 1")
    assert [1 if one else simple_cost(message) for message in case.messages] == case.costs


def test_broken_cases_are_refused_by_default() -> None:
    """Exactly the listed histories have faults, and ``fit`` refuses each of them."""
    broken = {case.id for case in CASES if check(case.messages, format=case.format)}
    assert broken == set(BROKEN)
    for case in CASES:
        if case.id in BROKEN:
            with pytest.raises(InvalidHistory):
                fit(case.messages, case.budget, format=case.format)


def test_every_case_runs() -> None:
    """Of every case something runs."""
    ran = {case.id for case in CASES if not all(why_skipped(case.id, c) for c in case.checks)}
    assert {case.id for case in CASES} == ran


def test_the_tables_name_only_what_exists() -> None:
    """A skipped or re-decided check that no longer exists must leave its table."""
    existing = {(case.id, text) for case in CASES for text in case.checks}
    assert set(DECIDED_OTHERWISE) <= existing
    assert not {(id, text) for id, text in DECIDED_OTHERWISE if why_skipped(id, text)}
    assert {id for id, _ in existing} >= {*BROKEN, *EVERY_BUDGET}
    for case, text, _ in LATER:
        found = ((re.fullmatch(case, id), re.fullmatch(text, written)) for id, written in existing)
        assert any(id and written for id, written in found), (case, text)


def test_an_unknown_check_fails() -> None:
    """The checker does not nod at what it cannot read."""
    assert shape_checks and number_checks and kind_checks and step_checks and CHECKS
    assert clearing_checks and summary_checks and summariser_checks
    with pytest.raises(AssertionError, match="no meaning is written"):
        judge(runs(CASES[0], "")[0], "the moon is green")
    with pytest.raises(AssertionError, match="klingon"):
        runs(CASES[0], "dialect klingon strict")
