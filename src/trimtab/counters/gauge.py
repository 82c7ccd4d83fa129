"""What can count a whole request, and the pieces that it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ..formats.base import Format, Message
from ..tokens.schemas import Tool

Kind = Literal["system", "user", "assistant", "calls", "result"]
FILLER = "x"
"""A text of one token, for messages that are only there to make a request valid."""


class Refused(Exception):
    """The model's own rules do not allow this request. Never leaves the package."""


class Piece(NamedTuple):
    """Messages of a gauge's own shape that are priced together.

    ``ids`` are the ids of the calls that it makes or answers, ``plus`` tokens of what the
    gauge is not shown, such as images; ``sure`` says that nothing about it is guessed.
    """

    kind: Kind
    messages: list[Any]
    ids: tuple[str, ...] = ()
    plus: int = 0
    sure: bool = True


class Gauge(Protocol):
    """Counts whole requests, in messages of its own shape.

    ``thorough``: counting costs little, so that rules may be checked by many requests.
    """

    name: str
    thorough: bool

    def total(
        self,
        messages: Sequence[Any],
        tools: Sequence[Any] = (),
        choice: Any = None,
        most: int | None = None,
    ) -> int:
        """Tokens of a request with its reply begun; above ``most``, any number above it.

        Raises `Refused`, and `CounterError` where counting itself fails.
        """
        ...

    def say(self, kind: Kind, text: str = FILLER, ids: Sequence[str] = ()) -> list[Any]:
        """Messages of a kind. ``text`` is what is said, or the argument of every call.

        ``ids`` are those of the calls made or answered; without, there is one call.
        """
        ...

    def ids(self, calls: int) -> tuple[str, ...]:
        """Ids for so many calls."""
        ...

    def read(self, message: Message, format: Format) -> list[Piece]:
        """The pieces of a caller's message."""
        ...

    def read_system(self, system: Any, format: Format) -> list[Piece]:
        """The pieces of a system text that is given beside the messages."""
        ...

    def tool(self, tool: Tool) -> Any:
        """A tool in the gauge's own shape."""
        ...

    def text(self, text: str) -> int:
        """Tokens of a bare text."""
        ...
