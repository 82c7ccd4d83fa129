"""LangChain messages: objects of ``langchain_core.messages``, or the same as plain data.

Plain data is what ``model_dump`` gives, which LangGraph's server and its clients exchange.

Rules: ``AIMessage.tool_calls[].id`` (and ``invalid_tool_calls[].id``, which are sent too) is
answered by a ``ToolMessage`` of that ``tool_call_id``; answers stand directly after the
message, in any order; a legacy ``function_call`` in ``additional_kwargs`` is answered by the
next ``FunctionMessage`` of its name. The copies of a call in content blocks and in
``additional_kwargs`` are the same call and go with it. Tools that the provider runs are
answered in content blocks of the model. Which head a history needs is the target's to say;
reasoning leads a tool loop where there is some. Source: the types and the converters of
langchain-core 1.8, langchain-openai and langchain-anthropic.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
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
from .content import (
    freed_of,
    is_id,
    kind_of,
    listed,
    only_part,
    part_text,
    removed_text,
    with_texts,
)
from .langchain_calls import SERVER_CALLS, calls_of, is_server_answer, legacy_of, without_calls
from .langchain_weight import weigh_content, weigh_message
from .served import served
from .weight import Weight

_SYSTEM: Final = Facts(SYSTEM)
_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_MODEL: Final = Facts(MODEL)
_NO_ID: Final = Facts(
    RESULT, faults=(("orphan_result", None, "a tool message without tool_call_id"),)
)
_PACKAGE: Final = "langchain_core"
_MESSAGES: Final = "langchain_core.messages"
_TYPES: Final = frozenset({"human", "ai"})
_ROLES: Final[Mapping[str, str]] = {
    "human": HUMAN,
    "user": HUMAN,
    "ai": MODEL,
    "assistant": MODEL,
    "model": MODEL,
    "system": SYSTEM,
    "developer": SYSTEM,
    "tool": RESULT,
    "function": "function",
}
_THINKING: Final = ("thinking", "redacted_thinking")  # what a tool loop must begin with
_REASONING: Final = frozenset({*_THINKING, "reasoning", "reasoning_content"})


class LangChain(Usual):
    """See the module."""

    name = "langchain"
    merges = False
    unique_ids = False
    human_head = False
    reasoning_head = True
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        for cls in type(message).__mro__:
            if cls.__module__.partition(".")[0] == _PACKAGE and cls.__name__ == "BaseMessage":
                return "an object of LangChain's BaseMessage"
        if isinstance(message, Mapping) and "role" not in message and "content" in message:
            kind = kind_of(message)
            if kind in _TYPES or (kind == "tool" and "tool_call_id" in message):
                return f"the type {kind!r}, as LangChain's messages have in plain data"
        return None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        role, content = role_of(message), get("content")
        if role == "remove":
            return malformed("a RemoveMessage is an order to a store; carry it out first")
        if not isinstance(content, (str, list, tuple)):
            return malformed("the content is neither text nor a list of parts")
        if role == MODEL:
            return _read_model(message, content)
        if role == RESULT:
            id = get("tool_call_id") or getter(get("additional_kwargs"))("tool_call_id")
            return _answering(id) if is_id(id) else _NO_ID
        if role == "function":
            return _answering(f"function:{get('name')}")
        if role == SYSTEM:
            return _SYSTEM
        return _HUMAN if role == HUMAN else unknown_role(get("type"))

    def weigh(self, message: Message) -> Weight:
        return weigh_message(message, role_of(message))

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_content(system, weight)
        return weight

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        if role_of(message) not in (RESULT, "function"):
            return []
        content = getter(message)("content")
        if isinstance(content, str):
            return [(0, [content])]
        return [(0, [part_text(part) for part in listed(content)])]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        content = getter(message)("content")
        return shallow(message, content=with_texts(content, texts))

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        return message

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        return shallow(message, content=only_part(getter(message)("content"), part, text))

    def without(self, message: Message, drop: Drop) -> Message | None:
        if "answer" in drop:
            return None
        left = without_calls(message, drop)
        says = [p for p in listed(left("content")) if kind_of(p) not in _REASONING]
        given = left("content") if isinstance(left("content"), str) else says
        spoken = getter(left("additional_kwargs"))
        if given or calls_of(left) or spoken("refusal") or spoken("audio"):
            return shallow(message, **left.changed)
        return None

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", _bound, removed_text)

    def answers_first(self, message: Message) -> Message:
        return message

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        plain = isinstance(message, Mapping)
        if legacy := legacy_of(message):
            name = str(getter(legacy)("name"))
            return [_made("function", plain, name=name, content=text)]
        asked = calls_of(message)
        return [
            _made(
                "tool",
                plain,
                content=text,
                tool_call_id=asked[at].id,
                name=asked[at].name or None,
                status="error",
            )
            for at in calls
        ]

    def human(self, text: str) -> Message:
        return _made("human", _MESSAGES not in sys.modules, content=text)

    def body(self, request: Mapping[str, Any]) -> Body:
        """The state of a LangGraph graph."""
        return Body(request["messages"], None, None, None)


def role_of(message: Message) -> str:
    """Who speaks: a role of `trimtab.formats.base`, else the type of the message.

    The type of a chunk is the name of its class.
    """
    get = getter(message)
    kind = str(get("type")).removesuffix("MessageChunk").lower()
    if kind == "chat":  # whose role is free: whoever is not known is somebody else who speaks
        return _ROLES.get(str(get("role")), HUMAN)
    return _ROLES.get(kind, kind)


def _bound(block: Any) -> bool:
    """Whether a block is Claude's reasoning, by its own API or by Bedrock's."""
    return kind_of(block) in (*_THINKING, "reasoning_content")


def _made(kind: str, plain: bool, **fields: Any) -> Message:
    """A new message: plain data, or an object where the package is, since messages of it are."""
    if plain:
        return {"type": kind, **fields}
    return getattr(import_module(_MESSAGES), f"{kind.capitalize()}Message")(**fields)


def _read_model(message: Message, content: Any) -> Facts:
    ids = tuple([call.id for call in calls_of(message)])
    if not ids and legacy_of(message):
        ids = (f"function:{getter(legacy_of(message))('name')}",)
    if not all(map(is_id, ids)):
        return malformed("a tool call without an id")
    if isinstance(content, str):
        return _calling(ids) if ids else _MODEL
    kinds = [kind_of(block) for block in content]
    pairs = zip(kinds, content, strict=True)
    found = [
        (kind in SERVER_CALLS, getter(block)("id" if kind in SERVER_CALLS else "tool_use_id"))
        for kind, block in pairs
        if kind in SERVER_CALLS or is_server_answer(block)
    ]
    ran = served((called, id) for called, id in found if is_id(id))
    return Facts(
        MODEL,
        ids,
        reasons=bool(kinds) and kinds[0] in _THINKING,
        thought=not _REASONING.isdisjoint(kinds),
        server_calls=ran.calls,
        server_answers=ran.answers,
    )


# A stateless caller sends the same ids again every turn, so their facts are kept.
@lru_cache(maxsize=1 << 14)
def _calling(ids: tuple[str, ...]) -> Facts:
    return Facts(MODEL, ids)


@lru_cache(maxsize=1 << 14)
def _answering(id: str) -> Facts:
    return Facts(RESULT, answers=(id,))
