"""What a pydantic-ai tool return holds that may be made shorter: a text, texts, or any data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..jsontext import jsontext
from .content import as_text, texts_within, with_texts
from .objects import getter, shallow
from .pydantic_ai_weight import part_kind

_MEDIA: Final = frozenset(
    {"binary", "image-url", "audio-url", "video-url", "document-url", "uploaded-file"}
    | {"text-content", "cache-point"}
)


def return_parts(part: Any) -> Sequence[Any]:
    """The content of a return: texts, one for each of its items, or all its data as one."""
    content = getter(part)("content")
    if content is None or _is_media(content):
        return ()
    if _of_texts(content):
        return texts_within(content)
    if part_kind(part) == "retry-prompt":
        return (jsontext(content),)  # a list of errors has no place for a count of what is gone
    media, data = _parted(content)
    return (data if media else content,)


def with_return_parts(part: Any, parts: Sequence[Any]) -> Any:
    """A shallow copy of a return with other texts or data; media stand behind data."""
    content = getter(part)("content")
    if content is None or _is_media(content):
        return part
    if _of_texts(content):
        return shallow(part, content=with_texts(content, parts))
    media, _ = _parted(content)
    return shallow(part, content=[*parts[0], *media] if media else parts[0])


def _of_texts(content: Any) -> bool:
    if isinstance(content, str):
        return True
    listed = isinstance(content, (list, tuple))
    return listed and all(isinstance(item, str) or _is_media(item) for item in content)


def _parted(content: Any) -> tuple[list[Any], list[Any]]:
    """The media and the data of a list."""
    items = content if isinstance(content, (list, tuple)) else ()
    media = [item for item in items if _is_media(item)]
    return media, [item for item in items if not _is_media(item)] if media else []


def _is_media(item: Any) -> bool:
    return as_text(getter(item)("kind")) in _MEDIA
