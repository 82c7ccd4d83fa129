"""The best estimate of the models whose tokeniser is hidden, by the names of ``models.toml``."""

from __future__ import annotations

from functools import cache
from typing import Final

from .claude_ctok import FAMILIES, ctok_counter, is_available
from .claude_ratios import CLAUDE_RATIOS
from .counter import Counter
from .encodings import encoding
from .estimate import Estimate, Ratios
from .ratios import RATIOS

_RATIOS: Final[dict[str, Ratios]] = {**RATIOS, **CLAUDE_RATIOS}


@cache
def estimator(name: str) -> Counter:
    """The one counter of an estimator in this process; ``other`` for a strange name.

    Claude's is ctok where that is installed (``trimtab[claude]``).
    """
    if name in FAMILIES and is_available():
        return ctok_counter(name)
    known = name if name in _RATIOS else "other"
    return Estimate(encoding("o200k_base"), known, _RATIOS[known])
