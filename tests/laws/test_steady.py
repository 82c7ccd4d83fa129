"""Steady policies: where the cuts are depends on the prefix alone, its times included."""

from __future__ import annotations

from functools import cache
from random import Random
from itertools import pairwise

import pytest
from hypothesis import strategies as st
from support.corpus import conversations, requires_corpus
from support.forall import forall
from support.generate import sound_histories
from support.policies import SIZE, THOROUGH, clearing
from support.written import installed
from trimtab import ClearResults, Conversation, DoesNotFit, OrphanResult, Policy, fit, repair, verify
from trimtab.core.note import COLD, DUE, OVER
from trimtab.explaining import unchanged
from trimtab.formats.registry import FORMATS
from trimtab.steady import Steady

CLOSED = ("fine-tuning", "sharegpt")
LIFE = 300
RENEWAL = Steady("0.1", "1.25", life=LIFE)
LEDGER = Steady("0.1", "1.25", floor=60, life=LIFE)
STEADY = {
    "renewal": Policy(depth=RENEWAL),
    "dear": Policy(depth=Steady("0.1", 2, "0.5")),
    "ledger": Policy(depth=Steady("0.1", "1.25", floor=1_500)),
    "notice": Policy(depth=RENEWAL, notice=True, max_result_tokens=400),
    "agent": Policy(depth=RENEWAL, clear_results=ClearResults(keep=10), max_result_tokens=8_000),
}
policies = st.builds(
    Policy,
    depth=st.sampled_from([RENEWAL, LEDGER, Steady("0.5", 1, 2, life=LIFE), Steady(1, 1, floor=30)]),
    notice=st.booleans(),
    keep_first=st.sampled_from([0, 1]),
    clear_results=clearing | st.builds(ClearResults, keep=st.integers(0, 2), smallest=st.just(0), batch=st.just(True)),
)


def or_none(call):
    try:
        return call()
    except DoesNotFit:
        return None


def same(left, right):
    return len(left) == len(right) and all(a is b or a == b for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("format", [f for f in FORMATS if f not in CLOSED])
def test_laws_8_and_9_with_times(format):
    """`Conversation` gives what `fit` gives for the same times, and moves at declared cuts alone."""

    def holds(data):
        history = data.draw(sound_histories(format, 12, without=("late",)))
        policy, budget = data.draw(policies), data.draw(st.integers(20, 300))
        gap = st.sampled_from([None, 1, 299, 300, 301, 4_000, -5])
        now, times = 0, []
        for _ in history:
            step = data.draw(gap)
            now += step or 0
            times.append(None if step is None else now)
        conversation = Conversation(budget, format=format, policy=policy, counter=SIZE)
        results = []
        for n, message in enumerate(history, 1):
            conversation.append(message, time=times[n - 1])
            fitted = or_none(conversation.fit)
            again = or_none(
                lambda n=n: fit(
                    history[:n], budget, format=format, policy=policy, counter=SIZE, times=times[:n]
                )
            )
            results.append(fitted)
            assert (fitted is None) == (again is None)
            if fitted is not None:
                assert same(fitted.messages, again.messages)
                assert fitted.to_dict() == again.to_dict()
                assert fitted.cuts == again.cuts
                assert fitted.explain() == again.explain()
                assert verify(fitted) == []
        for n, (before, after) in enumerate(pairwise(results), 1):
            if before is not None and after is not None:
                assert same(before.messages, after.messages[:-1]) or after.cut_at == n

    with installed(format):
        forall(st.data(), 60 if format in THOROUGH else 10, holds)


@pytest.mark.parametrize("format", [f for f in FORMATS if f not in CLOSED])
def test_what_a_cut_is_said_to_be_is_what_it_was(format):
    """Tokens before and after, and how much at the front is untouched, against the results."""

    def holds(data):
        history = data.draw(sound_histories(format, 14, without=("late",)))
        policy, budget = data.draw(policies), data.draw(st.integers(20, 300))
        conversation = Conversation(budget, format=format, policy=policy, counter=SIZE)
        before = None
        for message in history:
            conversation.append(message)
            after = or_none(conversation.fit)
            transcript = conversation._transcript
            if after is None or before is None or len(transcript.notes) != len(before.cuts) + 1:
                before = after
                continue
            cut, price = after.cuts[-1], after.setup.meter.message
            free = transcript.free(after.plan)
            inserted = sum(row.tokens for row in after.inserted)
            assert cut.after >= after.used - after.fixed - inserted
            assert cut.after <= after.used - after.fixed + transcript.insert
            common = 0
            for one, other in zip(before.messages, after.messages, strict=False):
                if one is not other and one != other:
                    break
                common += price(one)
            if not free and not transcript.batch:  # all that stays is counted, message by message
                assert unchanged(transcript, len(transcript.notes) - 1) <= common
            before = after

    with installed(format):
        forall(st.data(), 60 if format in THOROUGH else 10, holds)


def test_old_results_are_cleared_in_batches_before_room_is_wanting():
    """Law 9 holds, the mark stays, and the newest results are whole."""
    messages, text = [], "result " * 200
    for n in range(120):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": f"{n} {text}"},
        ]
    messages = [{"role": "user", "content": "go"}, *messages]
    policy = Policy(depth=RENEWAL, clear_results=ClearResults(keep=5, batch=True))
    conversation, before = Conversation(10**6, counter=SIZE, policy=policy), None
    for n, message in enumerate(messages):
        conversation.append(message)
        after = conversation.fit()
        if before is not None:
            assert same(before.messages, after.messages[:-1]) or after.cut_at == n
        before = after
    assert len(after.messages) == len(messages) and after.dropped == []
    assert {cut.cause for cut in after.cuts} == {DUE} and 3 < len(after.cuts) < 40
    assert all(message is mine for message, mine in zip(after.messages[-10:], messages[-10:], strict=True))
    cleared = [row.index for row in after.decisions if row.action == "changed"]
    assert len(cleared) > 60
    assert fit(messages, 10**6, counter=SIZE, policy=policy).to_dict() == after.to_dict()


def chat(size):
    return [
        {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " + "word " * (n % 7)}
        for n in range(size)
    ]


def test_a_gap_longer_than_the_cache_lives_makes_a_cut_free():
    messages = chat(60)
    options = {"counter": SIZE, "policy": Policy(depth=RENEWAL)}
    whole = fit(messages, 10**6, **options).used
    times = [60 * n for n in range(60)]
    warm = fit(messages, whole, times=times, **options)
    assert warm.messages == messages and warm.cuts == []
    late = [*times[:-1], times[-2] + LIFE]
    assert fit(messages, whole, times=late, **options).cuts == []
    late[-1] += 1
    cold = fit(messages, whole, times=late, **options)
    assert [cut.cause for cut in cold.cuts] == [COLD]
    assert cold.cut_at == 59 and cold.used < whole
    assert cold.cuts[0].fee == 0
    assert "cold" in cold.explain()


def test_a_cold_cut_is_as_deep_as_a_forced_one_and_a_short_history_is_left_alone():
    messages = chat(60)
    options = {"counter": SIZE, "policy": Policy(depth=RENEWAL)}
    whole = fit(messages, 10**6, **options).used
    times = [1_000 * n for n in range(60)]
    assert fit(messages, 3 * whole, times=times, **options).cuts == []
    assert {cut.cause for cut in fit(messages, whole // 4, times=times, **options).cuts} == {COLD}
    unknown = fit(messages, whole // 4, times=[None] * 60, **options)
    assert {cut.cause for cut in unknown.cuts} == {OVER}
    assert unknown.messages == fit(messages, whole // 4, **options).messages


def test_a_floor_is_kept_and_cut_down_to_once_it_pays():
    messages = chat(200)
    policy = Policy(depth=Steady("0.1", "1.25", floor=100))
    conversation = Conversation(10**6, counter=SIZE, policy=policy)
    for message in messages:
        conversation.append(message)
        fitted = conversation.fit()
        assert fitted.used >= 100 or len(fitted.messages) == len(conversation.messages)
    assert len(fitted.cuts) > 3 and {cut.cause for cut in fitted.cuts} == {DUE}
    assert fitted.used < 1_000


def agent(size):
    """Turns with three calls at once, whose results are now small and now large."""
    yield {"role": "user", "content": "go"}
    for n in range(size):
        ids = [f"{n}.{k}" for k in range(3)]
        calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids]
        yield {"role": "assistant", "content": None, "tool_calls": calls}
        for k, id in enumerate(ids):
            yield {"role": "tool", "tool_call_id": id, "content": "r" * (1 + (n * 7 + k * 31) % 90)}


@pytest.mark.parametrize("history", [chat(200), [*agent(60)]], ids=["chat", "agent"])
@pytest.mark.parametrize("read", ["0.1", "0.01"])
def test_a_step_that_fails_leaves_the_account_as_it_was(history, read):
    """A message that is refused changes nothing, the ledger's account included."""
    policy = Policy(depth=Steady(read, "1.25", floor=100), clear_results=None)
    spoilt, plain = (Conversation(500, counter=SIZE, policy=policy) for _ in range(2))
    again = 0
    for n, message in enumerate(history):
        for conversation in (spoilt, plain):
            conversation.append(message, time=n * 100.0)
        with pytest.raises(OrphanResult):
            spoilt.append({"role": "tool", "tool_call_id": "none", "content": "x"})
        again += spoilt._transcript.fold._anew
        assert spoilt._transcript.fold.stood == plain._transcript.fold.stood
    assert spoilt.fit().to_dict() == plain.fit().to_dict()
    assert spoilt.fit().cuts == plain.fit().cuts != []
    assert again > 3


@pytest.mark.parametrize("seed", range(60))
def test_a_refused_message_changes_no_later_cut(seed):
    """With pins, batches and floors: what earlier cuts let go does not come back."""
    rng = Random(seed)
    clears = ClearResults(keep=rng.choice([1, 3, 6, 10]), smallest=0, batch=rng.random() < 0.8)
    depth = Steady("0.1", "1.25", floor=rng.choice([None, 100, 500, 1_500]))
    policy, budget = Policy(depth=depth, clear_results=clears), rng.choice([4_000, 6_000])
    history = []
    for n in range(rng.randint(15, 40)):
        if rng.random() < 0.2:
            history.append({"role": "user", "content": "u" * rng.randint(1, 60)})
        ids = [f"{n}.{k}" for k in range(rng.randint(1, 3))]
        calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids]
        history.append({"role": "assistant", "content": None, "tool_calls": calls})
        history += [{"role": "tool", "tool_call_id": id, "content": "r" * rng.choice([3, 90, 700, 1_500])} for id in ids]
    pins = {at for at in range(len(history)) if rng.random() < 0.03}
    refused = rng.randrange(1, len(history))
    conversation = Conversation(budget, counter=SIZE, policy=policy)
    for at, message in enumerate(history):
        if at == refused:
            with pytest.raises(OrphanResult):
                conversation.append({"role": "tool", "tool_call_id": "none", "content": "x"})
        conversation.append(message, pin=at in pins)
        mine = or_none(conversation.fit)
        pin = [p for p in pins if p <= at]
        other = or_none(lambda: fit(history[: at + 1], budget, counter=SIZE, policy=policy, pin=pin))
        assert (mine is None) == (other is None)
        if mine is not None:
            assert mine.to_dict() == other.to_dict() and mine.cuts == other.cuts


@requires_corpus
@pytest.mark.parametrize("name", STEADY)
@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
def test_law_9_over_real_sessions(format, name):
    """Each result is the one before with the new message, or a declared cut; few are cuts."""
    cuts = steps = 0
    for messages in real(format):
        conversation, before = Conversation(4_000, format=format, policy=STEADY[name]), None
        for n, message in enumerate(messages):
            conversation.append(message)
            after = or_none(conversation.fit)
            if before is not None and after is not None:
                grew = same(before.messages, after.messages[:-1])
                assert grew or after.cut_at == n
                cuts, steps = cuts + (not grew), steps + 1
            before = after
        assert after is None or after.messages == fit(messages, 4_000, format=format, policy=STEADY[name]).messages
    assert steps > 600
    assert 0 < cuts < steps / 4


@cache
def real(format):
    rows = (row["messages"] for row in conversations(format))
    long = (messages for messages in rows if 60 <= len(messages) <= 200)
    return [repair(next(long), format=format).messages for _ in range(8)]
