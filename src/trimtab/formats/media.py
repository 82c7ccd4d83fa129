"""Pictures, sounds and files among the parts of a message, and the texts that stand for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from .base import Message
from .objects import getter, shallow
from .weight import Media, Weight

Say = Callable[[Media, str], str]
"""What stands for some media: from it and its type as it was given, which may be any text."""

_TYPES: Final = (
    *("media_type", "mediaType", "mimeType", "mime_type", "format"),
    *("image_mimetype", "document_mimetype", "video_mimetype"),
)
_HOLDERS: Final = (
    *("source", "image_url", "input_audio", "file", "image", "document", "audio", "video"),
    *("inlineData", "inline_data", "fileData", "file_data"),
)
_URLS: Final = ("url", "image_url", "file_data", "data", "image")
_LONGEST: Final = 80  # characters of a type


def type_of(part: Any) -> str:
    """The media type that a part states, in a field or in a ``data:`` URL; empty without one."""
    try:
        places = [getter(part), *(getter(getter(part)(name)) for name in _HOLDERS)]
        for get in places:
            for name in _TYPES:
                if isinstance(value := get(name), str) and value:
                    return value[:_LONGEST]
        urls = (get(name) for get in places for name in _URLS)
        data = (url for url in urls if isinstance(url, str) and url.startswith("data:"))
        return next(data, "")[len("data:") :][:_LONGEST].partition(";")[0].partition(",")[0]
    except ValueError:  # of an object that guesses its type
        return ""


def only_media(weight: Weight) -> Media | None:
    """The media of a part that is nothing else, but for words that name it."""
    more = weight.values or weight.calls or weight.results or weight.reasoning or weight.hidden
    return weight.media[0] if len(weight.media) == 1 and not more else None


def swapped(parts: Sequence[Any], each: Callable[[Any], Any]) -> list[Any] | None:
    """Parts with ``each`` done to every one of them; None where that changes none."""
    made = [each(part) for part in parts]
    return None if all(one is two for one, two in zip(parts, made, strict=True)) else made


def with_swapped(message: Message, field: str, each: Callable[[Any], Any]) -> Message:
    """A shallow copy with ``each`` done to the parts in a field; itself where that changes none."""
    parts = getter(message)(field)
    made = swapped(parts, each) if isinstance(parts, (list, tuple)) else None
    return message if made is None else shallow(message, **{field: made})


def text_in_place(part: Any, text: str) -> dict[str, Any]:
    """A text part that keeps the cache marker of the part that it stands for."""
    made: dict[str, Any] = {"type": "text", "text": text}
    marker = getter(part)("cache_control")
    return made if marker is None else {**made, "cache_control": marker}


def is_cited(part: Any) -> bool:
    """Whether answers may cite a document by its number, so that it must stay."""
    return bool(getter(getter(part)("citations"))("enabled"))
