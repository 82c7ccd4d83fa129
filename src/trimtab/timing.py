"""When messages came: one time for each, said again on every call."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from typing import Any

from .errors import InvalidOptions

Time = float | datetime | None
Seconds = float | None


def seconds(time: Any, index: int) -> Seconds:
    """A time in seconds; None where it is not known. Raises `InvalidOptions`."""
    if time is None:
        return None
    if isinstance(time, datetime):
        return time.timestamp()
    if isinstance(time, bool) or not isinstance(time, (int, float)) or not isfinite(time):
        raise InvalidOptions(
            f"the time of message {index} must be seconds, a datetime or None, not {time!r}"
        )
    return time


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
