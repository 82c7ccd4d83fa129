"""What tokens cost: a price list by model, or multiples of the price of an input token."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from ..tokens.model_table import find
from .cache import Charge
from .rules import CacheRules

_MILLION: Final = 1_000_000
_ONE_HOUR: Final = 3_600


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of one token, as exact fractions; ``unit`` says of what.

    ``tiers`` are the prices for longer prompts: all tokens of a prompt of more than so many
    tokens cost these.
    """

    input: Fraction
    read: Fraction
    write: Fraction
    output: Fraction
    unit: str = "tokens"
    tiers: tuple[tuple[int, Prices], ...] = ()

    @classmethod
    def of(cls, rules: CacheRules) -> Prices:
        """In multiples of the price of an input token, by the rules alone; answers are free."""
        return cls(Fraction(1), rules.read, rules.write, Fraction(0))

    def at(self, tokens: int) -> Prices:
        """The prices for a prompt of so many tokens."""
        found = self
        for start, prices in self.tiers:
            if tokens > start:
                found = prices
        return found

    def cost(self, charge: Charge) -> Fraction:
        """What a prompt costs; what is answered costs ``output`` a token beside it."""
        here = self.at(sum(charge))
        read, written, uncached = charge
        return here.read * read + here.write * written + here.input * uncached


def prices_for(model: str | None, rules: CacheRules) -> Prices | None:
    """The prices of a model in dollars, from the data of ``genai-prices`` (`trimtab[models]`).

    What the list does not tell of reads and writes is the rules' multiple of the input price.
    None without a model, for one that the list does not know or has for nothing, and without the
    package.
    """
    found = _listed(model)
    if found is None:
        return None
    starts = sorted({tier.start for price in vars(found).values() for tier in _tiers(price)})
    tiers = tuple((start, _prices(found, rules, start)) for start in starts)
    base = _prices(found, rules, 0)
    return Prices(base.input, base.read, base.write, base.output, "USD", tiers)


def _listed(model: str | None) -> Any:
    """The maker's price list of a model."""
    if model is None:
        return None
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ImportError:
        return None
    from datetime import UTC, datetime

    row = find(model)
    spellings = [model, model.rpartition("/")[2], *([row.bare] if row else [])]
    for name in dict.fromkeys(spellings):
        try:
            _, info = get_snapshot().find_provider_model(name, None, None, None)
        except LookupError:
            continue
        prices = info.get_prices(datetime.now(UTC))
        return prices if getattr(prices, "input_mtok", None) else None
    return None


def _prices(found: Any, rules: CacheRules, start: int) -> Prices:
    def of(name: str) -> Fraction | None:
        price = getattr(found, name, None)
        for tier in _tiers(price):
            if start >= tier.start:
                price = tier.price
        price = getattr(price, "base", price)
        return None if price is None else Fraction(price) / _MILLION

    paid = of("input_mtok") or Fraction(0)
    read = of("cache_read_mtok")
    longer = rules.life is not None and rules.life >= _ONE_HOUR
    write = of("cache_write_1h_mtok") if longer else of("cache_write_mtok")
    if rules.write <= 1 or write is None:
        write = paid * rules.write
    read = paid * rules.read if read is None else read
    return Prices(paid, read, write, of("output_mtok") or Fraction(0), "USD")


def _tiers(price: Any) -> list[Any]:
    return list(getattr(price, "tiers", ()))
