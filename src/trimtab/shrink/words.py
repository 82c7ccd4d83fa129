"""What stands for what was removed: short, never empty, and of no untrusted text but tame names."""

from __future__ import annotations

import re
from typing import Final

from ..formats.weight import Media
from ..tokens.media.images import size_of
from ..tokens.media.raw import Raw

_WILD: Final = re.compile(r"[^A-Za-z0-9_.:/-]")
_LONGEST: Final = 64  # characters of a name
_TYPE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+/-]{0,60}")
_KINDS: Final = {"image": "An image", "document": "A document", "audio": "A sound"} | {
    "video": "A film"
}


def placeholder(name: str, size: int, handle: str = "") -> str:
    """What stands for a cleared result: its tool, its characters and its handle."""
    what = f"The result of {tame(name)}" if name else "This tool result"
    return f"[{what}, {size} characters, was removed to save room{_named(handle, ';')}.]"


def gone_input(size: int, handle: str = "") -> str:
    """What the arguments of a call say once they are cleared."""
    return f"{size} characters removed{_named(handle, ',')}"


def seen_again(handle: str = "") -> str:
    """What stands for a result of which the same text came again."""
    return f"[The same text came again in a later result{_named(handle, ';')}.]"


def gone_media(media: Media, type: str) -> str:
    """What stands for a picture, a sound, a film or a file: its type and its size in pixels."""
    about = [type] if _TYPE.fullmatch(type) else []
    if media.kind == "image" and (size := _pixels(media.data)):
        about.append(f"{size[0]}x{size[1]}")
    shown = f" ({', '.join(about)})" if about else ""
    return f"[{_KINDS.get(media.kind, 'A file')}{shown} was removed to save room.]"


def more(handle: str) -> str:
    """What the marker of an excerpt says beside what is gone; empty without a handle."""
    return _named(handle, ",")


def tame(name: str) -> str:
    """The name of a tool, which may be any text, as at most 64 plain characters."""
    return _WILD.sub("_", name[:_LONGEST])


def _named(handle: str, sign: str) -> str:
    return f"{sign} handle {handle}" if handle else ""


def _pixels(data: object) -> tuple[int, int] | None:
    return size_of(Raw(data)) if isinstance(data, (str, bytes)) and data else None
