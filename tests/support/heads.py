"""What a cut must lead with, where a format wants a person there: written without the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from support.shapes import blocks

Side = Callable[[Any], str]
"""Who speaks in a message: ``human``, ``results``, ``model`` or ``system``."""


def _anthropic(message: Any) -> str:
    if message["role"] in ("system", "assistant"):
        return "system" if message["role"] == "system" else "model"
    results = any(block.get("type") == "tool_result" for block in blocks(message))
    return "results" if results else "human"


def _converse(message: Any) -> str:
    if message["role"] in ("system", "assistant"):
        return "system" if message["role"] == "system" else "model"
    return "results" if any("toolResult" in block for block in blocks(message)) else "human"


def _gemini(content: Any) -> str:
    if content.get("role") == "model":
        return "model"
    parts = content.get("parts") or []
    keys = {key for part in parts for key in part} if isinstance(parts, list) else set(parts)
    return "results" if keys & {"functionResponse", "function_response"} else "human"


def _chat(message: Any) -> str:
    names = {"user": "human", "assistant": "model", "tool": "results", "function": "results"}
    return names.get(message["role"], "system")


def _sharegpt(turn: Any) -> str:
    names = {"human": "human", "user": "human", "system": "system"}
    names |= dict.fromkeys(("observation", "tool", "tool_response", "function-response"), "results")
    return names.get(turn["from"], "model")


SIDES: dict[str, Side] = {
    "anthropic": _anthropic,
    "gemini": _gemini,
    "bedrock-converse": _converse,
    **dict.fromkeys(("mistral", "strict-chat", "fine-tuning"), _chat),
    "sharegpt": _sharegpt,
}


def head_objections(format: str, messages: list[Any], before: list[Any]) -> list[str]:
    """What is wrong with the head of a cut of ``before``.

    Rules for the head bind cuts, not inputs: where no turn up to the head was begun by a human,
    there is none to lead.
    """
    side = SIDES.get(format)
    if side is None:
        return []
    talk = [message for message in messages if side(message) != "system"]
    places = [at for at, message in enumerate(before) if talk and message is talk[0]]
    if not places:  # an inserted notice leads
        return [] if not talk or side(talk[0]) == "human" else ["own: an insertion leads"]
    sides = [(at, side(m)) for at, m in enumerate(before) if side(m) != "system"]
    at = places[0]
    led = [
        place
        for n, (place, who) in enumerate(sides)
        if who == "human" and (n == 0 or sides[n - 1][1] == "model") and place <= at
    ]
    return [] if not led or at in led else [f"own: message {at} ({side(talk[0])}) leads the cut"]
