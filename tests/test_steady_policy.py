"""`Steady`, `Policy.steady`, `Policy.agent` and times as values: what they take and refuse."""

from __future__ import annotations

import json
import pickle
import time
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from trimtab import ClearResults, Conversation, Cut, InvalidOptions, Policy, Steady, fit, fit_request, per_message
from trimtab.billing import rule_names
from trimtab.core.depth import Ledger, Prices, Renewal
from trimtab.timing import Clock, seconds, timed

ONE = per_message(lambda message: 1)
HISTORY = [{"role": "user" if n % 2 == 0 else "assistant", "content": str(n)} for n in range(60)]


@pytest.mark.parametrize("name", rule_names())
@pytest.mark.parametrize("floor", [None, 9])
def test_a_steady_policy_is_plain_data(name, floor):
    policy = Policy.steady(name, floor=floor, notice=True)
    assert Policy(**json.loads(json.dumps(policy.to_dict()))) == policy
    assert pickle.loads(pickle.dumps(policy)) == policy and hash(policy)
    assert policy.depth.cache == name and policy.share() is None


def test_prices_become_whole_numbers():
    assert Steady(0.1, 1.25).rule() == Renewal(Prices(2, 25, 20))
    assert Steady("1/3", 1, "0.5").rule() == Renewal(Prices(2, 6, 3))
    assert Steady(0.1, 1.25, floor=7).rule() == Ledger(Prices(2, 25, 20), 7)
    assert Steady(Fraction(1, 4), 1, 2).prices == Prices(1, 4, 8)


def test_where_a_rewrite_is_free_no_cut_is_too_many():
    assert Steady(1, 1).rule() is None
    slide = fit(HISTORY, 20, counter=ONE)
    assert fit(HISTORY, 20, counter=ONE, policy=Policy.steady("none")).messages == slide.messages
    floored = fit(HISTORY, 20, counter=ONE, policy=Policy.steady("none", floor=5))
    assert len(floored.messages) <= 7


def test_an_agent_clears_first_and_in_batches_only_with_a_floor():
    plain, floored = Policy.agent(), Policy.agent("openai", floor=9)
    assert plain.clear_results == ClearResults(keep=10) and plain.max_result_tokens == 8_000
    assert floored.clear_results.batch and floored.depth.floor == 9
    assert Policy.agent(max_result_tokens=None, clear_results=None, media=2) == Policy.steady(media=2)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"read": "a lot"}, "read must be a number"),
        ({"read": True}, "read must be a number"),
        ({"read": float("nan")}, "read must be a number"),
        ({"write": -1}, "write must not be negative"),
        ({"value": "0.1"}, "never worth keeping"),
        ({"floor": 0}, "floor must be at least 1"),
        ({"floor": 1.5}, "floor must be a whole number"),
        ({"life": 0}, "life must be at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(fields, said):
    with pytest.raises(InvalidOptions, match=said):
        Steady(**{"read": "0.1", "write": "1.25", **fields})


def test_other_nonsense_is_refused_too():
    with pytest.raises(InvalidOptions, match="no prompt cache is called"):
        Policy.steady("antropic")
    with pytest.raises(InvalidOptions, match="batch needs a depth"):
        Policy(depth=0.5, clear_results=ClearResults(batch=True))
    with pytest.raises(InvalidOptions, match="depth has a field"):
        Policy(depth={"read": 0.1, "wrote": 1})
    with pytest.raises(InvalidOptions, match="batch must be"):
        ClearResults(batch=1)


def test_a_floor_that_leaves_no_room_is_told():
    fitted = fit(HISTORY, 20, counter=ONE, policy=Policy.steady(floor=30))
    assert any("leaves no room to wait in" in warning for warning in fitted.warnings)
    assert fit(HISTORY, 20, counter=ONE, policy=Policy.steady(floor=9)).warnings == []


def test_times_in_every_form_are_the_same():
    stamps = [float(10_000 * n) for n in range(60)]
    dates = [datetime.fromtimestamp(stamp, UTC) for stamp in stamps]
    policy = Policy.steady()
    options = {"counter": ONE, "policy": policy}
    one, other = (fit(HISTORY, 40, times=times, **options) for times in (stamps, dates))
    assert one.messages == other.messages and one.cuts == other.cuts
    conversation = Conversation(40, **options)
    conversation.extend(HISTORY[:30], times=dates[:30])
    for message, stamp in zip(HISTORY[30:], stamps[30:], strict=True):
        conversation.append(message, time=stamp)
    assert conversation.fit().to_dict() == one.to_dict()
    body = fit_request({"model": "gpt-4o", "messages": HISTORY}, 40, times=stamps, **options)
    assert body.messages == one.messages
    assert all(isinstance(cut, Cut) for cut in one.cuts) and one.cuts[0].cause == "cold"


def test_truncating_keeps_the_times():
    policy = Policy.steady()
    conversation = Conversation(40, counter=ONE, policy=policy)
    times = [float(10_000 * n) for n in range(60)]
    conversation.extend(HISTORY, times=times)
    conversation.truncate(45)
    again = fit(HISTORY[:45], 40, counter=ONE, policy=policy, times=times[:45])
    assert conversation.fit().to_dict() == again.to_dict()


@pytest.mark.parametrize("times", ["now", 7, [1, 2], [None] * 59 + ["noon"], [True] * 60, [float("inf")] * 60])
def test_times_that_are_none_are_refused(times):
    with pytest.raises(InvalidOptions, match="time"):
        fit(HISTORY, 40, counter=ONE, times=times)


def test_a_clock_tells_when_a_cache_is_cold():
    clock = Clock(300)
    assert [clock.cold(t) for t in (0, 300, None, 601, 601, 50, 351)] == [False, False, False, True, False, False, True]
    assert [Clock(None).cold(t) for t in (0, 10**9)] == [False, False]
    assert seconds(None, 0) is None and timed(None, 3) is None and timed([], 0) == []


def test_repaired_histories_keep_their_times():
    """A message that repair removes takes its time with it."""
    broken = [*HISTORY[:10], {"role": "tool", "tool_call_id": "x", "content": "y"}, *HISTORY[10:]]
    times = [10.0 * n for n in range(61)]
    times[10] = 9_999.0
    sound = [stamp for at, stamp in enumerate(times) if at != 10]
    options = {"counter": ONE, "policy": Policy.steady()}
    mended = fit(broken, 40, times=times, on_invalid="repair", **options)
    assert mended.messages == fit(HISTORY, 40, times=sound, **options).messages


def test_conversations_are_steady_unless_told():
    conversation = Conversation(20, counter=ONE)
    conversation.extend(HISTORY)
    fitted = conversation.fit()
    assert fitted.setup.policy == Policy.steady()
    assert fitted.messages == fit(HISTORY, 20, counter=ONE, policy=Policy.steady()).messages


@pytest.mark.parametrize("wrong", [10**400, -(10**20), float("nan"), "noon", True])
def test_no_time_ends_in_a_traceback(wrong):
    with pytest.raises(InvalidOptions, match="the time of message 1"):
        fit(HISTORY[:2], 40, counter=ONE, times=[0, wrong])


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Apia"])
def test_a_time_without_a_zone_is_the_same_on_every_machine(zone, monkeypatch):
    """A clock change of the machine's own zone moves no cut; the ends of the calendar are times."""
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        hours = [datetime(2026, 3, 8, hour) for hour in range(1, 5)]
        assert [seconds(b, 0) - seconds(a, 0) for a, b in zip(hours, hours[1:])] == [3_600.0] * 3
        assert seconds(datetime(2026, 3, 8), 0) == seconds(datetime(2026, 3, 8, tzinfo=UTC), 0)
        assert seconds(datetime.min, 0) < 0 < seconds(datetime.max, 0)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_price_that_is_no_decimal_stays_exact_as_plain_data():
    policy = Policy(depth=Steady("1/3", "4/3", "2/3"))
    plain = json.loads(json.dumps(policy.to_dict()))
    assert plain["depth"]["read"] == "1/3" and plain["depth"]["cache"] is None
    assert Policy(**plain) == policy
