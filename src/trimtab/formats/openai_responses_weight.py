"""What the items of an OpenAI Responses input cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from .base import Message
from .content import as_text, data_in, kind_of, listed
from .objects import getter
from .weight import Call, Media, Weight

_CALLS: Final = frozenset({"function_call", "custom_tool_call", "mcp_call", "mcp_approval_request"})
_OUTPUT: Final = "_output"
# What was done, by the field that says it; what came of it is weighed as a result.
_RUN: Final[Mapping[str, str]] = {
    "code_interpreter_call": "code",
    "file_search_call": "queries",
    "image_generation_call": "revised_prompt",
    "tool_search_call": "arguments",
    "apply_patch_call": "operation",
    "program": "code",
}
_KNOWN: Final = frozenset({*_RUN, "web_search_call", "computer_call", "shell_call"}) | {
    "local_shell_call",
    "function_call_output",
    "custom_tool_call_output",
    "shell_call_output",
    "local_shell_call_output",
    "apply_patch_call_output",
    "computer_call_output",
    "tool_search_output",
    "program_output",
}
_SHOWN: Final = frozenset({"action", "actions", "output", "outputs", "result", "results", "tools"})
_FREE: Final = frozenset({"compaction_trigger"})
# Characters of encrypted content that hold no text: blobs of reasoning that was billed with no
# tokens have 770 to 1,120 (learned from 25 recorded replies, November 2026).
_ENVELOPE: Final = 800
_FREE_KEYS: Final = frozenset(
    {"type", "id", "call_id", "status", "encrypted_content", "fingerprint", "caller"}
)


def weigh_item(item: Message) -> Weight:
    """What of an item costs tokens; encrypted content counts by its length."""
    get, kind = getter(item), kind_of(item)
    if kind in ("", "message") and get("role") is not None:
        weight = Weight(str(get("role")))
        weigh_content(get("content"), weight)
        return weight
    if kind.endswith(_OUTPUT):
        weight = Weight("tool")
        _weigh_output(get, weight)
        _weigh_rest(kind, item, weight)
        return weight
    weight = Weight("assistant")
    if kind in _CALLS:
        arguments = get("input") if get("arguments") is None else get("arguments")
        weight.calls = (Call(_qualified(get), "" if arguments is None else arguments),)
        _add_result(weight, get("output"), get("error"))
    elif kind == "reasoning":
        _weigh_reasoning(get, weight)
    elif kind == "compaction":
        weight.hidden = _hidden(get)
    elif kind == "mcp_approval_response":
        weight.role = "user"
        weight.texts = [as_text(get("reason"))]
    elif kind in ("mcp_list_tools", "additional_tools"):
        weight.role = "developer"
        weight.values = tuple(listed(get("tools")))
    elif kind.endswith("_call") or kind in _RUN:
        _weigh_run(kind, get, weight)
        _weigh_rest(kind, item, weight)
    elif kind not in _FREE:
        weight.values = (_without_free_keys(item),)
    return weight


def weigh_content(content: Any, weight: Weight) -> None:
    """Weigh the text or the parts of a message, or of a tool result."""
    if isinstance(content, str):
        weight.texts.append(content)
        return
    for part in listed(content):
        _weigh_part(part, weight)


def _weigh_part(part: Any, weight: Weight) -> None:
    if isinstance(part, str):
        weight.texts.append(part)
        return
    get, kind = getter(part), kind_of(part)
    if kind in ("input_text", "output_text", "text", "summary_text", "reasoning_text"):
        weight.texts.append(as_text(get("text")))
    elif kind == "refusal":
        weight.texts.append(as_text(get("refusal")))
    elif kind in ("input_image", "computer_screenshot"):
        data = data_in(get("image_url"))
        weight.media += (Media("image", data, as_text(get("detail")) or "auto"),)
    elif kind == "input_file":
        weight.media += (Media("file", data_in(get("file_data"))),)
    elif kind == "input_audio":
        sound = getter(get("input_audio"))("data")
        weight.media += (Media("audio", as_text(sound)),)
    else:
        weight.values += (part,)


def _weigh_reasoning(get: Callable[[str], Any], weight: Weight) -> None:
    """Reasoning as text where it is at hand; a summary is not what the model reads."""
    texts = [as_text(getter(part)("text")) for part in listed(get("content"))]
    if not texts and not get("encrypted_content"):
        texts = [as_text(getter(part)("text")) for part in listed(get("summary"))]
    weight.reasoning = tuple(texts)
    weight.hidden = 0 if any(texts) else _hidden(get)


def _hidden(get: Callable[[str], Any]) -> int:
    return max(0, len(as_text(get("encrypted_content"))) - _ENVELOPE)


def _weigh_output(get: Callable[[str], Any], weight: Weight) -> None:
    output = get("output") if get("output") is not None else get("result")
    if isinstance(output, (str, list, tuple)):
        if any(kind_of(part) == "" and not isinstance(part, str) for part in listed(output)):
            for chunk in listed(output):  # of a shell
                weight.texts += [as_text(getter(chunk)("stdout")), as_text(getter(chunk)("stderr"))]
        else:
            weigh_content(output, weight)
    elif kind_of(output) == "computer_screenshot":
        _weigh_part(output, weight)
    elif output is not None:
        weight.values = (output,)
    weight.values += tuple(listed(get("tools")))


def _weigh_run(kind: str, get: Callable[[str], Any], weight: Weight) -> None:
    """A call that the provider or a shell runs: what was asked, and what came of it."""
    asked = get(_RUN[kind]) if kind in _RUN else get("action") or get("actions")
    weight.calls = (Call(kind.removesuffix("_call"), "" if asked is None else asked),)
    if kind == "image_generation_call":
        if picture := as_text(get("result")):
            weight.media = (Media("image", data_in(picture) or picture),)
        return
    _add_result(weight, *_parts(get("outputs")), *_parts(get("results")), get("output"))


def _weigh_rest(kind: str, item: Any, weight: Weight) -> None:
    """What a call or an output of a type that nobody knows holds beside the usual fields."""
    if kind in _KNOWN:
        return
    rest = _without_free_keys(item)
    if isinstance(rest, Mapping):
        fields: Iterable[tuple[Any, Any]] = rest.items()
        rest = {key: value for key, value in fields if key not in _SHOWN}
    if rest:
        weight.values += (rest,)


def _parts(values: Any) -> list[Any]:
    """The logs of a code run as text, its pictures as such, anything else as it is."""
    parts: list[Any] = []
    for value in listed(values):
        get = getter(value)
        if isinstance(text := get("logs") or get("text"), str):
            parts.append(text)
        elif kind_of(value) == "image":
            parts.append({"type": "input_image", "image_url": get("url")})
        else:
            parts.append(value)
    return parts


def _add_result(weight: Weight, *parts: Any) -> None:
    given = [part for part in parts if part]
    if given:
        result = Weight("tool")
        weigh_content(given, result)
        weight.results = (result,)


def _qualified(get: Callable[[str], Any]) -> str:
    name, space = as_text(get("name")), get("namespace") or get("server_label")
    return f"{space}.{name}" if isinstance(space, str) else name


def _without_free_keys(item: Any) -> Any:
    if hasattr(item, "model_dump"):
        item = item.model_dump(exclude_none=True)
    if not isinstance(item, Mapping):
        return item
    fields: Iterable[tuple[Any, Any]] = item.items()
    return {key: value for key, value in fields if key not in _FREE_KEYS}
