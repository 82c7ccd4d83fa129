"""Ways in which AI SDK UI messages break: a part that carries a call waits for its output."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from support.shapes import History

Damage = Callable[[History, Random], None]
KINDS: dict[str, Damage] = {}


def _kind(function: Damage) -> Damage:
    KINDS[function.__name__] = function
    return function


def _tools(history: History) -> list[tuple[list[Any], int]]:
    """The parts of a message and the place among them of every call."""
    lists = [message["parts"] for message in history]
    return [(parts, at) for parts in lists for at, part in enumerate(parts) if "state" in part]


def _again(history: History, rng: Random, state: str) -> None:
    """One of the calls goes back to a state before its output."""
    if found := _tools(history):
        parts, at = rng.choice(found)
        parts[at] = {k: v for k, v in parts[at].items() if k != "output"} | {"state": state}


@_kind
def waits(history: History, rng: Random) -> None:
    _again(history, rng, "input-available")


@_kind
def streams(history: History, rng: Random) -> None:
    _again(history, rng, "input-streaming")


@_kind
def asks_for_approval(history: History, rng: Random) -> None:
    _again(history, rng, "approval-requested")


@_kind
def was_approved(history: History, rng: Random) -> None:
    _again(history, rng, "approval-responded")


@_kind
def all_wait(history: History, rng: Random) -> None:
    for parts, at in _tools(history):
        parts[at] |= {"state": "input-available"}


@_kind
def old_part_waits(history: History, rng: Random) -> None:
    if found := _tools(history):
        parts, at = rng.choice(found)
        inner = {"toolName": "f", "args": {}, "toolCallId": parts[at]["toolCallId"]}
        parts[at] = {"type": "tool-invocation", "toolInvocation": {**inner, "state": "call"}}


@_kind
def dynamic_part_waits(history: History, rng: Random) -> None:
    if found := _tools(history):
        parts, at = rng.choice(found)
        own = {"type": "dynamic-tool", "toolName": "f", "state": "input-available"}
        parts[at] = {k: v for k, v in parts[at].items() if k != "output"} | own


@_kind
def provider_runs_it(history: History, rng: Random) -> None:
    """Sound: the provider answers later."""
    if found := _tools(history):
        parts, at = rng.choice(found)
        parts[at] |= {"state": "input-available", "providerExecuted": True}


@_kind
def waits_twice(history: History, rng: Random) -> None:
    if found := _tools(history):
        parts, at = rng.choice(found)
        parts[at] |= {"state": "input-available"}
        parts.insert(at, copy.deepcopy(parts[at]))


@_kind
def done_twice(history: History, rng: Random) -> None:
    if found := _tools(history):
        parts, at = rng.choice(found)
        parts.insert(at, copy.deepcopy(parts[at]))


@_kind
def human_goes_on(history: History, rng: Random) -> None:
    """A message behind whatever still waits."""
    history.append({"id": "m", "role": "user", "parts": [{"type": "text", "text": "well?"}]})


@_kind
def stopped_and_resumed(history: History, rng: Random) -> None:
    waits(history, rng)
    human_goes_on(history, rng)


@_kind
def cut_tail(history: History, rng: Random) -> None:
    waits(history, rng)
    del history[rng.randint(1, len(history)) :]


@_kind
def swap_neighbours(history: History, rng: Random) -> None:
    waits(history, rng)
    if len(history) > 1:
        at = rng.randrange(len(history) - 1)
        history[at], history[at + 1] = history[at + 1], history[at]


@_kind
def reverse(history: History, rng: Random) -> None:
    waits(history, rng)
    history.reverse()


@_kind
def shuffle(history: History, rng: Random) -> None:
    waits(history, rng)
    rng.shuffle(history)
