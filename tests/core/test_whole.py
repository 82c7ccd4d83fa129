"""What counts as a number of tokens."""

import pytest
from trimtab import InvalidOptions
from trimtab.core.whole import whole


class Indexed:
    def __index__(self):
        return 7


@pytest.mark.parametrize(("value", "expected"), [(0, 0), (12, 12), (Indexed(), 7), (2**70, 2**70)])
def test_accepts(value, expected):
    assert whole(value, "n") == expected


@pytest.mark.parametrize("value", [True, 1.0, "1", None, float("nan"), [], object()])
def test_refuses(value):
    with pytest.raises(InvalidOptions, match="n must be a whole number"):
        whole(value, "n")


def test_negative():
    with pytest.raises(InvalidOptions, match="n must not be negative: -1"):
        whole(-1, "n")
    assert whole(-1, "n", negative=True) == -1
