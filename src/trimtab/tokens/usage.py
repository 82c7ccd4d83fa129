"""The input tokens in a provider's report of usage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ..errors import InvalidOptions
from ..formats.objects import getter

_HOLDERS: Final = ("usage", "usage_metadata", "usageMetadata")

# The names of one report are added up. OpenAI (chat, responses) and Gemini count cached
# tokens into their first number; Anthropic and Bedrock report them beside it.
_REPORTS: Final = (
    ("prompt_tokens",),
    ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    ("promptTokenCount",),
    ("prompt_token_count",),
    ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
)


def prompt_tokens(usage: Any) -> int:
    """All input tokens that a usage report states, cached ones too.

    Takes the usage of OpenAI (chat and responses), Anthropic, Gemini or Bedrock Converse, as
    a mapping or an SDK object, a whole response that holds one, or the number itself. Raises
    `InvalidOptions` for what states no input tokens.
    """
    if isinstance(usage, int) and not isinstance(usage, bool):
        return _positive(usage)
    get = getter(usage)
    holders = (inner for holder in _HOLDERS if (inner := get(holder)) is not None)
    for report in (usage, *holders):
        if (tokens := _stated(getter(report))) is not None:
            return _positive(tokens)
    raise InvalidOptions(f"a usage of type {type(usage).__name__} states no input tokens")


def _stated(get: Callable[[str], Any]) -> int | None:
    for names in _REPORTS:
        first = get(names[0])
        if isinstance(first, int) and not isinstance(first, bool):
            return first + sum(_whole(get(name)) for name in names[1:])
    return None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _positive(tokens: int) -> int:
    if tokens <= 0:
        raise InvalidOptions(f"a request cannot have had {tokens} input tokens")
    return tokens
