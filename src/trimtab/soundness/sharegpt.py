"""ShareGPT: turns at even places are the asking side's, at odd ones the assistant's."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from .fields import word
from .strict_chat import end_objections, pattern_objections

_LETTERS = {
    **dict.fromkeys(("human", "user"), "u"),
    **dict.fromkeys(("observation", "tool", "tool_response", "function-response"), "t"),
    **dict.fromkeys(("function_call", "function-call"), "c"),
    "system": "s",
}


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What a converter of such data would skip."""
    letters = "".join(map(_letter, messages))
    yield from pattern_objections(letters)
    yield from end_objections(letters)
    for at, pair in enumerate(pairwise(letters)):
        if pair == ("t", "t"):
            yield at + 1, "two results for one call"


def _letter(message: Any) -> str:
    value = word(message, "value")
    letter = _LETTERS.get(word(message, "from"), "a")
    return "c" if letter == "a" and "<tool_call>" in value and "</tool_call>" in value else letter


def asks(message: Any) -> bool:
    """Whether it is a person's turn."""
    return _letter(message) == "u"


def stays(message: Any) -> bool:
    """Whether it is a system turn."""
    return _letter(message) == "s"
