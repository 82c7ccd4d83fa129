"""CPU time of a call: the best and the median of several runs."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple


class Time(NamedTuple):
    """Seconds of CPU time."""

    best: float
    median: float


def cpu(call: Callable[[Any], Any], prepare: Callable[[], Any] = lambda: None, runs: int = 5) -> Time:
    """Time ``call(prepare())``; the preparation is not counted."""
    seconds: list[float] = []
    for _ in range(runs):
        argument = prepare()
        gc.collect()
        started = time.process_time()
        call(argument)
        seconds.append(time.process_time() - started)
    return Time(min(seconds), median(seconds))


def ms(seconds: float) -> str:
    """Milliseconds, three digits."""
    return f"{seconds * 1000:,.3g} ms"
