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
from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, SYSTEM, Drop, Facts, Message, malformed, unknown_role
from .binding import CLAUDE
from .content import as_text, freed_of, is_id, kind_of, listed, removed_text
from .facts import HUMAN_WORDS, SYSTEM_WORDS, answering, calling, legacy_id
from .langchain_calls import (
    SERVER_CALLS,
    calls_of,
    is_server_answer,
    is_signed,
    legacy_of,
    with_cleared_call,
    without_calls,
)
from .langchain_removed import REASONING, THINKING, without_media_of, without_old_reasoning
from .langchain_weight import weigh_content, weigh_message
from .media import Say
from .objects import getter, shallow
from .packages import package
from .results import ResultMessages
from .served import served
from .weight import Weight

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


class LangChain(ResultMessages):
    """See the module."""

    name = "langchain"
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
            return answering(id)
        if role == "function":
            return answering(legacy_id(get("name")))
        if role == SYSTEM:
            return SYSTEM_WORDS
        return HUMAN_WORDS if role == HUMAN else unknown_role(get("type"))

    def weigh(self, message: Message) -> Weight:
        return weigh_message(message, role_of(message))

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_content(system, weight)
        return weight

    def failed(self, message: Message, answer: int) -> bool:
        return getter(message)("status") == "error"

    def without(self, message: Message, drop: Drop) -> Message | None:
        if "answer" in drop:
            return None
        left = without_calls(message, drop)
        says = [p for p in listed(left("content")) if kind_of(p) not in REASONING]
        given = left("content") if isinstance(left("content"), str) else says
        spoken = getter(left("additional_kwargs"))
        if given or calls_of(left) or spoken("refusal") or spoken("audio"):
            return shallow(message, **left.changed)
        return None

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", _bound, removed_text)

    def without_old_reasoning(self, message: Message) -> Message:
        return without_old_reasoning(message) if role_of(message) == MODEL else message

    def without_media_of(self, part: Any, say: Say) -> Any:
        return without_media_of(part, say)

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        if is_signed(message, call):
            return message
        changed = with_cleared_call(message, call, said).changed
        return shallow(message, **changed) if changed else message

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        plain = isinstance(message, Mapping)
        if legacy := legacy_of(message):
            return [_made("function", plain, name=getter(legacy)("name"), content=text)]
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


def role_of(message: Message) -> str:
    """Who speaks: a role of `trimtab.formats.base`, else the type of the message.

    The type of a chunk is the name of its class.
    """
    get = getter(message)
    kind = as_text(get("type")).removesuffix("MessageChunk").lower()
    if kind == "chat":  # whose role is free: whoever is not known is somebody else who speaks
        return _ROLES.get(as_text(get("role")), HUMAN)
    return _ROLES.get(kind, kind)


def _bound(block: Any) -> bool:
    """Whether a block is Claude's reasoning, by its own API or by Bedrock's."""
    return kind_of(block) in (*THINKING, "reasoning_content")


def _made(kind: str, plain: bool, **fields: Any) -> Message:
    """A new message: plain data, or an object where the package is, since messages of it are."""
    if plain:
        return {"type": kind, **fields}
    return getattr(package(_MESSAGES), f"{kind.capitalize()}Message")(**fields)


def _read_model(message: Message, content: Any) -> Facts:
    ids = [call.id for call in calls_of(message)]
    if not ids and (legacy := legacy_of(message)):
        ids = [legacy_id(getter(legacy)("name"))]
    facts = calling(ids)
    if isinstance(content, str) or facts.faults:
        return facts
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
        facts.calls,
        reasons=bool(kinds) and kinds[0] in THINKING,
        thought=not REASONING.isdisjoint(kinds),
        server_calls=ran.calls,
        server_answers=ran.answers,
    )
