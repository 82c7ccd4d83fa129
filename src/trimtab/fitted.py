"""The result of a fit: the messages, and an account of every one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from .core.plan import Plan
from .formats.base import MODEL, Message
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


@dataclass
class Fitted:
    """A fitted conversation.

    ``messages``: the caller's own objects, in order. ``used``: tokens of the fixed cost
    and of the messages, at most ``budget``. ``exact``: whether ``used`` is exact or an
    estimate. ``warnings``: what the caller should know. ``system`` is handed back as it
    came; ``request`` is the new body when it came from `fit_request`. ``summary`` is
    None unless the policy summarises.

    The rest is worked out when it is first read, so that dropped text is not tokenised
    unless someone asks: ``decisions`` (one for every input message), ``inserted``,
    ``dropped`` (indices), ``first_changed`` (the first index at which the result differs
    from the input), ``cut_at`` (the message whose arrival last moved the mark).
    """

    messages: list[Message]
    used: int
    setup: Setup = field(repr=False)
    plan: Plan = field(repr=False)
    transcript: Transcript = field(repr=False)
    size: int = field(repr=False)
    notice_at: int | None = field(default=None, repr=False)
    origin: Origin | None = field(default=None, repr=False)
    request: Mapping[str, Any] | None = field(default=None, repr=False)
    moved_at: int | None = field(default=None, repr=False)
    summary: str | None = None

    @property
    def budget(self) -> int:
        """The budget in tokens."""
        return self.setup.budget

    @property
    def fixed(self) -> int:
        """Tokens of system text, tools, framing and reserve."""
        return self.setup.fixed.total if self.size else self._bare.total

    @property
    def fixed_parts(self) -> Fixed:
        """The fixed cost part by part."""
        return self.setup.fixed if self.size else self._bare

    @property
    def _bare(self) -> Fixed:
        fixed = self.setup.fixed
        return Fixed(fixed.system, fixed.tools, 0, fixed.reserve)

    @property
    def system(self) -> Any:
        """The system text as it was given."""
        return self.setup.system

    @property
    def format(self) -> str:
        """Name of the messages' format."""
        return self.setup.format.name

    @property
    def model(self) -> str | None:
        """The model's name, if one was given."""
        return self.setup.model

    @cached_property
    def source(self) -> list[Message]:
        """The input messages, as they were given."""
        if self.origin is not None:
            return self.origin.source
        return self.transcript.messages[: self.size]

    @cached_property
    def decisions(self) -> list[Decision]:
        """One decision for every input message, in order. Counts what was dropped."""
        from .ledger import decisions

        return decisions(self)

    @cached_property
    def inserted(self) -> list[Inserted]:
        """The messages of the result that are not in the input."""
        from .ledger import inserted

        return inserted(self)

    @cached_property
    def dropped(self) -> list[int]:
        """Indices of the input messages that are not in the result."""
        from .ledger import dropped

        return dropped(self)

    @cached_property
    def first_changed(self) -> int | None:
        """The first index at which the result differs from the input, None if nowhere."""
        source = self.source
        for index, message in enumerate(self.messages):
            if index >= len(source) or message is not source[index]:
                return index
        return len(self.messages) if len(self.messages) < len(source) else None

    @cached_property
    def cut_at(self) -> int | None:
        """Index of the input message whose arrival last moved the mark, None if none did."""
        from .ledger import cut_at

        return cut_at(self)

    @cached_property
    def exact(self) -> bool:
        """Whether ``used`` is exact; False where any part of it is an estimate."""
        meter = self.setup.meter
        tools = self.setup.tools
        if not meter.exact or (tools is not None and not isinstance(tools, int)):
            return False
        return all(meter.is_exact(message) for message in self.messages)

    @cached_property
    def warnings(self) -> list[str]:
        """What the caller should know."""
        from .ledger import warnings

        return warnings(self)

    @property
    def repairs(self) -> list[Repair]:
        """What repair did to the input, empty where nothing was asked for or needed."""
        return [] if self.origin is None else self.origin.repairs

    def to_dict(self) -> dict[str, Any]:
        """The whole account as plain data, without any text of a message."""
        return {
            "format": self.format,
            "model": self.model,
            "counter": self.setup.meter.label,
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
            "summary": self.summary,
            "policy": self.setup.policy.to_dict(),
        }

    def explain(self) -> str:
        """The account in a few sentences."""
        from .ledger import explain

        return explain(self)


def role_of(message: Message, setup: Setup) -> str:
    """The role that a decision shows: a format's role, with calls told from other replies."""
    facts = setup.format.read(message)
    return "call" if facts.role == MODEL and facts.calls else facts.role
