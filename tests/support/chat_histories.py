"""Sound OpenAI Chat histories, unit by unit.

Each builder appends one whole unit and leaves the history sound, so any order of
builders is a sound history: validity comes from how it is made, not from a check.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from support.shapes import History, Message
from support.words import PIXEL, output, words


def _say(history: History, rng: Random) -> None:
    history.append({"role": "user", "content": words(rng)})


def _reply(history: History, rng: Random) -> None:
    message: Message = {"role": "assistant", "content": words(rng, 1, 30)}
    if rng.random() < 0.2:
        message["content"] = [{"type": "text", "text": words(rng)}]
    if rng.random() < 0.2:
        message["reasoning_content"] = words(rng)
    history.append(message)


def _users(history: History, rng: Random) -> None:
    for _ in range(rng.randint(2, 3)):
        _say(history, rng)


def _system(history: History, rng: Random) -> None:
    history.append({"role": rng.choice(["system", "developer"]), "content": words(rng)})


def _parts(history: History, rng: Random) -> None:
    url = rng.choice([f"data:image/png;base64,{PIXEL}", "https://example.org/a.png"])
    parts: list[Any] = [
        {"type": "text", "text": words(rng)},
        {"type": "image_url", "image_url": {"url": url, "detail": "low"}},
        {"type": "text", "text": words(rng)},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "file", "file": {"file_id": "file-1"}},
    ]
    history.append({"role": "user", "content": parts[: rng.randint(1, len(parts))], "name": "ann"})


def _refusal(history: History, rng: Random) -> None:
    history.append({"role": "assistant", "content": None, "refusal": words(rng)})


def _legacy(history: History, rng: Random) -> None:
    """``function_call`` and its ``function`` message: no id, paired by name."""
    name = rng.choice(["email", "search"])
    call = {"name": name, "arguments": '{"to": "ann"}'}
    history.append({"role": "assistant", "content": None, "function_call": call})
    history.append({"role": "function", "name": name, "content": output(rng)})


def _calls(history: History, rng: Random, ids: list[str], custom: bool = False) -> None:
    kind = "custom" if custom else "function"
    body: dict[str, Any] = (
        {"name": "shell", "input": words(rng)}
        if custom
        else {"name": "look_up", "arguments": f'{{"q": "{rng.randint(0, 99)}"}}'}
    )
    message: Message = {
        "role": "assistant",
        "tool_calls": [{"id": id, "type": kind, kind: dict(body)} for id in ids],
    }
    if (form := rng.randrange(4)) < 3:  # the key may also be missing
        message["content"] = [None, "", words(rng)][form]
    history.append(message)


def _results(history: History, rng: Random, ids: list[str]) -> None:
    for id in rng.sample(ids, len(ids)):  # answered in any order
        content: Any = output(rng)
        if rng.random() < 0.2:
            content = [{"type": "text", "text": content or "none"}]
        history.append({"role": "tool", "tool_call_id": id, "content": content})


def _new_ids(history: History, n: int) -> list[str]:
    return [f"call_{len(history)}_{k}" for k in range(n)]


def _call(history: History, rng: Random) -> None:
    ids = _new_ids(history, 1)
    _calls(history, rng, ids)
    _results(history, rng, ids)


def _parallel(history: History, rng: Random) -> None:
    ids = _new_ids(history, rng.randint(2, 4))
    _calls(history, rng, ids)
    _results(history, rng, ids)


def _custom(history: History, rng: Random) -> None:
    ids = _new_ids(history, rng.randint(1, 2))
    _calls(history, rng, ids, custom=True)
    _results(history, rng, ids)


def _reused(history: History, rng: Random) -> None:
    """Some servers count ids from zero again in every turn."""
    ids = [f"call_{k}" for k in range(rng.randint(1, 2))]
    _calls(history, rng, ids)
    _results(history, rng, ids)


def pending(history: History, rng: Random) -> None:
    """The very end: calls that are still waiting for some or all of their results."""
    ids = _new_ids(history, rng.randint(1, 4))
    _calls(history, rng, ids)
    _results(history, rng, ids[: rng.randrange(len(ids))])


UNITS: dict[str, Callable[[History, Random], None]] = {
    "say": _say,
    "reply": _reply,
    "call": _call,
    "system": _system,
    "parallel": _parallel,
    "users": _users,
    "reused": _reused,
    "parts": _parts,
    "refusal": _refusal,
    "custom": _custom,
    "legacy": _legacy,
}
"""Ordered from simple to odd, so that Hypothesis shrinks towards the simple ones."""
