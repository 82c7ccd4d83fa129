"""The parts of AI SDK messages: outputs of tools, and what all parts cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from .base import getter, shallow
from .content import as_data, as_text, kind_of, listed, part_text, with_texts
from .weight import Call, Media, Weight

_TEXT_OUTPUTS: Final = ("text", "error-text")
_SORTS: Final = frozenset({"image", "audio", "video"})
_FREE: Final = frozenset({"source", "tool-approval-request", "tool-approval-response"})


def is_bound(part: Any) -> bool:
    """Whether a part is Claude's reasoning, by its own API or by Bedrock's."""
    get = getter(part)
    about = getter(get("providerOptions") or get("providerMetadata"))
    claude = about("anthropic") or about("bedrock")
    return kind_of(part) == "reasoning" and claude is not None


def output_texts(part: Any) -> list[str]:
    """The texts of a tool result that may be shortened."""
    _, value = _output(part)
    if isinstance(value, str):
        return [value]
    return [part_text(item) for item in listed(value)]


def with_output_texts(part: Any, texts: Sequence[str]) -> Any:
    """A shallow copy of a tool result with other texts."""
    field, value = _output(part)
    if not texts or not isinstance(value, (str, list, tuple)):
        return part
    made = with_texts(value, texts)
    if isinstance(value, (list, tuple)) and made == "":
        made = []
    if field == "value":
        return shallow(part, output=shallow(getter(part)("output"), value=made))
    return shallow(part, **{field: made})


def only_output_text(part: Any, at: int, text: str) -> Any:
    """A tool result that holds nothing but ``text`` in the place of one of its texts."""
    texts = [""] * len(output_texts(part))
    texts[at] = text
    return with_output_texts(part, texts)


def _output(part: Any) -> tuple[str, Any]:
    """The field that holds what may be shortened of a result, and its value.

    A ``json`` output stays as it is: half of it would be none.
    """
    get = getter(part)
    output = get("output")
    if output is None:
        return "result", get("result")
    if isinstance(output, str):  # of a UI message
        return "output", output
    kind, value = kind_of(output), getter(output)("value")
    whole = kind in _TEXT_OUTPUTS or kind == "content"
    return "value", value if whole else None


def weigh_parts(content: Any, weight: Weight) -> None:
    """Weigh a text or the parts of a message."""
    if isinstance(content, str):
        weight.texts.append(content)
        return
    for part in listed(content):
        weigh_part(part, kind_of(part), weight)


def weigh_part(part: Any, kind: str, weight: Weight) -> None:
    """Weigh one part of a model message."""
    get = getter(part)
    if isinstance(part, str) or kind == "text":
        weight.texts.append(part_text(part))
    elif kind == "reasoning":
        weight.reasoning += (part_text(part) or as_text(get("reasoning")),)
    elif kind == "tool-call":
        asked = get("args") if get("input") is None else get("input")
        weight.calls += (call_of(get("toolName"), asked),)
    elif kind == "tool-result":
        weight.results += (weigh_result(part),)
    elif kind in ("image", "file", "media", "image-data", "file-data", "image-url", "file-url"):
        weight.media += (_media(kind, get),)
    elif kind not in _FREE:
        weight.values += (part,)


def call_of(name: Any, asked: Any) -> Call:
    """A call; what it was asked may still be missing."""
    return Call(as_text(name), "" if asked is None else asked)


def weigh_result(part: Any) -> Weight:
    """What a tool result costs."""
    weight = Weight("tool")
    get = getter(part)
    output = get("result") if get("output") is None else get("output")
    kind = kind_of(output)
    value = getter(output)("value")
    if isinstance(output, str):
        weight.texts.append(output)
    elif kind in _TEXT_OUTPUTS:
        weight.texts.append(as_text(value))
    elif kind == "content":
        weigh_parts(value, weight)
    elif kind == "execution-denied":
        weight.texts.append(as_text(getter(output)("reason")))
    elif output is not None:
        weight.values += (value if kind in ("json", "error-json") else output,)
    return weight


def _media(kind: str, get: Callable[[str], Any]) -> Media:
    given = get("image") if get("data") is None else get("data")
    given = get("url") if given is None else given
    mime = as_text(get("mediaType") or get("mimeType")).partition("/")[0]
    sort = mime if mime in _SORTS else "image" if kind.startswith("image") else "document"
    if isinstance(given, str) and (given.startswith(("http://", "https://", "data:"))):
        given = given.partition(",")[2] if given.startswith("data:") else ""
    return Media(sort, as_data(given))
