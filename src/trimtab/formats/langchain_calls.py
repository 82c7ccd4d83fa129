"""The calls of a LangChain message, wherever they stand, and a message without some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from .base import Drop, Message
from .content import as_text, kind_of, listed
from .inputs import with_cleared
from .mirrored import Place, left_of, numbered
from .objects import getter, shallow

SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})
# Content blocks that mirror calls, by the field of their id.
BLOCKS: Final = {
    "tool_use": "id",
    "tool_call": "id",
    "invalid_tool_call": "id",
    "tool_call_chunk": "id",
    "function_call": "call_id",
    "custom_tool_call": "call_id",
}
_SIGNATURES: Final = "__gemini_function_call_thought_signatures__"
_LISTS: Final = ("tool_calls", "invalid_tool_calls", "tool_call_chunks")


class Asked(NamedTuple):
    """A call: its id, its name and its arguments as a mapping or as text."""

    id: Any
    name: str
    arguments: Any


def is_server_answer(block: Any) -> bool:
    """Whether a content block is the result of a tool that the provider ran."""
    return kind_of(block).endswith("_tool_result") and kind_of(block) != "server_tool_result"


def calls_of(message: Any) -> list[Asked]:
    """The calls that a message makes, each once.

    Those in ``additional_kwargs`` are sent only where the message has no parsed ones.
    """
    get = message if callable(message) else getter(message)
    parsed = [*listed(get("tool_calls")), *listed(get("invalid_tool_calls"))]
    raw = () if parsed else listed(getter(get("additional_kwargs"))("tool_calls"))
    blocks = [b for b in listed(get("content")) if kind_of(b) in BLOCKS]
    if not (parsed or raw or blocks):
        return []
    found: dict[Any, Asked] = {}
    for asked in (map(_parsed, parsed), map(_raw, raw), map(_of_block, blocks)):
        calls = list(asked)
        for place, call in zip(numbered(c.id for c in calls), calls, strict=True):
            found.setdefault(place, call)
    return list(found.values())


def legacy_of(message: Message) -> Any:
    """The legacy ``function_call`` of a message that makes no other calls."""
    call = getter(getter(message)("additional_kwargs"))("function_call")
    return call if call and not calls_of(message) else None


def is_signed(message: Message, call: int) -> bool:
    """Whether Gemini's signature covers a call."""
    signatures = getter(getter(message)("additional_kwargs"))(_SIGNATURES)
    asked = calls_of(message)
    return bool(signatures) and (call >= len(asked) or asked[call].id in signatures)


class Left:
    """What is left of a message; reads like a `getter`, ``changed`` holds the new fields."""

    def __init__(self, message: Message) -> None:
        self._get = getter(message)
        self.changed: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        return self.changed[name] if name in self.changed else self._get(name)


def without_calls(message: Message, drop: Drop) -> Left:
    """What is left of a message without some calls, taken out wherever they are mirrored."""
    left = Left(message)
    asked = calls_of(message)
    places = numbered(call.id for call in asked)
    gone = {places[at] for at in drop.get("call", ()) if at < len(places)}
    names = {asked[at].name for at in drop.get("call", ()) if at < len(asked)}
    stay = {call.name for place, call in zip(places, asked, strict=True) if place not in gone}
    parsed = left_of(
        [*listed(left("tool_calls")), *listed(left("invalid_tool_calls"))], _field("id"), gone
    )
    for name in _LISTS:
        own = listed(left(name))
        kept = left_of(own, _field("id"), gone) if name == _LISTS[2] else _same(own, parsed)
        if len(kept) < len(own):
            left.changed[name] = kept
    content = listed(left("content"))
    blocks = left_of(content, _block_id, gone)
    blocks = list(_without_served(blocks, drop))
    if len(blocks) < len(content):
        left.changed["content"] = blocks
    _less_kwargs(left, gone, names - stay, legacy=not asked and "call" in drop)
    return left


def with_cleared_call(message: Message, call: int, said: str) -> Left:
    """A message with other arguments of one call, wherever they are mirrored."""
    left = Left(message)
    if legacy := legacy_of(message):
        extra = {**left("additional_kwargs")}
        extra["function_call"] = with_cleared(legacy, said, "arguments")
        left.changed["additional_kwargs"] = extra
        return left
    asked = calls_of(message)
    place = numbered(one.id for one in asked)[call]
    lists = [listed(left(name)) for name in _LISTS[:2]]
    both = _cleared([*lists[0], *lists[1]], _field("id"), place, said)
    split = len(lists[0])
    for name, own, new in zip(_LISTS, lists, (both[:split], both[split:]), strict=False):
        _change(left, name, own, new)
    chunks = listed(left(_LISTS[2]))
    _change(left, _LISTS[2], chunks, _cleared(chunks, _field("id"), place, said))
    content = listed(left("content"))
    _change(left, "content", content, _cleared(content, _block_id, place, said))
    _cleared_kwargs(left, place, asked[call].name, said)
    return left


def _cleared_kwargs(left: Left, place: Place, name: str, said: str) -> None:
    extra = left("additional_kwargs")
    if not isinstance(extra, Mapping):
        return
    more = dict(extra)
    raw = listed(extra.get("tool_calls"))
    more["tool_calls"] = _cleared(raw, _field("id"), place, said)
    if not raw:
        del more["tool_calls"]
    own = extra.get("function_call")
    if own and getter(own)("name") == name:  # Gemini's last call
        more["function_call"] = with_cleared(own, said, "arguments")
    if any(value is not extra[key] for key, value in more.items()):
        left.changed["additional_kwargs"] = more


def _change(left: Left, name: str, own: Sequence[Any], new: Sequence[Any]) -> None:
    if any(one is not two for one, two in zip(own, new, strict=True)):
        left.changed[name] = list(new)


def _cleared(
    values: Sequence[Any], id_of: Callable[[Any], Any], place: Place, said: str
) -> Sequence[Any]:
    """Calls with other arguments in the one at a place; the same list where it is not there."""
    at = {own: n for n, own in enumerate(numbered(map(id_of, values)))}.get(place)
    if at is None or place[0] is None:
        return values
    made = list(values)
    inner = next((name for name in ("function", "custom") if getter(made[at])(name)), None)
    if inner is None:
        made[at] = with_cleared(made[at], said, "args", "arguments", "input")
    else:
        given = with_cleared(getter(made[at])(inner), said, "arguments", "input")
        made[at] = shallow(made[at], **{inner: given})
    return made


def _less_kwargs(left: Left, gone: set[Any], names: set[str], *, legacy: bool) -> None:
    """Take the copies out of ``additional_kwargs``; Gemini's last call has one of its own."""
    extra = left("additional_kwargs")
    if not isinstance(extra, Mapping):
        return
    more = dict(extra)
    raw = listed(extra.get("tool_calls"))
    kept = left_of(raw, _field("id"), gone)
    if len(kept) < len(raw):
        more["tool_calls"] = kept
        if not kept:
            del more["tool_calls"]
    call = extra.get("function_call")
    if call and (legacy or getter(call)("name") in names):
        del more["function_call"]
    if len(more) < len(extra) or len(kept) < len(raw):
        left.changed["additional_kwargs"] = more


def _without_served(blocks: list[Any], drop: Drop) -> Iterator[Any]:
    """Without some calls and answers of tools that the provider ran."""
    seen = {"server_call": -1, "server_answer": -1}
    for block in blocks:
        kind = "server_call" if kind_of(block) in SERVER_CALLS else ""
        kind = "server_answer" if is_server_answer(block) else kind
        if kind:
            seen[kind] += 1
            if seen[kind] in drop.get(kind, ()):
                continue
        yield block


def _same(own: Any, kept: list[Any]) -> list[Any]:
    """Those of some values that are among the kept ones, by identity."""
    ids = {id(value) for value in kept}
    return [value for value in own if id(value) in ids]


def _field(name: str) -> Callable[[Any], Any]:
    return lambda value: getter(value)(name)


def _block_id(block: Any) -> Any:
    field = BLOCKS.get(kind_of(block))
    return None if field is None else getter(block)(field)


def _parsed(call: Any) -> Asked:
    get = getter(call)
    return Asked(get("id"), as_text(get("name")), get("args"))


def _raw(call: Any) -> Asked:
    get = getter(call)
    inner = getter(get("function") or get("custom") or {})
    arguments = inner("input") if inner("arguments") is None else inner("arguments")
    return Asked(get("id"), as_text(inner("name")), arguments)


def _of_block(block: Any) -> Asked:
    get = getter(block)
    fields = (get("input"), get("args"), get("arguments"))
    arguments = next((value for value in fields if value is not None), None)
    return Asked(_block_id(block), as_text(get("name")), arguments)
