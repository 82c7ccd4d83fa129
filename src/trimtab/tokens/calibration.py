"""Learning from what a provider reported: ratios by kind of content, and an offset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ..core.whole import whole
from ..errors import InvalidOptions

Ratio = tuple[int, int]
"""A fraction: numerator and denominator, both positive."""

KINDS: Final[tuple[str, ...]] = ("text", "tools", "media")
"""Kinds of content: words; calls, their results and schemas; images and the like."""

_GROWN: Final = (1, 2)  # how far a ratio may go that was learned from what was added: 1/2 to 2
_WHOLE: Final = (4, 5)  # and one from a whole request, whose hidden parts are unknown: 4/5 to 5/4
_PRIOR: Final = 1000  # tokens of a whole request that are taken to have been counted right
_ENOUGH: Final = 500  # tokens of added content of a kind that can be learned from


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a bill differs from the counts: frozen, and equal wherever it is repeated.

    The estimated tokens of a message are multiplied by the ratio of its kind (``ratios``
    maps ``text``, ``tools`` and ``media`` to a fraction); exact ones never are.
    ``offset`` is added to the fixed cost, so that the request it was learned from counts
    what was reported for it.
    """

    ratios: Mapping[str, Ratio] = field(default_factory=dict[str, Ratio])
    offset: int = 0

    def __post_init__(self) -> None:
        whole(self.offset, "the offset of a calibration", negative=True)
        for kind, ratio in self.ratios.items():
            over, under = ratio
            if (
                whole(over, f"the ratio of {kind}") == 0
                or whole(under, f"the ratio of {kind}") == 0
            ):
                raise InvalidOptions(f"the ratio of {kind} must be positive: {over}/{under}")

    def scaled(self, tokens: int, kind: str) -> int:
        """Estimated tokens of a kind as they are billed, rounded up."""
        over, under = self.ratios.get(kind, (1, 1))
        return -(-tokens * over // under)

    def base_limit(self, limit: int, kind: str) -> int:
        """The largest estimate whose scaled tokens are at most ``limit``."""
        over, under = self.ratios.get(kind, (1, 1))
        return limit * under // over

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Calibration:
        """The calibration that `to_dict` wrote. Raises `InvalidOptions`."""
        try:
            ratios = {str(kind): (over, under) for kind, (over, under) in data["ratios"].items()}
            return cls(ratios, data["offset"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidOptions("a calibration is a mapping of ratios and an offset") from error

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for `from_dict`."""
        return {"ratios": {k: list(v) for k, v in self.ratios.items()}, "offset": self.offset}


class Tally(NamedTuple):
    """The uncalibrated tokens of a request: exact ones, and estimated ones by kind."""

    exact: int
    estimated: Mapping[str, int]

    @property
    def total(self) -> int:
        """All of them."""
        return self.exact + sum(self.estimated.values())


class Evidence:
    """What was reported against what was counted, over the requests of a conversation.

    Whole requests say little, since they may hold parts that nobody sees; what a request
    has more than the one before it says much. Integers only; the same reports give the
    same ratios.
    """

    def __init__(self) -> None:
        self._last: tuple[int, Tally] | None = None
        self._grown: dict[str, tuple[int, int]] = dict.fromkeys(KINDS, (0, 0))

    def with_report(self, reported: int, tally: Tally, *, grown: bool) -> Evidence:
        """What this and one more report say; ``grown``: the request extends the last one."""
        more = Evidence()
        more._last, more._grown = self._last, dict(self._grown)
        more.record(reported, tally, grown=grown)
        return more

    def record(self, reported: int, tally: Tally, *, grown: bool) -> None:
        """Take one report, see `with_report`."""
        if grown and self._last is not None:
            before, counted = self._last
            exact = tally.exact - counted.exact
            more = {k: tally.estimated[k] - counted.estimated[k] for k in KINDS}
            self._attribute(reported - before - exact, more)
        self._last = reported, tally

    def _attribute(self, reported: int, counted: Mapping[str, int]) -> None:
        total = sum(counted.values())
        if total <= 0 or reported <= 0:
            return
        for kind, tokens in counted.items():
            billed, estimate = self._grown[kind]
            self._grown[kind] = billed + reported * tokens // total, estimate + tokens

    def ratios(self) -> dict[str, Ratio]:
        """The best ratio for every kind so far."""
        if self._last is None:
            return {}
        reported, tally = self._last
        estimated = sum(tally.estimated.values())
        whole = max(reported - tally.exact, 0) + _PRIOR, estimated + _PRIOR
        common = _clamped(whole, _WHOLE) if estimated else (1, 1)
        return {kind: self._ratio(kind, common) for kind in KINDS}

    def _ratio(self, kind: str, common: Ratio) -> Ratio:
        billed, estimate = self._grown[kind]
        return _clamped((billed, estimate), _GROWN) if estimate >= _ENOUGH else common


def _clamped(ratio: Ratio, least: Ratio) -> Ratio:
    over, under = ratio
    low, high = least
    if over * high < under * low:
        return least
    if over * low > under * high:
        return high, low
    return ratio
