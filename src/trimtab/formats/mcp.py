"""MCP sampling messages: dicts as on the wire and objects of ``mcp.types``.

Rules (SEP-1577): the ``tool_use`` blocks of a message are answered by the ``tool_result``
blocks of the very next one, which answers all of them, no others, and holds nothing else;
ids may repeat in later turns. Content is one block or a list of blocks. Source: the types
and the validation of the Python SDK 2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from .content import is_id, kind_of, listed, only_part, part_text, with_texts
from .weight import Call, Media, Weight

_MODEL: Final = Facts(MODEL)
_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_CALL: Final = "tool_use"
_RESULT: Final = "tool_result"
_OWN: Final = frozenset({"text", "image", "audio", _CALL, _RESULT})


class MCP(Usual):
    """See the module."""

    name = "mcp"
    merges = False
    unique_ids = False
    human_head = False
    reasoning_head = False
    maker = "openai"
    framing = "chatml"

    def recognises(self, message: Message) -> str | None:
        content = getter(message)("content")
        if isinstance(content, Mapping) and kind_of(content) in _OWN:
            return "content that is one block"
        for block in listed(content):
            if kind_of(block) == _RESULT and getter(block)("toolUseId") is not None:
                return "a tool_result with a toolUseId"
            if kind_of(block) in ("image", "audio") and getter(block)("mimeType") is not None:
                if getter(block)("data") is not None:
                    return f"a content block of type {kind_of(block)} with data and mimeType"
        return None

    def read(self, message: Message) -> Facts:
        role, blocks = getter(message)("role"), _blocks(message)
        if blocks is None:
            return malformed("the content is neither a block nor a list of blocks")
        if role == "assistant":
            return _read_model(blocks)
        return _read_user(blocks) if role == "user" else unknown_role(role)

    def weigh(self, message: Message) -> Weight:
        weight = Weight(str(getter(message)("role")))
        _weigh(_blocks(message) or (), weight)
        if len(weight.results) == 1 and not weight.texts:
            return weight.results[0]
        return weight

    def weigh_system(self, system: Any) -> Weight:
        return Weight("system", [system] if isinstance(system, str) else [])

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        found = [listed(getter(block)("content")) for block in _of_kind(message, _RESULT)]
        return [(at, [part_text(part) for part in parts]) for at, parts in enumerate(found)]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        own = _of_kind(message, _RESULT)[answer]
        shorter = shallow(own, content=with_texts(getter(own)("content"), texts) or [])
        content = getter(message)("content")
        if not isinstance(content, (list, tuple)):
            return shallow(message, content=shorter)
        return shallow(message, content=[shorter if block is own else block for block in content])

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        own = _of_kind(message, _RESULT)
        return shallow(message, content=[own[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        own = _of_kind(message, _RESULT)[answer]
        content = only_part(getter(own)("content"), part, text)
        return shallow(message, content=[shallow(own, content=content)])

    def without(self, message: Message, drop: Drop) -> Message | None:
        seen: dict[str, int] = {}
        left: list[Any] = []
        for block in _blocks(message) or ():
            kind = {_CALL: "call", _RESULT: "answer"}.get(kind_of(block), "")
            at = seen.get(kind, 0)
            seen[kind] = at + 1
            if at not in drop.get(kind, ()):
                left.append(block)
        return shallow(message, content=left) if left else None

    def answers_first(self, message: Message) -> Message:
        blocks = _blocks(message) or ()
        others = [block for block in blocks if kind_of(block) != _RESULT]
        return shallow(message, content=[*_of_kind(message, _RESULT), *others])

    def settled(
        self, places: Sequence[tuple[Message, int]], note: Callable[..., None]
    ) -> list[tuple[Message, int]]:
        """Results in one message behind their calls, and other content in one of its own."""
        out: list[tuple[Message, int]] = []
        for message, at in places:
            own = _of_kind(message, _RESULT)
            others = [b for b in _blocks(message) or () if kind_of(b) != _RESULT]
            if not own or getter(message)("role") == "assistant":
                out.append((message, at))
                continue
            before = out[-1] if out else None
            if before and _of_kind(before[0], _RESULT) and getter(before[0])("role") == "user":
                kept = before[1] if before[1] >= 0 else at
                base = before[0] if before[1] >= 0 else message
                joined = [*_of_kind(before[0], _RESULT), *own]
                out[-1] = (shallow(base, content=joined), kept)
                note("misplaced", max(kept, 0), None, "moved", "results were put into one message")
            else:
                out.append((shallow(message, content=own) if others else message, at))
            if others:
                out.append((shallow(message, content=others), -1))
        return out

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = _of_kind(message, _CALL)
        answers = [
            {
                "type": _RESULT,
                "toolUseId": getter(asked[at])("id"),
                "content": [{"type": "text", "text": text}],
                "isError": True,
            }
            for at in calls
        ]
        if isinstance(message, Mapping):
            return [{"role": "user", "content": answers}]
        return [type(message)(role="user", content=answers)]

    def human(self, text: str) -> Message:
        return {"role": "user", "content": {"type": "text", "text": text}}

    def body(self, request: Mapping[str, Any]) -> Body:
        """The params of ``sampling/createMessage``."""
        system, tools = request.get("systemPrompt"), request.get("tools")
        return Body(request["messages"], system, tools, request.get("maxTokens"))


def _blocks(message: Message) -> Sequence[Any] | None:
    """The blocks of a message; None for what can be none."""
    content = getter(message)("content")
    if isinstance(content, (list, tuple)):
        return content
    return (content,) if kind_of(content) else None


def _of_kind(message: Message, kind: str) -> list[Any]:
    return [block for block in _blocks(message) or () if kind_of(block) == kind]


def _answered(block: Any) -> str:
    """The id of the call that a result is for, as on the wire or as in Python."""
    get = getter(block)
    id = get("toolUseId") if get("toolUseId") is not None else get("tool_use_id")
    return id if is_id(id) else ""


def _read_model(blocks: Sequence[Any]) -> Facts:
    ids = tuple(getter(block)("id") for block in blocks if kind_of(block) == _CALL)
    if not all(map(is_id, ids)):
        return malformed("a tool_use without an id")
    answers = [_answered(block) for block in blocks if kind_of(block) == _RESULT]
    if answers:
        text = "a tool_result in an assistant message"
        return Facts(MODEL, ids, faults=tuple(("misplaced", id, text) for id in answers))
    return Facts(MODEL, ids) if ids else _MODEL


def _read_user(blocks: Sequence[Any]) -> Facts:
    kinds = [kind_of(block) for block in blocks]
    faults: list[tuple[str, str | None, str]] = [
        ("misplaced", getter(block)("id"), "a tool_use in a user message")
        for block in blocks
        if kind_of(block) == _CALL
    ]
    answers = tuple(_answered(block) for block in blocks if kind_of(block) == _RESULT)
    if not answers:
        return (
            Facts(HUMAN, human=True, leads_human=True, faults=tuple(faults)) if faults else _HUMAN
        )
    human = any(kind != _RESULT for kind in kinds)
    if human:
        faults.append(("misplaced", answers[0], "other content beside results"))
    leads = kinds[0] != _RESULT
    return Facts(RESULT, (), answers, human, leads, faults=tuple(faults), closes=True)


def _weigh(blocks: Sequence[Any], weight: Weight) -> None:
    for block in blocks:
        get, kind = getter(block), kind_of(block)
        if kind == "text":
            weight.texts.append(part_text(block))
        elif kind in ("image", "audio"):
            data = get("data")
            weight.media += (Media(kind, data if isinstance(data, str) else ""),)
        elif kind == _CALL:
            weight.calls += (Call(str(get("name") or ""), get("input")),)
        elif kind == _RESULT:
            result = Weight("tool")
            _weigh(listed(get("content")), result)
            weight.results += (result,)
        elif kind == "resource" and isinstance(getter(get("resource"))("text"), str):
            weight.texts.append(getter(get("resource"))("text"))
        else:
            weight.values += (block,)
