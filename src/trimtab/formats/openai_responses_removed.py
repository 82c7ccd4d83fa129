"""What of an item of OpenAI Responses may go: media, and the arguments of calls."""

from __future__ import annotations

from typing import Any, Final

from .base import Message
from .content import kind_of
from .inputs import with_cleared
from .media import Say, type_of, with_swapped
from .objects import getter, shallow
from .openai_responses_output import NO_PICTURE
from .openai_responses_weight import weigh_content
from .weight import Media, Weight

_CALLS: Final = frozenset({"function_call", "custom_tool_call"})
_MEDIA: Final = frozenset({"input_image", "input_file", "input_audio"})
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_SCREENSHOT: Final = "computer_screenshot"
_PLACES: Final = ("image_url", "file_id")


def cleared_input(item: Message, said: str) -> Message:
    """A call with other arguments; itself where its type, or its program, wants its own."""
    if kind_of(item) not in _CALLS or getter(item)("caller") is not None:
        return item
    return with_cleared(item, said, "arguments", "input")


def without_media(item: Message, say: Say) -> Message:
    """A message or an output in which texts stand for media.

    The output of a computer call must be a picture: a single dot stands for it.
    """
    kind = kind_of(item)
    if kind == "computer_call_output":
        return _without_screenshot(item)
    field = "output" if kind in _OUTPUTS else "content" if kind in ("", "message") else ""
    return with_swapped(item, field, lambda part: _said(part, say)) if field else item


def _said(part: Any, say: Say) -> Any:
    if kind_of(part) not in _MEDIA:
        return part
    weight = Weight("user")
    weigh_content([part], weight)
    media: Media = weight.media[0]
    return {"type": "input_text", "text": say(media, type_of(part))}


def _without_screenshot(item: Message) -> Message:
    output = getter(item)("output")
    get = getter(output)
    if kind_of(output) != _SCREENSHOT or get("image_url") == NO_PICTURE:
        return item
    gone = {name: None for name in _PLACES if get(name) is not None}
    return shallow(item, output=_replaced(output, {**gone, "image_url": NO_PICTURE}))


def _replaced(value: Any, fields: dict[str, Any]) -> Any:
    made = shallow(value, **fields)
    if not isinstance(made, dict):
        return made
    return {name: field for name, field in made.items() if field is not None or name not in fields}
