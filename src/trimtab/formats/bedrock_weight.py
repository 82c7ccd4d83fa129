"""What the blocks of a Bedrock Converse message cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .content import as_data, as_text, listed, part_text
from .objects import getter
from .weight import Call, Media, Weight

_MEDIA: Final = ("image", "document", "video", "audio")
_TEXTS: Final = ("name", "context", "title", "source")


def weigh_blocks(blocks: Iterable[Any], weight: Weight) -> None:
    """Weigh the blocks of a message, of a system text or of a tool result."""
    for block in blocks:
        if not isinstance(block, Mapping):
            weight.values += (block,)
            continue
        for kind, value in block.items():
            _weigh(kind, value, weight)


def _weigh(kind: str, value: Any, weight: Weight) -> None:
    get = getter(value)
    if kind == "text" and isinstance(value, str):
        weight.texts.append(value)
    elif kind == "toolUse":
        weight.calls += (Call(as_text(get("name")), get("input")),)
    elif kind == "toolResult":
        result = Weight("tool")
        weigh_blocks(listed(get("content")), result)
        weight.results += (result,)
    elif kind == "json":
        weight.values += (value,)
    elif kind in _MEDIA:
        _weigh_media(kind, value, weight)
    elif kind == "reasoningContent":
        if text := part_text(get("reasoningText")):
            weight.reasoning += (text,)
        weight.hidden += len(as_data(get("redactedContent")))
    elif kind == "guardContent":
        weigh_blocks([{"text": part_text(get("text"))}], weight)
        weigh_blocks([{"image": get("image")}] if get("image") else (), weight)
    elif kind in ("citationsContent", "searchResult"):
        weight.texts += [text for name in _TEXTS if (text := as_text(get(name)))]
        weigh_blocks(listed(get("content")), weight)
    elif kind != "cachePoint":
        weight.values += ({kind: value},)


def _weigh_media(kind: str, value: Any, weight: Weight) -> None:
    get = getter(value)
    source = getter(get("source"))
    weight.texts += [text for name in ("name", "context") if (text := as_text(get(name)))]
    if kind == "document" and (source("text") or source("content")):
        weigh_blocks([{"text": as_text(source("text"))}, *listed(source("content"))], weight)
        return
    weight.media += (Media(kind, as_data(source("bytes"))),)
