"""The cost of whole messages: the counter's texts and the framing of the model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from ..core.whole import whole
from ..errors import InvalidOptions, TrimtabError
from ..formats.base import Format, Message
from .counter import Counter, PerMessage
from .framing.base import NOTHING, Framing, Priced
from .schemas import plain_data, read_tools


class Meter(Protocol):
    """Prices messages in tokens."""

    exact: bool
    label: str

    @property
    def warnings(self) -> Sequence[str]:
        """What is doubtful about its counts."""
        ...

    @property
    def contextual(self) -> bool:
        """Whether the price of a message depends on ``batch``."""
        ...

    def message(self, message: Message, batch: bool = False) -> int:
        """Tokens of a whole message, framing included.

        ``batch`` says that it answers one of several calls that one message made.
        """
        ...

    def within(self, message: Message, limit: int, batch: bool = False) -> int | None:
        """Tokens of a message if they are at most ``limit``, else None; stops early."""
        ...

    def is_exact(self, message: Message) -> bool:
        """Whether the tokens of this message are exact."""
        ...

    def system(self, system: Any) -> int:
        """Tokens of the system text: an int as it is, None as 0."""
        ...

    def tools(self, tools: Any, choice: Any = None, system: str | None = None) -> int:
        """Tokens of tool schemas: an int as it is, None as 0.

        ``system`` is the system text that leads the request.
        """
        ...

    def response_format(
        self, response_format: Any, system: str | None = None, tools: bool = False
    ) -> int:
        """Tokens of a response format: an int as it is, None as 0.

        ``tools`` says that there are tools beside it.
        """
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
    thinking: int


class TextMeter:
    """Counts texts with a counter and adds a framing."""

    def __init__(
        self,
        counter: Counter,
        format: Format,
        framing: Framing,
        *,
        framed: bool = True,
        warnings: Sequence[str] = (),
    ) -> None:
        self._counter = counter
        self._format = format
        self._framing = framing
        self.exact = counter.exact and framed
        self.label = counter.name
        self.primer = framing.primer
        self.warnings = warnings
        self.contextual = framing.contextual
        self.thinking = framing.thinking

    def message(self, message: Message, batch: bool = False) -> int:
        overhead, texts = self._priced(message, batch)
        count = self._counter.count
        return overhead + sum([count(text) for text in texts])

    def within(self, message: Message, limit: int, batch: bool = False) -> int | None:
        overhead, texts = self._priced(message, batch)
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
            with _reading("the system text"):
                priced = self._framing.system(self._format.weigh_system(system))
            return self._price(priced)
        return whole(system, "system")

    def tools(self, tools: Any, choice: Any = None, system: str | None = None) -> int:
        if tools is None:
            return 0
        if not isinstance(tools, (list, tuple)):
            return whole(tools, "tools")
        with _reading("tools"):
            read = read_tools(tools)
            priced = self._framing.tools(read, choice, system) if read else NOTHING
        return self._price(priced)

    def response_format(
        self, response_format: Any, system: str | None = None, tools: bool = False
    ) -> int:
        if response_format is None:
            return 0
        if isinstance(response_format, type):
            raise InvalidOptions("response_format is a schema, not a class; give its JSON schema")
        with _reading("response_format"):
            wanted = plain_data(response_format)
            if not isinstance(wanted, Mapping):
                return whole(response_format, "response_format")
            priced = self._framing.response_format(wanted, system, tools)
        return self._price(priced)

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

    def _priced(self, message: Message, batch: bool) -> Priced:
        try:
            return self._framing.message(self._format.weigh(message), batch)
        except TrimtabError:
            raise
        except Exception as error:
            raise _unreadable(f"a message of type {type(message).__name__}", error) from error

    def _price(self, priced: Priced) -> int:
        return priced.overhead + sum(self._counter.count_many(priced.texts))


@contextmanager
def _reading(what: str) -> Generator[None]:
    """A typed error for what cannot be read: too deep, too long a number, odd objects."""
    try:
        yield
    except TrimtabError:
        raise
    except Exception as error:
        raise _unreadable(what, error) from error


def _unreadable(what: str, error: Exception) -> InvalidOptions:
    return InvalidOptions(f"{what} cannot be read to be counted: {type(error).__name__}")


class MessageMeter:
    """Counts whole messages with the caller's function; adds nothing."""

    def __init__(self, counter: PerMessage) -> None:
        self._counter = counter
        self.exact = True
        self.label = "per message"
        self.warnings = ()
        self.contextual = False
        self.thinking = 0
        self.primer = 0

    def message(self, message: Message, batch: bool = False) -> int:
        return self._counter.count_message(message)

    def within(self, message: Message, limit: int, batch: bool = False) -> int | None:
        count = self._counter.count_message(message)
        return count if count <= limit else None

    def is_exact(self, message: Message) -> bool:
        return True

    def system(self, system: Any) -> int:
        return _given(system, "system")

    def tools(self, tools: Any, choice: Any = None, system: str | None = None) -> int:
        return _given(tools, "tools")

    def response_format(
        self, response_format: Any, system: str | None = None, tools: bool = False
    ) -> int:
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
