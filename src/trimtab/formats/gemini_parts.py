"""The parts of a Gemini content, in either spelling: ``functionCall`` or ``function_call``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from .content import as_text, is_id, like
from .objects import getter, shallow

CALL: Final = "functionCall"
ANSWER: Final = "functionResponse"
SERVER_CALLS: Final = ("executableCode", "toolCall")
SERVER_ANSWERS: Final = ("codeExecutionResult", "toolResponse")
OTHER: Final = "other"
_KINDS: Final = (CALL, ANSWER, *SERVER_CALLS, *SERVER_ANSWERS)

# REST takes both spellings; SDK objects and many recorders have the second one.
_SNAKE: Final = {
    CALL: "function_call",
    ANSWER: "function_response",
    "executableCode": "executable_code",
    "codeExecutionResult": "code_execution_result",
    "toolCall": "tool_call",
    "toolResponse": "tool_response",
    "inlineData": "inline_data",
    "fileData": "file_data",
    "mimeType": "mime_type",
    "mediaResolution": "media_resolution",
    "thoughtSignature": "thought_signature",
    "systemInstruction": "system_instruction",
    "generationConfig": "generation_config",
    "maxOutputTokens": "max_output_tokens",
    "responseSchema": "response_schema",
    "responseJsonSchema": "response_json_schema",
    "toolConfig": "tool_config",
}


_STAND_IN: Final = "name:"
_LIKE_ONE: Final = re.compile(f"(id:)*{_STAND_IN}")


class CallId(str):
    """The id of a call or of an answer with its function's name; ``given`` if it has one.

    Where it has none, the name and a number among its like in the turn stand in for it. An
    id that looks like such a stand-in is told apart from it.
    """

    __slots__ = ("given", "name")

    name: str
    given: bool

    def __new__(cls, name: str, id: Any, number: int = 1) -> Self:
        given = is_id(id)
        if not given:
            id = f"{_STAND_IN}{name}" if number == 1 else f"{_STAND_IN}{name}#{number}"
        elif _LIKE_ONE.match(id):
            id = f"id:{id}"
        made = super().__new__(cls, id)
        made.name = name
        made.given = given
        return made

    def __reduce__(self) -> tuple[Any, ...]:  # what makes an id may not be told from the id
        state = {"name": self.name, "given": self.given}
        return str.__new__, (type(self), str(self)), (None, state)


def spelled(value: Any, name: str) -> Any:
    """A field of a mapping or an object in either spelling, None where it is missing."""
    get = getter(value)
    found = get(name)
    return found if found is not None else get(_SNAKE[name])


def parts_of(content: Any) -> Sequence[Any] | None:
    """The parts of a content, none where it has none; None for what can be no parts."""
    parts = getter(content)("parts")
    if isinstance(parts, (list, tuple)):
        return parts
    if parts is None or parts == {}:
        return ()
    return (parts,) if isinstance(parts, Mapping) else None


def kind_of_part(part: Any) -> str:
    """What a part is to the pairing, OTHER for the rest; empty for what is no part."""
    if type(part) is dict and "text" in part:
        return OTHER
    if part is None or isinstance(part, (str, int, float, list, tuple)):
        return ""
    return next((kind for kind in _KINDS if spelled(part, kind) is not None), OTHER)


def ids_of(parts: Sequence[Any], kind: str) -> tuple[CallId, ...]:
    """The ids of the calls or of the answers among some parts, in order."""
    found = [getter(spelled(part, kind)) for part in parts if kind_of_part(part) == kind]
    return tuple(CallId(as_text(get("name")), get("id")) for get in found)


def answer_to(part: Any, response: Mapping[str, Any]) -> Any:
    """A new part that answers the call in ``part``, in its spelling and of its type."""
    get = getter(spelled(part, CALL))
    answer = {"name": get("name"), "response": dict(response)}
    if is_id(get("id")):
        answer = {"id": get("id"), **answer}
    return like(part, {ANSWER if getter(part)(CALL) is not None else _SNAKE[ANSWER]: answer})


def with_response(part: Any, response: Any, **fields: Any) -> Any:
    """A shallow copy of a part with another response; a field that is None goes."""
    own = ANSWER if getter(part)(ANSWER) is not None else _SNAKE[ANSWER]
    return shallow(part, **{own: with_fields(getter(part)(own), response=response, **fields)})


def with_fields(value: Any, **fields: Any) -> Any:
    """A shallow copy with other fields; one that is None goes, or is None in an object."""
    if not isinstance(value, Mapping):
        return shallow(value, **fields)
    gone = [name for name, field in fields.items() if field is None]
    left = {name: field for name, field in value.items() if name not in gone}
    return left | {name: field for name, field in fields.items() if field is not None}
