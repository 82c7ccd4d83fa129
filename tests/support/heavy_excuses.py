"""Where a heavy oracle sees too much: sound histories of a format that its framework would mend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from support import gemini_damage

Link = tuple[str, bool]  # an id, or the name where there is none; and whether it is an id


def _unlike(history: list[Any]) -> Iterator[tuple[Counter[Link], Counter[Link]]]:
    """Of each turn the calls and the responses that have no equal among the others."""
    asked, came, before = Counter[Link](), Counter[Link](), None
    for content in [*history, {"role": "model", "parts": []}]:
        if content["role"] == "model" and came:
            yield asked - came, came - asked
        if content["role"] == "model" != before:
            asked, came = Counter(), Counter()
        before = content["role"]
        asked += _links(gemini_damage.calls([content]))
        came += _links(gemini_damage.responses([content]))


def _links(places: list[gemini_damage.Place]) -> Counter[Link]:
    items = [place.item for place in places]
    return Counter((item.get("id") or item["name"], bool(item.get("id"))) for item in items)


def _one_id(history: list[Any]) -> bool:
    return any(
        {given for _, given in asked} != {given for _, given in came}
        for asked, came in _unlike(history)
        if came
    )


def _mixed(history: list[Any]) -> bool:
    """An id that no call has, in a turn where some parts have none."""
    links = [{given for _, given in _links(_parts(turn))} for turn in _turns(history)]
    pairs = zip(_unlike(history), links, strict=False)
    return any(asked and came and len(given) > 1 for (asked, came), given in pairs)


def _turns(history: list[Any]) -> Iterator[list[Any]]:
    """The contents from a model's turn to what answers it, of each turn that is answered."""
    turn: list[Any] = []
    came = False
    before = None
    for content in [*history, {"role": "model", "parts": []}]:
        if content["role"] == "model" and came:
            yield turn
            came = False
        if content["role"] == "model" != before:
            turn = []
        before = content["role"]
        turn.append(content)
        came = came or bool(gemini_damage.responses([content]))


def _parts(turn: list[Any]) -> list[gemini_damage.Place]:
    return [*gemini_damage.calls(turn), *gemini_damage.responses(turn)]


def _another_name(history: list[Any]) -> bool:
    return any(
        (False in {given for _, given in asked}) and (False in {given for _, given in came})
        for asked, came in _unlike(history)
    )


TOO_MUCH: dict[str, dict[str, Callable[[list[Any]], bool]]] = {
    "gemini": {
        "an id on one side alone: the API goes by name, ADK takes it for two": _one_id,
        "some parts without ids: the API counts what is left, ADK does not": _mixed,
        "another name, and no ids: the API goes by place, ADK by name": _another_name,
    },
}
"""Sound histories that the oracle would mend: why, and which."""
