"""The cost of whole messages: the counter's texts, the format's framing, the model's images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ..core.whole import whole
from ..errors import InvalidOptions
from ..formats.base import Format, Message, Weight
from .counter import Counter, PerMessage, Scaled, as_counter
from .encodings import encoding
from .jsontext import jsontext
from .media import image_tokens
from .models import Model, model_named
from .tools import weigh_tools


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

    def tools(self, tools: Any) -> int:
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
    """Counts texts with a counter and adds the format's framing."""

    def __init__(
        self, counter: Counter, format: Format, family: str, *, framed: bool = True
    ) -> None:
        self._counter = counter
        self._format = format
        self._family = family
        self.exact = counter.exact and framed
        self.label = counter.name
        self.primer = format.primer

    def message(self, message: Message) -> int:
        return self._weight(self._format.weigh(message))

    def within(self, message: Message, limit: int) -> int | None:
        weight = self._format.weigh(message)
        left = limit - self._fixed(weight)
        within = self._counter.within
        for text in _texts(weight):
            count = within(text, left) if left >= 0 else None
            if count is None:
                return None
            left -= count
        return None if left < 0 else limit - left

    def is_exact(self, message: Message) -> bool:
        return self.exact and self._format.weigh(message).exact

    def system(self, system: Any) -> int:
        if system is None:
            return 0
        if isinstance(system, (str, list)):
            return self._weight(self._format.weigh_system(system))
        return whole(system, "system")

    def tools(self, tools: Any) -> int:
        if tools is None:
            return 0
        if not isinstance(tools, (list, tuple)):
            return whole(tools, "tools")
        overhead, texts = weigh_tools(tools, self._family)
        return overhead + sum(self._counter.count_many(texts))

    def response_format(self, response_format: Any) -> int:
        if response_format is None:
            return 0
        if isinstance(response_format, type):
            raise InvalidOptions("response_format is a schema, not a class; give its JSON schema")
        if isinstance(response_format, Mapping) or hasattr(response_format, "model_dump"):
            return self._counter.count(jsontext(response_format))
        return whole(response_format, "response_format")

    def parts_exact(self, system: Any, tools: Any, response_format: Any) -> bool:
        told = isinstance(system, (str, list)) and not self._format.weigh_system(system).exact
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

    def _weight(self, weight: Weight) -> int:
        count = self._counter.count
        return self._fixed(weight) + sum([count(text) for text in _texts(weight)])

    def _fixed(self, weight: Weight) -> int:
        if not weight.images:
            return weight.overhead
        return weight.overhead + sum(image_tokens(i, self._family) for i in weight.images)


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

    def tools(self, tools: Any) -> int:
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


def _texts(weight: Weight) -> list[str]:
    if not weight.values:
        return weight.texts
    return weight.texts + [jsontext(value) for value in weight.values]


def meter_for(counter: Any, format: Format, model: str | None) -> Meter:
    """The meter for a counter as a caller may give it (see `trimtab.fit`) and a model's name."""
    known = model_named(model)
    if counter is None:
        family = _family(known, format)
        own = known.exact and family == known.family
        return TextMeter(_counter_of(known, own), format, family, framed=known.framed)
    chosen = as_counter(counter)
    if isinstance(chosen, PerMessage):
        return MessageMeter(chosen)
    return TextMeter(chosen, format, _family(known, format))


def text_counter(counter: Any, model: str | None) -> Counter:
    """The counter of bare texts; `InvalidOptions` for one that only counts messages."""
    if counter is None:
        known = model_named(model)
        return _counter_of(known, known.exact)
    chosen = as_counter(counter)
    if isinstance(chosen, PerMessage):
        raise InvalidOptions("a counter of whole messages cannot count a bare text")
    return chosen


def _family(model: Model, format: Format) -> str:
    return "claude" if format.name == "anthropic" else model.family


def _counter_of(model: Model, exact: bool) -> Counter:
    base = encoding(model.encoding)
    return base if exact else Scaled(base, *model.scale, model.encoding)
