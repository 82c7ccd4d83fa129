"""The parts of a Gemini content, in either spelling: ``functionCall`` or ``function_call``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from .base import getter, shallow
from .content import is_id

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


class CallId(str):
    """The id of a call or of an answer with its function's name; ``given`` if it has one.

    Where it has none, the name and a number among its like in the content stand in for it.
    """

    __slots__ = ("given", "name")

    name: str
    given: bool

    def __new__(cls, name: str, id: Any, number: int | str = 1) -> Self:
        stand_in = f"name:{name}" if number == 1 else f"name:{name}:{number}"
        made = super().__new__(cls, id if is_id(id) else stand_in)
        made.name = name
        made.given = is_id(id)
        return made


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
    if parts is None:
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
    nameless: dict[str, int] = {}
    ids: list[CallId] = []
    for part in parts:
        if kind_of_part(part) != kind:
            continue
        get = getter(spelled(part, kind))
        name, id = get("name"), get("id")
        name = name if isinstance(name, str) else ""
        if not is_id(id):
            nameless[name] = nameless.get(name, 0) + 1
        ids.append(CallId(name, id, nameless.get(name, 1)))
    return tuple(ids)


def like(original: Any, fields: dict[str, Any]) -> Any:
    """Something new of the type of a content or part: an SDK object, else a dict."""
    made = getattr(type(original), "model_validate", None)
    return made(fields) if callable(made) else fields


def answer_to(part: Any, response: Mapping[str, Any]) -> Any:
    """A new part that answers the call in ``part``, in its spelling and of its type."""
    get = getter(spelled(part, CALL))
    answer = {"name": get("name"), "response": dict(response)}
    if is_id(get("id")):
        answer = {"id": get("id"), **answer}
    return like(part, {ANSWER if getter(part)(CALL) is not None else _SNAKE[ANSWER]: answer})


def with_response(part: Any, response: Any) -> Any:
    """A shallow copy of a part with another response."""
    own = ANSWER if getter(part)(ANSWER) is not None else _SNAKE[ANSWER]
    return shallow(part, **{own: shallow(getter(part)(own), response=response)})
