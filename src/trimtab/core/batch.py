"""When what units could do without has been read so often that freeing it is paid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from .depth import Prices


class Waiting(NamedTuple):
    """Tokens that could be freed now, and the oldest unit that holds some of them."""

    tokens: int = 0
    unit: int = 0


class Batch(NamedTuple):
    """Prices, and a function that tells what waits to be freed; asked once a request."""

    prices: Prices
    waits: Callable[[], Waiting]


NOTHING: Final = Waiting()
NO_BATCH: Final = Batch(Prices(0, 0, 0), Waiting)
