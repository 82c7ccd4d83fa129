"""Second opinions on validity: per format, a plain check that shares nothing with the grouping.

They read the messages themselves, so that a mistake in `trimtab.formats` or `trimtab.units`
does not hide itself.
"""

from __future__ import annotations

from typing import Any, Final

from . import (
    anthropic,
    bedrock_converse,
    gemini,
    langchain,
    llama_index,
    mcp,
    openai_agents,
    openai_chat,
    openai_responses,
    pydantic_ai,
    sharegpt,
    strict_chat,
    vercel_ai,
    vercel_ui,
)
from .fields import field
from .opinion import CHANGED, Objections, Opinion, leads

__all__ = ["OPINIONS", "SOUNDNESS", "Objections", "Opinion"]


def _asks_gemini(content: Any) -> bool:
    return field(content, "role") != "model" and not all(map(_answers, _parts(content)))


def _leads_gemini(content: Any) -> bool:
    parts = _parts(content)
    return field(content, "role") != "model" and not (parts and _answers(parts[0]))


def _parts(content: Any) -> list[Any]:
    parts = field(content, "parts")
    return list(parts) if isinstance(parts, (list, tuple)) else [parts]


def _answers(part: Any) -> bool:
    names = ("functionResponse", "function_response")
    return any(field(part, name) is not None for name in names)


_RENAMED: Final = CHANGED | {"role"}  # such as a developer message that became a system one
_STRICT: Final = Opinion(strict_chat.objections, leads=leads, parts=_RENAMED)
OPINIONS: Final[dict[str, Opinion]] = {
    "openai-chat": Opinion(openai_chat.objections),
    "anthropic": Opinion(anthropic.objections, stays=anthropic.stays, leads=leads),
    "openai-responses": Opinion(openai_responses.objections, stays=openai_responses.stays),
    "gemini": Opinion(gemini.objections, asks=_asks_gemini, leads=_leads_gemini, parts=_RENAMED),
    "bedrock-converse": Opinion(
        bedrock_converse.objections, asks=bedrock_converse.asks, leads=bedrock_converse.leads
    ),
    "mistral": _STRICT,
    "strict-chat": _STRICT,
    "fine-tuning": Opinion(strict_chat.closed_objections, leads=leads, parts=_RENAMED),
    "sharegpt": Opinion(
        sharegpt.objections, stays=sharegpt.stays, asks=sharegpt.asks, leads=sharegpt.asks
    ),
    "langchain": langchain.OPINION,
    "pydantic-ai": pydantic_ai.OPINION,
    "llama-index": llama_index.OPINION,
    "openai-agents": openai_agents.OPINION,
    "vercel-ai": vercel_ai.OPINION,
    "vercel-ui": vercel_ui.OPINION,
    "mcp": mcp.OPINION,
}
SOUNDNESS: Final[dict[str, Objections]] = {
    name: opinion.objections for name, opinion in OPINIONS.items()
}
