"""Counters that price messages themselves, given to the library's own functions."""

from __future__ import annotations

import pytest
from counters.conversations import conversations, say
from counters.providers import Anthropic, anthropic_client
from counters.small_models import TEMPLATES, TOKENS, small_bpe
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import Conversation, DoesNotFit, InvalidOptions, Policy, count, fit, verify
from trimtab.counters import anthropic_endpoint, huggingface

THINKER = huggingface(small_bpe(), template=TEMPLATES["thinker"], variables=TOKENS)
LONG = [say(("user", "assistant")[n % 2], f"The ship turns {n} degrees.") for n in range(41)]


@settings(max_examples=60, deadline=None)
@given(messages=conversations(), budget=st.integers(20, 400), notice=st.booleans())
def test_what_is_kept_renders_within_the_budget(messages, budget, notice):
    try:
        fitted = fit(messages, budget, counter=THINKER, policy=Policy(notice=notice))
    except DoesNotFit:
        return
    assert THINKER.total(fitted.messages) <= fitted.used <= budget
    assert not verify(fitted)


def test_a_plain_conversation_is_used_up_to_the_exact_token():
    total = count(LONG, counter=THINKER)
    assert total.exact
    assert total.total == THINKER.total(LONG)
    assert fit(LONG, total.total, counter=THINKER).messages == LONG
    cut = fit(LONG, total.total - 1, counter=THINKER)
    assert len(cut.messages) < len(LONG)
    assert cut.used == THINKER.total(cut.messages)
    assert cut.exact


def test_a_conversation_that_grows_counts_the_same():
    grown = Conversation(200, counter=THINKER, policy=Policy())
    grown.extend(LONG)
    assert grown.fit().messages == fit(LONG, 200, counter=THINKER).messages


def test_a_text_is_counted_bare():
    assert count("ship", counter=THINKER).total == THINKER.count("ship")
    without = huggingface(small_bpe())
    assert count("ship", counter=without).total == THINKER.count("ship")


def test_long_results_are_cut_by_the_models_own_tokens():
    call = {"id": "1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    result = {"role": "tool", "tool_call_id": "1", "content": "the rudder turns\n" * 50}
    messages = [
        say("user", "x"),
        {"role": "assistant", "content": "", "tool_calls": [call]},
        result,
    ]
    fitted = fit(messages, 10_000, counter=THINKER, policy=Policy(max_result_tokens=40))
    assert THINKER.count(fitted.messages[2]["content"]) <= 40


def test_an_endpoint_asks_only_for_what_it_keeps():
    provider = Anthropic()
    counter = anthropic_endpoint(anthropic_client(provider), "claude-opus-4-7")
    fitted = fit(LONG, 60, counter=counter, format="anthropic")
    kept = len(fitted.messages)
    assert 1 < kept < 10
    assert len(provider.requests) <= kept + 10
    before = len(provider.requests)
    fit(
        [*LONG, say("assistant", "One more."), say("user", "And on.")],
        60,
        counter=counter,
        format="anthropic",
    )
    assert len(provider.requests) <= before + 2
    with pytest.raises(InvalidOptions):
        count("ship", counter=counter)
