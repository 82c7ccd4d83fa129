"""What the blocks of an Anthropic message cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .content import as_text, kind_of, listed
from .objects import getter
from .weight import Call, Media, Weight

_FREE_KEYS: Final = frozenset(
    {
        "type",
        "id",
        "tool_use_id",
        "cache_control",
        "signature",
        "encrypted_content",
        "encrypted_index",
    }
)
_CALLS: Final = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def weigh_content(content: Any, weight: Weight, *, inside: bool = False) -> None:
    """Weigh the blocks of a message, or ``inside`` those of a result or document."""
    if isinstance(content, str):
        weight.texts.append(content)
        return
    for block in listed(content):
        _weigh_block(block, weight, inside=inside)


def _weigh_block(block: Any, weight: Weight, *, inside: bool) -> None:
    if isinstance(block, str):
        weight.texts.append(block)
        return
    get, kind = getter(block), kind_of(block)
    if kind == "text":
        weight.texts.append(as_text(get("text")))
    elif kind == "thinking":
        weight.reasoning += (as_text(get("thinking")),)
    elif kind in _CALLS:
        weight.calls += (Call(as_text(get("name")), get("input")),)
    elif kind == "tool_result" and not inside:
        result = Weight("tool")
        weigh_content(get("content"), result, inside=True)
        weight.results += (result,)
    elif kind == "image":
        weight.media += (Media("image", as_text(getter(get("source"))("data"))),)
    elif kind == "redacted_thinking":
        weight.hidden += len(as_text(get("data")))
    elif kind == "document" and not inside:
        weight.texts += [text for name in ("title", "context") if (text := as_text(get(name)))]
        _weigh_document(getter(get("source")), weight)
    elif kind != "fallback":
        weight.values += (_without_free_keys(block, weight),)


def _weigh_document(source: Any, weight: Weight) -> None:
    if source("type") == "text":
        weight.texts.append(as_text(source("data")))
    elif source("type") == "content":
        weigh_content(source("content"), weight, inside=True)
    else:
        weight.media += (Media("document", as_text(source("data"))),)


def _without_free_keys(block: Any, weight: Weight) -> Any:
    try:
        return _costly(block, weight)
    except RecursionError:
        return block


def _costly(value: Any, weight: Weight) -> Any:
    """A block of unknown kind as plain data, without the keys that cost nothing."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(exclude_none=True)
    elif not isinstance(value, Mapping) and hasattr(value, "__dict__"):
        value = vars(value)
    if isinstance(value, Mapping):
        if value.get("type") == "base64":  # a picture or pages, whose data is no text
            kind = "image" if "image" in str(value.get("media_type")) else "document"
            weight.media += (Media(kind, as_text(value.get("data"))),)
            return None
        left = {key: item for key, item in value.items() if key not in _FREE_KEYS}
        return {key: _costly(item, weight) for key, item in left.items()}
    return [_costly(i, weight) for i in value] if isinstance(value, (list, tuple)) else value
