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
from .binding import CLAUDE, REMOVED
from .content import freed_of, is_id, listed, only_part, part_text, with_texts
from .llama_index_weight import block_kind, call_of_block, call_of_kwargs, weigh_blocks
from .mirrored import left_of, merged
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
_SYSTEM: Final = Facts(SYSTEM)
_HUMAN: Final = Facts(HUMAN, human=True, leads_human=True)
_MODEL: Final = Facts(MODEL)
_NO_ID: Final = Facts(
    RESULT, faults=(("orphan_result", None, "a tool message without tool_call_id"),)
)


class LlamaIndex(Usual):
    """See the module."""

    name = "llama-index"
    merges = False
    unique_ids = False
    human_head = False
    reasoning_head = False
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        if isinstance(get("blocks"), (list, tuple)) and isinstance(get("additional_kwargs"), dict):
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
            if role == "function":
                return _answering(f"function:{extra('name')}")
            id = extra("tool_call_id")
            return _answering(id) if is_id(id) else _NO_ID
        if kind is None:
            return unknown_role(role)
        return _HUMAN if kind == HUMAN else _SYSTEM

    def weigh(self, message: Message) -> Weight:
        role = _role(message)
        weight = Weight({MODEL: "assistant", SYSTEM: "system"}.get(_ROLES.get(role, ""), role))
        if weight.role == "function":
            weight.name = str(_extra(message)("name"))
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

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        if _ROLES.get(_role(message)) != RESULT:
            return []
        return [(0, [part_text(block) for block in listed(getter(message)("blocks"))])]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        return shallow(message, blocks=with_texts(getter(message)("blocks"), texts) or [])

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        return message

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        return shallow(message, blocks=only_part(getter(message)("blocks"), part, text))

    def without(self, message: Message, drop: Drop) -> Message | None:
        if "answer" in drop:
            return None
        get, extra = getter(message), dict(getter(message)("additional_kwargs") or {})
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

    def answers_first(self, message: Message) -> Message:
        return message

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        if legacy := _legacy(message):
            return [_made("function", text, name=getter(legacy)("name"))]
        ids = [id for id, _ in merged(_lists(message))]
        return [_made("tool", text, tool_call_id=ids[at]) for at in calls]

    def human(self, text: str) -> Message:
        return _made("user", text)

    def body(self, request: Mapping[str, Any]) -> Body:
        return Body(request["messages"], None, None, None)


def _made(role: str, text: str, **extra: Any) -> Message:
    """A new message; the package is there, since messages of it are."""
    own = import_module("llama_index.core.base.llms.types")
    return own.ChatMessage(role=role, content=text, additional_kwargs=extra)


def _bound(block: Any) -> bool:
    """Whether a block is Claude's reasoning, which is signed."""
    more = getter(getter(block)("additional_information"))
    return block_kind(block) == "thinking" and more("signature") is not None


def _removed() -> Any:
    return import_module("llama_index.core.base.llms.types").TextBlock(text=REMOVED)


def _role(message: Message) -> str:
    role = getter(message)("role")
    return str(getattr(role, "value", role))


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
    ids = tuple(id for id, _ in merged(_lists(message)))
    if not ids and (legacy := _legacy(message)):
        ids = (f"function:{getter(legacy)('name')}",)
    if not all(map(is_id, ids)):
        return malformed("a tool call without an id")
    kinds = [block_kind(block) for block in getter(message)("blocks")]
    if "thinking" in kinds:
        return Facts(MODEL, ids, reasons=kinds[0] == "thinking", thought=True)
    return _calling(ids) if ids else _MODEL


# A stateless caller sends the same ids again every turn, so their facts are kept.
@lru_cache(maxsize=1 << 14)
def _calling(ids: tuple[str, ...]) -> Facts:
    return Facts(MODEL, ids)


@lru_cache(maxsize=1 << 14)
def _answering(id: str) -> Facts:
    return Facts(RESULT, answers=(id,))
