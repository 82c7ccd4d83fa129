"""Content that is a string or a list of parts, which several formats share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from .base import Message
from .binding import REMOVED
from .objects import getter, shallow

_FOREIGN: Final = ("toolCallId", "toolUseId", "approvalId", "mediaType", "mimeType", "image")


def as_text(value: Any) -> str:
    """A text as it is, an empty one for anything else: fields of junk may hold anything."""
    return value if isinstance(value, str) else ""


def as_data(value: Any) -> str | bytes:
    """Data in base64 or bytes as they are, nothing for anything else."""
    return value if isinstance(value, (str, bytes)) else ""


def data_in(url: Any) -> str:
    """The data within a ``data:`` URL, empty for any other."""
    return as_text(url).partition(",")[2] if as_text(url).startswith("data:") else ""


def kind_of(part: Any) -> str:
    """The type of a content part or block; empty where it has none."""
    return as_text(getter(part)("type"))


def listed(value: Any) -> Sequence[Any]:
    """A list as it is, nothing for anything else."""
    return value if isinstance(value, (list, tuple)) else ()


def is_id(value: Any) -> bool:
    """Whether a value can be the id of a call: a text with something in it."""
    return isinstance(value, str) and bool(value)


def part_text(part: Any) -> str:
    """The text of a content part, empty for parts that hold none."""
    if isinstance(part, str):
        return part
    return as_text(getter(part)("text"))


def texts_within(content: Any) -> list[str]:
    """The texts of content: its own, or one of each part."""
    return [content] if isinstance(content, str) else [part_text(part) for part in listed(content)]


def with_texts(content: Any, texts: Sequence[str]) -> Any:
    """``content`` with its texts replaced.

    Parts whose text is the same stay the same objects; parts that would lose all their
    text are left out, since no provider takes a text without anything in it.
    """
    if not isinstance(content, (list, tuple)):
        return texts[0]
    parts: list[Any] = []
    for part, text in zip(content, texts, strict=True):
        if part_text(part) == text:
            parts.append(part)
        elif text:
            parts.append(text if isinstance(part, str) else shallow(part, text=text))
    if not parts:
        return ""
    return type(content)(parts) if type(content) in (list, tuple) else parts


def only_part(content: Any, part: int, text: str) -> Any:
    """``content`` with nothing but ``text``, in place of one of its parts."""
    if not isinstance(content, (list, tuple)):
        return text
    own = content[part]
    return [text if isinstance(own, str) else shallow(own, text=text)]


def is_blank(text: Any) -> bool:
    """Whether a text is missing, empty or only white space."""
    return not isinstance(text, str) or not text or text.isspace()


def contents_joined(first: Any, second: Any) -> Any:
    """Two contents as one: texts with a blank line between them, else the parts of both."""
    if not first or not second:
        return first or second
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: Any) -> Sequence[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else listed(content)


def freed_of(
    message: Message, field: str, bound: Callable[[Any], bool], left: Callable[[], Any]
) -> Message:
    """A shallow copy without the bound parts of a field; itself where there are none.

    ``left`` makes the part that stands for them where there was nothing else.
    """
    parts = listed(getter(message)(field))
    kept = [part for part in parts if not bound(part)]
    return message if len(kept) == len(parts) else shallow(message, **{field: kept or [left()]})


def removed_text() -> dict[str, str]:
    """The text part that stands for reasoning where there was nothing else."""
    return {"type": "text", "text": REMOVED}


def like(original: Any, fields: dict[str, Any]) -> Any:
    """Something new of the type of a message or part: an SDK object, else a dict."""
    made = getattr(type(original), "model_validate", None)
    return made(fields) if callable(made) else fields


def is_foreign(part: Any) -> bool:
    """Whether a content part is written in the words of the AI SDK or of MCP."""
    if isinstance(part, str):
        return False
    get = getter(part)
    return any(get(name) is not None for name in _FOREIGN)
