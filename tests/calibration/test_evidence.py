"""What ratios are learned from reports: clamped, by kind, and from additions above all."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trimtab.tokens.calibration import KINDS, Calibration, Evidence, Tally


def tally(exact=0, **kinds):
    return Tally(exact, {kind: kinds.get(kind, 0) for kind in KINDS})


def ratios(*reports):
    evidence = Evidence()
    for reported, counted, grown in reports:
        evidence.record(reported, counted, grown=grown)
    return {kind: Fraction(*ratio) for kind, ratio in evidence.ratios().items()}


def test_without_a_report_nothing_is_learned():
    assert ratios() == {}


@pytest.mark.parametrize(
    ("reported", "counted", "ratio"),
    [
        (1000, tally(text=1000), Fraction(1)),
        (2100, tally(text=2000), Fraction(3100, 3000)),  # a thousand are taken as right
        (600, tally(text=100), Fraction(5, 4)),  # hidden parts are no ratio
        (100, tally(text=5000), Fraction(4, 5)),
        (3100, tally(1000, text=2000), Fraction(3100, 3000)),  # exact parts are taken off
        (50, tally(1000), Fraction(1)),  # nothing is estimated
    ],
)
def test_a_whole_request_is_weak_evidence(reported, counted, ratio):
    assert set(ratios((reported, counted, False)).values()) == {ratio}


def test_what_was_added_tells_its_kind():
    learned = ratios(
        (3000, tally(text=1000), False),
        (3000 + 900, tally(text=1600), True),  # 600 of text were billed 900
        (3900 + 1200, tally(text=1600, tools=1000), True),  # 1,000 of tools were billed 1,200
    )
    assert learned["text"] == Fraction(3, 2)
    assert learned["tools"] == Fraction(6, 5)
    assert learned["media"] == Fraction(5, 4)  # nothing known but the whole


def test_mixed_additions_are_shared_out():
    learned = ratios((1000, tally(), False), (3000, tally(text=600, tools=1000), True))
    assert learned["text"] == learned["tools"] == Fraction(5, 4)


def test_a_ratio_stays_between_a_half_and_two():
    assert ratios((1, tally(), False), (90_001, tally(text=9000), True))["text"] == 2
    assert ratios((1, tally(), False), (11, tally(text=9000), True))["text"] == Fraction(1, 2)


def test_a_request_that_does_not_extend_the_last_one_says_nothing_of_additions():
    alone = ratios((50_000, tally(text=50_000), False))
    assert ratios((9, tally(text=9), False), (50_000, tally(text=50_000), False)) == alone


@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(1, 10**4),
    st.integers(1, 10**4),
)
def test_the_scaled_limit_is_the_inverse_of_scaling(tokens, limit, over, under):
    calibration = Calibration({"text": (over, under)})
    fits = calibration.scaled(tokens, "text") <= limit
    assert (tokens <= calibration.base_limit(limit, "text")) == fits
    assert calibration.scaled(tokens, "media") == tokens


def test_as_plain_data():
    assert Calibration({"text": (6, 5)}, -3).to_dict() == {"ratios": {"text": [6, 5]}, "offset": -3}
    assert Calibration() == Calibration({}, 0)
