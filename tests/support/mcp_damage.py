"""Ways in which MCP sampling messages break, block by block (see ``damage`` for other formats).

Each changes the history that it is given; where it finds nothing to break it stays sound.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from support.shapes import History, Message

Damage = Callable[[History, Random], None]
Place = tuple[int, int]
KINDS: dict[str, Damage] = {}


def results(history: History) -> list[Place]:
    """Message and place of every result."""
    return _places(history, "tool_result")


def calls(history: History) -> list[Place]:
    """Message and place of every call."""
    return _places(history, "tool_use")


def _places(history: History, kind: str) -> list[Place]:
    rows = enumerate(history)
    return [(m, p) for m, row in rows for p, b in enumerate(row["content"]) if b["type"] == kind]


def _take(history: History, place: Place) -> Any:
    """Remove a block, and its message where nothing else is left."""
    at, position = place
    block = history[at]["content"].pop(position)
    if not history[at]["content"]:
        del history[at]
    return block


def _text(words: str) -> Any:
    return {"type": "text", "text": words}


def _say(role: str, words: str) -> Message:
    return {"role": role, "content": [_text(words)]}


def _any(found: list[Place], rng: Random) -> list[Place]:
    return [rng.choice(found)] if found else []


def _kind(function: Damage) -> Damage:
    KINDS[function.__name__] = function
    return function


@_kind
def drop_result(history: History, rng: Random) -> None:
    for place in _any(results(history), rng):
        _take(history, place)


@_kind
def drop_call(history: History, rng: Random) -> None:
    for place in _any(calls(history), rng):
        _take(history, place)


@_kind
def drop_caller(history: History, rng: Random) -> None:
    for at, _ in _any(calls(history), rng):
        del history[at]


@_kind
def drop_answerer(history: History, rng: Random) -> None:
    for at, _ in _any(results(history), rng):
        del history[at]


@_kind
def duplicate_result(history: History, rng: Random) -> None:
    for at, position in _any(results(history), rng):
        history[at]["content"].insert(position, copy.deepcopy(history[at]["content"][position]))


@_kind
def duplicate_result_later(history: History, rng: Random) -> None:
    for at, position in _any(results(history), rng):
        later = {"role": "user", "content": [copy.deepcopy(history[at]["content"][position])]}
        history.insert(rng.randint(at + 1, len(history)), later)


@_kind
def duplicate_call(history: History, rng: Random) -> None:
    for at, position in _any(calls(history), rng):
        history[at]["content"].insert(position, copy.deepcopy(history[at]["content"][position]))


@_kind
def repeat_caller(history: History, rng: Random) -> None:
    for at, _ in _any(calls(history), rng):
        history.append(copy.deepcopy(history[at]))


@_kind
def wrong_id(history: History, rng: Random) -> None:
    for at, position in _any(results(history), rng):
        history[at]["content"][position]["toolUseId"] = "nobody_asked"


@_kind
def result_before_call(history: History, rng: Random) -> None:
    for place in _any(results(history), rng):
        part = _take(history, place)
        history.insert(max(0, place[0] - 1), {"role": "user", "content": [part]})


@_kind
def late_result(history: History, rng: Random) -> None:
    for place in _any(results(history), rng):
        part = _take(history, place)
        at = rng.randint(min(place[0] + 1, len(history)), len(history))
        history.insert(at, {"role": "user", "content": [part]})


@_kind
def split_results(history: History, rng: Random) -> None:
    """Every result of one message in a message of its own."""
    for at, _ in _any(results(history), rng):
        own = history[at]
        history[at : at + 1] = [{**own, "content": [part]} for part in own["content"]]


@_kind
def human_between(history: History, rng: Random) -> None:
    for at, _ in _any(calls(history), rng):
        history.insert(at + 1, _say("user", "are you there?"))


@_kind
def model_between(history: History, rng: Random) -> None:
    for at, _ in _any(calls(history), rng):
        history.insert(at + 1, _say("assistant", "still running"))


@_kind
def words_before_result(history: History, rng: Random) -> None:
    for at, _ in _any(results(history), rng):
        history[at]["content"].insert(0, _text("note"))


@_kind
def words_behind_result(history: History, rng: Random) -> None:
    for at, _ in _any(results(history), rng):
        history[at]["content"].append(_text("note"))


@_kind
def result_of_the_model(history: History, rng: Random) -> None:
    """A result moves into the message that called."""
    for place in _any([place for place in results(history) if place[0]], rng):
        history[place[0] - 1]["content"].append(_take(history, place))


@_kind
def emptied(history: History, rng: Random) -> None:
    rng.choice(history)["content"].clear()


@_kind
def cut_head(history: History, rng: Random) -> None:
    for at, _ in _any(results(history), rng):
        del history[:at]


@_kind
def cut_middle(history: History, rng: Random) -> None:
    start = rng.randrange(len(history))
    del history[start : start + rng.randint(1, 3)]


@_kind
def cut_tail(history: History, rng: Random) -> None:
    del history[rng.randint(1, len(history)) :]


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
