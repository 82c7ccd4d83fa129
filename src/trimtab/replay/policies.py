"""The policies that are compared, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ..billing import CacheRules, Prices
from ..errors import InvalidOptions
from ..policy import Policy
from ..steady import Steady

DEFAULT: Final = ("slide", "0.9", "0.8", "0.7", "0.5", "steady", "agent", "floor")


def policy_named(name: str, rules: CacheRules, prices: Prices, room: int) -> Policy:
    """A policy by name.

    ``slide`` keeps all that fits, a number is a depth, ``steady`` and ``agent`` plan for the cache,
    and ``floor`` keeps 30 % of the room, with a ledger. Raises `InvalidOptions` for another name.
    """
    read, write = prices.read / prices.input, prices.write / prices.input
    steady = Steady(read, max(write, read), life=rules.life, cache=rules.name)
    if name == "slide":
        return Policy()
    if name == "steady":
        return Policy(depth=steady)
    if name == "agent":
        return replace(Policy.agent(), depth=steady)
    if name == "floor":
        return Policy(depth=replace(steady, floor=max(room * 3 // 10, 1)))
    try:
        return Policy(depth=float(name))
    except ValueError:
        known = "slide, steady, agent, floor or a depth like 0.8"
        raise InvalidOptions(f"no policy is called {name!r}; known are {known}") from None
