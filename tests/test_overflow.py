"""The limit in a provider's own error, for every wording that is known."""

from __future__ import annotations

import openai
import pytest
from trimtab import limit_from_error


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (
            "This model's maximum context length is 8192 tokens. However, your messages "
            "resulted in 8545 tokens. Please reduce the length of the messages.",
            8192,
        ),
        (
            "This model's maximum context length is 4097 tokens, however you requested 5000 "
            "tokens (4000 in your prompt; 1000 for the completion).",
            4097,
        ),
        (
            "This endpoint's maximum context length is 128000 tokens. However, you requested "
            "about 140000 tokens (139000 of text input, 1000 in the output).",
            128000,
        ),
        ("prompt is too long: 208310 tokens > 200000 maximum", 200000),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, "
            "decrease input length or `max_tokens` and try again",
            200000,
        ),
        (
            "The input token count (1196265) exceeds the maximum number of tokens allowed "
            "(1048575).",
            1048575,
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            131072,
        ),
        ("prompt token count of 135655 exceeds the limit of 128000", 128000),
        ("prompt tokens (1200008) exceed model maximum (1050000) for a model", 1050000),
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 "
            "maximum context length",
            32768,
        ),
        ("Your request exceeded model token limit: 131072", 131072),
        ("`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000", 4097),
        ("Input validation error: `inputs` must have less than 1024 tokens. Given: 1034", 1024),
        ("the total number of tokens in the prompt cannot exceed 4,081", 4081),
        ("request (5000 tokens) exceeds the available context size (4096 tokens)", 4096),
        ("loaded with context length of only 4096 tokens, which is not enough", 4096),
        ("{'message': 'exceeds the available context size', 'n_ctx': 2048}", 2048),
        ("Maximum context length is 1_000_000 tokens", 1_000_000),
    ],
)
def test_every_known_wording(text, limit):
    assert limit_from_error(text) == limit
    assert limit_from_error(RuntimeError(text)) == limit


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Input is too long for requested model.",
        "Your input exceeds the context window of this model.",
        "Please reduce the length of the messages or completion.",
        "context window exceeds limit (2013)",
        "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Requested 31000.",
        "ThrottlingException: Too many tokens, please wait before trying again.",
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
        "maximum context length is unknown",
        "9" * 100_000,
    ],
)
def test_errors_that_name_no_limit_of_the_context(text):
    assert limit_from_error(text) is None
    assert limit_from_error(ValueError(text)) is None


def test_the_error_of_an_sdk_also_inside_another():
    body = {"message": "This model's maximum context length is 16385 tokens.", "type": "x"}
    inner = openai.APIError("Error code: 400", request=None, body=body)
    assert limit_from_error(inner) == 16385
    try:
        try:
            raise inner
        except openai.APIError as error:
            raise RuntimeError("the agent failed") from error
    except RuntimeError as outer:
        assert limit_from_error(outer) == 16385


def test_a_chain_of_causes_that_bites_its_tail():
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert limit_from_error(first) is None
