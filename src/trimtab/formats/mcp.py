"""MCP sampling messages: dicts as on the wire and objects of ``mcp.types``.

Rules (SEP-1577): the ``tool_use`` blocks of a message are answered by the ``tool_result``
blocks of the very next one, which answers all of them, no others, and holds nothing else;
ids may repeat in later turns. Content is one block or a list of blocks. Source: the types
and the validation of the Python SDK 2.3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, Body, Facts, Message, malformed, unknown_role
from .content import as_text, is_id, kind_of, like, listed, part_text, with_texts
from .facts import HUMAN_WORDS, MODEL_WORDS
from .media import Say, type_of, with_swapped
from .objects import getter, shallow
from .results import ResultBlocks
from .weight import Call, Media, Weight

_CALL: Final = "tool_use"
_RESULT: Final = "tool_result"
_PARTS: Final = {_CALL: "call", _RESULT: "answer"}
_OWN: Final = frozenset({"text", "image", "audio", _CALL, _RESULT})


class MCP(ResultBlocks):
    """See the module."""

    name = "mcp"
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

    def blocks(self, message: Message) -> Sequence[Any]:
        return _blocks(message) or ()

    def with_blocks(self, message: Message, blocks: list[Any]) -> Message:
        one = len(blocks) == 1 and not isinstance(getter(message)("content"), (list, tuple))
        return shallow(message, content=blocks[0] if one else blocks)

    def part(self, block: Any, role: str) -> str:
        return _PARTS.get(kind_of(block), "")

    def parts_of(self, block: Any) -> Sequence[Any]:
        field = _structured(block)
        data = [] if field is None else [getter(block)(field)]
        return [*super().parts_of(block), *data]

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        content, field = getter(block)("content"), _structured(block)
        changed: dict[str, Any] = {} if field is None else {field: parts[-1]}
        if listed(content):
            texts = parts if field is None else parts[:-1]
            changed["content"] = with_texts(content, texts) or []
        return shallow(block, **changed)

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        field, content = _structured(block), listed(getter(block)("content"))
        if part < len(content):
            bare = {} if field is None else {field: None}
            return shallow(super().only_text_of(block, part, text), **bare)
        return shallow(block, content=[], **({} if field is None else {field: text}))

    def cleared_of(self, block: Any, text: str) -> Any:
        return shallow(block, content=[{"type": "text", "text": text}])

    def failed_of(self, block: Any) -> bool:
        return bool(getter(block)("isError"))

    def without_media_of(self, block: Any, say: Say) -> Any:
        get, kind = getter(block), kind_of(block)
        if kind == _RESULT:
            return with_swapped(block, "content", lambda part: self.without_media_of(part, say))
        if kind not in ("image", "audio"):
            return block
        return _text(block, say(Media(kind, as_text(get("data"))), type_of(block)))

    def settled(
        self, places: Sequence[tuple[Message, int]], note: Callable[..., None]
    ) -> list[tuple[Message, int]]:
        """Results in one message behind their calls, and other content in one of its own."""
        out: list[tuple[Message, int]] = []
        for message, at in places:
            own = self.of_part(message, "answer")
            others = [b for b in _blocks(message) or () if kind_of(b) != _RESULT]
            if not own or getter(message)("role") == "assistant":
                out.append((message, at))
                continue
            before = out[-1] if out else None
            asked = before and getter(before[0])("role") == "user"
            if before and asked and (first := self.of_part(before[0], "answer")):
                kept = before[1] if before[1] >= 0 else at
                base = before[0] if before[1] >= 0 else message
                out[-1] = (shallow(base, content=[*first, *own]), kept)
                note("misplaced", max(kept, 0), None, "moved", "results were put into one message")
            else:
                out.append((shallow(message, content=own) if others else message, at))
            if others:
                out.append((shallow(message, content=others), -1))
        return out

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = self.of_part(message, "call")
        answers = [
            {
                "type": _RESULT,
                "toolUseId": getter(asked[at])("id"),
                "content": [{"type": "text", "text": text}],
                "isError": True,
            }
            for at in calls
        ]
        return [like(message, {"role": "user", "content": answers})]

    def human(self, text: str) -> Message:
        return {"role": "user", "content": {"type": "text", "text": text}}

    def body(self, request: Mapping[str, Any]) -> Body:
        """The params of ``sampling/createMessage``."""
        system, tools = request.get("systemPrompt"), request.get("tools")
        return Body(request["messages"], system, tools, request.get("maxTokens"))


def _text(block: Any, text: str) -> Any:
    """A text block in the place of another one, of the same package where that is an object."""
    own = getattr(sys.modules.get(type(block).__module__), "TextContent", None)
    fields = {"type": "text", "text": text}
    return fields if own is None or isinstance(block, Mapping) else own(**fields)


def _blocks(message: Message) -> Sequence[Any] | None:
    """The blocks of a message; None for what can be none."""
    content = getter(message)("content")
    if isinstance(content, (list, tuple)):
        return content
    return (content,) if kind_of(content) else None


def _structured(block: Any) -> str | None:
    """Where a result holds data, on the wire or in Python; None where it holds none."""
    get = getter(block)
    names = ("structuredContent", "structured_content")
    return next((name for name in names if get(name) is not None), None)


def _answered(block: Any) -> str:
    """The id of the call that a result is for, as on the wire or as in Python."""
    get = getter(block)
    return as_text(get("toolUseId") if get("toolUseId") is not None else get("tool_use_id"))


def _read_model(blocks: Sequence[Any]) -> Facts:
    ids = tuple(getter(block)("id") for block in blocks if kind_of(block) == _CALL)
    if not all(map(is_id, ids)):
        return malformed("a tool_use without an id")
    answers = [_answered(block) for block in blocks if kind_of(block) == _RESULT]
    if answers:
        text = "a tool_result in an assistant message"
        return Facts(MODEL, ids, faults=tuple(("misplaced", id, text) for id in answers))
    return Facts(MODEL, ids) if ids else MODEL_WORDS


def _read_user(blocks: Sequence[Any]) -> Facts:
    kinds = [kind_of(block) for block in blocks]
    faults: list[tuple[str, str | None, str]] = [
        ("misplaced", as_text(getter(block)("id")), "a tool_use in a user message")
        for block in blocks
        if kind_of(block) == _CALL
    ]
    answers = tuple(_answered(block) for block in blocks if kind_of(block) == _RESULT)
    if not answers:
        return (
            Facts(HUMAN, human=True, leads_human=True, faults=tuple(faults))
            if faults
            else HUMAN_WORDS
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
            weight.media += (Media(kind, as_text(get("data"))),)
        elif kind == _CALL:
            weight.calls += (Call(as_text(get("name")), get("input")),)
        elif kind == _RESULT:
            result = Weight("tool")
            _weigh(listed(get("content")), result)
            weight.results += (result,)
        elif kind == "resource" and isinstance(getter(get("resource"))("text"), str):
            weight.texts.append(getter(get("resource"))("text"))
        else:
            weight.values += (block,)
