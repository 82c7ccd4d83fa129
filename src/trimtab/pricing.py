"""What each message of a list costs where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from .formats.base import Format, Message
from .tokens.meter import Meter
from .units import batch_of


def prices(meter: Meter, format: Format, messages: Sequence[Message]) -> list[int]:
    """Tokens of every message, in order. O(messages) beside the tokenising."""
    if not meter.contextual:
        return list(map(meter.message, messages))
    batch, price = batch_of(format, messages), meter.message
    return [price(message, at in batch) for at, message in enumerate(messages)]
