"""The cost of whole messages: the counter's texts and the framing of the model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..core.whole import whole
from ..errors import InvalidOptions
from ..formats.base import Format, Message
from .counter import Counter, PerMessage, Scaled, as_counter
from .encodings import encoding
from .framing.base import Framing, Priced
from .framing.registry import framing_named
from .models import Model, model_named
from .schemas import plain_data, read_tools


class Meter(Protocol):
    """Prices messages in tokens."""

    exact: bool
    label: str

    def message(self, message: Message) -> int:
        """Tokens of a whole message, framing included."""
        ...

    def within(self, message: Message, limit: int) -> int | None:
        """Tokens of a message if they are at most ``limit``, else None; stops early."""
        ...

    def is_exact(self, message: Message) -> bool:
        """Whether the tokens of this message are exact."""
        ...

    def system(self, system: Any) -> int:
        """Tokens of the system text: an int as it is, None as 0."""
        ...

    def tools(self, tools: Any, choice: Any = None) -> int:
        """Tokens of tool schemas: an int as it is, None as 0."""
        ...

    def response_format(self, response_format: Any) -> int:
        """Tokens of a response format, judged by its JSON: an int as it is, None as 0."""
        ...

    def parts_exact(self, system: Any, tools: Any, response_format: Any) -> bool:
        """Whether the tokens of what goes beside the messages are exact."""
        ...

    def texts_within(self, texts: Sequence[str], limit: int, alone: Callable[[], Message]) -> bool:
        """Whether the texts of a tool result cost at most ``limit`` tokens together.

        ``alone`` makes a message that holds nothing but the result.
        """
        ...

    def text_within(self, text: str, limit: int, message: Callable[[], Message]) -> int | None:
        """Tokens of a text if they are at most ``limit``, else None.

        ``message`` makes a message that holds nothing but the text, for counters that
        only count messages.
        """
        ...

    primer: int


class TextMeter:
    """Counts texts with a counter and adds a framing."""

    def __init__(
        self, counter: Counter, format: Format, framing: Framing, *, framed: bool = True
    ) -> None:
        self._counter = counter
        self._format = format
        self._framing = framing
        self.exact = counter.exact and framed
        self.label = counter.name
        self.primer = framing.primer

    def message(self, message: Message) -> int:
        overhead, texts = self._framing.message(self._format.weigh(message))
        count = self._counter.count
        return overhead + sum([count(text) for text in texts])

    def within(self, message: Message, limit: int) -> int | None:
        overhead, texts = self._framing.message(self._format.weigh(message))
        left = limit - overhead
        within = self._counter.within
        for text in texts:
            count = within(text, left) if left >= 0 else None
            if count is None:
                return None
            left -= count
        return None if left < 0 else limit - left

    def is_exact(self, message: Message) -> bool:
        return self.exact and self._framing.is_exact(self._format.weigh(message))

    def system(self, system: Any) -> int:
        if system is None:
            return 0
        if isinstance(system, (str, list)):
            return self._price(self._framing.system(self._format.weigh_system(system)))
        return whole(system, "system")

    def tools(self, tools: Any, choice: Any = None) -> int:
        if tools is None:
            return 0
        if not isinstance(tools, (list, tuple)):
            return whole(tools, "tools")
        read = read_tools(tools)
        return self._price(self._framing.tools(read, choice)) if read else 0

    def response_format(self, response_format: Any) -> int:
        if response_format is None:
            return 0
        if isinstance(response_format, type):
            raise InvalidOptions("response_format is a schema, not a class; give its JSON schema")
        wanted = plain_data(response_format)
        if isinstance(wanted, Mapping):
            return self._price(self._framing.response_format(wanted))
        return whole(response_format, "response_format")

    def parts_exact(self, system: Any, tools: Any, response_format: Any) -> bool:
        given = isinstance(system, (str, list))
        told = given and not self._framing.is_exact(self._format.weigh_system(system))
        schemas = any(v and not isinstance(v, int) for v in (tools, response_format))
        return not told and not schemas

    def texts_within(self, texts: Sequence[str], limit: int, alone: Callable[[], Message]) -> bool:
        for text in texts:
            count = self._counter.within(text, limit)
            if count is None:
                return False
            limit -= count
        return True

    def text_within(self, text: str, limit: int, message: Callable[[], Message]) -> int | None:
        return self._counter.within(text, limit)

    def _price(self, priced: Priced) -> int:
        return priced.overhead + sum(self._counter.count_many(priced.texts))


class MessageMeter:
    """Counts whole messages with the caller's function; adds nothing."""

    def __init__(self, counter: PerMessage) -> None:
        self._counter = counter
        self.exact = True
        self.label = "per message"
        self.primer = 0

    def message(self, message: Message) -> int:
        return self._counter.count_message(message)

    def within(self, message: Message, limit: int) -> int | None:
        count = self._counter.count_message(message)
        return count if count <= limit else None

    def is_exact(self, message: Message) -> bool:
        return True

    def system(self, system: Any) -> int:
        return _given(system, "system")

    def tools(self, tools: Any, choice: Any = None) -> int:
        return _given(tools, "tools")

    def response_format(self, response_format: Any) -> int:
        return _given(response_format, "response_format")

    def parts_exact(self, system: Any, tools: Any, response_format: Any) -> bool:
        return True

    def texts_within(self, texts: Sequence[str], limit: int, alone: Callable[[], Message]) -> bool:
        return self.within(alone(), limit) is not None

    def text_within(self, text: str, limit: int, message: Callable[[], Message]) -> int | None:
        return self.within(message(), limit)


def _given(value: Any, name: str) -> int:
    if value is None:
        return 0
    if isinstance(value, (str, list, tuple, Mapping)):
        raise InvalidOptions(
            f"a counter of whole messages cannot count {name}; give {name} as a number of tokens"
        )
    return whole(value, name)


def meter_for(counter: Any, format: Format, model: str | None) -> Meter:
    """The meter for a counter as a caller may give it (see `trimtab.fit`) and a model's name."""
    known = model_named(model)
    framing = framing_named(known.framing or format.framing, known.images)
    if counter is None:
        # Messages of a provider's own shape go to its models, whatever the default counts.
        foreign = known.framing is None and framing.name != "chatml"
        own = known.exact and not foreign
        return TextMeter(_counter_of(known, own), format, framing, framed=known.framed)
    chosen = as_counter(counter)
    if isinstance(chosen, PerMessage):
        return MessageMeter(chosen)
    return TextMeter(chosen, format, framing)


def text_counter(counter: Any, model: str | None) -> Counter:
    """The counter of bare texts; `InvalidOptions` for one that only counts messages."""
    if counter is None:
        known = model_named(model)
        return _counter_of(known, known.exact)
    chosen = as_counter(counter)
    if isinstance(chosen, PerMessage):
        raise InvalidOptions("a counter of whole messages cannot count a bare text")
    return chosen


def _counter_of(model: Model, exact: bool) -> Counter:
    base = encoding(model.encoding)
    return base if exact else Scaled(base, *model.scale, model.encoding)
