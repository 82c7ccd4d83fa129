"""The result of a fit: the messages, and an account of every one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from . import explaining, ledger
from .breakpoints import Breakpoint, breakpoints
from .calibrating import learned
from .outcome import Cut, Decision, Inserted, Outcome
from .tokens.calibration import Calibration


@dataclass
class Fitted(Outcome):
    """A fitted conversation.

    ``messages``: the caller's own objects, in order. ``used``: tokens of the fixed cost
    and of the messages, at most ``budget``. ``exact``: whether ``used`` is exact or an
    estimate. ``warnings``: what the caller should know. ``system`` is handed back as it
    came; ``request`` is the new body when it came from `fit_request`. ``summary`` is the text
    that stands for what was dropped, None unless the policy summarises.

    The rest is worked out when it is first read, so that dropped text is not tokenised
    unless someone asks: ``decisions`` (one for every input message), ``inserted``,
    ``dropped`` (indices), ``first_changed`` (the first index at which the result differs
    from the input), ``cut_at`` (the message whose arrival last moved the mark).
    """

    request: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def summary(self) -> str | None:
        """The summary that stands in the result, None where there is none."""
        if self.summed is None or self.insertion is None or self.insertion.kind != "summary":
            return None
        return self.summed.text

    @property
    def budget(self) -> int:
        """The budget in tokens."""
        return self.setup.budget

    @property
    def system(self) -> Any:
        """The system text as it was given."""
        return self.setup.system

    @property
    def format(self) -> str:
        """Name of the messages' format."""
        return self.setup.format.name

    @property
    def counter(self) -> str:
        """What counted, by name."""
        return self.setup.meter.label

    @property
    def model(self) -> str | None:
        """The model's name, if one was given."""
        return self.setup.model

    @cached_property
    def decisions(self) -> list[Decision]:
        """One decision for every input message, in order. Counts what was dropped."""
        return ledger.decisions(self)

    @cached_property
    def inserted(self) -> list[Inserted]:
        """The messages of the result that are not in the input."""
        return ledger.inserted(self)

    @cached_property
    def dropped(self) -> list[int]:
        """Indices of the input messages that are not in the result."""
        return ledger.dropped(self)

    @cached_property
    def first_changed(self) -> int | None:
        """The first index at which the result differs from the input, None if nowhere."""
        return ledger.first_changed(self)

    @cached_property
    def cut_at(self) -> int | None:
        """Index of the input message whose arrival last moved the mark, None if none did."""
        return ledger.cut_at(self)

    @cached_property
    def cuts(self) -> list[Cut]:
        """Every cut that led to this result, oldest first, and what it is worth.

        With the longest run, which knows of no earlier cuts, all messages are counted for it.
        """
        return explaining.cuts(self)

    @cached_property
    def breakpoints(self) -> list[Breakpoint]:
        """Where the cache of Anthropic or Bedrock is to be marked, in order; none for others.

        The caller's own marks are among them. `fit_request` sets them where it is asked to.
        """
        return breakpoints(self)

    @cached_property
    def exact(self) -> bool:
        """Whether ``used`` is exact; False where any part of it is an estimate."""
        return ledger.exact(self)

    @cached_property
    def warnings(self) -> list[str]:
        """What the caller should know."""
        return ledger.warnings(self)

    @property
    def calibration(self) -> Calibration | None:
        """What the counts were corrected by, None where nothing was reported."""
        return self.setup.calibration

    def calibrate(self, usage: Any) -> Calibration:
        """What a provider's report about this very request says of later counts.

        ``usage`` is the usage object of the response, or its number of input tokens; give
        the result to later calls of `fit`. Raises `InvalidOptions`. O(messages).
        """
        return learned(self.setup, self.messages, usage)

    def to_dict(self) -> dict[str, Any]:
        """The whole account as plain data, without any text of a message."""
        return {
            "format": self.format,
            "model": self.model,
            "counter": self.counter,
            "budget": self.budget,
            "used": self.used,
            "exact": self.exact,
            "fixed": asdict(self.fixed_parts),
            "messages": {"before": len(self.source), "after": len(self.messages)},
            "dropped": self.dropped,
            "first_changed": self.first_changed,
            "cut_at": self.cut_at,
            "decisions": [asdict(decision) for decision in self.decisions],
            "inserted": [asdict(row) for row in self.inserted],
            "repairs": [asdict(row) for row in self.repairs],
            "warnings": self.warnings,
            "summary": self._summarised(),
            "policy": self.setup.policy.described(),
            "calibration": self.calibration and self.calibration.to_dict(),
        }

    def _summarised(self) -> dict[str, Any] | None:
        if self.summary is None:
            return None
        return {"covers": ledger.summarised(self), "characters": len(self.summary)}

    def explain(self) -> str:
        """The account in a few sentences, with the numbers of the newest cuts."""
        return ledger.explain(self, self.decisions)
