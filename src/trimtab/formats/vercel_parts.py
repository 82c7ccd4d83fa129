"""The parts of AI SDK messages: outputs of tools, and what all parts cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .content import as_data, as_text, kind_of, listed, part_text, with_texts
from .media import Say, swapped, type_of
from .objects import getter, shallow
from .weight import Call, Media, Weight

_TEXT_OUTPUTS: Final = ("text", "error-text")
_VALUES: Final = frozenset({*_TEXT_OUTPUTS, "json", "error-json"})
_SORTS: Final = frozenset({"image", "audio", "video"})
_MEDIA: Final = frozenset({"image", "file", "media", "image-data", "file-data"}) | {
    "image-url",
    "file-url",
}
_FREE: Final = frozenset({"source", "tool-approval-request", "tool-approval-response"})


def is_bound(part: Any) -> bool:
    """Whether a part is Claude's reasoning, by its own API or by Bedrock's."""
    get = getter(part)
    about = getter(get("providerOptions") or get("providerMetadata"))
    claude = about("anthropic") or about("bedrock")
    return kind_of(part) == "reasoning" and claude is not None


def is_signed(part: Any) -> bool:
    """Whether Gemini's signature covers a part, which then stays as it is."""
    about = getter(part)("providerOptions") or getter(part)("providerMetadata")
    values: list[Any] = list(about.values()) if isinstance(about, Mapping) else []
    return any(getter(value)("thoughtSignature") is not None for value in values)


def may_go(part: Any, *, calls: bool) -> bool:
    """Whether reasoning may go once its turn is over, in a message with or without ``calls``.

    That of Claude and of Gemini may, an item of OpenAI's may not, and what says nothing of
    its provider may be DeepSeek's, who wants that of calls back.
    """
    about = getter(getter(part)("providerOptions") or getter(part)("providerMetadata"))
    openai = about("openai") or about("azure")
    return is_bound(part) or is_signed(part) or not (calls or openai)


def without_old(parts: Sequence[Any], *, calls: bool) -> list[Any] | None:
    """Parts without all reasoning; None where there is none or some must stay."""
    thoughts = [part for part in parts if kind_of(part) == "reasoning"]
    if not thoughts or not all(may_go(part, calls=calls) for part in thoughts):
        return None
    return [part for part in parts if kind_of(part) != "reasoning"]


def without_media_of(part: Any, say: Say) -> Any:
    """What stands for a part that is media, or for those in a tool result."""
    if kind_of(part) == "tool-result":
        output = getter(part)("output")
        value = listed(getter(output)("value")) if kind_of(output) == "content" else ()
        made = swapped(value, lambda item: without_media_of(item, say))
        return part if made is None else shallow(part, output=shallow(output, value=made))
    if kind_of(part) not in _MEDIA or is_signed(part):
        return part
    media = _media(kind_of(part), getter(part))
    text: dict[str, Any] = {"type": "text", "text": say(media, type_of(part))}
    options = getter(part)("providerOptions")
    return text if options is None else {**text, "providerOptions": options}


def output_parts(part: Any) -> Sequence[Any]:
    """The texts of a tool result that may be made shorter, or the data that it is."""
    field, value = _output(part)
    if field == "texts":
        return [part_text(item) for item in listed(value)]
    return () if value is None else (value,)


def with_output_parts(part: Any, parts: Sequence[Any]) -> Any:
    """A shallow copy of a tool result with other texts or data."""
    field, value = _output(part)
    if not parts:
        return part
    if field == "result":
        return shallow(part, result=parts[0])
    if field == "output":
        return shallow(part, output=parts[0])
    made = (with_texts(value, parts) or []) if field == "texts" else parts[0]
    return shallow(part, output=shallow(getter(part)("output"), value=made))


def cleared_output(part: Any, text: str) -> Any:
    """A tool result of which all is a text; an error stays one."""
    field, _ = _output(part)
    if field in ("result", "output"):
        return shallow(part, **{field: text})
    failed = kind_of(getter(part)("output")).startswith("error")
    return shallow(part, output={"type": "error-text" if failed else "text", "value": text})


def failed_output(part: Any) -> bool:
    """Whether a tool result says that it is an error."""
    get = getter(part)
    return kind_of(get("output")).startswith("error") or bool(get("isError"))


def only_output_part(part: Any, at: int, made: Any) -> Any:
    """A tool result that holds nothing but a text, or data, in the place of one of its parts."""
    parts: list[Any] = [""] * len(output_parts(part))
    parts[at] = made
    return with_output_parts(part, parts)


def _output(part: Any) -> tuple[str, Any]:
    """Where that stands of a result which may be made shorter, and what it is.

    ``texts``: it is the value of an output that has parts.
    """
    get = getter(part)
    output = get("output")
    if output is None:
        return "result", get("result")
    if isinstance(output, str):  # as nobody should write it
        return "output", output
    kind, value = kind_of(output), getter(output)("value")
    if kind == "content":
        return "texts", value
    return "value", value if kind in _VALUES else None


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
    elif kind in _MEDIA:
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
