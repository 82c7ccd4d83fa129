"""Tool-calling histories of any length, cut from the recorded example and made unique by a salt."""

from __future__ import annotations

import json
from itertools import count, cycle
from pathlib import Path
from typing import Any

LONGEST = 8_000
"""Characters that a text is cut to: a result above the whole budget would end every run."""

EXAMPLE = Path(__file__).parent.parent / "examples" / "openai-chat.json"


def history(length: int, salt: str = "") -> list[dict[str, Any]]:
    """A sound history of at least ``length`` messages: the recorded agent, again and again.

    Ids and texts carry a number and the salt, so that no two messages are equal and a
    history with another salt finds nothing in any memo.
    """
    recorded = json.loads(EXAMPLE.read_text(encoding="utf-8"))["messages"]
    made, numbers, round_ = [recorded[0]], count(), 0
    while len(made) < length:
        round_ += 1
        for message in recorded[1:]:
            if len(made) >= length and not is_result(message):
                break
            made.append(unique(message, f"{salt}{round_}", next(numbers)))
    return made


def is_result(message: dict[str, Any]) -> bool:
    """Whether a message answers a call."""
    return message["role"] == "tool"


def unique(message: dict[str, Any], salt: str, number: int) -> dict[str, Any]:
    """A copy of a message that is equal to no other."""
    copy = dict(message)
    if isinstance(copy.get("content"), str):
        copy["content"] = f"{copy['content'][:LONGEST]}\n({salt}.{number})"
    if "tool_call_id" in copy:
        copy["tool_call_id"] = f"{copy['tool_call_id']}.{salt}"
    if "tool_calls" in copy:
        copy["tool_calls"] = [{**call, "id": f"{call['id']}.{salt}"} for call in copy["tool_calls"]]
    return copy


SALTS = cycle(f"s{n}-" for n in range(10**6))


def fresh(length: int) -> list[dict[str, Any]]:
    """A history that no memo has seen."""
    return history(length, next(SALTS))
