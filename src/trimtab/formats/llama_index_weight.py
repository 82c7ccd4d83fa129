"""What the blocks and the calls of a LlamaIndex message cost."""

from __future__ import annotations

from typing import Any, Final

from .content import as_data, as_text, listed
from .objects import getter
from .weight import Call, Media, Weight

_MEDIA: Final = {"image": "image", "audio": "audio", "video": "video"}


def block_kind(block: Any) -> str:
    """The type of a block; empty for what is none."""
    return as_text(getter(block)("block_type"))


def weigh_blocks(blocks: Any, weight: Weight) -> None:
    """Weigh blocks; calls are weighed by `call_of_block`, cache points are free."""
    for block in listed(blocks):
        if isinstance(block, str):
            weight.texts.append(block)
        else:
            _weigh_block(block, block_kind(block), weight)


def _weigh_block(block: Any, kind: str, weight: Weight) -> None:
    get = getter(block)
    if kind == "text":
        weight.texts.append(as_text(get("text")))
    elif kind in _MEDIA:
        detail = as_text(get("detail")) or "auto"
        weight.media += (Media(_MEDIA[kind], as_data(get(kind)), detail),)
    elif kind == "document":
        weight.media += (Media("document", as_data(get("data"))),)
    elif kind == "thinking":
        text = as_text(get("content"))
        weight.reasoning += (text,)
        if not text:
            weight.hidden += len(as_text(getter(get("additional_information"))("signature")))
    elif kind == "citable":
        weight.texts += [as_text(get("title")), as_text(get("source"))]
        weigh_blocks(get("content"), weight)
    elif kind not in ("tool_call", "cache"):
        weight.values += (block,)


def call_of_block(block: Any) -> Call:
    """The call that a ``ToolCallBlock`` makes."""
    get = getter(block)
    return _call(get("tool_name"), get("tool_kwargs"))


def call_of_kwargs(call: Any) -> Call:
    """A call as a provider wrote it, or a legacy ``function_call``."""
    get = getter(call)
    inner = getter(get("function") or call)
    arguments = inner("input") if inner("arguments") is None else inner("arguments")
    return _call(inner("name"), arguments)


def _call(name: Any, arguments: Any) -> Call:
    return Call(as_text(name), "" if arguments is None else arguments)
