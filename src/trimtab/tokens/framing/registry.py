"""Framings by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Final

from . import chatml, harmony
from .base import Framing
from .claude import GENERATIONS, Claude
from .gemini import GENERATIONS as GEMINI
from .gemini import Gemini
from .plain import TEMPLATES, Plain

_FRAMINGS: Final[Mapping[str, Callable[[str], Framing]]] = {
    "chatml": chatml.ChatML,
    "chatml-responses": partial(chatml.ChatML, style=chatml.RESPONSES),
    "o-series": chatml.OSeries,
    "o-series-responses": partial(chatml.OSeries, style=chatml.O_SERIES_RESPONSES),
    "harmony": harmony.Harmony,
    "harmony-responses": partial(harmony.Harmony, style=harmony.RESPONSES),
    "gpt-oss": harmony.GptOss,
    "claude": partial(Claude, "claude-4.8"),
    **{name: partial(Claude, name) for name in GENERATIONS},
    **{name: partial(Gemini, name) for name in GEMINI},
    **{name: partial(Plain, name) for name in TEMPLATES},
}


@cache
def framing_named(name: str, images: str, dialect: str = "") -> Framing:
    """The framing of a name, with a rule for the price of images.

    ``images`` may be empty: the framing then has a usual one. ``dialect`` names an API that
    a framing may have a variant for.
    """
    variant = f"{name}-{dialect}"
    return _FRAMINGS[variant if variant in _FRAMINGS else name](images or name)
