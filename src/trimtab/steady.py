"""Cuts planned for a provider's prompt cache: what it charges, as the planner wants it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from math import lcm
from typing import Any, Final

from .core.depth import Depth, Ledger, Prices, Renewal
from .core.whole import whole
from .errors import InvalidOptions

ANTHROPIC: Final = "anthropic-5m"


@dataclass(frozen=True, slots=True)
class Steady:
    """A depth for `Policy`: cuts that cost least on a provider's prompt cache.

    ``read`` and ``write`` are what a token costs that the cache holds and that it takes in, as
    multiples of the price of an input token; ``value`` is what it is worth, in the same unit and
    for every request, that a token is kept. Then a history is cut where it must be, and as deep
    as a cycle from cut to cut costs least (exact renewal, ``docs/cuts.md``). ``floor`` instead
    says that so many of the newest tokens are enough: a cut down to them is made once what is
    read beyond them has paid for it, and sooner where it is cheap. ``life`` is how many seconds
    the cache lasts: a gap between the times of two messages that is longer makes a cut free,
    which is then made if the history would be cut that deep. ``cache`` is a name for all that.

    Numbers may be whole, decimal or fractions. Raises `InvalidOptions` for those out of range,
    and where a token is worth no more than to read it and there is no floor to keep.
    """

    read: Fraction
    write: Fraction
    value: Fraction = Fraction(1)
    floor: int | None = None
    life: int | None = None
    cache: str | None = None

    def __post_init__(self) -> None:
        for name in ("read", "write", "value"):
            object.__setattr__(self, name, _fraction(getattr(self, name), name))
        for name in ("floor", "life"):
            given = getattr(self, name)
            if given is not None and whole(given, name) < 1:
                raise InvalidOptions(f"{name} must be at least 1")
        if self.floor is None and self._fee > 0 and self.value <= self.read:
            raise InvalidOptions(
                f"a token that is worth {float(self.value)} a request and costs {float(self.read)} "
                "to read is never worth keeping: give a floor, or a higher value"
            )

    @property
    def _fee(self) -> Fraction:
        return self.write - self.read

    @property
    def parts(self) -> int:
        """The denominator of the prices."""
        return lcm(self.read.denominator, self.write.denominator, self.value.denominator)

    @property
    def prices(self) -> Prices:
        """The prices in whole numbers of parts."""
        parts = self.parts
        return Prices(int(self.read * parts), int(self.write * parts), int(self.value * parts))

    def rule(self) -> Depth | None:
        """The rule of the core; None where a cut costs nothing, so that none is too many."""
        if self.floor is not None:
            return Ledger(self.prices, self.floor)
        return Renewal(self.prices) if self._fee > 0 else None

    def described(self) -> dict[str, Any]:
        """The fields as plain data, from which they can be made again."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {k: _plain(v) if isinstance(v, Fraction) else v for k, v in found.items()}


def steady_for(cache: str, value: Any, floor: int | None) -> Steady:
    """The depth for a cache that `trimtab.billing` knows by name."""
    from .billing import rules_named

    rules = rules_named(cache)
    return Steady(rules.read, rules.write, value, floor, rules.life, rules.name)


def _plain(number: Fraction) -> float | str:
    """A number as plain data, as a fraction in words where no decimal is it."""
    decimal = float(number)
    return decimal if Fraction(str(decimal)) == number else str(number)


def _fraction(value: Any, name: str) -> Fraction:
    if isinstance(value, bool):
        raise InvalidOptions(f"{name} must be a number, not {value!r}")
    try:
        number = value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise InvalidOptions(f"{name} must be a number, not {value!r}") from None
    if number < 0:
        raise InvalidOptions(f"{name} must not be negative: {value}")
    return number
