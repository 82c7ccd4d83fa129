"""LlamaIndex messages: ``ChatMessage`` with its blocks.

Rules: a ``ToolCallBlock`` of an assistant message, or a call in its
``additional_kwargs["tool_calls"]`` (the same call where the id is the same), is answered by
the message of role ``tool`` whose ``additional_kwargs`` hold that ``tool_call_id``; answers
stand directly behind the calls, in any order. A legacy ``function_call`` is answered by the
next message of role ``function`` with its name. Ids may repeat in later turns. Source: the
types and the OpenAI converter of llama-index 0.14.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from .base import (
    HUMAN,
    MODEL,
    RESULT,
    SYSTEM,
    Drop,
    Facts,
    Message,
    getter,
    malformed,
    shallow,
    unknown_role,
)
from .binding import CLAUDE, REMOVED
from .content import as_text, freed_of, listed, with_texts
from .facts import HUMAN_WORDS, SYSTEM_WORDS, answering, calling, legacy_id
from .llama_index_weight import block_kind, call_of_block, call_of_kwargs, weigh_blocks
from .mirrored import left_of, merged
from .packages import package
from .results import ResultMessages
from .weight import Weight

_ROLES: Final[Mapping[str, str]] = {
    "user": HUMAN,
    "assistant": MODEL,
    "chatbot": MODEL,
    "model": MODEL,
    "system": SYSTEM,
    "developer": SYSTEM,
    "tool": RESULT,
    "function": RESULT,
}


class LlamaIndex(ResultMessages):
    """See the module."""

    name = "llama-index"
    field = "blocks"
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        if isinstance(get("blocks"), (list, tuple)) and isinstance(
            get("additional_kwargs"), Mapping
        ):
            return "a message with blocks and additional_kwargs"
        return None

    def read(self, message: Message) -> Facts:
        role, blocks = _role(message), getter(message)("blocks")
        if not isinstance(blocks, (list, tuple)):
            return malformed("the message has no list of blocks")
        kind = _ROLES.get(role)
        if kind == MODEL:
            return _read_model(message)
        if kind == RESULT:
            extra = _extra(message)
            legacy = role == "function"
            return answering(legacy_id(extra("name")) if legacy else extra("tool_call_id"))
        if kind is None:
            return unknown_role(role)
        return HUMAN_WORDS if kind == HUMAN else SYSTEM_WORDS

    def weigh(self, message: Message) -> Weight:
        role = _role(message)
        weight = Weight({MODEL: "assistant", SYSTEM: "system"}.get(_ROLES.get(role, ""), role))
        if weight.role == "function":
            weight.name = as_text(_extra(message)("name"))
        weigh_blocks(getter(message)("blocks"), weight)
        calls = _blocks(message)
        if calls:
            weight.calls = tuple(call_of_block(block) for block in calls)
        else:
            weight.calls = tuple(call_of_kwargs(call) for call in _kwargs_calls(message))
        if legacy := _legacy(message):
            weight.calls = (call_of_kwargs(legacy),)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_blocks([system] if isinstance(system, str) else system, weight)
        return weight

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        return shallow(message, blocks=with_texts(getter(message)("blocks"), texts) or [])

    def without(self, message: Message, drop: Drop) -> Message | None:
        if "answer" in drop:
            return None
        get, extra = getter(message), _as_dict(getter(message)("additional_kwargs"))
        places = merged(_lists(message))
        gone = {places[at] for at in drop.get("call", ()) if at < len(places)}
        blocks = left_of(listed(get("blocks")), _block_id, gone)
        raw = left_of(listed(extra.get("tool_calls")), _raw_id, gone)
        changed: dict[str, Any] = {"blocks": blocks}
        if len(raw) < len(listed(extra.get("tool_calls"))):
            changed["additional_kwargs"] = _with_calls(extra, raw)
        elif not places and "function_call" in extra:
            del extra["function_call"]
            changed["additional_kwargs"] = extra
        says = any(block_kind(block) != "thinking" for block in blocks)
        return shallow(message, **changed) if says or raw else None

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "blocks", _bound, _removed)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        if legacy := _legacy(message):
            return [_made("function", text, name=getter(legacy)("name"))]
        ids = [id for id, _ in merged(_lists(message))]
        return [_made("tool", text, tool_call_id=ids[at]) for at in calls]

    def human(self, text: str) -> Message:
        return _made("user", text)


def _made(role: str, text: str, **extra: Any) -> Message:
    """A new message; the package is there, since messages of it are."""
    own = package("llama_index.core.base.llms.types")
    return own.ChatMessage(role=role, content=text, additional_kwargs=extra)


def _bound(block: Any) -> bool:
    """Whether a block is Claude's reasoning, which is signed."""
    more = getter(getter(block)("additional_information"))
    return block_kind(block) == "thinking" and more("signature") is not None


def _removed() -> Any:
    return package("llama_index.core.base.llms.types").TextBlock(text=REMOVED)


def _role(message: Message) -> str:
    role = getter(message)("role")
    return as_text(getattr(role, "value", role))


def _extra(message: Message) -> Callable[[str], Any]:
    return getter(getter(message)("additional_kwargs"))


def _blocks(message: Message) -> list[Any]:
    return [b for b in listed(getter(message)("blocks")) if block_kind(b) == "tool_call"]


def _kwargs_calls(message: Message) -> Sequence[Any]:
    return listed(_extra(message)("tool_calls"))


def _lists(message: Message) -> list[list[Any]]:
    """The ids of the calls; those in ``additional_kwargs`` count where no block makes one."""
    shown = [_block_id(block) for block in _blocks(message)]
    return [shown or [_raw_id(call) for call in _kwargs_calls(message)]]


def _as_dict(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _legacy(message: Message) -> Any:
    call = _extra(message)("function_call")
    return call if call and not any(_lists(message)) else None


def _block_id(block: Any) -> Any:
    return getter(block)("tool_call_id")


def _raw_id(call: Any) -> Any:
    return getter(call)("id")


def _with_calls(extra: dict[str, Any], calls: list[Any]) -> dict[str, Any]:
    left = {key: value for key, value in extra.items() if key != "tool_calls"}
    return {**left, "tool_calls": calls} if calls else left


def _read_model(message: Message) -> Facts:
    ids = [id for id, _ in merged(_lists(message))]
    if not ids and (legacy := _legacy(message)):
        ids = [legacy_id(getter(legacy)("name"))]
    facts = calling(ids)
    kinds = [block_kind(block) for block in getter(message)("blocks")]
    if facts.faults or "thinking" not in kinds:
        return facts
    return replace(facts, reasons=kinds[0] == "thinking", thought=True)
