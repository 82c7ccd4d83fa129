"""What every way to summarise is given: a budget, a counter, a summariser that takes notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from langchain_core.messages import BaseMessage, HumanMessage

from trimtab import count

BUDGET = 16_000
LARGEST = 800  # tokens of a summary at most
FILLER = "The user wants the failing test to pass; the agent reads, edits and runs it again. " * 32


class Way(Protocol):
    """Keeps a session within the budget."""

    name: str

    def request(self, new: list[BaseMessage]) -> list[BaseMessage]:
        """Take the next messages; what to send now."""
        ...


class Listener:
    """A summariser that answers with as many tokens every time and notes what it was shown."""

    def __init__(self) -> None:
        self.calls: list[int] = []  #: tokens shown, call by call
        self.heard: list[str] = []

    def answer(self, texts: list[str]) -> str:
        """A summary of the texts."""
        self.calls.append(sum(count(text).total for text in texts))
        self.heard += texts
        return f"Summary {len(self.calls)}. {FILLER}".strip()


FRAME = count([HumanMessage("a")], format="langchain").framing  # tokens of a request beside its messages
_costs: dict[str, int] = {}


def learn(script: list[BaseMessage]) -> None:
    """Remember what the messages of the script cost, each in its place."""
    prices = count(script, format="langchain").by_message
    _costs.update((str(message.id), price) for message, price in zip(script, prices, strict=True))


def cost(messages: Iterable[Any]) -> int:
    """Tokens of messages by Trimtab's own count, without the frame of a request."""
    return sum(map(_cost, messages))


def _cost(message: Any) -> int:
    known = _costs.get(str(message.id))
    return count([message], format="langchain").by_message[0] if known is None else known
