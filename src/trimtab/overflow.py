"""Reading the context limit out of a provider's own error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_MOST_CHARS: Final = 20_000
_D: Final = r"(?<![\d,_])(\d[\d,_]{0,14})(?!\d)"
_N: Final = rf"\(? ?{_D}"

# One line a wording; who writes so stands beside it (error texts in public reports, 2026).
_LIMITS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"maximum context length (?:is|of) (?:only )?{_N}",  # OpenAI, OpenRouter, DeepSeek, vLLM
        rf"{_D} maximum context length",  # Mistral
        rf"tokens > {_D} maximum",  # Anthropic, also through Vertex AI and Bedrock
        rf"exceed context limit: \d{{1,12}} \+ \d{{1,12}} > {_D}",  # Anthropic, with the reply
        rf"maximum number of (?:input )?tokens allowed {_N}",  # Gemini
        rf"maximum prompt length is {_N}",  # xAI
        rf"exceeds the (?:token |context )?limit of {_N}",  # GitHub Copilot
        rf"model(?:'s)? maximum {_N}",  # Bedrock
        rf"model token limit:? {_N}",  # Moonshot
        rf"`inputs` tokens \+ `max_new_tokens` must be <= {_N}",  # Together, Hugging Face
        rf"`inputs` must have less than {_N} tokens",  # Hugging Face
        rf"tokens in the prompt cannot exceed {_N}",  # Cohere
        rf"context (?:size|length|window) (?:is |of )?(?:only )?{_N} ?tokens",  # LM Studio and
        rf"[\"']?n_ctx[\"']? ?[:=] ?{_N}",  # llama.cpp, Ollama
    )
)


def limit_from_error(error: BaseException | str) -> int | None:
    """The context limit, in tokens, that a provider's error names.

    ``error`` is the exception that an SDK raised, or its text. The causes of an exception
    are read as well, and its ``body``. None where no limit is named: providers that only
    say "too long", limits of rate, limits of the reply alone. The limit is that of prompt
    and reply together for most providers, so take a `reserve` off for the reply.

    >>> limit_from_error("This model's maximum context length is 8192 tokens. However, ...")
    8192
    >>> limit_from_error("prompt is too long: 208310 tokens > 200000 maximum")
    200000
    >>> limit_from_error("Rate limit reached: limit 30000 tokens per minute") is None
    True
    """
    for text in _texts(error):
        lower = text[:_MOST_CHARS].lower()
        for pattern in _LIMITS:
            if found := pattern.search(lower):
                return int(found[1].replace(",", "").replace("_", "")) or None
    return None


def _texts(error: BaseException | str) -> Iterator[str]:
    if isinstance(error, str):
        yield error
        return
    seen: set[int] = set()
    step: Any = error
    while isinstance(step, BaseException) and id(step) not in seen:
        seen.add(id(step))
        yield str(step)
        if (body := getattr(step, "body", None)) is not None:
            yield str(body)
        step = step.__cause__ or step.__context__
