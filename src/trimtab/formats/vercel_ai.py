"""Vercel AI SDK: ``ModelMessage`` as JSON, of versions 4 to 6 (``CoreMessage`` before).

Rules: a ``tool-call`` part of an assistant message is answered by the ``tool-result`` of its
``toolCallId`` in the messages of role ``tool`` directly behind it, in any order and in one
message or several; ids may repeat in later turns. Calls that the provider runs are answered
in assistant messages. Approvals stay with the call that they are about. Source: the schemas
and the prompt conversion of ``ai`` 6.0, whose error for a missing result is
``AI_MissingToolResultsError``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

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
from .content import freed_of, is_id, kind_of, listed, removed_text
from .served import served
from .vercel_parts import is_bound, output_texts, weigh_parts, with_output_texts
from .weight import Weight

_SYSTEM: Final = Facts(SYSTEM)
_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_MODEL: Final = Facts(MODEL)
_CALL: Final = "tool-call"
_RESULT: Final = "tool-result"
_OWN: Final = frozenset({_CALL, _RESULT, "tool-approval-request", "tool-approval-response"})


class VercelAI(Usual):
    """See the module."""

    name = "vercel-ai"
    merges = False
    unique_ids = False
    human_head = False
    reasoning_head = False
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        for part in listed(getter(message)("content")):
            get, kind = getter(part), kind_of(part)
            if kind in _OWN:
                return f"a content part of type {kind}"
            if kind == "image" and get("image") is not None:
                return "an image part with its data in image"
            if kind == "file" and (get("mediaType") or get("mimeType")) and get("data"):
                return "a file part with data and a media type"
        return None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        role, content = get("role"), get("content")
        if not isinstance(content, (str, list, tuple)):
            return malformed("the content is neither text nor a list of parts")
        if role == "assistant":
            return _MODEL if isinstance(content, str) else _read_model(content)
        if role == "tool":
            return _read_tool(content)
        if role == "user":
            return _HUMAN
        return _SYSTEM if role == "system" else unknown_role(role)

    def weigh(self, message: Message) -> Weight:
        get = getter(message)
        weight = Weight(str(get("role")))
        weigh_parts(get("content"), weight)
        if weight.role == "tool" and len(weight.results) == 1:
            return weight.results[0]
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_parts(system, weight)
        return weight

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        if getter(message)("role") != "tool":
            return []
        return [(at, output_texts(part)) for at, part in enumerate(_of_kind(message, _RESULT))]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        own = _of_kind(message, _RESULT)[answer]
        content = listed(getter(message)("content"))
        shorter = with_output_texts(own, texts)
        return shallow(message, content=[shorter if part is own else part for part in content])

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        own = _of_kind(message, _RESULT)
        return shallow(message, content=[own[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        own = _of_kind(message, _RESULT)[answer]
        texts = [text if at == part else "" for at in range(len(output_texts(own)))]
        return shallow(message, content=[with_output_texts(own, texts)])

    def without(self, message: Message, drop: Drop) -> Message | None:
        role, seen = getter(message)("role"), dict[str, int]()
        left: list[Any] = []
        for part in listed(getter(message)("content")):
            kind = _part(part, role)
            at = seen.get(kind, 0)
            seen[kind] = at + 1
            if not (kind and at in drop.get(kind, ())):
                left.append(part)
        return None if all(map(_silent, left)) else shallow(message, content=left)

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", is_bound, removed_text)

    def answers_first(self, message: Message) -> Message:
        return message

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = [getter(part) for part in _of_kind(message, _CALL) if _part(part) == "call"]
        return [{"role": "tool", "content": [_refusal(asked[at], text) for at in calls]}]

    def human(self, text: str) -> Message:
        return {"role": "user", "content": text}

    def body(self, request: Mapping[str, Any]) -> Body:
        """The options of ``generateText``."""
        output = request.get("maxOutputTokens") or request.get("maxTokens")
        return Body(request["messages"], request.get("system"), None, output)


def _refusal(call: Any, text: str) -> dict[str, Any]:
    """The answer to an interrupted call, as the version of the call writes it."""
    about = {"type": _RESULT, "toolCallId": call("toolCallId"), "toolName": call("toolName")}
    if call("args") is not None and call("input") is None:
        return {**about, "result": text, "isError": True}
    return {**about, "output": {"type": "error-text", "value": text}}


def _part(part: Any, role: Any = "assistant") -> str:
    """What a part is to the pairing: a kind of `Drop`, or an empty string."""
    kind = kind_of(part)
    if kind == _CALL:
        return "server_call" if getter(part)("providerExecuted") else "call"
    if kind == _RESULT:
        return "answer" if role == "tool" else "server_answer"
    return ""


def _silent(part: Any) -> bool:
    """Whether a part says nothing by itself: reasoning, and what is about a call."""
    return kind_of(part) == "reasoning" or kind_of(part).startswith("tool-approval")


def _of_kind(message: Message, kind: str) -> list[Any]:
    return [part for part in listed(getter(message)("content")) if kind_of(part) == kind]


def _id(part: Any) -> str:
    id = getter(part)("toolCallId")
    return id if is_id(id) else ""


def _read_model(content: Sequence[Any]) -> Facts:
    ids = [(kind, _id(part)) for part in content if (kind := _part(part))]
    if not all(id for _, id in ids):
        return malformed("a tool call or result without a toolCallId")
    kinds = [kind_of(part) for part in content]
    thought = "reasoning" in kinds
    if not (thought or ids):
        return _MODEL
    ran = served((kind == "server_call", id) for kind, id in ids if kind != "call")
    return Facts(
        MODEL,
        tuple(id for kind, id in ids if kind == "call"),
        reasons=thought and kinds[0] == "reasoning",
        thought=thought,
        server_calls=ran.calls,
        server_answers=ran.answers,
    )


def _read_tool(content: Any) -> Facts:
    if isinstance(content, str):
        return malformed("a tool message whose content is no list of results")
    answers = tuple(_id(part) for part in content if kind_of(part) == _RESULT)
    none = ("orphan_result", None, "a tool-result without a toolCallId")
    return Facts(RESULT, answers=answers, faults=() if all(answers) else (none,))
