"""The arguments of a fit, checked once and resolved to what the fitting needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from .core.whole import whole
from .errors import InvalidOptions
from .formats.alternation import Alternating
from .formats.base import SYSTEM, Format, Message
from .formats.registry import check_shape, detect, format_named
from .policy import Policy
from .summary.frame import framed
from .tokens.calibration import Calibration
from .tokens.choosing import meter_for
from .tokens.meter import Meter
from .tokens.models import model_named
from .tokens.windows import input_window

Pin = Iterable[int] | Callable[[Message], bool]
UNDERSTOOD: Final = "Understood."


@dataclass(frozen=True, slots=True)
class Fixed:
    """The fixed cost of a request in tokens, part by part.

    ``tools`` are the schemas of the tools and of the response format; ``calibration`` is
    what a provider's report says is missing, or too much, in all of it.
    """

    system: int = 0
    tools: int = 0
    framing: int = 0
    reserve: int = 0
    calibration: int = 0

    @property
    def total(self) -> int:
        """All parts together."""
        return self.system + self.tools + self.framing + self.reserve + self.calibration


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that a fit depends on beside the messages."""

    budget: int
    model: str | None
    format: Format
    meter: Meter
    fixed: Fixed
    policy: Policy
    system: Any = field(repr=False)
    system_exact: bool
    tools_exact: bool
    thinking: bool = False
    calibration: Calibration | None = None

    @property
    def room(self) -> int:
        """What the messages may cost in all; negative where the fixed cost is too large."""
        return self.budget - self.fixed.total

    def notice(self) -> list[Message]:
        """What stands in for dropped messages, if the policy wants it, else nothing.

        A human message; under strict alternation with a reply to it, which is left out
        where a reply comes next.
        """
        text = self.policy.notice_text()
        return [] if text is None else self._told(text)

    def recap(self, summary: str) -> list[Message]:
        """The messages that a summary of dropped messages stands in, as a notice would."""
        return self._told(framed(summary))

    def insert_cost(self) -> int:
        """Tokens of what may stand in for dropped messages, at most."""
        price, summary = self.meter.message, self.policy.summary
        notice = sum(map(price, self.notice()))
        if summary is None:
            return notice
        return max(notice, sum(map(price, self.recap(""))) + summary.max_summary_tokens)

    def _told(self, text: str) -> list[Message]:
        said = self.format.human(text)
        if isinstance(self.format, Alternating):
            return [said, self.format.reply(UNDERSTOOD)]
        return [said]


def resolve(
    messages: Sequence[Message],
    budget: int | None,
    *,
    model: str | None,
    format: str | Format | None,
    system: Any,
    tools: Any,
    response_format: Any,
    tool_choice: Any,
    thinking: bool,
    reserve: int,
    counter: Any,
    policy: Policy,
) -> Setup:
    """Check the arguments of `fit` and resolve them; raises `InvalidOptions`."""
    if not isinstance(policy, Policy):
        raise InvalidOptions(f"policy must be a Policy, not of type {type(policy).__name__}")
    model_named(model)  # refuses what is no name
    kept_back = whole(reserve, "reserve")
    allowed = input_window(model) if budget is None else whole(budget, "budget")
    shape = format_named(format) if format is not None else detect(messages, model)
    meter = meter_for(counter, shape, model)
    fixed_system = meter.system(system)  # judges the system text first
    lead = leading_text(shape, messages, system)
    schemas = meter.tools(tools, tool_choice, lead)
    schemas += meter.response_format(response_format, lead, bool(tools))
    framing = meter.primer + meter.thinking * bool(thinking)
    fixed = Fixed(fixed_system, schemas, framing, kept_back)
    sure = meter.parts_exact(system, None, None), meter.parts_exact(None, tools, response_format)
    return Setup(allowed, model, shape, meter, fixed, policy, system, *sure, bool(thinking))


def leading_text(format: Format, messages: Sequence[Message], system: Any) -> str | None:
    """The system text that leads a request, None where there is none."""
    if isinstance(system, (str, list)):
        return "".join(format.weigh_system(system).texts)
    if messages and format.read(messages[0]).role == SYSTEM:
        return "".join(format.weigh(messages[0]).texts)
    return None


def as_list(messages: Any, first: int = 0) -> list[Message]:
    """The messages as a new list; `InvalidOptions` for what is no sequence of messages.

    ``first`` is the index of the first one, for error texts.
    """
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        kind = type(messages).__name__
        raise InvalidOptions(f"messages must be a list of messages, not of type {kind}")
    made = list(messages)
    if not set(map(type, made)) <= {dict}:
        for index, message in enumerate(made, first):
            check_shape(message, index)
    return made


def pinning(pin: Pin, size: int) -> Callable[[int, Message], bool] | None:
    """``pin`` as a function of index and message, None where nothing is pinned.

    Indices may be negative, as in a list; one that is out of range is `InvalidOptions`.
    """
    if callable(pin):
        return lambda _, message: bool(pin(message))
    if not isinstance(pin, Iterable):
        raise InvalidOptions("pin must be indices or a predicate on a message")
    chosen: set[int] = set()
    for index in pin:
        position = whole(index, "a pinned index", negative=True)
        if not -size <= position < size:
            raise InvalidOptions(f"pinned index {position} is out of range for {size} messages")
        chosen.add(position % size)
    return (lambda index, _: index in chosen) if chosen else None
