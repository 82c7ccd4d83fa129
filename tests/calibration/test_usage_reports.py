"""The input tokens of every provider's report, cached ones included once."""

from __future__ import annotations

import anthropic.types as claude
import pytest
from openai.types import CompletionUsage
from openai.types.completion_usage import PromptTokensDetails
from openai.types.responses import ResponseUsage
from trimtab import InvalidOptions
from trimtab.tokens.usage import prompt_tokens

RESPONSES = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 105,
}
CACHED = PromptTokensDetails(cached_tokens=60)
CHAT = CompletionUsage(
    prompt_tokens=100, completion_tokens=5, total_tokens=105, prompt_tokens_details=CACHED
)
CLAUDE = claude.Usage(
    input_tokens=10, cache_creation_input_tokens=30, cache_read_input_tokens=60, output_tokens=5
)


class Response:
    def __init__(self, **fields):
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    "usage",
    [
        100,
        CHAT,
        CHAT.model_dump(),
        ResponseUsage.model_validate(RESPONSES),
        RESPONSES,
        CLAUDE,
        CLAUDE.model_dump(),
        {"input_tokens": 100, "output_tokens": 5},
        {"input_tokens": 40, "cache_read_input_tokens": 60, "cache_creation_input_tokens": None},
        {"promptTokenCount": 100, "cachedContentTokenCount": 60},
        Response(prompt_token_count=100, cached_content_token_count=60),
        {"inputTokens": 10, "cacheReadInputTokens": 60, "cacheWriteInputTokens": 30},
        {"usage": {"prompt_tokens": 100}},
        Response(usage=CLAUDE),
        Response(usage=None, usage_metadata=Response(prompt_token_count=100)),
        {"usageMetadata": {"promptTokenCount": 100}},
    ],
    ids=lambda usage: type(usage).__name__,
)
def test_all_input_tokens(usage):
    assert prompt_tokens(usage) == 100


@pytest.mark.parametrize(
    "usage",
    [None, {}, "100", True, 0, -5, 1.5, {"prompt_tokens": "100"}, {"prompt_tokens": True}]
    + [{"input_tokens": -1}, {"usage": None}, {"usage": {}}, {"output_tokens": 5}, object()],
)
def test_what_states_no_input_tokens(usage):
    with pytest.raises(InvalidOptions):
        prompt_tokens(usage)
