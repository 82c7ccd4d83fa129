"""What a fit did, as data: the plan over its transcript, and the rows of the account."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from .core.plan import Plan
from .formats.base import Message
from .setup import Fixed, Setup
from .transcript import Transcript


@dataclass(frozen=True, slots=True)
class Decision:
    """What happened to one input message.

    ``action`` is ``kept``, ``changed``, ``summarised`` or ``dropped``; ``reasons`` are
    codes (see ``docs/how-it-works.md``); ``before`` and ``after`` are tokens; ``role``
    is ``system``, ``human``, ``assistant``, ``call`` or ``result``; ``unit`` numbers
    the units of the history that was fitted, -1 for a message that repair removed.
    """

    index: int
    action: str
    reasons: tuple[str, ...]
    before: int
    after: int
    role: str
    unit: int


class RunnerUp(NamedTuple):
    """The second best place of a cut: tokens it would keep, and how much dearer it is a request."""

    kept: int
    dearer: float


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut, and what it is worth.

    ``at`` is the message whose arrival made it and ``first`` the message at which the run starts
    since; ``cause`` is ``over`` (more would have stayed than may), ``due`` (to wait risked more)
    or ``cold`` (the provider's cache had expired). ``before`` and ``after`` are the tokens of the
    messages that stayed, ``rewritten`` those that a cache held and that move, at most: none where
    it was cold or another cut came since the last request. ``lasts`` is how many requests pass
    until the next cut if the history grows as it did.

    For a policy that knows prices (`Policy.steady`), in multiples of the price of an input
    token: ``fee`` is what writing them again costs more than reading them would have;
    ``pays_after`` is how many requests it takes until cheaper reads alone have paid for it, and
    ``runner_up`` the next best start.
    """

    at: int
    cause: str
    first: int
    before: int
    after: int
    rewritten: int
    fee: float | None
    pays_after: int | None
    lasts: int
    runner_up: RunnerUp | None


@dataclass(frozen=True, slots=True)
class Inserted:
    """A message of the result that is not in the input: its position, kind and tokens."""

    position: int
    kind: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that repair did: the fault's code, where, and what was done."""

    code: str
    index: int
    id: str | None
    action: str
    message: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the messages of a repaired history come from.

    ``index`` gives for each of them its position in the input, -1 for an inserted one;
    ``source`` is the input; ``repairs`` what was done.
    """

    source: list[Message]
    index: list[int]
    repairs: list[Repair]


class Insertion(NamedTuple):
    """Messages that stand in for what is gone: where in the result, and their kind."""

    position: int
    kind: str
    messages: list[Message]


@dataclass
class Summed:
    """A summary: its text, notes, and a function for the messages that it stands for."""

    text: str | None
    notes: tuple[str, ...]
    stands_for: Callable[[], Iterable[int]] = field(compare=False, repr=False)

    @cached_property
    def covered(self) -> frozenset[int]:
        """The messages of the fitted history that it stands for. O(messages)."""
        return frozenset(self.stands_for() if self.text else ())


@dataclass
class Outcome:
    """The data that the account of a fit is worked out from.

    ``size`` is the number of messages that were fitted; a transcript may have grown
    since. ``insertion`` is what stands in for what is gone, ``moved_at`` the message whose
    arrival last moved the mark of the fold, where there was one, ``summed`` the summary where
    the policy wants one.
    """

    messages: list[Message] = field(repr=False)
    used: int
    setup: Setup = field(repr=False)
    plan: Plan = field(repr=False)
    transcript: Transcript = field(repr=False)
    size: int = field(repr=False)
    insertion: Insertion | None = field(default=None, repr=False)
    origin: Origin | None = field(default=None, repr=False)
    moved_at: int | None = field(default=None, repr=False)
    summed: Summed | None = field(default=None, repr=False)

    @cached_property
    def source(self) -> list[Message]:
        """The input messages, as they were given."""
        if self.origin is not None:
            return self.origin.source
        return self.transcript.messages[: self.size]

    @property
    def repairs(self) -> list[Repair]:
        """What repair did to the input, empty where nothing was asked for or needed."""
        return [] if self.origin is None else self.origin.repairs

    @property
    def fixed_parts(self) -> Fixed:
        """The fixed cost part by part; no framing where there are no messages."""
        fixed = self.setup.fixed
        return fixed if self.size else replace(fixed, framing=0, calibration=0)

    @property
    def fixed(self) -> int:
        """Tokens of system text, tools, framing and reserve."""
        return self.fixed_parts.total


def place(fitted: Outcome, at: int) -> int:
    """The input message of a message of the fitted history, or the newest one before it."""
    if fitted.origin is None:
        return at
    older = [index for index in fitted.origin.index[: at + 1] if index >= 0]
    return older[-1] if older else 0
