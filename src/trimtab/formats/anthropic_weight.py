"""What the blocks of an Anthropic message cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .base import Image, Weight, getter
from .content import kind_of, listed

# Not documented by the provider; upper ends of what recorded requests were billed.
PER_MESSAGE: Final = 7
_PER_CALL: Final = 22
_PER_RESULT: Final = 18
_PAGES: Final = 3000  # tokens of a document whose pages are not known offline
_HIDDEN_CHARS: Final = 4  # characters of redacted reasoning that cost at most one token
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
    if kind in ("text", "thinking"):
        text = get(kind)
        weight.texts.append(text if isinstance(text, str) else "")
        return
    weight.exact = False
    if kind in _CALLS:
        weight.overhead += _PER_CALL
        weight.texts.append(str(get("name") or ""))
        weight.values += (get("input"),)
    elif kind == "tool_result" and not inside:
        weight.overhead += _PER_RESULT
        weigh_content(get("content"), weight, inside=True)
    elif kind == "image":
        source = getter(get("source"))
        weight.images += (Image(str(source("data") or "")),)
    elif kind == "redacted_thinking":
        weight.overhead += len(str(get("data") or "")) // _HIDDEN_CHARS
    elif kind == "document" and not inside:
        weight.texts += [str(text) for name in ("title", "context") if (text := get(name))]
        _weigh_document(getter(get("source")), weight)
    elif kind != "fallback":
        weight.overhead += _PER_RESULT
        weight.values += (_without_free_keys(block, weight),)


def _weigh_document(source: Any, weight: Weight) -> None:
    if source("type") == "text":
        weight.texts.append(str(source("data") or ""))
    elif source("type") == "content":
        weigh_content(source("content"), weight, inside=True)
    else:
        weight.overhead += _PAGES


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
            weight.overhead += _PAGES
            return None
        left = {key: item for key, item in value.items() if key not in _FREE_KEYS}
        return {key: _costly(item, weight) for key, item in left.items()}
    return [_costly(i, weight) for i in value] if isinstance(value, (list, tuple)) else value
