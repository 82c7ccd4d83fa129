"""What a pydantic-ai message costs, whatever model it is sent to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .base import Message
from .content import as_data, as_text, listed
from .objects import getter
from .weight import Call, Media, Weight

_CALLS: Final = frozenset({"tool-call", "builtin-tool-call"})
_RETURNS: Final = frozenset({"tool-return", "retry-prompt", "builtin-tool-return"})
_URLS: Final = {
    "image-url": "image",
    "audio-url": "audio",
    "video-url": "video",
    "document-url": "document",
    "uploaded-file": "file",
}
_KINDS: Final = frozenset({"image", "audio", "video"})


def part_kind(part: Any) -> str:
    """What a part is; empty for what is none."""
    return as_text(getter(part)("part_kind"))


def weigh_message(message: Message) -> Weight:
    """What of a message costs tokens; metadata, usage and instructions do not here."""
    get = getter(message)
    parts = listed(get("parts"))
    weight = Weight("assistant" if get("kind") == "response" else "user")
    kinds = {part_kind(part) for part in parts}
    if len(parts) == 1 and kinds <= {"tool-return", "retry-prompt"}:
        weight.role = "tool"
        _weigh_return(parts[0], weight)
        return weight
    if kinds == {"system-prompt"}:
        weight.role = "system"
    for part in parts:
        _weigh_part(part, part_kind(part), weight)
    return weight


def _weigh_part(part: Any, kind: str, weight: Weight) -> None:
    get = getter(part)
    if kind in _RETURNS:
        result = Weight("tool")
        _weigh_return(part, result)
        weight.results += (result,)
    elif kind in _CALLS:
        args = get("args")
        weight.calls += (Call(as_text(get("tool_name")), "" if args is None else args),)
    elif kind == "thinking":
        text = as_text(get("content"))
        weight.reasoning += (text,)
        weight.hidden += 0 if text else len(as_text(get("signature")))
    elif kind == "compaction":
        weight.texts.append(as_text(get("content")))
        blob = getter(get("provider_details"))("encrypted_content")
        weight.hidden += len(as_text(blob))
    elif kind == "speech":
        weight.texts.append(as_text(get("transcript")))
        if get("transcript") is None:
            _weigh_binary(getter(part)("audio"), weight)
    elif kind == "file":
        _weigh_binary(get("content"), weight)
    else:
        weigh_content(get("content"), weight)


def _weigh_return(part: Any, weight: Weight) -> None:
    weigh_content(getter(part)("content"), weight)


def weigh_content(content: Any, weight: Weight) -> None:
    """Weigh a text, a list of contents, or any other value that is sent as JSON."""
    if content is None:
        return
    if isinstance(content, str):
        weight.texts.append(content)
        return
    if not isinstance(content, (list, tuple)):
        _weigh_item(content, weight)
        return
    plain: list[Any] = []
    for item in content:
        if isinstance(item, (str, Mapping, int, float, list)) or item is None:
            plain.append(item)
        else:
            _weigh_item(item, weight)
    texts = [item for item in plain if isinstance(item, str)]
    if len(texts) < len(plain):  # structured data, sent as it is
        weight.values += (plain,)
    else:
        weight.texts += texts


def _weigh_item(item: Any, weight: Weight) -> None:
    get, kind = getter(item), as_text(getter(item)("kind"))
    if kind == "text-content":
        weight.texts.append(as_text(get("content")))
    elif kind == "binary":
        _weigh_binary(item, weight)
    elif kind in _URLS:
        weight.media += (Media(_URLS[kind], ""),)
    elif kind != "cache-point":
        weight.values += (item,)


def _weigh_binary(item: Any, weight: Weight) -> None:
    get = getter(item)
    sort = as_text(get("media_type")).partition("/")[0]
    weight.media += (Media(sort if sort in _KINDS else "document", as_data(get("data"))),)
