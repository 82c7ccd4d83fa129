"""Whatever a caller passes ends in a result or in a typed error, never in a traceback."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trimtab import (
    Conversation,
    InvalidHistory,
    InvalidOptions,
    Policy,
    TrimtabError,
    check,
    count,
    fit,
    fit_request,
    repair,
)

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
words = st.sampled_from(
    ["user", "assistant", "system", "developer", "tool", "function", "text", "image_url"]
    + ["tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "base64"]
    + ["server_tool_use", "web_search_tool_result", "input_audio", "file", "custom", "c1", "\ud800"]
)
keys = st.sampled_from(
    ["role", "content", "type", "text", "id", "tool_use_id", "tool_call_id", "tool_calls"]
    + ["function_call", "function", "custom", "name", "arguments", "input", "source", "data"]
    + ["image_url", "url", "input_audio", "thinking", "refusal", "signature", "is_error", "title"]
)
junk = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
message = st.dictionaries(keys, junk, max_size=5) | junk
likely = st.fixed_dictionaries(
    {"role": words}, optional={"content": junk, "tool_calls": junk, "tool_call_id": junk}
)
patient = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("format", [None, "openai-chat", "anthropic"])
@patient
@given(st.lists(likely | message, max_size=4), st.integers(0, 200))
def test_junk_messages(format, messages, budget):
    before = repr(messages)
    for call in (
        lambda: check(messages, format=format),
        lambda: count(messages, format=format),
        lambda: repair(messages, format=format),
        lambda: fit(messages, budget, format=format).to_dict(),
        lambda: fit(
            messages, budget, format=format, on_invalid="repair", policy=Policy(max_result_tokens=3)
        ).to_dict(),
        lambda: Conversation(budget, format=format).extend(messages),
    ):
        try:
            call()
        except TrimtabError as error:
            assert str(error)
        assert repr(messages) == before


@patient
@given(junk, junk, junk)
def test_junk_system_tools_and_options(system, tools, other):
    messages = [{"role": "user", "content": "hello"}]
    for call in (
        lambda: fit(messages, 1_000, system=system, tools=tools).to_dict(),
        lambda: fit(messages, other),
        lambda: fit(messages, 100, reserve=other),
        lambda: fit(messages, 100, format=other),
        lambda: fit(messages, 100, model=other),
        lambda: fit(messages, 100, counter=other),
        lambda: fit(messages, 100, policy=other),
        lambda: fit(messages, 100, pin=other),
        lambda: fit(messages, 100, on_invalid=other),
        lambda: fit(other, 100),
        lambda: fit_request(other, 100),
        lambda: fit_request({"messages": messages, "system": system, "tools": tools}, 900),
        lambda: count(messages, response_format=other, model=system),
        lambda: Policy(depth=other),
        lambda: Policy(keep_first=other),
        lambda: Policy(max_result_tokens=other),
        lambda: Policy(notice=other),
    ):
        try:
            call()
        except TrimtabError as error:
            assert str(error)


def test_an_object_without_a_role():
    with pytest.raises(TypeError, match="message 0 is of type object"):
        fit([object()], 100)


@pytest.mark.parametrize(
    "text",
    ["\ud800", "a\x00b", "<|endoftext|>", " " * 50_000, "=" * 50_000, "\u202e\x1b[31m", "😀" * 999],
)
def test_texts_that_a_user_can_paste(text):
    history = [{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}]
    fitted = fit(history, 10**6)
    assert fitted.messages == history
    assert fitted.exact


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"role": "robot", "content": "x"}, "the role 'robot'"),
        ({"role": "user", "content": 5}, "neither text nor a list"),
        ({"role": "assistant", "tool_calls": {"id": 1}}, "tool_calls is no list"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "a tool call without an id"),
        ({"role": "tool", "content": "x"}, "without tool_call_id"),
    ],
)
def test_malformed_messages_are_named(message, words):
    history = [{"role": "user", "content": "a"}, message, {"role": "user", "content": "b"}]
    with pytest.raises(InvalidHistory, match=words) as caught:
        fit(history, 1_000)
    assert caught.value.index == 1


@pytest.mark.parametrize("budget", [-1, 1.5, float("nan"), "100", True, []])
def test_bad_budgets(budget):
    with pytest.raises(InvalidOptions, match="budget"):
        fit([{"role": "user", "content": "a"}], budget)


def test_a_budget_is_needed():
    with pytest.raises(InvalidOptions, match="needs a model"):
        fit([{"role": "user", "content": "a"}])


def test_nothing_fits_into_nothing():
    assert fit([], 0).messages == []
    assert fit([], 0).used == 0
