"""Sound histories under strict alternation, exchange by exchange, and ways in which they break.

One script makes the same conversation for Bedrock Converse, for strict chat templates, and
for ShareGPT: an exchange is a human turn, tool traffic, and the reply that ends it, so any
row of exchanges is sound. ``pending`` leaves the newest exchange open.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from support.shapes import History, Message
from support.words import PIXEL, output, words


class Converse:
    """Messages of Bedrock Converse."""

    name = "bedrock-converse"
    closed = False

    def human(self, rng: Random) -> History:
        blocks: list[Any] = [{"text": words(rng)}]
        if rng.random() < 0.2:
            blocks.append({"cachePoint": {"type": "default"}})
        if rng.random() < 0.2:
            blocks.insert(0, {"image": {"format": "png", "source": {"bytes": PIXEL}}})
        if rng.random() < 0.1:
            blocks.append({"holographBlock": {"depth": rng.randint(0, 9)}})
        return [{"role": "user", "content": blocks}]

    def reply(self, rng: Random) -> History:
        blocks: list[Any] = [{"text": words(rng, 1, 30)}]
        if rng.random() < 0.3:
            thought = {"reasoningText": {"text": words(rng), "signature": "c2ln"}}
            blocks.insert(0, {"reasoningContent": thought})
        if rng.random() < 0.2:
            blocks = [{"citationsContent": {"content": blocks[-1:], "citations": []}}]
        return [{"role": "assistant", "content": blocks}]

    def tools(self, rng: Random, ids: list[str], answered: int | None = None) -> History:
        blocks: list[Any] = [{"text": words(rng)}] if rng.random() < 0.3 else []
        for id in ids:
            call = {"toolUseId": id, "name": "look_up", "input": {"q": rng.randint(0, 99)}}
            blocks.append({"toolUse": call})
        made: History = [{"role": "assistant", "content": blocks}]
        results = [self._result(rng, id) for id in rng.sample(ids, len(ids))[:answered]]
        if results and rng.random() < 0.2:
            results.append(rng.choice([{"text": words(rng)}, {"cachePoint": {"type": "default"}}]))
        return [*made, {"role": "user", "content": results}] if results else made

    def _result(self, rng: Random, id: str) -> Any:
        content = rng.choice([[{"text": output(rng)}], [{"json": {"rows": [output(rng), 3]}}]])
        return {"toolResult": {"toolUseId": id, "content": content, "status": "success"}}

    def system(self, rng: Random) -> History:
        return []  # it stands beside the messages


class Chat:
    """OpenAI Chat messages for strict templates."""

    name = "strict-chat"
    closed = False

    def human(self, rng: Random) -> History:
        text: Any = words(rng)
        return [
            {
                "role": "user",
                "content": [{"type": "text", "text": text}] if rng.random() < 0.2 else text,
            }
        ]

    def reply(self, rng: Random) -> History:
        return [{"role": "assistant", "content": words(rng, 1, 30)}]

    def tools(self, rng: Random, ids: list[str], answered: int | None = None) -> History:
        function = {"name": "look_up", "arguments": f'{{"q": "{rng.randint(0, 99)}"}}'}
        calls = [{"id": id, "type": "function", "function": function} for id in ids]
        made: History = [
            {"role": "assistant", "content": rng.choice([None, ""]), "tool_calls": calls}
        ]
        for id in rng.sample(ids, len(ids))[:answered]:
            made.append({"role": "tool", "tool_call_id": id, "content": output(rng)})
        return made

    def system(self, rng: Random) -> History:
        return [{"role": "system", "content": words(rng)}]


class FineTuning(Chat):
    """The same as examples for fine-tuning."""

    name = "fine-tuning"
    closed = True


class ShareGPT:
    """Turns of ShareGPT, where a turn makes one call."""

    name = "sharegpt"
    closed = True

    def human(self, rng: Random) -> History:
        return [{"from": rng.choice(["human", "user"]), "value": words(rng)}]

    def reply(self, rng: Random) -> History:
        return [{"from": "gpt", "value": words(rng, 1, 30)}]

    def tools(self, rng: Random, ids: list[str], answered: int | None = None) -> History:
        value = f'{{"name": "look_up", "arguments": {{"q": {rng.randint(0, 99)}}}}}'
        call: Message = {"from": "function_call", "value": value}
        result: Message = {"from": "observation", "value": output(rng)}
        if rng.random() < 0.3:
            call = {"from": "gpt", "value": f"<tool_call>\n{value}\n</tool_call>"}
            result["from"] = "tool"
        return [call] if answered == 0 else [call, result]

    def system(self, rng: Random) -> History:
        return [{"from": "system", "value": words(rng)}]


SHAPES: dict[str, Any] = {s.name: s for s in (Converse(), Chat(), FineTuning(), ShareGPT())}
EXCHANGES = ("short", "call", "loop", "parallel")


def build(format: str, script: list[tuple[str, int]], open_end: int | None = None) -> History:
    """The sound history of a script, an exchange for each (kind, seed)."""
    shape = SHAPES[format]
    history: History = []
    for kind, seed in script:
        rng = Random(seed)
        if not history and rng.random() < 0.4:
            history += shape.system(rng)
        history += shape.human(rng)
        for _ in range({"short": 0, "call": 1, "loop": rng.randint(2, 4), "parallel": 1}[kind]):
            count = rng.randint(2, 3) if kind == "parallel" else 1
            history += shape.tools(rng, [f"c{len(history)}n{n}aaaaa"[:9] for n in range(count)])
        history += shape.reply(rng)
    if open_end is not None:
        _pending(shape, history, Random(open_end))
    return history


def _pending(shape: Any, history: History, rng: Random) -> None:
    history += shape.human(rng)
    ids = [f"c{len(history)}n{n}aaaaa"[:9] for n in range(rng.randint(1, 3))]
    if shape.closed:
        history += shape.tools(rng, ids, 0)
    elif rng.random() < 0.7:
        history += shape.tools(rng, ids, rng.choice([0, len(ids)]))


def sound_strict(format: str, max_exchanges: int = 6) -> st.SearchStrategy[History]:
    """Sound histories of at most so many exchanges, and perhaps an open end."""
    step = st.tuples(st.sampled_from(EXCHANGES), st.integers(0, 2**16))
    script = st.lists(step, min_size=1, max_size=max_exchanges)
    return st.builds(build, st.just(format), script, st.none() | st.integers(0, 2**16))


Break = Callable[[Any, History, Random], None]
DAMAGE: dict[str, Break] = {}


def _kind(function: Break) -> Break:
    DAMAGE[function.__name__] = function
    return function


def _somewhere(history: History, rng: Random) -> int:
    return rng.randint(0, len(history))


@_kind
def drop_one(shape: Any, history: History, rng: Random) -> None:
    if history:
        del history[rng.randrange(len(history))]


@_kind
def drop_two_in_a_row(shape: Any, history: History, rng: Random) -> None:
    at = _somewhere(history, rng)
    del history[at : at + 2]


@_kind
def cut_head(shape: Any, history: History, rng: Random) -> None:
    del history[: _somewhere(history, rng)]


@_kind
def cut_tail(shape: Any, history: History, rng: Random) -> None:
    del history[rng.randint(1, len(history)) :]


@_kind
def twice(shape: Any, history: History, rng: Random) -> None:
    at = rng.randrange(len(history))
    history.insert(at, copy.deepcopy(history[at]))


@_kind
def twice_later(shape: Any, history: History, rng: Random) -> None:
    at = rng.randrange(len(history))
    history.insert(rng.randint(at, len(history)), copy.deepcopy(history[at]))


@_kind
def human_between(shape: Any, history: History, rng: Random) -> None:
    at = _somewhere(history, rng)
    history[at:at] = shape.human(rng)


@_kind
def reply_between(shape: Any, history: History, rng: Random) -> None:
    at = _somewhere(history, rng)
    history[at:at] = shape.reply(rng)


@_kind
def system_between(shape: Any, history: History, rng: Random) -> None:
    at = _somewhere(history, rng)
    history[at:at] = shape.system(rng)


@_kind
def swap_neighbours(shape: Any, history: History, rng: Random) -> None:
    if len(history) > 1:
        at = rng.randrange(len(history) - 1)
        history[at], history[at + 1] = history[at + 1], history[at]


@_kind
def late(shape: Any, history: History, rng: Random) -> None:
    history.insert(_somewhere(history, rng) - 1, history.pop(rng.randrange(len(history))))


@_kind
def reverse(shape: Any, history: History, rng: Random) -> None:
    history.reverse()


@_kind
def shuffle(shape: Any, history: History, rng: Random) -> None:
    rng.shuffle(history)


@_kind
def wrong_id(shape: Any, history: History, rng: Random) -> None:
    holders = [item for item in _results(history)]
    if holders:
        holder = rng.choice(holders)
        for key in {"toolUseId", "tool_call_id"} & set(holder):
            holder[key] = "nobody"


@_kind
def split_results(shape: Any, history: History, rng: Random) -> None:
    """Converse: every result in a message of its own."""
    for at in reversed(range(len(history))):
        blocks = history[at].get("content")
        if isinstance(blocks, list) and any("toolResult" in block for block in blocks):
            history[at : at + 1] = [{**history[at], "content": [block]} for block in blocks]


@_kind
def drop_a_block(shape: Any, history: History, rng: Random) -> None:
    found = [m for m in history if isinstance(m.get("content"), list) and len(m["content"]) > 1]
    if found:
        content = rng.choice(found)["content"]
        del content[rng.randrange(len(content))]


@_kind
def blank_text(shape: Any, history: History, rng: Random) -> None:
    """Converse: a text block without text, in a message or as an error's only content."""
    found = [m for m in history if isinstance(m.get("content"), list)]
    if shape.name == "bedrock-converse" and found:
        rng.choice(found)["content"].append({"text": " "})
        for result in _results(history)[:1]:
            result |= {"status": "error", "content": [{"text": ""}]}


def _results(history: History) -> list[Any]:
    blocks = [b for m in history if isinstance(m.get("content"), list) for b in m["content"]]
    inside = [b["toolResult"] for b in blocks if "toolResult" in b]
    return inside + [m for m in history if "tool_call_id" in m]


@st.composite
def damaged_strict(
    draw: st.DrawFn, format: str, max_exchanges: int = 5
) -> tuple[str, History, History]:
    """(kind, sound history, the same after that damage); some damage leaves it sound."""
    history = draw(sound_strict(format, max_exchanges))
    kind = draw(st.sampled_from(sorted(DAMAGE)))
    broken = copy.deepcopy(history)
    DAMAGE[kind](SHAPES[format], broken, Random(draw(st.integers(0, 2**16))))
    return kind, history, broken
