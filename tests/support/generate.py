"""Generated histories: sound ones by seed, the same as Hypothesis strategies, and damage.

A history is written as a script, a list of (kind of unit, seed), so that shrinking
removes units and simplifies the rest, and every step of the way stays sound.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from support import anthropic_histories, chat_histories, gemini_histories
from support.damage import KINDS as DAMAGE
from support.damage import damage
from support.shapes import History

__all__ = ["DAMAGE", "build", "damage", "damaged_histories", "sound", "sound_histories"]

Script = list[tuple[str, int]]

_FORMATS = {
    "openai-chat": chat_histories,
    "anthropic": anthropic_histories,
    "gemini": gemini_histories,
}
_HUMAN_FIRST = ("anthropic", "gemini")


def build(format: str, script: Script, pending: int | None = None) -> History:
    """The sound history of a script; ``pending`` is the seed of an open call at the very end.

    An Anthropic or Gemini history always starts with a human message.
    """
    made = _FORMATS[format]
    history: History = []
    if format in _HUMAN_FIRST and (not script or script[0][0] not in ("say", "users", "media")):
        script = [("say", 0), *script]
    for kind, seed in script:
        made.UNITS[kind](history, Random(seed))
    if pending is not None:
        made.pending(history, Random(pending))
    return history


def sound(format: str, rng: Random, units: int = 8) -> History:
    """A sound history of up to ``units`` units, the same for the same state of ``rng``."""
    kinds = list(_FORMATS[format].UNITS)
    script = [(rng.choice(kinds), rng.getrandbits(32)) for _ in range(rng.randint(1, units))]
    return build(format, script, rng.getrandbits(32) if rng.random() < 0.2 else None)


def sound_histories(format: str, max_units: int = 8) -> st.SearchStrategy[History]:
    """Sound histories of at most ``max_units`` units (and perhaps an open call)."""
    step = st.tuples(st.sampled_from(list(_FORMATS[format].UNITS)), st.integers(0, 2**16))
    script = st.lists(step, min_size=1, max_size=max_units)
    return st.builds(build, st.just(format), script, st.none() | st.integers(0, 2**16))


@st.composite
def damaged_histories(
    draw: st.DrawFn, format: str, max_units: int = 6
) -> tuple[str, History, History]:
    """(kind, sound history, the same after that damage); some damage leaves it sound."""
    history = draw(sound_histories(format, max_units))
    kind = draw(st.sampled_from(sorted(DAMAGE)))
    broken = damage(history, Random(draw(st.integers(0, 2**16))), kind)
    return kind, history, broken
