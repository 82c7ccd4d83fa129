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

from .base import HUMAN, MODEL, RESULT, SYSTEM, Drop, Facts, Message, malformed, unknown_role
from .binding import CLAUDE, REMOVED
from .content import as_text, freed_of, listed, with_texts
from .facts import HUMAN_WORDS, SYSTEM_WORDS, answering, calling, legacy_id
from .inputs import with_cleared
from .llama_index_weight import block_kind, call_of_block, call_of_kwargs, weigh_blocks
from .media import Say, only_media, type_of
from .mirrored import Place, left_of, merged, numbered
from .objects import getter, shallow
from .packages import package
from .results import ResultMessages
from .weight import Weight

_MEDIA: Final = frozenset({"image", "audio", "video", "document"})
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

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        return shallow(message, blocks=with_texts(getter(message)("blocks"), parts) or [])

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        blocks = listed(getter(message)("blocks"))
        own = next((block for block in blocks if block_kind(block) == "text"), None)
        return shallow(message, blocks=[_text(text) if own is None else shallow(own, text=text)])

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

    def without_old_reasoning(self, message: Message) -> Message:
        blocks = listed(getter(message)("blocks"))
        calls = bool(self.read(message).calls)
        thoughts = [block for block in blocks if block_kind(block) == "thinking"]
        if not all(_bound(block) or not (calls or _is_item(block)) for block in thoughts):
            return message
        return freed_of(message, "blocks", lambda b: block_kind(b) == "thinking", _removed)

    def without_media_of(self, part: Any, say: Say) -> Any:
        if block_kind(part) not in _MEDIA:
            return part
        weight = Weight("user")
        weigh_blocks([part], weight)
        media = only_media(weight)
        return part if media is None else _text(say(media, type_of(part)))

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        extra = _as_dict(getter(message)("additional_kwargs"))
        if legacy := _legacy(message):
            extra["function_call"] = with_cleared(legacy, said, "arguments")
            return shallow(message, additional_kwargs=extra)
        place = merged(_lists(message))[call]
        fields: dict[str, Any] = {}
        blocks = _with_cleared(listed(getter(message)("blocks")), _block_id, place, said)
        if blocks is not None:
            fields["blocks"] = blocks
        raw = _with_cleared(listed(extra.get("tool_calls")), _raw_id, place, said)
        if raw is not None:
            fields["additional_kwargs"] = {**extra, "tool_calls": raw}
        return shallow(message, **fields) if fields else message

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


def _is_item(block: Any) -> bool:
    """Whether a block is an item of OpenAI's, which the next one needs."""
    return getter(getter(block)("additional_information"))("id") is not None


def _with_cleared(
    values: Sequence[Any], id_of: Callable[[Any], Any], place: Place, said: str
) -> list[Any] | None:
    """Calls with other arguments in the one at a place; None where it is not there."""
    at = {own: n for n, own in enumerate(numbered(map(id_of, values)))}.get(place)
    if at is None or place[0] is None:
        return None
    made = list(values)
    if (inner := getter(made[at])("function")) is not None:
        made[at] = shallow(made[at], function=with_cleared(inner, said, "arguments", "input"))
    else:
        made[at] = with_cleared(made[at], said, "tool_kwargs", "arguments", "input")
    return made


def _removed() -> Any:
    return _text(REMOVED)


def _text(text: str) -> Any:
    return package("llama_index.core.base.llms.types").TextBlock(text=text)


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
