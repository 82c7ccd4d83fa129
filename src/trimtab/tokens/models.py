"""Model names: which tokenizer counts for them, and how sure that is.

The figures are in ``models.toml``, each with its source; OpenAI's encodings come from
tiktoken's own table. Claude, Gemini and most others have no public tokenizer, so their
counts are estimates.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from ..errors import InvalidOptions
from .model_table import Found, find

DEFAULT_ENCODING: Final = "o200k_base"
_SHIPPED: Final = ("o200k_base", "o200k_harmony", "cl100k_base")
_LOOKALIKE: Final = (11, 10)  # of one that is OpenAI's by its name but not in its table


# Names of OpenAI's own; others begin like them ("gpt-4o-distill-llama"), or are billed with
# content that nobody sees (search, research), or were framed otherwise (gpt-3.5-turbo-0301).
_OWN: Final = re.compile(
    r"(?:gpt-\d(?:[.-]\d{1,2})?o?|chatgpt-4o|o\d)"
    r"(?:-(?:mini|nano|turbo|chat|codex|pro|max|latest|preview|instruct|16k|32k))*"
    r"(?:-20\d\d-\d\d-\d\d|-(?!0301)\d{4}(?:-preview)?)?|gpt-oss(?:-\d+b)?(?:-\d)?|gpt-35-turbo(?:-16k)?"
)


@dataclass(frozen=True, slots=True)
class Model:
    """How the requests of a model are counted.

    Texts are counted with ``encoding``, times ``scale``, or by the ``estimator`` of that
    name, if there is one. ``exact`` says that the encoding is the model's own, ``framed``
    that what it adds to a message is known too. ``framing`` is
    None where the format of the messages decides. ``images`` is the rule that prices
    media, empty where the framing decides.
    """

    name: str | None
    provider: str
    encoding: str
    scale: tuple[int, int] = (1, 1)
    exact: bool = True
    framed: bool = True
    framing: str | None = None
    images: str = ""
    estimator: str = ""


def model_named(name: str | None) -> Model:
    """The `Model` of a name, whatever gateway, region, date or fine-tune is in it.

    A strange name is estimated by the upper end of all models, one that looks like
    OpenAI's by o200k_base and a tenth; no name is counted with o200k_base alone. Raises
    `InvalidOptions` for what is no string. Remembers names, so it is cheap to ask again.

    >>> model_named("gpt-4o-mini").encoding
    'o200k_base'
    >>> model_named("us.anthropic.claude-sonnet-4-5-20250929-v1:0").estimator
    'claude'
    >>> model_named("openrouter/anthropic/claude-opus-4.7").estimator
    'claude-4.7'
    >>> model_named("gpt-9").exact
    False
    """
    if name is None:
        return Model(None, "unknown", DEFAULT_ENCODING)
    if not isinstance(name, str):
        raise InvalidOptions(f"model must be a name, not of type {type(name).__name__}")
    return _named(str(name))


@lru_cache(maxsize=1024)
def _named(name: str) -> Model:
    found = find(name)
    if found is None:
        return Model(name, "other", DEFAULT_ENCODING, exact=False, estimator="other")
    if found.row.provider == "openai":
        return _openai(name, found)
    row = found.row
    return Model(
        name,
        row.provider,
        row.encoding,
        exact=False,
        framed=False,
        framing=row.framing,
        images=row.media,
        estimator=row.estimator,
    )


def _openai(name: str, found: Found) -> Model:
    from tiktoken.model import MODEL_TO_ENCODING, encoding_name_for_model

    row, encoding = found.row, ""
    # The table has whole names, and starts that end in a dash.
    for spelling in (f"{found.bare}-", found.bare):
        with suppress(KeyError):
            encoding = encoding_name_for_model(spelling)
    likely = encoding in _SHIPPED and found.whole
    known = likely and bool(_OWN.fullmatch(found.bare) or found.bare in MODEL_TO_ENCODING)
    return Model(
        name,
        "openai",
        encoding if likely else row.encoding,
        (1, 1) if likely else _LOOKALIKE,
        exact=known,
        framed=known,
        framing=row.framing,
        images=row.media,
    )
