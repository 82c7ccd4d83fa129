"""Ways in which histories break in the field, each as a small function.

``damage`` never changes its input. Where a kind finds nothing to break (no call, no
parallel results…), it returns an equal copy: broken or not is for the oracles to say.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random

from support.shapes import (
    History,
    Ref,
    blocks,
    calls,
    is_anthropic,
    put_result,
    results,
    take_call,
    take_result,
)

Damage = Callable[[History, Random], None]
KINDS: dict[str, Damage] = {}


def damage(messages: History, rng: Random, kind: str) -> History:
    """A copy of ``messages`` with one damage of the given kind (a key of ``KINDS``)."""
    broken = copy.deepcopy(messages)
    KINDS[kind](broken, rng)
    return broken


def _kind(function: Damage) -> Damage:
    KINDS[function.__name__] = function
    return function


def _any(found: list[Ref], rng: Random) -> list[Ref]:
    return [rng.choice(found)] if found else []


@_kind
def drop_result(history: History, rng: Random) -> None:
    for ref in _any(results(history), rng):
        take_result(history, ref)


@_kind
def drop_call(history: History, rng: Random) -> None:
    for ref in _any(calls(history), rng):
        take_call(history, ref)


@_kind
def drop_caller(history: History, rng: Random) -> None:
    """The whole assistant message goes, as a cut by count does it."""
    for ref in _any(calls(history), rng):
        del history[ref.index]


@_kind
def drop_one_of_parallel(history: History, rng: Random) -> None:
    callers = [ref.index for ref in calls(history)]
    parallel = {ref.id for ref in calls(history) if callers.count(ref.index) > 1}
    for ref in _any([ref for ref in results(history) if ref.id in parallel], rng):
        take_result(history, ref)


@_kind
def duplicate_result(history: History, rng: Random) -> None:
    for ref in _any(results(history), rng):
        put_result(history, ref.index + 1, copy.deepcopy(ref.item))


@_kind
def duplicate_result_later(history: History, rng: Random) -> None:
    for ref in _any(results(history), rng):
        put_result(history, len(history), copy.deepcopy(ref.item))


@_kind
def duplicate_call(history: History, rng: Random) -> None:
    """The same call twice in one message."""
    for ref in _any(calls(history), rng):
        message = history[ref.index]
        siblings = message.get("tool_calls") or message["content"]
        siblings.insert(ref.pos, copy.deepcopy(ref.item))


@_kind
def repeat_caller(history: History, rng: Random) -> None:
    """A retry wrote the assistant message a second time, at the end."""
    for ref in _any(calls(history), rng):
        history.append(copy.deepcopy(history[ref.index]))


@_kind
def reuse_id(history: History, rng: Random) -> None:
    """A later exchange takes the id of an earlier one (fine in Chat, not in Anthropic)."""
    found = calls(history)
    if len(found) < 2:
        return
    first, later = sorted(rng.sample(found, 2), key=lambda ref: ref.index)
    for ref in [later, *(r for r in results(history) if r.id == later.id)]:
        for key in {"id", "tool_call_id", "tool_use_id"} & ref.item.keys():
            ref.item[key] = first.id


@_kind
def wrong_id(history: History, rng: Random) -> None:
    for ref in _any(results(history), rng):
        key = "tool_use_id" if "tool_use_id" in ref.item else "tool_call_id"
        ref.item[key] = "nobody_asked"


@_kind
def result_before_call(history: History, rng: Random) -> None:
    for ref in _any(results(history), rng):
        caller = [c.index for c in calls(history) if c.id == ref.id and c.index < ref.index]
        put_result(history, caller[-1] if caller else 0, take_result(history, ref))


@_kind
def late_result(history: History, rng: Random) -> None:
    """The result arrives after what the user said in the meantime."""
    for ref in _any(results(history), rng):
        item = take_result(history, ref)
        put_result(history, rng.randint(min(ref.index + 1, len(history)), len(history)), item)


@_kind
def human_between(history: History, rng: Random) -> None:
    for ref in _any(calls(history), rng):
        history.insert(ref.index + 1, {"role": "user", "content": "are you there?"})


@_kind
def assistant_between(history: History, rng: Random) -> None:
    for ref in _any(calls(history), rng):
        history.insert(ref.index + 1, {"role": "assistant", "content": "still running"})


@_kind
def human_inside(history: History, rng: Random) -> None:
    """A human message directly before one of the results."""
    for ref in _any(results(history), rng):
        history.insert(ref.index, {"role": "user", "content": "hurry up"})


@_kind
def system_inside(history: History, rng: Random) -> None:
    for ref in _any(results(history), rng):
        history.insert(ref.index, {"role": "system", "content": "be brief"})


@_kind
def text_before_result(history: History, rng: Random) -> None:
    """Anthropic: words before the results within one message."""
    for ref in _any([r for r in results(history) if blocks(history[r.index])], rng):
        if is_anthropic(history):
            history[ref.index]["content"].insert(0, {"type": "text", "text": "note"})


@_kind
def cut_head(history: History, rng: Random) -> None:
    """A cut by count: a result leads."""
    for ref in _any(results(history), rng):
        del history[: ref.index]


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
def swap_results(history: History, rng: Random) -> None:
    """Two results change places (fine within one group, a break between groups)."""
    found = [r for r in results(history) if not blocks(history[r.index])]
    if len(found) > 1:
        one, two = (ref.index for ref in rng.sample(found, 2))
        history[one], history[two] = history[two], history[one]


@_kind
def reverse(history: History, rng: Random) -> None:
    history.reverse()


@_kind
def shuffle(history: History, rng: Random) -> None:
    rng.shuffle(history)


@_kind
def legacy_wrong_name(history: History, rng: Random) -> None:
    for message in history:
        if message.get("role") == "function":
            message["name"] = "somebody_else"


@_kind
def legacy_cut(history: History, rng: Random) -> None:
    """The legacy call goes, its function message stays."""
    history[:] = [m for m in history if not m.get("function_call")]


@_kind
def drop_server_call(history: History, rng: Random) -> None:
    """Anthropic: the server's result stays without the call before it."""
    for message in history:
        if blocks(message):
            kept = [b for b in blocks(message) if b.get("type") != "server_tool_use"]
            message["content"] = kept
