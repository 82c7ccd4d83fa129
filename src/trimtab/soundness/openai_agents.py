"""OpenAI Agents SDK: what is sent of the run items, by the rules of OpenAI Responses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import openai_responses
from .fields import field
from .opinion import CHANGED, Opinion


def _sent(message: Any) -> Any:
    item = field(message, "raw_item")
    return message if item is None else item


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the API would refuse of the items that are sent."""
    places = [at for at, m in enumerate(messages) if field(m, "type") != "tool_approval_item"]
    items = [_sent(messages[at]) for at in places]
    for at, words in openai_responses.objections(items):
        yield places[at] if 0 <= at < len(places) else at, words


OPINION = Opinion(
    objections,
    stays=lambda message: openai_responses.stays(_sent(message)),
    asks=lambda message: field(_sent(message), "role") == "user",
    parts=CHANGED | {"raw_item"},
)
