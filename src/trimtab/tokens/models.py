"""Model names: which tokenizer counts for them, and how far off it may be.

OpenAI's names come from tiktoken's own table. Claude has no public tokenizer: the
multipliers over o200k_base are upper ends of a measurement over English, code, JSON and
CJK text (November 2026: up to 1.41 before Claude 4.7, up to 1.69 from 4.7 on). Other
models are counted with a margin of the same kind. Everything but OpenAI is an estimate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..errors import InvalidOptions

DEFAULT_ENCODING: Final = "o200k_base"
_CLAUDE: Final = re.compile(r"claude\D*?(\d{1,2})(?:[.-](\d{1,2})(?!\d))?(?!\d)")
_CLAUDE_OLD: Final = (29, 20)
_CLAUDE_NEW: Final = (17, 10)
_OTHERS: Final = (13, 10)
_OPENAI: Final = re.compile(r"^(?:openai/|azure/)?((?:gpt-|chatgpt-|o\d|ft:|text-|davinci).*)")

# Reasoning models frame their messages otherwise; recorded requests differ by a token or two.
_REASONS: Final = re.compile(r"o\d|gpt-5|gpt-oss")


@dataclass(frozen=True, slots=True)
class Model:
    """How the requests of a model are counted: an encoding times ``scale``, and a framing.

    ``exact`` says that the encoding is the model's own, ``framed`` that what it adds to a
    message is known too. ``framing`` is None where the format of the messages decides.
    ``images`` is the rule for images.
    """

    name: str | None
    provider: str
    encoding: str
    scale: tuple[int, int] = (1, 1)
    exact: bool = True
    framed: bool = True
    framing: str | None = None
    images: str = "tiles"


def model_named(name: str | None) -> Model:
    """The `Model` of a name; no name is unknown.

    Strange names are counted with o200k_base and a margin, no name with o200k_base alone.
    Raises `InvalidOptions` for what is no string.

    >>> model_named("gpt-4o-mini").encoding
    'o200k_base'
    >>> model_named("claude-sonnet-4-5-20250929").scale
    (29, 20)
    >>> model_named("claude-opus-4-7").scale
    (17, 10)
    """
    if name is None:
        return Model(None, "unknown", DEFAULT_ENCODING)
    if not isinstance(name, str):
        raise InvalidOptions(f"model must be a name, not of type {type(name).__name__}")
    lower = name.lower()
    if "claude" in lower:
        scale = _claude_scale(lower)
        return Model(
            name, "anthropic", DEFAULT_ENCODING, scale, False, False, "claude", "pixels"
        )
    if found := _OPENAI.match(lower):
        return _openai(name, found[1])
    return Model(name, "other", DEFAULT_ENCODING, _OTHERS, exact=False)


def _claude_scale(name: str) -> tuple[int, int]:
    found = _CLAUDE.search(name)
    if not found:
        return _CLAUDE_NEW
    version = int(found[1]), int(found[2] or 0)
    return _CLAUDE_OLD if version < (4, 7) else _CLAUDE_NEW


def _openai(name: str, bare: str) -> Model:
    from tiktoken.model import encoding_name_for_model

    try:
        encoding = encoding_name_for_model(bare)
    except KeyError:
        return Model(name, "openai", DEFAULT_ENCODING, exact=False, framing="chatml")
    if encoding not in ("o200k_base", "o200k_harmony", "cl100k_base"):
        return Model(name, "openai", "cl100k_base", exact=False, framing="chatml")
    known = not _REASONS.match(bare)
    return Model(name, "openai", encoding, framed=known, framing="chatml")
