"""The bill of a sequence of requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from .cache import Cache, Charge, Sent
from .prices import Prices
from .rules import CacheRules


@dataclass(slots=True)
class Bill:
    """What requests came to: tokens by how they were billed, and money in the prices' unit.

    ``money`` is that of the prompts, ``answers`` that of the output. ``rows`` has one charge and
    its cost for each request.
    """

    read: int = 0
    written: int = 0
    uncached: int = 0
    output: int = 0
    money: Fraction = Fraction(0)
    answers: Fraction = Fraction(0)
    rows: list[tuple[Charge, Fraction]] = field(default_factory=list[tuple[Charge, Fraction]])

    @property
    def tokens(self) -> int:
        """All tokens of the prompts."""
        return self.read + self.written + self.uncached

    @property
    def cached(self) -> Fraction:
        """The share of the prompts that was read from the cache."""
        return Fraction(self.read, self.tokens) if self.tokens else Fraction(0)


def bill(
    requests: Iterable[Sent],
    rules: CacheRules,
    prices: Prices | None = None,
    model: str | None = None,
) -> Bill:
    """Bill requests that were sent one after the other.

    Without ``prices`` money is in multiples of the price of an input token. ``model`` settles
    how short a prefix may be. O(requests and marks).
    """
    made, cache, prices = Bill(), Cache(rules, model), prices or Prices.of(rules)
    for sent in requests:
        charge = cache.request(sent)
        cost = prices.cost(charge)
        made.read += charge.read
        made.written += charge.written
        made.uncached += charge.uncached
        made.output += sent.output
        made.money += cost
        made.answers += prices.at(sent.tokens).output * sent.output
        made.rows.append((charge, cost))
    return made
