"""Ratios of other makers' vocabularies: plausible, and all of them usable."""

from __future__ import annotations

import pytest
from trimtab.tokens.encodings import encoding
from trimtab.tokens.estimate import Estimate
from trimtab.tokens.ratios import RATIOS

ENGLISH = "The harbour was quiet that morning, and nobody had seen the boat come in. " * 20
CODE = "def add(first_number, second_number):\n    return first_number + second_number\n" * 20
RUSSIAN = "Утром в гавани было тихо, и никто не видел, как пришла лодка. " * 20
DIGITS = "Order 4711 of 2026-11-30: 3 x 1299.00 = 3897.00\n" * 20
base = encoding("o200k_base")


@pytest.mark.parametrize("name", sorted(RATIOS))
@pytest.mark.parametrize("text", [ENGLISH, CODE, RUSSIAN, DIGITS])
def test_an_estimate_is_near_the_base(name, text):
    """No vocabulary of that size is more than half away from o200k_base on such texts."""
    counted = Estimate(base, name, RATIOS[name]).count(text)
    assert 0.9 * base.count(text) < counted < 1.9 * base.count(text)


@pytest.mark.parametrize("name", ["gemini", "mistral", "qwen"])
def test_digits_stand_alone_in_some_vocabularies(name):
    """These write every digit as a token, o200k_base three at a time."""
    number = "1234567890" * 30
    counted = Estimate(base, name, RATIOS[name]).count(number)
    assert 0.6 * len(number) < counted <= 1.2 * len(number)


def test_the_unknown_is_not_below_the_known():
    def count(name, text):
        return Estimate(base, name, RATIOS[name]).count(text)

    for text in (ENGLISH, CODE, RUSSIAN):
        others = sorted(count(name, text) for name in RATIOS if name != "other")
        assert count("other", text) >= others[len(others) // 2]
