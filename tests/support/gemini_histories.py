"""Sound Gemini contents, step by step (see ``chat_histories``).

That API counts neighbours of one role as one turn, so calls may be spread over several
model contents and their answers over several user contents.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from support.shapes import History
from support.words import PIXEL, output, words

Part = dict[str, Any]


def _text(rng: Random) -> Part:
    return {"text": words(rng)}


def _say(history: History, rng: Random) -> None:
    parts = [_text(rng) for _ in range(rng.randint(1, 2))]
    history.append({"role": rng.choice(["user", "user", None]), "parts": parts})


def _reply(history: History, rng: Random) -> None:
    parts = [_text(rng)]
    if rng.random() < 0.3:
        parts.insert(0, {"text": words(rng), "thought": True})
    if rng.random() < 0.3:
        parts[-1]["thoughtSignature"] = "c2ln" * rng.randint(5, 90)
    history.append({"role": "model", "parts": parts})


def _users(history: History, rng: Random) -> None:
    for _ in range(rng.randint(2, 3)):
        _say(history, rng)


def _media(history: History, rng: Random) -> None:
    parts: list[Part] = [
        {"inlineData": {"mimeType": "image/png", "data": PIXEL}},
        {"file_data": {"mime_type": "application/pdf", "file_uri": "https://example.org/a"}},
        {"partOfNextYear": {"x": [words(rng)]}},
    ]
    history.append({"role": "user", "parts": [*rng.sample(parts, rng.randint(1, 3)), _text(rng)]})


def _code(history: History, rng: Random) -> None:
    """Code that the provider runs: both parts in one content, with or without an id."""
    code: Part = {"language": "PYTHON", "code": words(rng)}
    ran: Part = {"outcome": "OUTCOME_OK", "output": words(rng)}
    if rng.random() < 0.5:
        code["id"] = ran["id"] = f"code_{len(history)}"
    parts = [{"executableCode": code}, {"codeExecutionResult": ran}, _text(rng)]
    history.append({"role": "model", "parts": parts})


def _asked(rng: Random, id: str | None, name: str = "look_up") -> Part:
    call: Part = {"name": name, "args": {"q": rng.randint(0, 99), "why": words(rng)}}
    if id is not None:
        call["id"] = id
    return {"function_call": call} if rng.random() < 0.2 else {"functionCall": call}


def _answer(rng: Random, id: str | None, name: str = "look_up") -> Part:
    text = output(rng)
    response = rng.choice([{"output": text}, {"result": {"lines": [text, 3]}}, {"error": "no"}])
    answer: Part = {"name": name, "response": response}
    if id is not None:
        answer["id"] = id
    if rng.random() < 0.2:
        answer["parts"] = [{"inlineData": {"mimeType": "image/png", "data": PIXEL}}]
    return {"function_response": answer} if rng.random() < 0.2 else {"functionResponse": answer}


def _exchange(history: History, rng: Random, ids: list[str | None]) -> None:
    calls = [_asked(rng, id) for id in ids]
    calls[0]["thoughtSignature"] = "c2ln" * rng.randint(5, 90)
    opening = [_text(rng)] if rng.random() < 0.3 else []
    history.append({"role": "model", "parts": [*opening, *calls]})
    answers = [_answer(rng, id) for id in (ids if None in ids else rng.sample(ids, len(ids)))]
    if None not in ids and rng.random() < 0.3:
        history.extend({"role": "user", "parts": [answer]} for answer in answers)
    else:
        history.append({"role": rng.choice(["user", "function"]), "parts": answers})
    if rng.random() < 0.2:
        history[-1]["parts"].append(_text(rng))
    elif rng.random() < 0.2:
        _say(history, rng)


def _call(history: History, rng: Random) -> None:
    _exchange(history, rng, [rng.choice([None, f"c{len(history)}"])])


def _parallel(history: History, rng: Random) -> None:
    _exchange(history, rng, [f"c{len(history)}_{n}" for n in range(rng.randint(2, 4))])


def _nameless(history: History, rng: Random) -> None:
    """Several calls of one function without ids: they are paired by their places."""
    _exchange(history, rng, [None] * rng.randint(2, 3))


def _spread(history: History, rng: Random) -> None:
    """Two model contents with calls, and one with all the answers."""
    ids = [f"c{len(history)}_{n}" for n in range(2)]
    history.extend({"role": "model", "parts": [_asked(rng, id)]} for id in ids)
    history.append({"role": "user", "parts": [_answer(rng, id) for id in ids]})


def pending(history: History, rng: Random) -> None:
    """The very end: calls that are still waiting for some or all of their results."""
    ids = [f"c{len(history)}_{n}" for n in range(rng.randint(1, 4))]
    history.append({"role": "model", "parts": [_asked(rng, id) for id in ids]})
    if arrived := ids[: rng.randrange(len(ids))]:
        history.append({"role": "user", "parts": [_answer(rng, id) for id in arrived]})


UNITS: dict[str, Callable[[History, Random], None]] = {
    "say": _say,
    "reply": _reply,
    "call": _call,
    "parallel": _parallel,
    "nameless": _nameless,
    "spread": _spread,
    "users": _users,
    "code": _code,
    "media": _media,
}
"""Ordered from simple to odd, so that Hypothesis shrinks towards the simple ones."""
