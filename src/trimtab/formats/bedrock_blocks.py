"""The blocks of a Bedrock Converse message: what they are to the pairing, what they break."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, Facts, malformed, unknown_role
from .content import as_text, is_blank, listed, part_text
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS
from .objects import getter
from .served import served

CALL: Final = "toolUse"
ANSWER: Final = "toolResult"
_SERVER: Final = "server_tool_use"
_NO_TEXT: Final = ("blank_text", None, "a text block without anything in it")
_NO_CONTENT: Final = ("empty_message", None, "a message without any content")
_NOTHING: Final = ("blank_text", None, "a result with the status error and without content")
FREE: Final = "cachePoint"
_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")


def read_content(role: Any, content: Any) -> Facts:
    """The facts of a message."""
    if not isinstance(content, (list, tuple)):
        return malformed("the content is no list of blocks")
    if not all(map(_is_block, content)):
        return malformed("a content block, or what it holds, is no object")
    if role == "assistant":
        return _read_model(content)
    if role == "user":
        return _read_user(content)
    return SYSTEM_WORDS if role == "system" else unknown_role(role)


def lacks_content(answer: Any) -> bool:
    """Whether the API refuses a result for having no content."""
    parts = listed(answer.get("content"))
    return answer.get("status") == "error" and all(
        set(part) == {"text"} and is_blank(part_text(part)) for part in parts
    )


def kind_of_block(block: Any, role: str) -> str:
    """What a block of a message of ``role`` is to the pairing: a kind of `Drop`, or empty."""
    if not isinstance(block, Mapping):
        return ""
    if isinstance(call := block.get(CALL), Mapping):
        return "server_call" if getter(call)("type") == _SERVER else "call"
    if isinstance(block.get(ANSWER), Mapping):
        return "server_answer" if role == MODEL else "answer"
    return "blank" if "text" in block and is_blank(block["text"]) else ""


def _is_block(block: Any) -> bool:
    if not isinstance(block, Mapping):
        return False
    if not all(isinstance(block[kind], Mapping) for kind in (CALL, ANSWER) if kind in block):
        return False
    answer = block.get(ANSWER) or {}
    return all(isinstance(part, Mapping) for part in listed(answer.get("content")))


def _ids(content: Sequence[Any], role: str) -> Iterator[tuple[str, str]]:
    """What every call and every answer is to the pairing, and its id."""
    for block in content:
        for field in (CALL, ANSWER):
            if field in block:
                yield kind_of_block(block, role), as_text(block[field].get("toolUseId"))


def _misnamed(ids: Sequence[tuple[str, str]]) -> list[tuple[str, str | None, str]]:
    text = "a toolUseId that is not of 1 to 64 letters, digits, or _ . : -"
    calls = [id for kind, id in ids if kind.endswith("call")]
    return [("malformed", id, text) for id in calls if not _ID.fullmatch(id)]


def _blanks(content: Sequence[Any], role: str) -> list[tuple[str, str | None, str]]:
    if not content:
        return [_NO_CONTENT]
    return [_NO_TEXT for block in content if kind_of_block(block, role) == "blank"]


def _read_model(content: Sequence[Any]) -> Facts:
    ids = list(_ids(content, MODEL))
    calls = tuple(id for kind, id in ids if kind == "call")
    if not all(calls):
        return malformed("a toolUse without an id")
    ran = served((kind == "server_call", id) for kind, id in ids if kind != "call")
    thoughts = ["reasoningContent" in block for block in content]
    faults = [*_blanks(content, MODEL), *_misnamed(ids)]
    if not (ids or any(thoughts) or faults):
        return MODEL_WORDS
    return Facts(
        MODEL,
        calls,
        reasons=bool(thoughts) and thoughts[0],
        thought=any(thoughts),
        server_calls=ran.calls,
        server_answers=ran.answers,
        faults=tuple(faults),
    )


def _read_user(content: Sequence[Any]) -> Facts:
    faults = _blanks(content, HUMAN)
    answers = [id for kind, id in _ids(content, HUMAN) if kind == "answer"]
    for block in content:
        if CALL in block:
            faults.append(("misplaced", None, "a toolUse in a user message"))
        elif ANSWER in block and lacks_content(block[ANSWER]):
            faults.append(_NOTHING)
    others = [block for block in content if ANSWER not in block and FREE not in block]
    human = bool(others) or not answers
    if not answers and not faults:
        return HUMAN_WORDS
    return Facts(
        RESULT if answers else HUMAN,
        answers=tuple(answers),
        human=human,
        leads_human=human and ANSWER not in content[0] if content else True,
        faults=tuple(faults),
    )
