"""Ways in which Gemini contents break, part by part (see ``damage`` for the other formats).

Calls and responses are parts, paired by id, else by name and place; so what breaks is their
number, their order and what stands between them. A kind that finds nothing leaves the history.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from support.shapes import History

Damage = Callable[[History, Random], None]
KINDS: dict[str, Damage] = {}
HUMAN = {"role": "user", "parts": [{"text": "are you there?"}]}
MODEL = {"role": "model", "parts": [{"text": "still running"}]}


@dataclass(frozen=True)
class Place:
    """A part: its content's index, its own, and the call or response in it."""

    index: int
    pos: int
    item: dict[str, Any]


def damage(history: History, rng: Random, kind: str) -> History:
    """A copy of the history with one damage of this kind."""
    broken = copy.deepcopy(history)
    KINDS[kind](broken, rng)
    return broken


def _kind(function: Damage) -> Damage:
    KINDS[function.__name__] = function
    return function


def _found(history: History, kind: str) -> list[Place]:
    names = (f"function{kind}", f"function_{kind.lower()}")
    return [
        Place(index, pos, part[name])
        for index, content in enumerate(history)
        for pos, part in enumerate(content["parts"])
        for name in names
        if name in part
    ]


def calls(history: History) -> list[Place]:
    """Every call, in order."""
    return _found(history, "Call")


def responses(history: History) -> list[Place]:
    """Every response, in order."""
    return _found(history, "Response")


def _take(history: History, place: Place) -> Any:
    """Remove a part, and its content where nothing else is left."""
    part = history[place.index]["parts"].pop(place.pos)
    if not history[place.index]["parts"]:
        del history[place.index]
    return part


def _user(part: Any) -> Any:
    return {"role": "user", "parts": [part]}


@_kind
def drop_response(history: History, rng: Random) -> None:
    if found := responses(history):
        _take(history, rng.choice(found))


@_kind
def drop_call(history: History, rng: Random) -> None:
    if found := calls(history):
        _take(history, rng.choice(found))


@_kind
def drop_caller(history: History, rng: Random) -> None:
    """The whole model content goes, as a cut by count does it."""
    if found := calls(history):
        del history[rng.choice(found).index]


@_kind
def drop_answer(history: History, rng: Random) -> None:
    """A whole content of responses goes."""
    if found := responses(history):
        del history[rng.choice(found).index]


@_kind
def one_response_of_many(history: History, rng: Random) -> None:
    """Of parallel responses only the first stays."""
    if found := responses(history):
        content = history[rng.choice(found).index]
        content["parts"] = content["parts"][:1]


@_kind
def response_twice(history: History, rng: Random) -> None:
    if found := responses(history):
        place = rng.choice(found)
        parts = history[place.index]["parts"]
        parts.insert(place.pos, copy.deepcopy(parts[place.pos]))


@_kind
def response_twice_later(history: History, rng: Random) -> None:
    if found := responses(history):
        place = rng.choice(found)
        part = copy.deepcopy(history[place.index]["parts"][place.pos])
        history.insert(rng.randint(place.index + 1, len(history)), _user(part))


@_kind
def call_twice(history: History, rng: Random) -> None:
    if found := calls(history):
        place = rng.choice(found)
        parts = history[place.index]["parts"]
        parts.insert(place.pos, copy.deepcopy(parts[place.pos]))


@_kind
def caller_again(history: History, rng: Random) -> None:
    """A retry wrote the call a second time, at the end."""
    if found := calls(history):
        history.append(copy.deepcopy(history[rng.choice(found).index]))


@_kind
def wrong_id(history: History, rng: Random) -> None:
    if found := [place for place in responses(history) if "id" in place.item]:
        rng.choice(found).item["id"] = "nobody_asked"


@_kind
def wrong_name(history: History, rng: Random) -> None:
    """Without an id the name tells which call is answered."""
    if found := responses(history):
        rng.choice(found).item["name"] = "nobody_asked"


@_kind
def reuse_id(history: History, rng: Random) -> None:
    """A later exchange takes the id of an earlier one, which is allowed."""
    if len(found := [place for place in calls(history) if "id" in place.item]) > 1:
        first, later = sorted(rng.sample(found, 2), key=lambda place: place.index)
        old = later.item["id"]
        for place in [*calls(history), *responses(history)]:
            if place.index >= later.index and place.item.get("id") == old:
                place.item["id"] = first.item["id"]


@_kind
def response_first(history: History, rng: Random) -> None:
    """The response stands before its call."""
    if found := responses(history):
        place = rng.choice(found)
        before = [call.index for call in calls(history) if call.index < place.index]
        part = _take(history, place)
        history.insert(before[-1] if before else 0, _user(part))


@_kind
def late_response(history: History, rng: Random) -> None:
    """The response arrives after what was said in the meantime."""
    if found := responses(history):
        place = rng.choice(found)
        part = _take(history, place)
        history.insert(rng.randint(min(place.index, len(history)), len(history)), _user(part))


@_kind
def human_between(history: History, rng: Random) -> None:
    if found := calls(history):
        history.insert(rng.choice(found).index + 1, copy.deepcopy(HUMAN))


@_kind
def model_between(history: History, rng: Random) -> None:
    if found := responses(history):
        history.insert(rng.choice(found).index, copy.deepcopy(MODEL))


@_kind
def exchange_between(history: History, rng: Random) -> None:
    """The user spoke and was answered before the response came."""
    if found := calls(history):
        at = rng.choice(found).index + 1
        history[at:at] = [copy.deepcopy(HUMAN), copy.deepcopy(MODEL)]


@_kind
def response_by_the_model(history: History, rng: Random) -> None:
    if found := responses(history):
        history[rng.choice(found).index]["role"] = "model"


@_kind
def call_by_the_user(history: History, rng: Random) -> None:
    if found := calls(history):
        history[rng.choice(found).index]["role"] = "user"


@_kind
def cut_head(history: History, rng: Random) -> None:
    """A cut by count: a response leads."""
    if found := responses(history):
        del history[: rng.choice(found).index]


@_kind
def cut_middle(history: History, rng: Random) -> None:
    start = rng.randrange(len(history))
    del history[start : start + rng.randint(1, 3)]


@_kind
def swap_neighbours(history: History, rng: Random) -> None:
    if len(history) > 1:
        at = rng.randrange(len(history) - 1)
        history[at], history[at + 1] = history[at + 1], history[at]


@_kind
def reverse(history: History, rng: Random) -> None:
    history.reverse()


@_kind
def shuffle(history: History, rng: Random) -> None:
    rng.shuffle(history)
