"""When messages came: one time for each, said again on every call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from .errors import InvalidOptions

Time = float | datetime | None
Seconds = float | None
_MOST: Final = 1 << 53  # seconds, which is some 285 million years
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)


def seconds(time: Any, index: int) -> Seconds:
    """A time in seconds; None where it is not known. Raises `InvalidOptions`.

    A datetime without a zone is one of UTC, so that no machine's own zone moves a cut.
    """
    if time is None:
        return None
    if isinstance(time, datetime):
        return stamp(time)
    number = isinstance(time, (int, float)) and not isinstance(time, bool)
    if not number or not -_MOST < time < _MOST:  # NaN is neither
        kind = type(time).__name__
        raise InvalidOptions(
            f"the time of message {index} must be seconds, a datetime or None, not of type {kind}"
            if not number
            else f"the time of message {index} is no number of seconds that can be"
        )
    return time


def stamp(time: datetime) -> float:
    """Seconds since 1970; without a zone it is UTC."""
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return (aware - _EPOCH) / _SECOND


class Clock:
    """Tells of messages, one after the other, whether a cache that lasts ``life`` is cold.

    It is used last when the request before is sent, which is no later than the message before
    came. ``life`` is in seconds; None: it is never cold.
    """

    __slots__ = ("_life", "_newest")

    def __init__(self, life: int | None) -> None:
        self._life = life
        self._newest: Seconds = None

    def cold(self, time: Seconds) -> bool:
        """Whether a message that came at ``time`` came too late."""
        before = self._newest
        if time is None:
            return False
        self._newest = time
        return self._life is not None and before is not None and time - before > self._life


def timed(times: Any, size: int, first: int = 0) -> list[Seconds] | None:
    """The times of ``size`` messages, the first of which has index ``first``; None without any.

    Raises `InvalidOptions` where they are not one for each message.
    """
    if times is None:
        return None
    if isinstance(times, (str, bytes)) or not isinstance(times, Sequence):
        raise InvalidOptions("times must be a list with one time for each message")
    if len(times) != size:
        raise InvalidOptions(f"times must be one for each message: {len(times)} for {size}")
    return [seconds(time, at) for at, time in enumerate(times, first)]
