"""Model names: whose tokenizer counts, and what their windows hold."""

from __future__ import annotations

import sys

import pytest
from trimtab import InvalidOptions, count, fit
from trimtab.tokens.models import model_named
from trimtab.tokens.windows import input_window

OLD = [
    "claude-3-5-sonnet-20241022",
    "claude-3-7-sonnet-latest",
    "claude-3-haiku-20240307",
    "claude-sonnet-4-20250514",
    "claude-opus-4",
    "claude-opus-4-1",
    "claude-opus-4-1-20250805",
    "claude-sonnet-4-5-20250929",
    "claude-haiku-4-5",
    "claude-opus-4-6",
    "anthropic.claude-3-haiku-20240307-v1:0",
    "us.anthropic.claude-opus-4-6-v1:0",
    "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "vertex_ai/claude-3-7-sonnet@20250219",
    "claude-opus-4@20250514",
    "anthropic/claude-3.5-sonnet",
    "anthropic/claude-3.7-sonnet:thinking",
    "claude-4-opus-20250514",
    "claude-instant-1.2",
    "claude-2.1",
    "anthropic.claude-v2:1",
    "CLAUDE-3-OPUS",
]
NEW = [
    "claude-opus-4-7",
    "claude-opus-4.7",
    "claude-opus-4-7-20260401",
    "us.anthropic.claude-opus-4-7-v1:0",
    "claude-sonnet-4-10",
    "claude-opus-5",
    "claude-opus-5-5",
    "claude-haiku-5-5-20261001",
    "anthropic/claude-opus-5",
    "claude-fable-5-1",
    "claude-latest",
    "claude",
]


@pytest.mark.parametrize(
    ("name", "scale"), [*((name, (29, 20)) for name in OLD), *((name, (17, 10)) for name in NEW)]
)
def test_claude_is_estimated_by_its_version(name, scale):
    model = model_named(name)
    assert (model.name, model.family, model.encoding) == (name, "claude", "o200k_base")
    assert (model.scale, model.exact) == (scale, False)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("GPT-4o", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.6-mini", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini-2025-04-16", "o200k_base"),
        ("ft:gpt-4o:acme:name:id", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("azure/gpt-4o", "o200k_base"),
        ("gpt-oss-120b", "o200k_harmony"),
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo-2024-04-09", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("gpt-35-turbo", "cl100k_base"),
        ("ft:gpt-3.5-turbo-0125:acme::id", "cl100k_base"),
        ("azure/gpt-4", "cl100k_base"),
    ],
)
def test_openai_is_exact(name, encoding):
    model = model_named(name)
    assert (model.family, model.encoding, model.scale) == ("openai", encoding, (1, 1))
    assert model.exact


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("gpt-6", "o200k_base"),
        ("o9-mini", "o200k_base"),
        ("ft:something", "o200k_base"),
        ("text-davinci-003", "cl100k_base"),  # its own vocabulary is not in the package
    ],
)
def test_a_name_of_openai_that_is_not_known_is_an_estimate(name, encoding):
    model = model_named(name)
    assert (model.family, model.encoding, model.exact) == ("openai", encoding, False)


@pytest.mark.parametrize(
    "name", ["gemini-2.5-pro", "llama-3-70b", "mistral-large-latest", "gpt2", "", "我"]
)
def test_other_models_have_a_margin(name):
    model = model_named(name)
    assert (model.family, model.scale, model.exact) == ("other", (13, 10), False)


def test_no_name_is_o200k_base():
    model = model_named(None)
    assert (model.encoding, model.scale) == ("o200k_base", (1, 1))


@pytest.mark.parametrize("name", [5, b"gpt-4o", ["gpt-4o"], 1.5, object()])
def test_a_name_is_a_text(name):
    with pytest.raises(InvalidOptions, match="model must be a name"):
        model_named(name)


def test_the_estimates_in_tokens():
    """One text, counted for models of five kinds: rounded up, never below o200k."""
    text = "The quick brown fox jumps over the lazy dog. " * 7
    base = count(text).total
    assert count(text, model="gpt-4o").total == base
    assert count(text, model="claude-opus-4-1").total == -(-base * 29 // 20)
    assert count(text, model="claude-opus-4-7").total == -(-base * 17 // 10)
    assert count(text, model="gemini-2.5-pro").total == -(-base * 13 // 10)
    assert count(text, model="gpt-4o").exact and not count(text, model="claude-opus-4-1").exact
    assert not count(text, model="gpt-6").exact


# Windows


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4", 8_192),
        ("azure/gpt-4o", 128_000),
        ("openrouter/openai/gpt-4o", 128_000),
        ("openai/gpt-4o", 128_000),
        ("o3", 200_000),
        ("claude-sonnet-4-5", 200_000),
        ("claude-3-5-sonnet-20241022", 200_000),
    ],
)
def test_windows(name, tokens):
    assert input_window(name) == tokens


@pytest.mark.parametrize("name", ["nobody-knows", "", "openai/", "/"])
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
