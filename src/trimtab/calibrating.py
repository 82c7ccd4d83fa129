"""Applying what a provider reported to the counts of a fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from .formats.base import Message
from .pricing import prices
from .setup import Setup
from .tokens.calibration import KINDS, Calibration, Evidence, Ratio, Tally
from .tokens.meter import Meter
from .tokens.usage import prompt_tokens

_HIDDEN: Final = 10_000  # tokens of a prompt that a gateway may add unseen


def calibrated(setup: Setup, calibration: Calibration, *, whole: bool = False) -> Setup:
    """The setup with a calibration in force, in place of any before.

    ``whole`` says that all that was reported is still there. Otherwise the offset takes
    away no more than was estimated of the fixed cost, since what it would take away more
    may have gone with a message.
    """
    offset = calibration.offset if whole else max(calibration.offset, -_estimated_fixed(setup))
    return replace(
        setup,
        meter=CalibratedMeter(_plain(setup.meter), calibration, lambda m: kind_of(setup, m)),
        fixed=replace(setup.fixed, calibration=offset),
        calibration=replace(calibration, offset=offset),
    )


def learned(setup: Setup, messages: Sequence[Message], usage: Any) -> Calibration:
    """The calibration that one report about a whole request gives."""
    counted, reported = tally(setup, messages), prompt_tokens(usage)
    evidence = Evidence()
    evidence.record(reported, counted, grown=False)
    return anchored(evidence.ratios(), setup, messages, reported)


def anchored(
    ratios: Mapping[str, Ratio], setup: Setup, messages: Sequence[Message], reported: int
) -> Calibration:
    """The calibration of given ratios by which a request counts what was reported for it.

    What is exact is believed more than any report. A report of less than half of the rest, or
    of more than twice the count and a large hidden prompt, is of another request, and is
    taken for no less or more than that.
    """
    trial = calibrated(setup, Calibration(ratios))
    fixed = trial.fixed.total - trial.fixed.reserve
    free = setup.format.unbilled(messages)
    counted = fixed + sum(prices(trial.meter, setup.format, messages)[free:])
    sure = tally(setup, messages).exact
    least, most = sure + (counted - sure) // 2, 2 * counted + _HIDDEN
    believed = min(max(reported, least), most)
    return Calibration(ratios, believed - counted)


def tally(setup: Setup, messages: Sequence[Message]) -> Tally:
    """The uncalibrated tokens of a request, exact ones apart from estimated ones.

    Without what stands before a compaction, which no report holds.
    """
    meter, fixed = _plain(setup.meter), setup.fixed
    exact, estimated = 0, dict.fromkeys(KINDS, 0)
    for tokens, sure, kind in (
        (fixed.framing, meter.exact, "text"),
        (fixed.system, meter.exact and setup.system_exact, "text"),
        (fixed.tools, setup.tools_exact, "tools"),
    ):
        if sure:
            exact += tokens
        else:
            estimated[kind] += tokens
    free = setup.format.unbilled(messages)
    costs = prices(meter, setup.format, messages)
    for message, tokens in zip(messages[free:], costs[free:], strict=True):
        if meter.is_exact(message):
            exact += tokens
        else:
            estimated[kind_of(setup, message)] += tokens
    return Tally(exact, estimated)


def kind_of(setup: Setup, message: Message) -> str:
    """The kind of a message: that of its heaviest sort of content."""
    if setup.format.weigh(message).media:
        return "media"
    facts = setup.format.read(message)
    return "tools" if facts.calls or facts.answers else "text"


def _estimated_fixed(setup: Setup) -> int:
    """The estimated part of the fixed cost, which is all that a report can take away."""
    fixed, meter = setup.fixed, _plain(setup.meter)
    system = 0 if meter.exact and setup.system_exact else fixed.system
    tools = 0 if setup.tools_exact else fixed.tools
    return system + tools + (0 if meter.exact else fixed.framing)


def _plain(meter: Meter) -> Meter:
    return meter.base if isinstance(meter, CalibratedMeter) else meter


class CalibratedMeter:
    """A meter whose estimates are corrected; exact counts stay what they are."""

    def __init__(
        self, base: Meter, calibration: Calibration, kind_of: Callable[[Message], str]
    ) -> None:
        self.base = base
        self.exact = base.exact
        self.label = base.label
        self.primer = base.primer
        self.warnings = base.warnings
        self.contextual = base.contextual
        self.thinking = base.thinking
        self.is_exact = base.is_exact
        self.system = base.system
        self.tools = base.tools
        self.response_format = base.response_format
        self.parts_exact = base.parts_exact
        # An excerpt is cut to a number of tokens and must not change with what was learned.
        self.texts_within = base.texts_within
        self.text_within = base.text_within
        self._calibration = calibration
        self._kind_of = kind_of

    def message(self, message: Message, batch: bool = False) -> int:
        tokens = self.base.message(message, batch)
        if self.base.is_exact(message):
            return tokens
        return self._calibration.scaled(tokens, self._kind_of(message))

    def within(self, message: Message, limit: int, batch: bool = False) -> int | None:
        if self.base.is_exact(message):
            return self.base.within(message, limit, batch)
        kind = self._kind_of(message)
        tokens = self.base.within(message, self._calibration.base_limit(limit, kind), batch)
        return None if tokens is None else self._calibration.scaled(tokens, kind)
