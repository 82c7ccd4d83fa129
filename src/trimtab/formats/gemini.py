"""Google Gemini ``contents``: dicts and SDK objects, in camelCase and in snake_case.

Rules: the calls of a model content are answered by as many responses in the user (or
function) content behind it, each by its id, else by its function's name and place;
neighbouring contents of one role count as one turn, ids may come again in later turns,
and calls that the provider runs are answered in the model's own turn. A cut leaves a
human content in front. Signatures are part of their parts, which are never touched.
Source: the Gemini API's reference and error texts, see ``docs/faults.md``. Recorded
requests with calls in two model contents, with answers in several user contents, and
with empty texts were accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from .base import (
    HUMAN,
    MODEL,
    RESULT,
    Body,
    Drop,
    Facts,
    Message,
    Usual,
    getter,
    malformed,
    shallow,
    unknown_role,
)
from .content import is_id, listed
from .gemini_order import in_order
from .gemini_parts import (
    ANSWER,
    CALL,
    SERVER_ANSWERS,
    SERVER_CALLS,
    answer_to,
    ids_of,
    kind_of_part,
    like,
    parts_of,
    spelled,
    with_response,
)
from .gemini_turn import GeminiTurn
from .gemini_weight import weigh_parts
from .nested import nested_texts, with_nested_texts
from .served import Served, served
from .weight import Weight

_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_MODEL: Final = Facts(MODEL)
_NOTHING: Final = ("empty_message", None, "a content without any parts")
_EMPTY: Final = Facts(MODEL, faults=(_NOTHING,))
_BLANK: Final = Facts(HUMAN, human=True, leads_human=True, faults=(_NOTHING,))
_HUMAN_ROLES: Final = ("user", "function", None)
_DROPPED: Final = {
    CALL: "call",
    ANSWER: "answer",
    **dict.fromkeys(SERVER_CALLS, "server_call"),
    **dict.fromkeys(SERVER_ANSWERS, "server_answer"),
}


class Gemini(Usual):
    """See the module."""

    name = "gemini"
    merges = True
    unique_ids = False
    human_head = True
    reasoning_head = False
    maker = "google"
    framing = "gemini"

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        parts = get("parts")
        typed = any(isinstance(getter(part)("type"), str) for part in listed(parts))
        others = get("kind") is not None or (not parts and get("id") is not None)
        if get("content") is None and isinstance(parts, (list, tuple)) and not (typed or others):
            return "a message with parts and without content"
        return None

    def read(self, message: Message) -> Facts:
        role, parts = getter(message)("role"), parts_of(message)
        if parts is None:
            return malformed("the parts are no list of parts")
        if role == "model":
            return _read_model(parts) if parts else _EMPTY
        if role in _HUMAN_ROLES:
            return _read_user(parts) if parts else _BLANK
        return unknown_role(role)

    def turn(self) -> GeminiTurn:
        return GeminiTurn()

    def weigh(self, message: Message) -> Weight:
        weight = Weight(str(getter(message)("role") or "user"))
        weigh_parts(parts_of(message) or (), weight)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_parts(system if isinstance(system, (list, tuple)) else [system], weight)
        return weight

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        answers = [spelled(part, ANSWER) for part in _of_kind(message, ANSWER)]
        return [(at, nested_texts(getter(answer)("response"))) for at, answer in enumerate(answers)]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        parts = list(parts_of(message) or ())
        places = [at for at, part in enumerate(parts) if kind_of_part(part) == ANSWER]
        part = parts[places[answer]]
        response = getter(spelled(part, ANSWER))("response")
        parts[places[answer]] = with_response(part, with_nested_texts(response, texts))
        return shallow(message, parts=parts)

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        own = _of_kind(message, ANSWER)
        return shallow(message, parts=[own[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        own = _of_kind(message, ANSWER)[answer]
        return shallow(message, parts=[with_response(own, {"result": text})])

    def without(self, message: Message, drop: Drop) -> Message | None:
        seen: dict[str, int] = {}
        left: list[Any] = []
        for part in parts_of(message) or ():
            kind = _dropped(part)
            at = seen.get(kind, 0)
            seen[kind] = at + 1
            if at not in drop.get(kind, ()):
                left.append(part)
        if all(getter(part)("thought") for part in left):
            return None
        return shallow(message, parts=left)

    def answers_first(self, message: Message) -> Message:
        parts = parts_of(message) or ()
        answers = [part for part in parts if kind_of_part(part) == ANSWER]
        others = [part for part in parts if kind_of_part(part) != ANSWER]
        return shallow(message, parts=answers + others)

    def parted(self, message: Message) -> Sequence[Message]:
        """Calls go into contents of the model, responses into contents of the user."""
        get = getter(message)
        own, parts = get("role"), parts_of(message) or ()
        wrong, other = (ANSWER, "user") if own == "model" else (CALL, "model")
        if own not in (*_HUMAN_ROLES, "model") or wrong not in map(kind_of_part, parts):
            return (message,)
        runs = groupby(parts, lambda part: kind_of_part(part) == wrong)
        return [
            shallow(message, parts=list(run), **({"role": other} if moves else {}))
            for moves, run in runs
        ]

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = _of_kind(message, CALL)
        answers = [answer_to(asked[at], {"error": text}) for at in calls]
        return [like(message, {"role": "user", "parts": answers})]

    def settled(
        self, places: Sequence[tuple[Message, int]], note: Callable[..., None]
    ) -> Sequence[tuple[Message, int]]:
        return in_order(self, places, note)

    def human(self, text: str) -> Message:
        return {"role": "user", "parts": [{"text": text}]}

    def body(self, request: Mapping[str, Any]) -> Body:
        own = request.get("config")  # of the Python SDK, which has all options in one place
        beside = request if own is None else own
        options = spelled(request, "generationConfig") if own is None else own
        system = spelled(beside, "systemInstruction")
        shape = spelled(options, "responseSchema") or spelled(options, "responseJsonSchema")
        return Body(
            request["contents"],
            _system_parts(system),
            getter(beside)("tools"),
            spelled(options, "maxOutputTokens"),
            shape,
            spelled(beside, "toolConfig"),
            key="contents",
        )


def _system_parts(system: Any) -> Any:
    """A system instruction as text or as a list of parts."""
    if system is None or isinstance(system, (str, int)):
        return system
    if isinstance(system, (list, tuple)):
        contents: Sequence[Any] = system
    else:
        contents = [system]
    return [part for content in contents for part in _parts_within(content)]


def _parts_within(content: Any) -> Sequence[Any]:
    """The parts of a content; a part, or a text, as one."""
    if isinstance(content, str) or getter(content)("parts") is None:
        return [content]
    return parts_of(content) or ()


def _of_kind(message: Message, kind: str) -> list[Any]:
    return [part for part in parts_of(message) or () if kind_of_part(part) == kind]


def _dropped(part: Any) -> str:
    """What a part is to the pairing: a kind of `Drop`; empty for what has nothing to pair by."""
    kind = kind_of_part(part)
    served = kind in SERVER_CALLS or kind in SERVER_ANSWERS
    lone = served and not is_id(getter(spelled(part, kind))("id"))
    return "" if lone else _DROPPED.get(kind, "")


def _read_model(parts: Sequence[Any]) -> Facts:
    kinds = [kind_of_part(part) for part in parts]
    if "" in kinds:
        return malformed("a part that is no object")
    thoughts = [bool(getter(part)("thought")) for part in parts]
    calls = ids_of(parts, CALL) if CALL in kinds else ()
    if not all(call.name for call in calls):
        return malformed("a functionCall without a name")
    faults = [
        ("misplaced", id, "a functionResponse in a model content")
        for id in (ids_of(parts, ANSWER) if ANSWER in kinds else ())
    ]
    ran = _served(parts, kinds)
    if not (calls or faults or any(ran) or any(thoughts)):
        return _MODEL
    return Facts(
        MODEL,
        calls,
        reasons=thoughts[0],
        thought=any(thoughts),
        server_calls=ran.calls,
        server_answers=ran.answers,
        faults=tuple(faults),
    )


def _served(parts: Sequence[Any], kinds: Sequence[str]) -> Served:
    """What the provider runs; without ids there is nothing to pair by."""
    found = [
        (kind in SERVER_CALLS, getter(spelled(part, kind))("id"))
        for part, kind in zip(parts, kinds, strict=True)
        if kind in SERVER_CALLS or kind in SERVER_ANSWERS
    ]
    return served((called, id) for called, id in found if is_id(id))


def _read_user(parts: Sequence[Any]) -> Facts:
    kinds = [kind_of_part(part) for part in parts]
    if "" in kinds:
        return malformed("a part that is no object")
    if ANSWER not in kinds and CALL not in kinds:
        return _HUMAN
    answers = ids_of(parts, ANSWER)
    faults = [("misplaced", id, "a functionCall in a user content") for id in ids_of(parts, CALL)]
    human = any(kind != ANSWER for kind in kinds)
    return Facts(
        RESULT if answers else HUMAN,
        answers=answers,
        human=human,
        leads_human=human and kinds[0] != ANSWER,
        faults=tuple(faults),
    )
