"""Property tests in two sizes: a few hundred examples by default, more under ``-m slow``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def sizes(quick: int, slow: int) -> pytest.MarkDecorator:
    """Parametrize a test over ``examples``; the bigger number only runs as a slow test."""
    return pytest.mark.parametrize(
        "examples",
        [pytest.param(quick, id="quick"), pytest.param(slow, id="slow", marks=pytest.mark.slow)],
    )


def forall(strategy: st.SearchStrategy[Any], examples: int, holds: Callable[[Any], None]) -> None:
    """Run ``holds`` on that many drawn values; Hypothesis shrinks the first failure."""

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,  # the same examples in every run: a red build is reproducible
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(strategy)
    def test(value: Any) -> None:
        holds(value)

    test()
