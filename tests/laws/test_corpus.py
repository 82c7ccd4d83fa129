"""The laws over real conversations, at every prefix."""

from __future__ import annotations

import pytest
from support.corpus import conversations, requires_corpus
from trimtab import Conversation, DoesNotFit, Policy, fit, repair, verify
from trimtab.core.walk import walk
from trimtab.setup import resolve
from trimtab.transcript import Transcript

pytestmark = requires_corpus
FORMATS = ["openai-chat", "anthropic"]
STEADY = Policy(depth=0.6, keep_first=1, max_result_tokens=300, notice=True)


def sound(format):
    """Every conversation of a format, mended where it must be."""
    for row in conversations(format):
        yield row["id"], repair(row["messages"], format=format).messages


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("budget", [300, 2_000, 16_000])
def test_the_fold_equals_the_walk_at_every_prefix(format, budget):
    options = {"model": None, "system": None, "tools": None, "reserve": 0, "counter": None}
    options |= {"response_format": None, "tool_choice": None, "thinking": False}
    for name, messages in sound(format):
        setup = resolve(messages, budget, format=format, policy=Policy(), **options)
        transcript = Transcript(setup, incremental=True)
        for n, message in enumerate(messages):
            transcript.extend([message], None)
            fold = transcript.fold
            folded = (fold.mark, fold.total) if fold.fits else None
            walked = walk(transcript.leads, transcript.unit_within, setup.room)
            assert folded == walked, (name, n)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("policy", [Policy(), STEADY], ids=["longest run", "steady"])
def test_law_9_over_every_prefix(format, policy):
    """A result is the one before and the new message, or a cut at that message."""
    cuts = steps = 0
    for name, messages in sound(format):
        conversation = Conversation(3_000, format=format, policy=policy)
        before = None
        for n, message in enumerate(messages):
            conversation.append(message)
            try:
                after = conversation.fit()
            except DoesNotFit:
                before = None
                continue
            if before is not None and not grew(before.messages, after.messages):
                assert after.cut_at == n, (name, n)
                cuts += 1
            if before is not None and after.cut_at == n:
                price = after.setup.meter.message(after.messages[-1])
                assert before.used + price > after.budget, (name, n)
            steps += 1
            before = after
    assert steps > 5_000
    assert 0 < cuts < steps / (4 if policy is STEADY else 1)


def grew(before, after):
    """Whether ``after`` is ``before`` and one message more."""
    return len(after) == len(before) + 1 and all(
        a is b or a == b for a, b in zip(before, after, strict=False)
    )


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("policy", [Policy(), STEADY], ids=["longest run", "steady"])
def test_results_keep_the_laws_and_equal_the_incremental_twin(format, policy):
    for name, messages in sound(format):
        for budget in (100, 4_000, 10**6):
            conversation = Conversation(budget, format=format, policy=policy)
            conversation.extend(messages)
            try:
                fitted = fit(messages, budget, format=format, policy=policy)
            except DoesNotFit as error:
                assert error.needs.total > budget
                with pytest.raises(DoesNotFit):
                    conversation.fit()
                continue
            assert verify(fitted) == [], (name, budget)
            assert fitted.to_dict() == conversation.fit().to_dict(), (name, budget)
