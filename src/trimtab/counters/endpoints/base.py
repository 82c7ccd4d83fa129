"""Providers' count endpoints: requests that are counted elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from inspect import iscoroutine, iscoroutinefunction
from typing import Any

from ...errors import CounterError, InvalidOptions
from ...formats.base import Format, Message
from ...formats.weight import Weight
from ...tokens.memo import Memo, entry_size
from ...tokens.message_key import message_key
from ...tokens.schemas import Tool
from ..chat import pieces
from ..gauge import FILLER, Kind, Piece, Refused
from ..meter import GaugeMeter
from ..prices import Prices

_REFUSED = (400, 422)


class Endpoint(ABC):
    """A `trimtab.counters.gauge.Gauge` by a provider's count endpoint.

    A provider's subclass says how it writes messages of each kind and how it is asked.
    Messages of another provider's format are translated from what they weigh, without
    images, whose tokens are then estimated.
    """

    thorough = False

    def __init__(self, ask: Any, name: str, options: Mapping[str, Any]) -> None:
        if not callable(ask):
            raise InvalidOptions(f"the client of {name} cannot count tokens")
        if iscoroutinefunction(ask):
            raise InvalidOptions(f"the client of {name} is asynchronous; give a synchronous one")
        self.name = name
        self._ask = ask
        self._options = dict(options)
        self._totals = Memo[int](1 << 20)

    def total(
        self,
        messages: Sequence[Any],
        tools: Sequence[Any] = (),
        choice: Any = None,
        most: int | None = None,
    ) -> int:
        key = message_key([messages, tools, choice])
        known = None if key is None else self._totals.get(key)
        if known is None:
            known = self._count(messages, tools, choice)
            if key is not None:
                self._totals.put(key, known, entry_size(key))
        return known

    @abstractmethod
    def _count(self, messages: Sequence[Any], tools: Sequence[Any], choice: Any) -> int: ...

    @abstractmethod
    def say(self, kind: Kind, text: str = FILLER, ids: Sequence[str] = ()) -> list[Any]: ...

    @abstractmethod
    def read(self, message: Message, format: Format) -> list[Piece]: ...

    @abstractmethod
    def tool(self, tool: Tool) -> Any: ...

    @abstractmethod
    def _translated(self, said: Mapping[str, Any]) -> list[Any]:
        """A chat message in the provider's own shape."""

    def read_system(self, system: Any, format: Format) -> list[Piece]:
        weight = format.weigh_system(system)
        weight.role = "system"
        return self._from_weight(weight)

    def ids(self, calls: int) -> tuple[str, ...]:
        return tuple(f"call_{at:02d}Zk8vTq2LwXn5Rb7Yc4JmHs" for at in range(calls))

    def text(self, text: str) -> int:
        try:
            said = self.total(self.say("user", spoken(text)))
            return max(0, said - self.total(self.say("user")) + 1)
        except Refused as error:
            raise CounterError(f"{self.name} refuses a text") from error

    def _from_weight(self, weight: Weight) -> list[Piece]:
        found = pieces(weight, lambda _: True, self.ids(max(1, len(weight.calls))))
        return [
            piece._replace(
                messages=[own for said in piece.messages for own in self._translated(said)]
            )
            for piece in found
        ]

    def _asked(self, field: str, **request: Any) -> int:
        """One request to the endpoint. An error holds no text of the request."""
        try:
            answer = self._ask(**{**request, **self._options})
        except Exception as error:
            raise self._failure(error) from error
        if iscoroutine(answer):
            answer.close()
            raise InvalidOptions(f"the client of {self.name} is asynchronous")
        tokens = getattr(answer, field, None)
        if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
            raise CounterError(f"{self.name} answered without a number of tokens")
        return tokens

    def _failure(self, error: Exception) -> Exception:
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        if status in _REFUSED:
            return Refused(type(error).__name__)
        seen = f" ({status})" if isinstance(status, int) else ""
        return CounterError(f"{self.name} raised {type(error).__name__}{seen}")


class EndpointCounter:
    """A counter of whole messages by a provider's endpoint, to be given as ``counter``.

    Every message is counted once, by one request, and remembered by its content as long
    as the counter lives; the first use asks for up to eight more. An estimate: what
    a message costs is the difference that it makes to a small request. `CounterError`
    where the endpoint fails; retries are the client's.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.name
        self._prices = Prices(endpoint)

    def __repr__(self) -> str:
        return f"<EndpointCounter {self.name}>"

    def meter(self, format: Format) -> GaugeMeter:
        """Prices the messages of a format."""
        return GaugeMeter(self._prices, format)


def spoken(text: str) -> str:
    """The text, or one that an endpoint accepts where it is blank; at least as many tokens."""
    return text if text.strip() else f"{FILLER}{text}{FILLER}"


def asker(client: Any, *path: str) -> Any:
    """A method of a client, None where it has none."""
    for name in path:
        client = getattr(client, name, None)
    return client
