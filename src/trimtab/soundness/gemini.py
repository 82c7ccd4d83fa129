"""Gemini: every model turn with calls is followed by as many responses, and by no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .fields import field
from .served import unserved

_SERVED = {
    "executableCode": "call",
    "toolCall": "call",
    "codeExecutionResult": "answer",
    "toolResponse": "answer",
}
_Turn = tuple[int, str, list[Any]]


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the API would refuse; calls that wait at the very end are let through."""
    turns = _turns(messages)
    yield from unserved(_served(turns))
    for at, message in enumerate(messages):
        last = at == len(messages) - 1 and field(message, "role") == "model"
        if not _parts(message) and not last:
            yield at, "a content without parts"
    for place, (at, role, parts) in enumerate(turns):
        asked = [call for part in parts if (call := _inner(part, "call"))]
        answers = [answer for part in parts if (answer := _inner(part, "response"))]
        if role == "model" and answers:
            yield at, "a response in a model content"
        if role != "model" and asked:
            yield at, "a call in a user content"
        before = turns[place - 1][2] if place and role != "model" else []
        owed = [call for part in before if (call := _inner(part, "call"))]
        if len(answers) > len(owed):
            yield at, "more responses than calls in the turn before"
        waits = place == len(turns) - 1 and len(answers) == len(parts)
        if len(answers) < len(owed) and not waits:
            yield at - 1, "fewer responses than calls"
        if wrong := _strangers(owed, answers):
            yield at, f"a response with the id {str(wrong[0])[:80]!r}, for which no call is left"
        if role != "model" and (late := _late(messages, at)) >= 0:
            yield late, "responses in a content behind what a person says"


def _turns(messages: list[Any]) -> list[_Turn]:
    """Neighbours of one role as one turn."""
    turns: list[_Turn] = []
    for at, message in enumerate(messages):
        role = "model" if field(message, "role") == "model" else "user"
        parts = _parts(message)
        if turns and turns[-1][1] == role:
            turns[-1][2].extend(parts)
        else:
            turns.append((at, role, parts))
    return turns


def _parts(message: Any) -> list[Any]:
    parts = field(message, "parts")
    return list(parts) if isinstance(parts, (list, tuple)) else [parts] if parts else []


def _served(turns: list[_Turn]) -> Iterator[tuple[int, str, Any]]:
    """What the provider runs and says of it, where it has an id, and where people speak."""
    for at, role, parts in turns:
        if role != "model":
            if not parts or any(not _inner(part, "response") for part in parts):
                yield at, "person", None
            continue
        for part in parts:
            for name, kind in _SERVED.items():
                snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
                run = field(part, name) or field(part, snake)
                if id := field(run, "id"):
                    yield at, kind, id


def _inner(part: Any, kind: str) -> Any:
    camel = field(part, f"function{kind.capitalize()}")
    return camel if camel is not None else field(part, f"function_{kind}")


def _strangers(owed: list[Any], answers: list[Any]) -> list[Any]:
    """Ids of responses that fewer calls have, or none, and no call of their name lacks an id."""
    ids = Counter(field(call, "id") for call in owed)
    free = Counter(field(call, "name") for call in owed if not field(call, "id"))
    wrong: list[Any] = []
    for answer in answers:
        id, name = field(answer, "id"), field(answer, "name")
        left = ids if id in ids else free
        key = id if left is ids else name
        if id and left[key] <= 0:
            wrong.append(id)
        elif id:
            left[key] -= 1
    return wrong


def _late(messages: list[Any], start: int) -> int:
    """The first content of a user turn with responses behind one with other parts, or -1."""
    said = False
    for at in range(start, len(messages)):
        if field(messages[at], "role") == "model":
            break
        answered = [_inner(part, "response") is not None for part in _parts(messages[at])]
        if said and any(answered):
            return at
        said = said or not all(answered)
    return -1
