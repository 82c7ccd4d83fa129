"""Policies: what they take, what they refuse, and that they are values."""

from __future__ import annotations

import dataclasses
import json
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import ClearResults, Fitted, InvalidOptions, Policy, Summary, fit, per_message
from trimtab.policy import NOTICE

HISTORY = [{"role": "user" if n % 2 == 0 else "assistant", "content": str(n)} for n in range(20)]
ONE = per_message(lambda message: 1)


def fitted(budget, **fields) -> Fitted:
    return fit(HISTORY, budget, counter=ONE, policy=Policy(**fields))


def test_a_policy_is_a_frozen_value():
    policy = Policy(depth=0.5, keep_first=2, max_result_tokens=9, notice="[cut]")
    assert policy == Policy(depth=0.5, keep_first=2, max_result_tokens=9, notice="[cut]")
    assert hash(policy) == hash(pickle.loads(pickle.dumps(policy)))
    assert dataclasses.replace(policy, depth=None) != policy
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.depth = 0.7
    with pytest.raises(InvalidOptions):
        dataclasses.replace(policy, keep_first=-1)


def test_the_default_asks_for_nothing():
    assert Policy().to_dict() == {
        "depth": None,
        "keep_first": 0,
        "max_result_tokens": None,
        "notice": False,
        "reasoning": "keep",
        "clear_results": None,
        "media": None,
        "repeats": False,
        "handles": False,
        "compact": None,
        "summary": None,
    }
    assert Policy().share() is None and Policy().notice_text() is None


def test_a_policy_is_plain_data():
    policy = Policy(depth=0.5, keep_first=2, max_result_tokens=9, notice="[cut]")
    assert Policy(**json.loads(json.dumps(policy.to_dict()))) == policy


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[
            ("depth", value)
            for value in (0, -0.1, 1.1, float("nan"), float("inf"), "deep", True, [], {})
        ],
        *[("keep_first", value) for value in (-1, 1.5, "2", None, True)],
        *[("max_result_tokens", value) for value in (0, -1, 1.5, "2", False)],
        *[("notice", value) for value in ("", "  \n", 5, None, [], b"text")],
        *[("reasoning", value) for value in ("drop", "", None, True)],
        *[("clear_results", value) for value in (True, 3, {"hold": 1}, ClearResults)],
        *[("media", value) for value in (-1, 1.5, "2", True)],
        *[("repeats", value) for value in (1, None, "yes")],
        *[("handles", value) for value in (1, None, "yes")],
        *[("compact", value) for value in (True, 3, "compact")],
        *[("summary", value) for value in (True, 3, "extractive", {})],
    ],
)
def test_what_is_refused(field, value):
    named = "summariser" if field == "summary" else field.split("_")[0]
    with pytest.raises(InvalidOptions, match=named):
        Policy(**{field: value})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("keep", value) for value in (-1, 1.5, None, True)],
        *[("smallest", value) for value in (-1, "2")],
        *[("at_least", value) for value in (-1, 0.5, True)],
        *[("inputs", value) for value in (1, None)],
        ("exclude", "read_file"),
    ],
)
def test_what_is_refused_of_clearing(field, value):
    with pytest.raises(InvalidOptions, match=field):
        ClearResults(**{field: value})


@pytest.mark.parametrize("value", [-1, 0, 1.5, True, "9", None])
def test_what_a_summary_is_reserved_is_at_least_one_token(value):
    with pytest.raises(InvalidOptions, match="max_summary_tokens"):
        Summary(len, max_summary_tokens=value)


def test_tools_that_are_spared_are_a_set():
    assert ClearResults(exclude=["b", "a", "b"]) == ClearResults(exclude=("a", "b"))
    assert hash(ClearResults(exclude=["a"])) == hash(ClearResults(exclude=("a",)))


def test_a_summariser_alone_is_a_summary_with_the_defaults():
    assert Policy(summary=len).summary == Summary(len)
    assert Policy(summary=Summary(len)).summary.max_summary_tokens == 1_000


@pytest.mark.parametrize("fields", [{"compact": len}, {"summary": len}])
def test_a_function_is_no_plain_data(fields):
    (name,) = fields
    with pytest.raises(InvalidOptions, match=name):
        Policy(**fields).to_dict()
    assert json.loads(json.dumps(Policy(**fields).described()))[name]


@pytest.mark.parametrize("value", ["0.5", "1/2"])
def test_a_depth_is_no_text(value):
    with pytest.raises(InvalidOptions, match="depth"):
        Policy(depth=value)


@pytest.mark.parametrize(
    ("depth", "share"),
    [
        (0.6, (3, 5)),
        (0.1, (1, 10)),
        (1, None),
        (1.0, None),
        (1e-9, (1, 10**9)),
        (Decimal("0.25"), (1, 4)),
        (Fraction(1, 3), (1, 3)),
    ],
)
def test_a_depth_is_an_exact_fraction(depth, share):
    assert Policy(depth=depth).share() == share


@pytest.mark.parametrize("fields", [{"depth": Decimal("0.25")}, {"depth": Fraction(1, 4)}])
def test_every_policy_is_plain_data(fields):
    assert json.loads(json.dumps(Policy(**fields).to_dict()))["depth"] == 0.25


@pytest.mark.parametrize(("notice", "text"), [(False, None), (True, NOTICE), ("[cut]", "[cut]")])
def test_the_notice(notice, text):
    assert Policy(notice=notice).notice_text() == text


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 99))
def test_a_cut_leaves_that_part_of_the_room(percent):
    """Room 18 beside the opener: at most that part of it, and at least the newest unit."""
    done = fitted(19, depth=percent / 100)
    run = [row for row in done.decisions if row.reasons[-1] in ("run", "newest")]
    anchors = len(done.messages) - len(run)
    assert len(run) == 1 or len(run) * 100 <= percent * (19 - anchors)
    assert done.dropped


def test_without_an_overflow_no_depth_cuts():
    for depth in (0.01, 0.5, None):
        assert fitted(20, depth=depth).dropped == []


@pytest.mark.parametrize("keep_first", [0, 1, 3, 7])
def test_so_many_messages_in_front_stay(keep_first):
    done = fitted(keep_first + 4, keep_first=keep_first)
    assert done.messages[:keep_first] == HISTORY[:keep_first]
    assert len(done.messages) == keep_first + 4


def test_keep_first_is_rounded_up_to_units():
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}
    pair = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "r"},
    ]
    done = fit([*pair, *HISTORY], 5, counter=ONE, policy=Policy(keep_first=1))
    assert done.messages[:2] == pair


@pytest.mark.parametrize("keep_first", [20, 21, 10**9])
def test_more_than_there_is_keeps_all(keep_first):
    assert fitted(20, keep_first=keep_first).dropped == []


def test_a_notice_is_inserted_where_something_went_and_inside_the_budget():
    for notice, words in ((True, NOTICE), ("[cut]", "[cut]")):
        done = fitted(5, notice=notice)
        assert done.messages[0] == {"role": "user", "content": words}
        assert done.used == 5 and len(done.dropped) == 16
    assert fitted(20, notice=True).messages == HISTORY


def test_the_policy_must_be_one():
    for policy in (None, {}, "steady", Policy):
        with pytest.raises(InvalidOptions, match="policy"):
            fit(HISTORY, 5, policy=policy)


def test_plain_data_makes_the_same_policy():
    policy = Policy(depth=0.5, clear_results=ClearResults(keep=1, exclude=("look",)), media=2)
    assert Policy(**policy.to_dict()) == policy
    with pytest.raises(InvalidOptions, match="does not know"):
        Policy(clear_results={"hold": 3})
    with pytest.raises(InvalidOptions, match="keep"):
        Policy(clear_results={"keep": -1})
