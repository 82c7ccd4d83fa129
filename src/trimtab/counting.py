"""Counting messages and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .errors import InvalidOptions
from .formats.base import Format, Message
from .formats.registry import detect, format_named
from .pricing import prices
from .setup import as_list, leading_text
from .tokens.choosing import meter_for, text_counter


@dataclass(frozen=True, slots=True)
class Count:
    """Tokens of a request: ``total`` and its parts; ``by_message`` in order.

    ``exact`` is False where any part is an estimate; ``warnings`` say what is doubtful.
    """

    total: int
    by_message: list[int]
    exact: bool
    system: int = 0
    tools: int = 0
    response_format: int = 0
    framing: int = 0
    warnings: Sequence[str] = ()


def count(
    messages: Sequence[Message] | str,
    *,
    model: str | None = None,
    format: str | Format | None = None,
    counter: Any = None,
    system: Any = None,
    tools: Any = None,
    response_format: Any = None,
    tool_choice: Any = None,
    thinking: bool = False,
) -> Count:
    """Count the tokens of messages, with the framing of their format, or of a text.

    The arguments mean what they mean to `fit`; a text is counted bare, and alone.
    Raises `InvalidOptions`, `UnknownFormat` and `CounterError`. O(text).

    >>> count("hello world").total
    2
    >>> count([{"role": "user", "content": "hello world"}]).total
    9
    """
    if isinstance(messages, str):
        beside = (system, tools, response_format, tool_choice)
        if any(part is not None for part in beside):
            raise InvalidOptions("a text is counted alone; give messages to count what is beside")
        bare = text_counter(counter, model)
        return Count(bare.count(messages), [], bare.exact)
    source = as_list(messages)
    shape = format_named(format) if format is not None else detect(source, model)
    meter = meter_for(counter, shape, model)
    by_message = prices(meter, shape, source)
    free = shape.unbilled(source)
    by_message[:free] = [0] * free
    lead = leading_text(shape, source, system)
    parts = meter.system(system), meter.tools(tools, tool_choice, lead)
    wanted = meter.response_format(response_format, lead, bool(tools))
    framing = meter.primer + meter.thinking * bool(thinking) if source else 0
    sure = meter.parts_exact(system, tools, response_format)
    exact = sure and meter.exact and all(map(meter.is_exact, source))
    total = sum(by_message) + sum(parts) + wanted + framing
    return Count(total, by_message, exact, *parts, wanted, framing, meter.warnings)
