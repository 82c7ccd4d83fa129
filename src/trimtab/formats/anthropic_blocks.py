"""The blocks of an Anthropic message: what they are to the pairing, and what they break."""

from __future__ import annotations

from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, SYSTEM, Facts, malformed, unknown_role
from .content import as_text, is_blank, kind_of, listed
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS
from .objects import getter
from .served import served

# A recorded request with a white-space text block in an assistant message was accepted, so
# only an empty one is refused there; in a user message white space alone is refused too.
_NO_TEXT: Final = ("blank_text", None, "a text without anything in it")
_NOTHING: Final = ("empty_message", None, "a message without any content")
_EMPTY: Final = Facts(MODEL, faults=(_NOTHING,))
_BLANK: Final = Facts(HUMAN, human=True, leads_human=True, faults=(_NO_TEXT,))
_BLANK_SYSTEM: Final = Facts(SYSTEM, faults=(_NO_TEXT,))
CALL: Final = "tool_use"
RESULT_BLOCK: Final = "tool_result"
_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
REASONING: Final = frozenset({"thinking", "redacted_thinking"})
_COMPACTION: Final = "compaction"


def read_content(role: Any, content: Any) -> Facts:
    """The facts of a message."""
    if not isinstance(content, (str, list, tuple)):
        return malformed("the content is neither text nor a list of blocks")
    if role == "assistant":
        if not content:
            return _EMPTY
        return MODEL_WORDS if isinstance(content, str) else _read_model(content)
    if role == "user":
        if isinstance(content, str) or not content:
            return _BLANK if is_blank(content) else HUMAN_WORDS
        return _read_user(content)
    if role == "system":
        return _BLANK_SYSTEM if _lacks_text(content) else SYSTEM_WORDS
    return unknown_role(role)


def part_of(block: Any, role: str) -> str:
    """What a block of a message of ``role`` is to the pairing: a kind of `Drop`, or empty."""
    kind = kind_of(block)
    if kind == "text":
        text = getter(block)("text")
        return "blank" if (is_blank(text) if role in (HUMAN, RESULT) else not text) else ""
    if kind in _SERVER_CALLS:
        return "server_call"
    if kind in (CALL, RESULT_BLOCK):
        return "call" if kind == CALL else "answer"
    return "server_answer" if kind.endswith("_tool_result") else ""


def _lacks_text(content: Any) -> bool:
    """Whether a system message is empty, or a text in it."""
    texts = [getter(block)("text") for block in listed(content) if kind_of(block) == "text"]
    return not content or not all(texts)


def summarises(block: Any) -> bool:
    """Whether a block stands for all before it: a compaction; one that failed is empty."""
    get = getter(block)
    return kind_of(block) == _COMPACTION and bool(get("content") or get("encrypted_content"))


def _read_model(content: Any) -> Facts:
    calls: list[str] = []
    ran: list[tuple[bool, str]] = []
    reasons = thought = stands = False
    faults: list[tuple[str, str | None, str]] = []
    for position, block in enumerate(listed(content)):
        get = block.get if type(block) is dict else getter(block)
        kind = kind_of(block)
        if kind == "text":
            if not get("text"):
                faults.append(_NO_TEXT)
        elif kind == CALL:
            id = as_text(get("id"))
            if not id:
                return malformed("a tool_use without an id")
            calls.append(id)
        elif kind in REASONING:
            thought = True
            reasons = reasons or position == 0
        elif kind in _SERVER_CALLS:
            ran.append((True, as_text(get("id"))))
        elif kind == RESULT_BLOCK:
            faults.append(
                ("misplaced", as_text(get("tool_use_id")), "a tool_result in an assistant message")
            )
        elif kind.endswith("_tool_result"):
            ran.append((False, as_text(get("tool_use_id"))))
        else:
            stands = stands or summarises(block)
    if not (calls or thought or ran or stands or faults):
        return MODEL_WORDS
    pairs = served(ran)
    return Facts(
        MODEL,
        tuple(calls),
        reasons=reasons,
        thought=thought,
        server_calls=pairs.calls,
        server_answers=pairs.answers,
        faults=tuple(faults),
        stands=stands,
    )


def _read_user(content: Any) -> Facts:
    answers: list[str] = []
    faults: list[tuple[str, str | None, str]] = []
    human = leads = False
    for block in listed(content):
        get = block.get if type(block) is dict else getter(block)
        kind = kind_of(block)
        if kind == RESULT_BLOCK:
            answer = as_text(get("tool_use_id"))
            answers.append(answer)
            if human:
                faults.append(("misplaced", answer, "a tool_result after other content"))
            continue
        human = True
        leads = leads or not answers
        if kind == "text" and is_blank(get("text")):
            faults.append(_NO_TEXT)
        elif kind == CALL:
            faults.append(("misplaced", as_text(get("id")), "a tool_use in a user message"))
    if not (answers or faults):
        return HUMAN_WORDS
    role = RESULT if answers else HUMAN
    return Facts(role, answers=tuple(answers), human=human, leads_human=leads, faults=tuple(faults))
