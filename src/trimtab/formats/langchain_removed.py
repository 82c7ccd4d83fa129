"""What of a LangChain message may go: media, and the reasoning of earlier turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .base import Message
from .binding import REMOVED
from .content import is_blank, kind_of, listed, removed_text
from .langchain_calls import calls_of, legacy_of
from .langchain_weight import weigh_content
from .media import Say, is_cited, only_media, text_in_place, type_of
from .objects import getter, shallow
from .weight import Weight

THINKING: Final = ("thinking", "redacted_thinking")  # what a tool loop must begin with
REASONING: Final = frozenset({*THINKING, "reasoning", "reasoning_content"})
_FIELD: Final = "reasoning_content"  # of ``additional_kwargs``


def without_old_reasoning(message: Message) -> Message:
    """A reply without reasoning: Claude's, Gemini's, and where it calls nothing DeepSeek's.

    An item of OpenAI's must stay before the next one, and what is encrypted is such an item.
    """
    get = getter(message)
    content, extra = get("content"), get("additional_kwargs")
    parts = listed(content)
    left = [part for part in parts if kind_of(part) not in REASONING]
    thoughts = [part for part in parts if kind_of(part) in REASONING]
    spoken = getter(extra)(_FIELD) is not None
    calls = bool(calls_of(message)) or legacy_of(message) is not None
    plain = [part for part in thoughts if kind_of(part) == "reasoning"]
    if not (spoken or thoughts) or any(map(_is_item, plain)) or (calls and (spoken or plain)):
        return message
    fields: dict[str, Any] = {}
    if thoughts:
        fields["content"] = left or [removed_text()]
    elif is_blank(content) and not parts:
        fields["content"] = REMOVED
    if spoken and isinstance(extra, Mapping):
        kept = {name: value for name, value in extra.items() if name != _FIELD}
        fields["additional_kwargs"] = kept
    return shallow(message, **fields)


def without_media_of(part: Any, say: Say) -> Any:
    """What stands for a part that is media; one that is signed or cited stays."""
    if isinstance(part, str) or is_cited(part) or _is_signed(part):
        return part
    weight = Weight("user")
    weigh_content([part], weight)
    media = only_media(weight)
    if media is None or weight.texts:
        return part
    return text_in_place(part, say(media, type_of(part)))


def _is_item(part: Any) -> bool:
    get = getter(part)
    return any(get(name) is not None for name in ("id", "encrypted_content", "summary"))


def _is_signed(part: Any) -> bool:
    extras = getter(getter(part)("extras"))
    return any(value is not None for value in (getter(part)("signature"), extras("signature")))
