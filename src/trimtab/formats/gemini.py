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

from .base import HUMAN, MODEL, RESULT, Body, Facts, Message, malformed, unknown_role
from .content import is_id, like, listed
from .facts import HUMAN_WORDS, MODEL_WORDS
from .gemini_order import in_order
from .gemini_parts import (
    ANSWER,
    CALL,
    SERVER_ANSWERS,
    SERVER_CALLS,
    answer_to,
    ids_of,
    kind_of_part,
    parts_of,
    spelled,
    with_response,
)
from .gemini_removed import without_media_of, without_thoughts
from .gemini_turn import GeminiTurn
from .gemini_weight import weigh_parts
from .inputs import with_cleared
from .media import Say
from .objects import getter, shallow
from .results import ResultBlocks
from .served import Served, served
from .weight import Weight

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


class Gemini(ResultBlocks):
    """See the module."""

    name = "gemini"
    field = "parts"
    merges = True
    human_head = True
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

    def blocks(self, message: Message) -> Sequence[Any]:
        return parts_of(message) or ()

    def part(self, block: Any, role: str) -> str:
        return _dropped(block)

    def parts_of(self, block: Any) -> Sequence[Any]:
        response = getter(spelled(block, ANSWER))("response")
        return () if response is None else (response,)

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        return with_response(block, parts[0])

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        return with_response(block, text)

    def cleared_of(self, block: Any, text: str) -> Any:
        key = "error" if self.failed_of(block) else "result"
        return with_response(block, {key: text}, parts=None)

    def failed_of(self, block: Any) -> bool:
        response = getter(spelled(block, ANSWER))("response")
        return isinstance(response, Mapping) and "error" in response

    def name_of(self, block: Any) -> str:
        return str(getter(spelled(block, CALL))("name"))

    def input_of(self, block: Any) -> Any:
        return getter(spelled(block, CALL))("args")

    def with_input_of(self, block: Any, said: str) -> Any:
        call = spelled(block, CALL)
        if spelled(block, "thoughtSignature") is not None or not getter(call)("args"):
            return block
        own = CALL if getter(block)(CALL) is not None else "function_call"
        return shallow(block, **{own: with_cleared(call, said, "args")})

    def without_media_of(self, block: Any, say: Say) -> Any:
        return without_media_of(block, say)

    def without_old_reasoning(self, message: Message) -> Message:
        return without_thoughts(message) if getter(message)("role") == "model" else message

    def silent(self, block: Any) -> bool:
        return bool(getter(block)("thought"))

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
        asked = self.of_part(message, "call")
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
        return MODEL_WORDS
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
        return HUMAN_WORDS
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
