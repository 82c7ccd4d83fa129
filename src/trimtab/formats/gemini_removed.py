"""What of a Gemini content may go: media, and the thoughts of earlier turns.

The API checks signatures from the newest user content on that is no function response; those
of earlier turns may go, with the thoughts (Gemini API, thought signatures, November 2026).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .base import Message
from .binding import REMOVED
from .content import like, listed
from .gemini_parts import ANSWER, parts_of, spelled, with_fields, with_response
from .gemini_weight import weigh_parts
from .media import Say, only_media, type_of
from .objects import getter, shallow
from .weight import Media, Weight

_SIGNATURES: Final = ("thoughtSignature", "thought_signature")
_DEPTH: Final = 32


def without_thoughts(message: Message) -> Message:
    """A shallow copy of a model content without thoughts and signatures; itself without any."""
    parts = parts_of(message) or ()
    left = [_unsigned(part) for part in parts if not getter(part)("thought")]
    if len(left) == len(parts) and all(a is b for a, b in zip(left, parts, strict=True)):
        return message
    first, own = next(iter(parts), {}), set(map(id, parts))
    left = [part for part in left if id(part) in own or getter(part)("text") != ""]
    return shallow(message, parts=left or [like(first, {"text": REMOVED})])


def _unsigned(part: Any) -> Any:
    get = getter(part)
    gone = [name for name in _SIGNATURES if get(name) is not None]
    return with_fields(part, **dict.fromkeys(gone)) if gone else part


def without_media_of(part: Any, say: Say) -> Any:
    """What stands for a part that is media, or for those of a function response."""
    if (answer := spelled(part, ANSWER)) is not None:
        return _without_parts(part, getter(answer), say)
    kept = getter(part)("thought") or spelled(part, "thoughtSignature") is not None
    media = None if kept else _media(part)
    return part if media is None else like(part, {"text": say(media, type_of(part))})


def _without_parts(part: Any, get: Any, say: Say) -> Any:
    """The parts of a function response are media alone: words for them go beside its result."""
    own, response = listed(get("parts")), get("response")
    if not isinstance(response, Mapping) or _refers(response, _DEPTH):
        return part
    found = [(media, type_of(item)) for item in own if (media := _media(item)) is not None]
    if not own or len(found) < len(own):
        return part
    said = [say(*one) for one in found]
    key = "removed"
    while key in response:
        key += "_"
    return with_response(part, {**response, key: said[0] if len(said) == 1 else said}, parts=None)


def _refers(value: Any, depth: int) -> bool:
    """Whether a response names some of its parts, or nests too deep to tell."""
    if isinstance(value, Mapping):
        return not depth or "$ref" in value or any(_refers(v, depth - 1) for v in value.values())
    nested = isinstance(value, (list, tuple))
    return nested and (not depth or any(_refers(item, depth - 1) for item in value))


def _media(part: Any) -> Media | None:
    if spelled(part, "inlineData") is None and spelled(part, "fileData") is None:
        return None
    weight = Weight("user")
    weigh_parts([part], weight)
    return only_media(weight)
