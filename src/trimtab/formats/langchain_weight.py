"""What a LangChain message costs, whatever provider's content blocks it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from .base import HUMAN, MODEL, SYSTEM, Message
from .content import as_data, as_text, data_in, kind_of, listed
from .langchain_calls import BLOCKS, calls_of, legacy_of
from .objects import getter
from .weight import Call, Media, Weight

_WORDS: Final = {HUMAN: "user", MODEL: "assistant", SYSTEM: "system", "function": "function"}
_MEDIA: Final = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "file": "document",
    "input_file": "document",
    "document": "document",
}
_TEXTS: Final = frozenset({"text", "text-plain", "input_text", "output_text", "refusal"})
_FREE_KEYS: Final = frozenset(
    {"type", "id", "index", "tool_use_id", "tool_call_id", "cache_control", "encrypted_content"}
)


def weigh_message(message: Message, role: str) -> Weight:
    """What of a message costs tokens; metadata and artifacts are not sent."""
    get = getter(message)
    weight = Weight(_WORDS.get(role, "tool"))
    if (name := as_text(get("name"))) and weight.role != "tool":
        weight.name = name
    weigh_content(get("content"), weight)
    extra = getter(get("additional_kwargs"))
    if isinstance(refusal := extra("refusal"), str):
        weight.texts.append(refusal)
    if isinstance(thought := extra("reasoning_content"), str):
        weight.reasoning += (thought,)
    if role == MODEL:
        weight.calls = tuple(_call(c.name, c.arguments) for c in calls_of(message))
        if legacy := legacy_of(message):
            call = getter(legacy)
            weight.calls = (_call(as_text(call("name")), call("arguments")),)
    return weight


def weigh_content(content: Any, weight: Weight) -> None:
    """Weigh a text or a list of content blocks; calls are weighed elsewhere."""
    if isinstance(content, str):
        weight.texts.append(content)
        return
    for part in listed(content):
        if isinstance(part, str):
            weight.texts.append(part)
        else:
            _weigh_block(part, kind_of(part), weight)


def _weigh_block(block: Any, kind: str, weight: Weight) -> None:
    get = getter(block)
    if kind in _TEXTS:
        weight.texts.append(as_text(get("text") or get("refusal")))
    elif kind == "document" and getter(get("source"))("type") in ("text", "content"):
        weigh_content(getter(get("source"))("data") or getter(get("source"))("content"), weight)
    elif kind in _MEDIA or kind == "media":
        mime = as_text(get("mime_type")).partition("/")[0]
        sort = _MEDIA.get(kind) or (mime if mime in _MEDIA else "document")
        weight.media += (Media(sort, _data(get), _detail(get)),)
    elif kind in ("thinking", "reasoning", "reasoning_content"):
        _weigh_reasoning(get, weight)
    elif kind == "redacted_thinking":
        weight.hidden += len(as_text(get("data")))
    elif kind not in BLOCKS:
        weight.values += (_costly(block),)


def _weigh_reasoning(get: Callable[[str], Any], weight: Weight) -> None:
    texts = [as_text(get("thinking")) or as_text(get("reasoning"))]
    texts += [as_text(getter(part)("text")) for part in listed(get("summary"))]
    texts += [as_text(getter(get("reasoning_content"))("text"))]
    weight.reasoning += tuple(text for text in texts if text)
    if not any(texts):
        weight.hidden += len(as_text(get("encrypted_content")))


def _call(name: str, arguments: Any) -> Call:
    return Call(name, "" if arguments is None else arguments)


def _costly(block: Any) -> Any:
    """A block of unknown kind without the keys that cost nothing."""
    if not isinstance(block, Mapping):
        return block
    fields: Iterable[tuple[Any, Any]] = block.items()
    return {key: value for key, value in fields if key not in _FREE_KEYS}


def _data(get: Callable[[str], Any]) -> str | bytes:
    """The data of a block of media: standard blocks of either version, or a provider's own."""
    sound, source = getter(get("input_audio")), getter(get("source"))
    for value in (get("base64"), get("data"), source("data"), sound("data")):
        if data := as_data(value):
            return data
    inner = get("image_url") or get("file") or get("url")
    own = getter(inner)
    return data_in(inner if isinstance(inner, str) else own("url") or own("file_data"))


def _detail(get: Callable[[str], Any]) -> str:
    given = get("detail") or getter(get("image_url"))("detail")
    return given if isinstance(given, str) else "auto"
