"""Strict chat templates: OpenAI Chat's rules, and a pattern that the roles must follow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from . import openai_chat
from .fields import field

# One letter a message: a person, an assistant that calls or does not, tools, else a system.
_LETTERS = {"user": "u", "tool": "t", "function": "t"}


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What a strict template would refuse; what waits at the very end is let through."""
    yield from openai_chat.objections(messages)
    for at, message in enumerate(messages):
        if field(message, "role") == "developer":
            yield at, "a role that templates do not know"
    yield from pattern_objections("".join(map(_letter, messages)))


def closed_objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """The same for an example of fine-tuning, which ends with the assistant."""
    yield from objections(messages)
    yield from end_objections("".join(map(_letter, messages)))


def pattern_objections(letters: str) -> Iterator[tuple[int, str]]:
    """The first place at which a conversation leaves the pattern."""
    size = next(n for n in range(len(letters), -1, -1) if follows(letters[:n]))
    if size < len(letters):
        yield size, "the roles do not alternate"


def end_objections(letters: str) -> Iterator[tuple[int, str]]:
    """Whether the last word is the assistant's."""
    talk = letters.replace("s", "")
    if talk and talk[-1] not in "ac":
        yield len(letters) - 1, "the last message is not the assistant's"


def follows(letters: str) -> bool:
    """Whether the roles of some first messages follow the pattern, exchange by exchange."""
    talk = letters[1:] if letters[:1] == "s" else letters
    first, *exchanges = talk.split("u")
    if "s" in talk:
        return False
    closed, last = [first, *exchanges][:-1], [first, *exchanges][-1]
    if first == "" and closed:
        closed = closed[1:]
    return all(re.fullmatch(r"(ct+)*a", part) for part in closed) and bool(
        re.fullmatch(r"(ct+)*(a|ct*)?", last)
    )


def _letter(message: Any) -> str:
    role = field(message, "role")
    if role == "assistant":
        return "c" if field(message, "tool_calls") or field(message, "function_call") else "a"
    return _LETTERS.get(str(role), "s")
