"""What a model reads and writes."""

from __future__ import annotations

import sys

import pytest
from trimtab import InvalidOptions, fit
from trimtab.tokens.windows import input_window, output_limit


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4", 8_192),
        ("azure/gpt-4o", 128_000),
        ("openrouter/openai/gpt-4o", 128_000),
        ("openai/gpt-4o", 128_000),
        ("ft:gpt-4o-mini:org::id", 128_000),
        ("o3", 200_000),
        ("gpt-5", 272_000),  # the window of 400,000 less the output of 128,000
        ("gpt-5-mini-2025-08-07", 272_000),
        ("gpt-5-chat-latest", 128_000),
        ("claude-sonnet-4-5", 200_000),
        ("claude-3-5-sonnet-20241022", 200_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000),
        ("vertex_ai/claude-3-7-sonnet@20250219", 200_000),
        ("databricks-claude-3-7-sonnet", 200_000),
        ("models/gemini-2.5-flash", 1_048_576),
        ("gemini-2.5-pro", 1_048_576),  # genai-prices has no figure of it
        ("x-ai/grok-4", 256_000),
    ],
)
def test_windows(name, tokens):
    assert input_window(name) == tokens


@pytest.mark.parametrize("name", ["nobody-knows", "", "openai/", "/", "gpt-99"])
def test_an_unknown_window(name):
    with pytest.raises(InvalidOptions, match="not known; give budget="):
        input_window(name)


def test_a_window_needs_a_model():
    with pytest.raises(InvalidOptions, match="needs a model"):
        input_window(None)


def test_without_the_extra_a_budget_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices.data", None)
    with pytest.raises(InvalidOptions, match=r"trimtab\[models\]"):
        fit([{"role": "user", "content": "x"}], model="gpt-4o")
    assert fit([{"role": "user", "content": "x"}], 100, model="gpt-4o").used < 100
    assert input_window("gemini-2.5-pro") == 1_048_576


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("gpt-4o", 16_384),
        ("gpt-4.1-mini", 32_768),
        ("o1", 100_000),
        ("gpt-5.4", 128_000),
        ("claude-3-haiku-20240307", 4_096),
        ("claude-3-5-sonnet-20241022", 8_192),
        ("claude-3-7-sonnet-latest", 64_000),
        ("claude-sonnet-4-20250514", 64_000),
        ("claude-opus-4-20250514", 32_000),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", 32_000),
        ("claude-opus-4-5", 64_000),
        ("claude-opus-4-6", 128_000),
        ("claude-opus-5-5", 128_000),
        ("gemini-2.0-flash", 8_192),
        ("gemini-2.5-flash", 65_536),
        ("nobody", None),
        ("", None),
        (None, None),
    ],
)
def test_the_most_that_a_model_writes(name, tokens):
    assert output_limit(name) == tokens
