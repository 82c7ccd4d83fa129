"""Sound Anthropic histories, step by step (see ``chat_histories``).

That API merges neighbours of one role, so a step may append several messages of one
role in a row, as Claude Code records them: one content block a message.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from support.shapes import History, Message
from support.words import PIXEL, output, words

Block = dict[str, Any]


def _text(rng: Random) -> Block:
    block: Block = {"type": "text", "text": words(rng)}
    if rng.random() < 0.15:
        block["cache_control"] = {"type": "ephemeral"}
    return block


def _image() -> Block:
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    return {"type": "image", "source": source}


def _say(history: History, rng: Random) -> None:
    content: Any = words(rng) if rng.random() < 0.5 else [_text(rng)]
    history.append({"role": "user", "content": content})


def _reply(history: History, rng: Random) -> None:
    if rng.random() < 0.3:
        history.append({"role": "assistant", "content": words(rng)})
    else:
        history.append({"role": "assistant", "content": [*_thinking(history, rng), _text(rng)]})


def _thinking(history: History, rng: Random) -> list[Block]:
    """Signed or redacted thinking, and only where a turn starts."""
    if rng.random() < 0.5 or (history and history[-1]["role"] == "assistant"):
        return []
    signed = {"type": "thinking", "thinking": rng.choice(["", words(rng)]), "signature": "c2ln" * 9}
    redacted = {"type": "redacted_thinking", "data": "ZW5j" * 9}
    return rng.choice([[signed], [redacted], [redacted, signed]])


def _users(history: History, rng: Random) -> None:
    for _ in range(rng.randint(2, 3)):
        _say(history, rng)


def _media(history: History, rng: Random) -> None:
    document = {"type": "text", "media_type": "text/plain", "data": words(rng, 20, 60)}
    parts: list[Block] = [
        _image(),
        {"type": "document", "source": document, "title": "notes"},
        {"type": "block_of_next_year", "payload": {"x": [words(rng)]}},
    ]
    history.append({"role": "user", "content": [*rng.sample(parts, rng.randint(1, 3)), _text(rng)]})


def _note(history: History, rng: Random) -> None:
    """A system message of newer models: after a user turn, before an assistant turn."""
    _say(history, rng)
    history.append({"role": "system", "content": [{"type": "text", "text": words(rng)}]})
    _reply(history, rng)


def _server(history: History, rng: Random) -> None:
    """A server tool: call and result stand in one assistant turn."""
    id = f"srvtoolu_{len(history)}"
    found = {"type": "web_search_result", "title": words(rng), "url": "https://example.org"}
    history.append(
        {
            "role": "assistant",
            "content": [
                *_thinking(history, rng),
                {
                    "type": "server_tool_use",
                    "id": id,
                    "name": "web_search",
                    "input": {"query": "x"},
                },
                {"type": "web_search_tool_result", "tool_use_id": id, "content": [found]},
                _text(rng),
            ],
        }
    )


def _use(id: str, rng: Random) -> Block:
    return {"type": "tool_use", "id": id, "name": "look_up", "input": {"q": rng.randint(0, 99)}}


def _result(id: str, rng: Random) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": id}
    form = rng.randrange(5)
    if form:  # content may also be left out
        text = output(rng)
        filled = {"type": "text", "text": text if text.strip() else "none"}
        block["content"] = [text, text, [filled], [filled, _image()]][form - 1]
    if rng.random() < 0.15:
        block["is_error"] = True
    return block


def _calls(history: History, rng: Random, ids: list[str]) -> None:
    opening = [*_thinking(history, rng), *([_text(rng)] if rng.random() < 0.4 else [])]
    uses = [_use(id, rng) for id in ids]
    history.append({"role": "assistant", "content": [*opening, *uses]})


def _answers(history: History, rng: Random, ids: list[str]) -> None:
    """Results in any order, in one user message or several, human text perhaps behind them."""
    found = [_result(id, rng) for id in rng.sample(ids, len(ids))]
    if rng.random() < 0.3:
        history.extend({"role": "user", "content": [block]} for block in found)
    else:
        history.append({"role": "user", "content": found})
    after = rng.random()
    if after < 0.15:
        history[-1]["content"].append(_text(rng))
    elif after < 0.3:
        _say(history, rng)


def _new_ids(history: History, n: int) -> list[str]:
    return [f"toolu_{len(history)}_{k}" for k in range(n)]


def _call(history: History, rng: Random) -> None:
    ids = _new_ids(history, 1)
    _calls(history, rng, ids)
    _answers(history, rng, ids)


def _parallel(history: History, rng: Random) -> None:
    ids = _new_ids(history, rng.randint(2, 4))
    _calls(history, rng, ids)
    _answers(history, rng, ids)


def _split(history: History, rng: Random) -> None:
    """Claude Code's way: every block of the turn is a message, with extra keys."""
    ids = _new_ids(history, rng.randint(1, 3))
    turn: History = []
    _calls(turn, rng, ids)
    if history and history[-1]["role"] == "assistant":  # thinking only where a turn starts
        turn[0]["content"] = [b for b in turn[0]["content"] if "thinking" not in b["type"]]
    envelope: Message = {"id": f"msg_{len(history)}", "type": "message", "model": "m"}
    for block in turn[0]["content"]:
        history.append({**envelope, "role": "assistant", "content": [block]})
    for id in rng.sample(ids, len(ids)):
        history.append({"role": "user", "content": [_result(id, rng)]})


def pending(history: History, rng: Random) -> None:
    """The very end: calls that are still waiting for some or all of their results."""
    ids = _new_ids(history, rng.randint(1, 4))
    _calls(history, rng, ids)
    if arrived := ids[: rng.randrange(len(ids))]:
        history.append({"role": "user", "content": [_result(id, rng) for id in arrived]})


UNITS: dict[str, Callable[[History, Random], None]] = {
    "say": _say,
    "reply": _reply,
    "call": _call,
    "parallel": _parallel,
    "split": _split,
    "users": _users,
    "server": _server,
    "note": _note,
    "media": _media,
}
"""Ordered from simple to odd, so that Hypothesis shrinks towards the simple ones."""
