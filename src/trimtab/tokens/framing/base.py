"""What a family of models adds to the texts of a request, and how it writes the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from ...formats.weight import Weight
from ..schemas import Tool


class Priced(NamedTuple):
    """Tokens that are known as a number, and the texts to be tokenised beside them."""

    overhead: int
    texts: list[str]


NOTHING = Priced(0, [])


class Framing(Protocol):
    """How the models of one family see a request. All numbers are tokens.

    ``primer`` is what a request costs beside its parts. The same framing prices messages
    of every format: a format says what is there, a framing what it costs.

    What is told about the rest of the request may be ignored: ``contextual`` says whether
    ``batch`` is not. ``thinking`` is what a request costs more that asks for thinking.
    """

    contextual: bool
    thinking: int

    name: str
    primer: int

    def message(self, weight: Weight, batch: bool = False) -> Priced:
        """A whole message; ``batch``: it answers one of several calls that one message made."""
        ...

    def is_exact(self, weight: Weight) -> bool:
        """Whether the price of this message is known to be what is billed."""
        ...

    def system(self, weight: Weight) -> Priced:
        """The system text that is given beside the messages."""
        ...

    def tools(self, tools: Sequence[Tool], choice: Any = None, system: str | None = None) -> Priced:
        """Tool schemas, at least one, under a ``tool_choice`` of any provider's shape.

        ``system`` is the system text that leads the request, None where there is none.
        """
        ...

    def response_format(
        self, wanted: Any, system: str | None = None, tools: bool = False
    ) -> Priced:
        """A response format: the provider's value, plain data; ``tools``: beside tools."""
        ...
