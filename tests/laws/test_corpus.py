"""The laws over real conversations of every format, at every prefix."""

from __future__ import annotations

from contextlib import ExitStack
from functools import cache
from itertools import islice

import pytest
from support.corpus import conversations, requires_corpus
from support.subjects import SUBJECTS
from support.written import installed
from trimtab import Conversation, DoesNotFit, Policy, fit, repair, verify
from trimtab.core.walk import walk
from trimtab.setup import resolve
from trimtab.transcript import Transcript

pytestmark = requires_corpus
# All conversations of these; of the others a few (all of them: ``bench/sweep.py``).
WHOLE = ("openai-chat", "anthropic")
OTHERS = [format for format in SUBJECTS if format not in WHOLE]
# A history that must end with a reply has no prefixes that are whole.
GROWING = [format for format in SUBJECTS if format not in ("fine-tuning", "sharegpt")]
STEADY = Policy(depth=0.6, keep_first=1, max_result_tokens=300, notice=True)


@pytest.fixture(autouse=True, scope="module")
def frameworks():
    """Frameworks, or their twins, are where the library looks for them."""
    with ExitStack() as stack:
        for format in SUBJECTS:
            stack.enter_context(installed(format))
        yield


def sound(format):
    """Conversations of a format, mended where they must be."""
    if format not in WHOLE:
        return sample(format)
    rows = ((row["id"], row["messages"]) for row in conversations(format))
    return ((name, repair(messages, format=format).messages) for name, messages in rows)


@cache
def sample(format):
    """Eight conversations that are long enough to be cut."""
    rows = ((row.id, row.messages) for row in SUBJECTS[format].recorded())
    long = ((name, messages) for name, messages in rows if 6 <= len(messages) <= 60)
    return [(n, repair(m, format=format).messages) for n, m in islice(long, 8)]


@pytest.mark.parametrize("format", GROWING)
@pytest.mark.parametrize("budget", [300, 2_000, 16_000])
def test_the_fold_equals_the_walk_at_every_prefix(format, budget):
    options = {"model": None, "system": None, "tools": None, "reserve": 0, "counter": None}
    options |= {"response_format": None, "tool_choice": None, "thinking": False}
    cuts = 0
    for name, messages in sound(format):
        setup = resolve(messages, budget, format=format, policy=Policy(), **options)
        transcript = Transcript(setup, incremental=True)
        for n, message in enumerate(messages):
            transcript.extend([message], None)
            fold = transcript.fold
            folded = (fold.mark, fold.total) if fold.fits else None
            walked = walk(transcript.leads, transcript.unit_within, setup.room)
            assert folded == walked, (name, n)
            cuts += bool(folded and folded[0])
    assert cuts or budget > 300 or format not in WHOLE


@pytest.mark.parametrize("format", GROWING)
@pytest.mark.parametrize("policy", [Policy(), STEADY], ids=["longest run", "steady"])
def test_law_9_over_every_prefix(format, policy):
    """A result is the one before and the new message, or a cut at that message."""
    cuts = steps = 0
    for name, messages in sound(format):
        for budget in (3_000,) if format in WHOLE else parts(messages, format)[:3]:
            found = prefixes(messages, budget, format, policy, name)
            cuts, steps = cuts + found[0], steps + found[1]
    assert steps > (5_000 if format in WHOLE else 50)
    assert 0 < cuts < steps / (4 if policy is STEADY and format in WHOLE else 1)


def parts(messages, format):
    """Four budgets, up to one at which all fits."""
    whole = fit(messages, 10**9, format=format).used
    return [whole * part // 10 for part in (3, 5, 8, 10)]


def prefixes(messages, budget, format, policy, name):
    """How often one conversation was cut, and how many of its prefixes fit."""
    cuts = steps = 0
    conversation = Conversation(budget, format=format, policy=policy)
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
    return cuts, steps


def grew(before, after):
    """Whether ``after`` is ``before`` and one message more."""
    return len(after) == len(before) + 1 and all(
        a is b or a == b for a, b in zip(before, after, strict=False)
    )


@pytest.mark.parametrize("format", list(SUBJECTS))
@pytest.mark.parametrize("policy", [Policy(), STEADY], ids=["longest run", "steady"])
def test_results_keep_the_laws_and_equal_the_incremental_twin(format, policy):
    cut = whole = 0
    for name, messages in sound(format):
        for budget in (100, 4_000, 10**6) if format in WHOLE else parts(messages, format):
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
            cut, whole = cut + bool(fitted.dropped), whole + (not fitted.dropped)
    assert cut >= 3
    assert whole >= 6
