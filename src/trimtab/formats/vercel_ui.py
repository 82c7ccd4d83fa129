"""Vercel AI SDK: ``UIMessage`` as JSON, of versions 4 to 6.

Rules: one part of an assistant message (``tool-<name>``, ``dynamic-tool``, or
``tool-invocation`` of version 4) holds a call and its output, so every message is whole by
itself. A part that is still without output is a call that waits, which only the newest
message may hold. Sources, ``data-*`` parts, ``step-start`` and metadata are not sent to a
model and cost nothing. Source: the types of ``ai`` 6.0 and its ``convertToModelMessages``,
whose error for a missing output is ``AI_MissingToolResultsError``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .base import (
    HUMAN,
    MODEL,
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
from .vercel_parts import call_of, is_bound, output_texts, weigh_part, with_output_texts
from .weight import Weight

_SYSTEM: Final = Facts(SYSTEM)
_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_MODEL: Final = Facts(MODEL)
_OLD: Final = "tool-invocation"
_DONE: Final = frozenset({"output-available", "output-error", "output-denied", "result"})
_UNSENT: Final = ("source-", "data-", "step-start")


class VercelUI(Usual):
    """See the module."""

    name = "vercel-ui"
    merges = False
    unique_ids = False
    human_head = False
    reasoning_head = False
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        parts = listed(get("parts"))
        typed = bool(parts) and all(kind_of(part) for part in parts)
        return "a message with typed parts" if typed and get("role") else None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        role, parts = get("role"), get("parts")
        if not isinstance(parts, (list, tuple)):
            return malformed("the message has no list of parts")
        if role == "assistant":
            ids = tuple(_tool(part)("toolCallId") for part in filter(_waits, parts))
            if not all(map(is_id, ids)):
                return malformed("a tool part without a toolCallId")
            thought = any(kind_of(part) == "reasoning" for part in parts)
            return Facts(MODEL, ids, thought=thought) if ids or thought else _MODEL
        if role == "user":
            return _HUMAN
        return _SYSTEM if role == "system" else unknown_role(role)

    def weigh(self, message: Message) -> Weight:
        get = getter(message)
        weight = Weight(str(get("role")))
        for part in listed(get("parts")):
            kind = kind_of(part)
            if _is_tool(part):
                _weigh_tool(part, weight)
            elif not kind.startswith(_UNSENT):
                weigh_part(part, kind, weight)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        return Weight("system", [system] if isinstance(system, str) else [])

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        return [(at, output_texts(_bare(part))) for at, part in enumerate(_answered(message))]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        own = _answered(message)[answer]
        shorter = _with_bare(own, with_output_texts(_bare(own), texts))
        parts = [shorter if part is own else part for part in getter(message)("parts")]
        return shallow(message, parts=parts)

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        return message

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        own = _answered(message)[answer]
        texts = [text if at == part else "" for at in range(len(output_texts(_bare(own))))]
        return shallow(message, parts=[_with_bare(own, with_output_texts(_bare(own), texts))])

    def without(self, message: Message, drop: Drop) -> Message | None:
        gone = _places(message, drop.get("call", ()))
        parts = listed(getter(message)("parts"))
        left = [part for at, part in enumerate(parts) if at not in gone]
        says = any(not kind_of(p).startswith(("reasoning", *_UNSENT)) for p in left)
        return shallow(message, parts=left) if says else None

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "parts", is_bound, removed_text)

    def answers_first(self, message: Message) -> Message:
        return message

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        return []

    def closed(self, message: Message, calls: Sequence[int], text: str) -> Message:
        parts, places = listed(getter(message)("parts")), _places(message, calls)
        made = [_closed(p, text) if at in places else p for at, p in enumerate(parts)]
        return shallow(message, parts=made)

    def human(self, text: str) -> Message:
        return {"id": "trimtab", "role": "user", "parts": [{"type": "text", "text": text}]}

    def body(self, request: Mapping[str, Any]) -> Body:
        """What ``useChat`` posts."""
        return Body(request["messages"], request.get("system"), None, None)


def _is_tool(part: Any) -> bool:
    kind = kind_of(part)
    return kind == "dynamic-tool" or kind.startswith("tool-")


def _tool(part: Any) -> Callable[[str], Any]:
    """The fields of a tool part; version 4 has them in an object of their own."""
    return getter(getter(part)("toolInvocation") if kind_of(part) == _OLD else part)


def _done(get: Callable[[str], Any]) -> bool:
    state = get("state")
    return isinstance(state, str) and state in _DONE


def _waits(part: Any) -> bool:
    """Whether a part is a call without its output; what the provider runs is its own affair."""
    if not _is_tool(part):
        return False
    get = _tool(part)
    return not _done(get) and not get("providerExecuted")


def _answered(message: Message) -> list[Any]:
    parts = listed(getter(message)("parts"))
    return [part for part in parts if _is_tool(part) and _done(_tool(part))]


def _places(message: Message, calls: Any) -> set[int]:
    """Where in the parts some of the waiting calls stand."""
    parts = listed(getter(message)("parts"))
    waiting = [at for at, part in enumerate(parts) if _waits(part)]
    return {place for number, place in enumerate(waiting) if number in calls}


def _bare(part: Any) -> Any:
    """What holds the output of a tool part."""
    return getter(part)("toolInvocation") if kind_of(part) == _OLD else part


def _with_bare(part: Any, bare: Any) -> Any:
    return shallow(part, toolInvocation=bare) if kind_of(part) == _OLD else bare


def _closed(part: Any, text: str) -> Any:
    if kind_of(part) == _OLD:
        invocation = shallow(_bare(part), state="result", result=text)
        return shallow(part, toolInvocation=invocation)
    return shallow(part, state="output-error", errorText=text)


def _weigh_tool(part: Any, weight: Weight) -> None:
    get, kind = _tool(part), kind_of(part)
    name = get("toolName") or kind.removeprefix("tool-")
    weight.calls += (call_of(name, get("args") if get("input") is None else get("input")),)
    if not _done(get):
        return
    said = get("output") if get("result") is None else get("result")
    if get("state") == "output-error":
        said = get("errorText")
    result = Weight("tool")
    if isinstance(said, str):
        result.texts.append(said)
    elif said is not None:
        result.values += (said,)
    weight.results += (result,)
