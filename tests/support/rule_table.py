"""Rules of providers as tables: what is said of a history, where that is said, and the codes.

Sources: ``doc`` is a vendor's documentation or an SDK's docstring, ``error`` the API's own
error text as users report it, ``source`` read in a client or validator, ``observed`` a
recorded request or a run.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest

from support.shapes import History
from trimtab import InvalidHistory, check, fit, repair, verify
from trimtab.soundness import SOUNDNESS

SOURCES = ("doc", "error", "source", "observed")


@dataclass(frozen=True)
class Rule:
    """A history, and the codes of its faults: none where the provider takes it.

    ``mends``: repair leaves a sound history. ``seen``: the second opinion of `verify`, which
    judges what a fit can bring about, says the same.
    """

    words: str
    source: str
    history: History
    codes: tuple[str, ...] = ()
    mends: bool = True
    seen: bool = True


def table(*rules: Rule) -> pytest.MarkDecorator:
    """A test of every rule, named by its words."""
    assert all(rule.source.split(":")[0] in SOURCES for rule in rules)
    return pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.words) for rule in rules])


def holds(format: str, rule: Rule) -> None:
    """Assert that check, fit, repair and the second opinion all know the rule."""
    history, before = rule.history, copy.deepcopy(rule.history)
    codes = tuple(fault.code for fault in check(history, format=format))
    assert codes == rule.codes
    if rule.seen:
        assert bool(list(SOUNDNESS[format](history))) == bool(codes)
    if not codes:
        fitted = fit(history, 10**6, format=format)
        assert all(a is b for a, b in zip(fitted.messages, history, strict=True))
        assert verify(fitted) == []
        return
    with pytest.raises(InvalidHistory) as caught:
        fit(history, 10**6, format=format)
    assert caught.value.code == codes[0]
    if rule.mends:
        mended = repair(history, format=format)
        assert mended.repairs
        assert check(mended.messages, format=format) == []
        assert list(SOUNDNESS[format](mended.messages)) == []
        apart = [copy.deepcopy(message) for message in history]  # each an object of its own
        assert verify(fit(apart, 10**6, format=format, on_invalid="repair")) == []
    else:
        with pytest.raises(InvalidHistory):
            repair(history, format=format)
    assert history == before
