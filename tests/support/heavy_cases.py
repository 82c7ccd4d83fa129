"""Histories for the heavy oracles by seed, sound and damaged, and real conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from support import converse_messages, generate, heavy_oracles
from support.corpus import conversations
from support.shapes import History
from support.written import FROM_CHAT, from_items

FORMATS = tuple(heavy_oracles.FOR)


def sound(format: str, seed: int) -> list[Any]:
    """The sound history of this seed."""
    return generate.sound(format, Random(seed))


def damaged(format: str, seed: int) -> tuple[str, list[Any]]:
    """(kind of damage, history); some damage leaves it sound."""
    return generate.damage_of(format, Random(seed))


def recorded(format: str, step: int) -> Iterator[tuple[str, list[Any]]]:
    """(id, messages) of every ``step``-th real conversation, written in this format."""
    source, write = _RECORDED.get(format, (format, lambda messages: messages))
    for at, row in enumerate(conversations(source)):
        if at % step == 0:
            yield row["id"], write(row["messages"])


_RECORDED: dict[str, tuple[str, Callable[[History], list[Any]]]] = {
    "bedrock-converse": ("anthropic", converse_messages.from_anthropic),
    "openai-agents": ("openai-responses", from_items),
    "mcp": ("openai-chat", FROM_CHAT["mcp"]),
    "pydantic-ai": ("openai-chat", FROM_CHAT["pydantic-ai"]),
}
