"""Model names: whose tokenizer counts, how sure that is, and what the table says of it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tiktoken.model import MODEL_PREFIX_TO_ENCODING, MODEL_TO_ENCODING
from trimtab import InvalidOptions, count
from trimtab.tokens.estimators import estimator
from trimtab.tokens.framing.registry import framing_named
from trimtab.tokens.media.rules import rule_named
from trimtab.tokens.model_table import find, rows, table
from trimtab.tokens.models import model_named

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
    "bedrock/converse/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:eu-west-1:12345:inference-profile/eu.anthropic.claude-opus-4-1-20250805-v1:0",
    "vertex_ai/claude-3-7-sonnet@20250219",
    "claude-opus-4@20250514",
    "anthropic/claude-3.5-sonnet",
    "anthropic/claude-3.7-sonnet:thinking",
    "anthropic:claude-3-5-haiku-latest",
    "databricks-claude-3-7-sonnet",
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
    ("name", "kind"),
    [
        *((name, ("claude", "claude-3")) for name in OLD),
        *((name, ("claude-4.7", "claude-4.7")) for name in NEW),
    ],
)
def test_claude_is_estimated_by_its_generation(name, kind):
    model = model_named(name)
    assert (model.name, model.provider, model.encoding) == (name, "anthropic", "o200k_base")
    assert (model.estimator, model.images) == kind
    assert model.framing.startswith("claude") and not model.exact and not model.framed


@pytest.mark.parametrize(
    ("name", "framing"),
    [
        ("claude-3-opus-20240229", "claude-3-opus"),
        ("claude-3-haiku-20240307", "claude-3"),
        ("claude-3-5-haiku-20241022", "claude-3"),
        ("claude-3-5-sonnet-20241022", "claude-3.5"),
        ("claude-3-7-sonnet-20250219", "claude-4"),
        ("claude-opus-4-20250514", "claude-4"),
        ("claude-opus-4-1", "claude-4"),
        ("claude-sonnet-4@20250514", "claude-4"),
        ("claude-sonnet-4-5", "claude-4.5"),
        ("anthropic/claude-4.5-haiku-20251001", "claude-4.5"),
        ("claude-opus-4-6", "claude-4.5"),
        ("claude-opus-4-7", "claude-4.7"),
        ("claude-opus-4-8", "claude-4.8"),
        ("claude-opus-5-5", "claude-4.8"),
    ],
)
def test_claude_frames_by_its_generation(name, framing):
    assert model_named(name).framing == framing


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-2024-08-06", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("GPT-4o", "o200k_base"),
        ("chatgpt-4o-latest", "o200k_base"),
        ("gpt-4.1-nano", "o200k_base"),
        ("gpt-4.5-preview", "o200k_base"),
        ("gpt-5", "o200k_base"),
        ("gpt-5.6-mini", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini-2025-04-16", "o200k_base"),
        ("ft:gpt-4o:acme:name:id", "o200k_base"),
        ("ft:gpt-4o-mini-2024-07-18:org::id", "o200k_base"),
        ("openai/gpt-4o", "o200k_base"),
        ("openai:gpt-4o", "o200k_base"),
        ("azure/gpt-4o", "o200k_base"),
        ("openrouter/openai/gpt-4o:extended", "o200k_base"),
        ("gpt-oss-120b", "o200k_harmony"),
        ("gpt-oss:20b", "o200k_harmony"),
        ("openai.gpt-oss-120b-1:0", "o200k_harmony"),
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
    assert (model.provider, model.encoding, model.scale) == ("openai", encoding, (1, 1))
    assert model.exact and not model.estimator


@pytest.mark.parametrize(
    "name",
    ["gpt-4o-distill-llama-8b", "gpt-4-x-alpaca", "vicuna-gpt-4", "llama-gpt-4o", "marco_o1"]
    + ["qwen/o1-7b", "gpt-4o-search-preview", "o3-deep-research", "gpt-3.5-turbo-0301"],
)
def test_names_that_look_like_openais_are_not_exact(name):
    assert not model_named(name).exact
    assert not count([{"role": "user", "content": "hello"}], model=name).exact


@pytest.mark.parametrize("name", ["x/" * 20_000, "deepseek-" * 20_000, "gpt-4o" + "-" * 300])
def test_a_name_without_end_is_no_models(name):
    assert model_named(name).provider == "other"


@pytest.mark.parametrize("name", [*MODEL_TO_ENCODING, *MODEL_PREFIX_TO_ENCODING])
def test_tiktoken_has_the_last_word(name):
    encoding = {**MODEL_TO_ENCODING, **MODEL_PREFIX_TO_ENCODING}[name]
    model = model_named(name)
    if model.provider == "openai" and encoding in ("o200k_base", "cl100k_base", "o200k_harmony"):
        assert model.encoding == encoding
        assert model.exact or name not in MODEL_TO_ENCODING  # a bare beginning is no model
    else:  # vocabularies that are not in the package
        assert not model.exact


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("gpt-6", "o200k_base"),
        ("gpt-9-turbo", "o200k_base"),
        ("gpt-4.7", "o200k_base"),
        ("o9-mini", "o200k_base"),
        ("ft:something", "o200k_base"),
        ("azure/gpt-next", "o200k_base"),
        ("text-davinci-003", "cl100k_base"),  # its own vocabulary is not in the package
    ],
)
def test_a_name_of_openai_that_is_not_known_is_an_estimate(name, encoding):
    model = model_named(name)
    assert (model.provider, model.encoding, model.exact) == ("openai", encoding, False)
    assert model.scale == (11, 10) and not model.framed


@pytest.mark.parametrize(
    ("name", "provider", "images"),
    [
        ("gemini-2.5-pro", "google", "gemini-2.5"),
        ("models/gemini-2.5-flash", "google", "gemini-2.5"),
        ("gemini-2.0-flash-001", "google", "gemini-2.0"),
        ("google/gemini-flash-1.5", "google", "gemini-1.5"),
        ("vertex_ai/gemini-1.5-pro@002", "google", "gemini-1.5"),
        ("gemini-3-pro-preview", "google", "gemini-3"),
        ("gemini-3.8-flash", "google", "gemini-3"),
        ("gemini-flash-latest", "google", "gemini-3"),
        ("google/gemma-3-27b-it", "google", "gemma"),
        ("x-ai/grok-4", "xai", "grok"),
        ("xai/grok-code-fast-1", "xai", "grok"),
        ("meta-llama/Llama-3.3-70B-Instruct", "meta", "other"),
        ("llama3.1:8b", "meta", "other"),
        ("meta.llama3-1-70b-instruct-v1:0", "meta", "other"),
        ("accounts/fireworks/models/llama-v3p3-70b-instruct", "meta", "other"),
        ("meta-llama/llama-4-maverick-17b-128e-instruct", "meta", "llama-4"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "deepseek", "other"),
        ("us.deepseek.r1-v1:0", "deepseek", "other"),
        ("mistral-large-latest", "mistral", "mistral"),
        ("mistral.mistral-large-2407-v1:0", "mistral", "mistral"),
        ("pixtral-12b-2409", "mistral", "pixtral"),
        ("Qwen/Qwen2.5-VL-72B-Instruct", "qwen", "qwen"),
        ("qwen3:8b", "qwen", "qwen"),
        ("moonshotai/Kimi-K2-Instruct", "moonshot", "other"),
        ("zai-org/GLM-4.6", "zai", "other"),
        ("us.amazon.nova-pro-v1:0", "amazon", "other"),
    ],
)
def test_other_makers_are_estimates(name, provider, images):
    model = model_named(name)
    assert (model.provider, model.images) == (provider, images)
    assert model.estimator and not model.exact


@pytest.mark.parametrize(
    ("name", "framing"),
    [
        ("gpt-4o", "chatml"),
        ("gpt-3.5-turbo", "chatml"),
        ("o3-mini", "o-series"),
        ("codex-mini-latest", "o-series"),
        ("gpt-5-nano", "harmony"),
        ("gpt-6-astra", "harmony"),
        ("openai/gpt-oss-20b", "gpt-oss"),
        ("gemini-2.0-flash", "gemini-2"),
        ("gemini-2.5-pro", "gemini-2.5"),
        ("gemini-3-pro-preview", "gemini"),
        ("gemma3:4b", "gemma"),
        ("llama3-8b-8192", "llama-3"),
        ("llama3.1-8b", "llama"),
        ("meta.llama3-1-70b-instruct-v1:0", "llama"),
        ("llama-v3p3-70b-instruct", "llama"),
        ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4"),
        ("llama2:7b", "plain"),
        ("llama-3.1-sonar-small-128k-online", "sonar"),
        ("qwen/qwen3-32b", "qwen"),
        ("qwen-3-coder-480b", "qwen-coder"),
        ("deepseek-chat", "deepseek"),
        ("glm-4.7-flash", "glm"),
        ("zai/GLM-5.2", "glm-5"),
        ("kimi-k2.5", "kimi"),
        ("mistral-small-latest", "mistral"),
        ("magistral-medium-latest", "mistral-reasoning"),
        ("grok-4.3", "grok"),
        ("grok-4-1-fast-non-reasoning", "grok-non-reasoning"),
        ("grok-3", "grok-non-reasoning"),
        ("command-r-plus", "plain"),
        ("groq/compound", None),
    ],
)
def test_framings(name, framing):
    assert model_named(name).framing == framing


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("deepseek-r1-distill-llama-70b", "llama"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "qwen"),
        ("gemma-3-27b-it", "gemini"),
        ("sonar-pro", "llama"),
        ("gpt-9", ""),
        ("nobody", "other"),
    ],
)
def test_estimators(name, estimator):
    assert model_named(name).estimator == estimator


@pytest.mark.parametrize(
    ("name", "images"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-mini", "gpt-4o-mini"),
        ("gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5.1", "gpt-5"),
        ("gpt-5-mini", "gpt-5-mini"),
        ("gpt-5.1-codex-mini", "gpt-5-mini"),
        ("gpt-5.2", "gpt-5.2"),
        ("gpt-5.4-nano", "gpt-5.4"),
        ("gpt-5.5-pro", "gpt-5.5"),
        ("gpt-5.6-sol", "gpt-5.6"),
        ("gpt-6-astra", "gpt-5.6"),
        ("o3-2025-04-16", "o1"),
        ("o4-mini", "o4-mini"),
    ],
)
def test_openai_prices_images_by_its_kind(name, images):
    assert model_named(name).images == images


@pytest.mark.parametrize(
    "name", ["gpt2", "", "我", "/", "openai/", "marco-o1", "EleutherAI/gpt-neox-20b", "x" * 10_000]
)
def test_a_strange_name_has_a_margin(name):
    model = model_named(name)
    assert (model.provider, model.estimator, model.exact) == ("other", "other", False)
    assert (model.framing, model.images) == (None, "")


def test_no_name_is_o200k_base():
    model = model_named(None)
    assert (model.encoding, model.scale) == ("o200k_base", (1, 1))
    assert (model.framing, model.images) == (None, "")


@pytest.mark.parametrize("name", [5, b"gpt-4o", ["gpt-4o"], 1.5, object()])
def test_a_name_is_a_text(name):
    with pytest.raises(InvalidOptions, match="model must be a name"):
        model_named(name)


def test_the_estimates_in_tokens():
    """One text, counted for models of five kinds."""
    text = "The quick brown fox jumps over the lazy dog. " * 7
    base = count(text).total
    assert count(text, model="gpt-4o").total == base
    for name in ("claude-opus-4-1", "claude-opus-4-7", "gemini-2.5-pro", "gpt-6", "nobody"):
        counted = count(text, model=name)
        assert counted.total > 0.8 * base and not counted.exact
    assert count(text, model="gpt-4o").exact


# The table


def test_every_row_names_what_there_is():
    sources = table()["sources"]
    for row in rows():
        assert row.source in sources
        assert row.encoding in ("o200k_base", "o200k_harmony", "cl100k_base")
        assert row.media in table()["media"]
        assert (row.provider == "openai") != bool(row.estimator)
        assert not row.shared or row.output


def test_every_framing_and_estimator_of_the_table_exists():
    for row in rows():
        assert framing_named(row.framing, row.media).primer >= 0
        assert not row.estimator or estimator(row.estimator).name.startswith(row.estimator)
        assert rule_named(row.framing)


def test_every_figure_has_a_source_and_a_date():
    sources = table()["sources"]
    assert all(re.search(r"; 20\d\d-\d\d$", source) for source in sources.values())
    used = {row.source for row in rows()}
    for name in table()["media"]:
        used |= set(rule_named(name)["source"])
    assert used <= set(sources)
    assert set(sources) == used


def test_every_rule_prices_all_there_is():
    for name in table()["media"]:
        rule = rule_named(name)
        assert rule["audio"] > 0 and rule["video"] > rule["audio"]
        assert "page" in rule or "page_cells" in rule
    assert set(table()["framings"].values()) <= set(table()["media"])


def test_a_row_is_found_by_the_last_part_of_a_name():
    assert find("openrouter/meta-llama/Llama-3.3-70B").row.provider == "meta"
    assert find("openrouter/auto") is None
    assert find("us.anthropic.claude-opus-4-6-v1:0").bare == "claude-opus-4-6-v1"
    assert find("ft:gpt-4o-mini:org::id").bare == "gpt-4o-mini"


def test_the_table_is_not_read_on_import():
    code = (
        "import sys, trimtab; sys.exit('tomllib' in sys.modules or 'genai_prices' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
