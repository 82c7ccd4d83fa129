"""Real conversations: ``check`` and ``fit`` against the oracles (all of them: ``bench/sweep.py``)."""

from __future__ import annotations

from typing import Any

import pytest
from oracles.fitting import Options, cost, try_fit
from support.corpus import conversations, requires_corpus
from support.oracles import FORMATS, objections

from trimtab import check, repair

pytestmark = requires_corpus
both_formats = pytest.mark.parametrize("format", FORMATS)
every = pytest.mark.parametrize(
    "step", [pytest.param(12, id="quick"), pytest.param(1, id="slow", marks=pytest.mark.slow)]
)


def sample(format: str, step: int) -> list[dict[str, Any]]:
    """Every ``step``-th conversation."""
    return [c for i, c in enumerate(conversations(format)) if i % step == 0]


def _pairing(said: list[str]) -> list[str]:
    # Blank text is turnsafe's own rule (empty_content): the Claude Code recordings hold it
    # although the API took them, and a cut cannot add or remove it.
    return [text for text in said if "empty_content" not in text]


@both_formats
@every
def test_check_agrees_on_real_conversations(format: str, step: int) -> None:
    """Real histories are nearly all sound; the broken ones are found by both."""
    for conversation in sample(format, step):
        messages = conversation["messages"]
        faults = check(messages, format=format)
        said = _pairing(objections(format, messages))
        assert bool(faults) == bool(said), (conversation["id"], faults[:3], said[:3])


@both_formats
@every
def test_fit_real_conversations(format: str, step: int) -> None:
    """Cut at four budgets, each result keeps every promise."""
    for conversation in sample(format, step):
        messages = repair(conversation["messages"], format=format).messages
        if objections(format, messages):
            continue
        total = sum(map(cost, messages))
        for part in (1, 2, 3, 4):
            try_fit(format, messages, total * part // 4, Options())
