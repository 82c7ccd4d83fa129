"""Anthropic Messages: dicts and SDK objects.

Rules: ``tool_use.id`` is answered by ``tool_result.tool_use_id`` in the next user turn,
before anything else in it; neighbouring messages of one role are one turn; an id may be
used once in a conversation; server tools (``server_tool_use``, ``mcp_tool_use``) are
answered in the same assistant turn; a ``system`` message may follow a user turn only.
A cut leaves a human message in front, and reasoning at the head of a tool loop that
has it. Source: Anthropic's API reference and error texts, see ``docs/faults.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .anthropic_weight import weigh_content
from .base import (
    HUMAN,
    MODEL,
    RESULT,
    SYSTEM,
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
from .binding import CLAUDE
from .content import (
    freed_of,
    is_blank,
    is_foreign,
    is_id,
    kind_of,
    listed,
    only_part,
    part_text,
    removed_text,
    with_texts,
)
from .weight import Weight

_SYSTEM: Final = Facts(SYSTEM)
_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_MODEL: Final = Facts(MODEL)
# A recorded request with a white-space text block in an assistant message was accepted, so
# only an empty one is refused there; in a user message white space alone is refused too.
_NO_TEXT: Final = ("blank_text", None, "a text without anything in it")
_NOTHING: Final = ("empty_message", None, "a message without any content")
_EMPTY: Final = Facts(MODEL, faults=(_NOTHING,))
_BLANK: Final = Facts(HUMAN, human=True, leads_human=True, faults=(_NO_TEXT,))
_CALL: Final = "tool_use"
_RESULT: Final = "tool_result"
_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
_REASONING: Final = frozenset({"thinking", "redacted_thinking"})
_OWN_BLOCKS: Final = frozenset(
    {_CALL, _RESULT, "thinking", "redacted_thinking", "image", "document", "search_result"}
)


class Anthropic(Usual):
    """See the module."""

    name = "anthropic"
    merges = True
    unique_ids = True
    human_head = True
    reasoning_head = True
    maker = "anthropic"
    framing = "claude"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        for block in listed(getter(message)("content")):
            kind = kind_of(block)
            if is_foreign(block):
                return None
            if kind in _OWN_BLOCKS or kind.endswith(("_tool_use", "_tool_result")):
                return f"a content block of type {kind}"
        return None

    def read(self, message: Message) -> Facts:
        get = message.get if type(message) is dict else getter(message)
        role, content = get("role"), get("content")
        if not isinstance(content, (str, list, tuple)):
            return malformed("the content is neither text nor a list of blocks")
        if role == "assistant":
            if not content:
                return _EMPTY
            return _MODEL if isinstance(content, str) else _read_model(content)
        if role == "user":
            if isinstance(content, str) or not content:
                return _BLANK if is_blank(content) else _HUMAN
            return _read_user(content)
        if role == "system":
            return _SYSTEM
        return unknown_role(role)

    def weigh(self, message: Message) -> Weight:
        weight = Weight(str(getter(message)("role")))
        weigh_content(getter(message)("content"), weight)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_content(system, weight)
        return weight

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        found: list[tuple[int, list[str]]] = []
        for block in _of_kind(message, _RESULT):
            content = getter(block)("content")
            texts = (
                [content] if isinstance(content, str) else [part_text(p) for p in listed(content)]
            )
            found.append((len(found), texts))
        return found

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        content = list(listed(getter(message)("content")))
        places = [at for at, block in enumerate(content) if kind_of(block) == _RESULT]
        block = content[places[answer]]
        shorter = with_texts(getter(block)("content"), texts)
        content[places[answer]] = shallow(block, content=shorter)
        return shallow(message, content=content)

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        results = _of_kind(message, _RESULT)
        return shallow(message, content=[results[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        block = _of_kind(message, _RESULT)[answer]
        content = only_part(getter(block)("content"), part, text)
        return shallow(message, content=[shallow(block, content=content)])

    def without(self, message: Message, drop: Drop) -> Message | None:
        role = getter(message)("role")
        seen: dict[str, int] = {}
        left: list[Any] = []
        for block in listed(getter(message)("content")):
            part = _part(block, role)
            at = seen.get(part, 0)
            seen[part] = at + 1
            gone = part in drop and (part == "blank" or at in drop[part])
            if not gone:
                left.append(block)
        if all(kind_of(block) in _REASONING for block in left):
            return None
        return shallow(message, content=left)

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", _thinks, removed_text)

    def answers_first(self, message: Message) -> Message:
        content = listed(getter(message)("content"))
        answers = [block for block in content if kind_of(block) == _RESULT]
        others = [block for block in content if kind_of(block) != _RESULT]
        return shallow(message, content=answers + others)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = _of_kind(message, _CALL)
        answers = [
            {
                "type": _RESULT,
                "tool_use_id": getter(asked[i])("id"),
                "content": text,
                "is_error": True,
            }
            for i in calls
        ]
        return [{"role": "user", "content": answers}]

    def human(self, text: str) -> Message:
        return {"role": "user", "content": text}

    def body(self, request: Mapping[str, Any]) -> Body:
        return Body(
            request["messages"],
            request.get("system"),
            request.get("tools"),
            request.get("max_tokens"),
            request.get("output_format") or _wanted(request.get("output_config")),
            request.get("tool_choice"),
            thinking=getter(request.get("thinking"))("type") == "enabled",
        )


def _thinks(block: Any) -> bool:
    return kind_of(block) in _REASONING


def _wanted(config: Any) -> Any:
    return getter(config)("format")


def _of_kind(message: Message, kind: str) -> list[Any]:
    return [b for b in listed(getter(message)("content")) if kind_of(b) == kind]


def _part(block: Any, role: Any) -> str:
    """What a block is to the pairing: a kind of `Drop`, or an empty string."""
    kind = kind_of(block)
    if kind == "text":
        text = getter(block)("text")
        return "blank" if (is_blank(text) if role == "user" else not text) else ""
    if kind in _SERVER_CALLS:
        return "server_call"
    if kind in (_CALL, _RESULT):
        return "call" if kind == _CALL else "answer"
    return "server_answer" if kind.endswith("_tool_result") else ""


def _name(id: Any) -> str:
    """An id as text; one that is missing gets a name that no call has."""
    return id if is_id(id) else ""


def _read_model(content: Any) -> Facts:
    calls: list[str] = []
    server_calls: list[str] = []
    server_answers: list[str] = []
    reasons = thought = False
    faults: list[tuple[str, str | None, str]] = []
    for position, block in enumerate(listed(content)):
        get = block.get if type(block) is dict else getter(block)
        kind = kind_of(block)
        if kind == "text":
            if not get("text"):
                faults.append(_NO_TEXT)
        elif kind == _CALL:
            id = _name(get("id"))
            if not id:
                return malformed("a tool_use without an id")
            calls.append(id)
        elif kind in _REASONING:
            thought = True
            reasons = reasons or position == 0
        elif kind in _SERVER_CALLS:
            server_calls.append(_name(get("id")))
        elif kind == _RESULT:
            faults.append(
                ("misplaced", _name(get("tool_use_id")), "a tool_result in an assistant message")
            )
        elif kind.endswith("_tool_result"):
            server_answers.append(_name(get("tool_use_id")))
    if not (calls or thought or server_calls or server_answers or faults):
        return _MODEL
    return Facts(
        MODEL,
        tuple(calls),
        reasons=reasons,
        thought=thought,
        server_calls=tuple(server_calls),
        server_answers=tuple(server_answers),
        faults=tuple(faults),
    )


def _read_user(content: Any) -> Facts:
    answers: list[str] = []
    faults: list[tuple[str, str | None, str]] = []
    human = leads = False
    for block in listed(content):
        get = block.get if type(block) is dict else getter(block)
        kind = kind_of(block)
        if kind == _RESULT:
            answer = _name(get("tool_use_id"))
            answers.append(answer)
            if human:
                faults.append(("misplaced", answer, "a tool_result after other content"))
            continue
        human = True
        leads = leads or not answers
        if kind == "text" and is_blank(get("text")):
            faults.append(_NO_TEXT)
        elif kind == _CALL:
            faults.append(("misplaced", _name(get("id")), "a tool_use in a user message"))
    if not (answers or faults):
        return _HUMAN
    role = RESULT if answers else HUMAN
    return Facts(role, answers=tuple(answers), human=human, leads_human=leads, faults=tuple(faults))
