"""Generated histories of every format: sound ones by seed or as Hypothesis strategies, and damage.

A history is written as a script, a list of (kind of unit, seed), so that shrinking
removes units and simplifies the rest, and every step of the way stays sound. Formats of one
shape share a generator; what pairs as OpenAI Chat is written of its histories.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from hypothesis import strategies as st

from support import anthropic_histories, chat_histories, gemini_damage, gemini_histories
from support import generate_responses, mcp_damage, strict_histories, ui_damage
from support.damage import KINDS as DAMAGE
from support.damage import damage
from support.shapes import History
from support.written import FROM_CHAT, from_items

__all__ = [
    "DAMAGE",
    "build",
    "damage",
    "damage_of",
    "damaged_histories",
    "kinds_of_damage",
    "sound",
    "sound_histories",
]

Script = list[tuple[str, int]]
Break = Callable[[History, Random], None]

_UNITS: dict[str, Any] = {
    "openai-chat": chat_histories,
    "anthropic": anthropic_histories,
    "gemini": gemini_histories,
}
_HUMAN_FIRST = ("anthropic", "gemini")
_STRICT = {**{name: name for name in strict_histories.SHAPES}, "mistral": "strict-chat"}
_WRITTEN_FIRST = ("vercel-ui", "mcp")  # before the damage; else a damaged history is written


def build(format: str, script: Script, pending: int | None = None) -> History:
    """The sound history of a script; ``pending`` is the seed of an open call at the very end.

    An Anthropic or Gemini history always starts with a human message.
    """
    if format in FROM_CHAT:
        return FROM_CHAT[format](build("openai-chat", script, pending))
    if format == "openai-agents":
        return from_items(generate_responses.build(script, pending))
    if format == "openai-responses":
        return generate_responses.build(script, pending)
    if format in _STRICT:
        return strict_histories.build(_STRICT[format], script, pending)
    made = _UNITS[format]
    history: History = []
    if format in _HUMAN_FIRST and (not script or script[0][0] not in ("say", "users", "media")):
        script = [("say", 0), *script]
    for kind, seed in script:
        made.UNITS[kind](history, Random(seed))
    if pending is not None:
        made.pending(history, Random(pending))
    return history


def units(format: str) -> list[str]:
    """The kinds of units of a format's scripts."""
    if format in FROM_CHAT:
        return list(chat_histories.UNITS)
    if format in ("openai-responses", "openai-agents"):
        return list(generate_responses.UNITS)
    return list(strict_histories.EXCHANGES if format in _STRICT else _UNITS[format].UNITS)


def sound(format: str, rng: Random, units: int = 8) -> History:
    """A sound history of up to ``units`` units, the same for the same state of ``rng``."""
    return build(format, *_script(format, rng, units))


def _script(format: str, rng: Random, size: int) -> tuple[Script, int | None]:
    kinds = units(format)
    script = [(rng.choice(kinds), rng.getrandbits(32)) for _ in range(rng.randint(1, size))]
    return script, rng.getrandbits(32) if rng.random() < 0.2 else None


def sound_histories(
    format: str, max_units: int = 8, without: tuple[str, ...] = ()
) -> st.SearchStrategy[History]:
    """Sound histories of at most ``max_units`` units (and perhaps an open call).

    ``without`` names kinds of units that are not wanted.
    """
    kinds = [kind for kind in units(format) if kind not in without]
    step = st.tuples(st.sampled_from(kinds), st.integers(0, 2**16))
    script = st.lists(step, min_size=1, max_size=max_units)
    return st.builds(build, st.just(format), script, st.none() | st.integers(0, 2**16))


def kinds_of_damage(format: str) -> dict[str, Break]:
    """Ways in which a history of a format breaks, each changing the one that it is given."""
    if format in ("openai-responses", "openai-agents"):
        return generate_responses.DAMAGE
    if format in _STRICT:
        shape = strict_histories.SHAPES[_STRICT[format]]
        return {name: partial(kind, shape) for name, kind in strict_histories.DAMAGE.items()}
    own: dict[str, dict[str, Break]] = {
        "gemini": gemini_damage.KINDS,
        "mcp": mcp_damage.KINDS,
        "vercel-ui": ui_damage.KINDS,
    }
    return own.get(format, DAMAGE)


def damage_of(format: str, rng: Random, kind: str | None = None, size: int = 6) -> tuple[str, Any]:
    """(kind, a history after that damage), the same for the same state of ``rng``."""
    kinds = kinds_of_damage(format)
    kind = rng.choice(sorted(kinds)) if kind is None else kind
    return kind, _damaged(format, *_script(format, rng, size), rng, kind)


def _damaged(format: str, script: Script, pending: int | None, rng: Random, kind: str) -> Any:
    first = {"openai-agents": "openai-responses"}.get(format, format)
    if format in FROM_CHAT and format not in _WRITTEN_FIRST:
        first = "openai-chat"
    broken = copy.deepcopy(build(first, script, pending))
    kinds_of_damage(format)[kind](broken, rng)
    if first == format:
        return broken
    return from_items(broken) if format == "openai-agents" else FROM_CHAT[format](broken)


@st.composite
def damaged_histories(
    draw: st.DrawFn, format: str, max_units: int = 6
) -> tuple[str, History, History]:
    """(kind, sound history, the same after that damage); some damage leaves it sound."""
    step = st.tuples(st.sampled_from(units(format)), st.integers(0, 2**16))
    script = draw(st.lists(step, min_size=1, max_size=max_units))
    pending = draw(st.none() | st.integers(0, 2**16))
    kind = draw(st.sampled_from(sorted(kinds_of_damage(format))))
    rng = Random(draw(st.integers(0, 2**16)))
    return kind, build(format, script, pending), _damaged(format, script, pending, rng, kind)
