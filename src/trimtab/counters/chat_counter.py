"""Counters of texts by a tokeniser, and of conversations by its own rules as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import CounterError, InvalidOptions
from ..formats.base import Format, Message
from ..formats.registry import detect, format_named
from ..tokens.bounded import repaired
from ..tokens.memo import Memo, MemoisedCounter
from ..tokens.schemas import read_tools
from .chat_gauge import ChatGauge, Count
from .gauge import Refused
from .longest_token import Bound
from .meter import GaugeMeter
from .prices import Prices
from .probes import NOTHING_SURE, settle

Tokens = Callable[[str], int]


class TokenizerCounter(MemoisedCounter):
    """A `trimtab.Counter` by a tokeniser: exact for texts, without special tokens added.

    ``bound`` tells texts that are far above a limit, which are then not tokenised.
    """

    __slots__ = ("_bound", "_tokens", "name")

    exact: bool = True

    def __init__(self, name: str, tokens: Tokens, bound: Bound | None = None) -> None:
        super().__init__(Memo[int]())
        self.name = name
        self._tokens = tokens
        self._bound = bound

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def fits(self, text: str, limit: int) -> bool:
        """Whether the text has at most ``limit`` tokens."""
        return self.within(text, limit) is not None

    def within(self, text: str, limit: int) -> int | None:
        """Tokens of the text if they are at most ``limit``, else None."""
        if self._bound and self._bound.exceeds(text, limit):
            return None
        tokens = self.count(text)
        return tokens if tokens <= limit else None

    def _measure(self, text: str) -> int:
        return self._tokens(text)


class ChatCounter(TokenizerCounter):
    """A counter that also knows how its model writes whole conversations.

    Given to `trimtab.fit` it prices messages by those rules, whatever their format. What
    was tried at construction is in ``sums``: where they add up to the whole, they are
    exact. Raises `InvalidOptions` for rules that refuse a plain conversation.
    """

    __slots__ = ("_count", "_prices", "sums")

    def __init__(
        self,
        name: str,
        tokens: Tokens,
        count: Count,
        bound: Bound | None = None,
        *,
        own_system: bool | None = None,
    ) -> None:
        super().__init__(name, tokens, bound)
        self._count = count
        gauge = ChatGauge(name, count, self.count)
        self._prices = Prices(gauge)
        try:
            self.sums = settle(self._prices, gauge, own_system=own_system)
        except CounterError as error:
            raise InvalidOptions(f"the rules of {name} refuse a plain conversation") from error

    def unsure(self) -> ChatCounter:
        """The counter itself, which from now on calls no conversation exact."""
        self.sums = NOTHING_SURE
        return self

    def meter(self, format: Format) -> GaugeMeter:
        """Prices the messages of a format."""
        return GaugeMeter(self._prices, format, self.sums, self)

    def total(
        self,
        messages: Sequence[Message],
        *,
        system: Any = None,
        tools: Sequence[Any] | None = None,
        format: str | None = None,
    ) -> int:
        """Tokens of a whole request as the model gets it, with its reply begun.

        Not a sum: the list is written by the model's rules and counted. At most what
        `trimtab.count` says. Raises `CounterError` where the rules refuse the list.
        """
        shape = format_named(format) if format is not None else detect(messages)
        gauge = self._prices.gauge
        pieces = [] if system is None else gauge.read_system(system, shape)
        pieces += [piece for message in messages for piece in gauge.read(message, shape)]
        said = [message for piece in pieces for message in piece.messages]
        offered = [gauge.tool(tool) for tool in read_tools(tools or ())]
        try:
            return self._count(said, offered or None, None) + sum(p.plus for p in pieces)
        except Refused as error:
            raise CounterError(f"the rules of {self.name} refuse these messages") from error


def guarded(name: str, tokens: Tokens) -> Tokens:
    """A tokeniser that takes lone surrogates and fails with a `CounterError` alone.

    No text of the caller's is in the error.
    """

    def count(text: str) -> int:
        try:
            return tokens(text if text.isascii() else repaired(text))
        except Exception as error:
            raise CounterError(f"{name} raised {type(error).__name__}") from error

    return count
