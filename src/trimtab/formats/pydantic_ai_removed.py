"""What of a pydantic-ai message may go: media, and the reasoning of earlier turns."""

from __future__ import annotations

from typing import Any, Final

from .content import as_text
from .media import Say, only_media, swapped, type_of
from .objects import getter, shallow
from .packages import package
from .pydantic_ai_weight import part_kind, weigh_content
from .weight import Weight

_HOLDERS: Final = frozenset({"user-prompt", "tool-return"})
_SIGNING: Final = ("anthropic", "bedrock", "google")
_ITEM: Final = "rs_"  # an item of OpenAI's, which the next one needs


def may_go(part: Any, *, calls: bool) -> bool:
    """Whether reasoning may go once its turn is over, in a response with or without ``calls``.

    That of Claude and of Gemini may; an item of OpenAI's and what is encrypted may not; the
    rest may be DeepSeek's, who wants that of calls back.
    """
    get = getter(part)
    if as_text(get("provider_name")).startswith(_SIGNING):
        return True
    return not (calls or get("signature") or as_text(get("id")).startswith(_ITEM))


def without_media_of(part: Any, say: Say) -> Any:
    """A part in which texts stand for its media; a generated file gives way to a text."""
    content = getter(part)("content")
    if part_kind(part) == "file":
        own = getter(part)("id") or getter(part)("provider_details")
        text = None if own else _said(content, say)
        return part if text is None else package("pydantic_ai.messages").TextPart(content=text)
    if part_kind(part) not in _HOLDERS or isinstance(content, str):
        return part
    if not isinstance(content, (list, tuple)):
        text = _said(content, say)
        return part if text is None else shallow(part, content=text)
    made = swapped(content, lambda item: _said(item, say) or item)
    return part if made is None else shallow(part, content=made)


def _said(item: Any, say: Say) -> str | None:
    """The text that stands for an item of content, None where that is no media."""
    if isinstance(item, str) or not isinstance(getter(item)("kind"), str):
        return None
    weight = Weight("user")
    weigh_content(item, weight)
    media = only_media(weight)
    return None if media is None or weight.texts else say(media, type_of(item))
