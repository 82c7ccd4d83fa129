"""OpenAI Chat Completions: dicts and SDK objects.

Rules: a call is ``assistant.tool_calls[].id`` and its answer ``role: "tool"`` with the
same ``tool_call_id``; answers stand directly after the assistant message, in any
order. A legacy ``function_call`` has no id: the next ``role: "function"`` message of
the same name answers it. No rule for the first message; system and developer messages
may stand anywhere but between a call and its answers. Ids may repeat in later turns.
Source: OpenAI's API reference and the API's own error texts, see ``docs/faults.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .base import Body, Drop, Facts, Message, malformed, unknown_role
from .binding import REMOVED
from .content import as_text, data_in, is_blank, is_foreign, kind_of, listed, removed_text
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS, answering, calling, legacy_id
from .inputs import with_cleared
from .media import Say, text_in_place, type_of
from .objects import getter, shallow
from .results import ResultMessages
from .weight import Call, Media, Weight

_CONTENT: Final = (str, list, tuple, type(None))
_PLAIN: Final[Mapping[Any, Facts]] = {
    "user": HUMAN_WORDS,
    "system": SYSTEM_WORDS,
    "developer": SYSTEM_WORDS,
}
_SAYS: Final = ("content", "refusal", "audio")
_MEDIA: Final = frozenset({"image_url", "input_audio", "file", "document_url"})
_THOUGHTS: Final = ("reasoning_content", "reasoning", "reasoning_details")
_THINKING: Final = ("thinking", "reasoning")  # content parts of Mistral's and of some servers
_OWN_ROLES: Final = frozenset({"tool", "function"})
_OWN_PARTS: Final = frozenset({"image_url", "input_audio", "refusal", "file"})


def _is_own(part: Any) -> bool:
    """Whether only this format has such a part; a client's own ``file`` has no file in it."""
    kind = kind_of(part)
    return kind in _OWN_PARTS and (kind != "file" or getter(part)("file") is not None)


class OpenAIChat(ResultMessages):
    """See the module."""

    name = "openai-chat"
    maker = "openai"
    framing = "chatml"

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        role = get("role")
        if get("type") == "message":  # an item of OpenAI Responses
            return None
        parts = listed(get("content"))
        if any(map(is_foreign, parts)):
            return None
        if isinstance(role, str) and role in _OWN_ROLES:
            return f"a message of role {role}"
        if get("tool_calls") or get("function_call"):
            return "a message with tool_calls or function_call"
        if own := {kind_of(part) for part in parts if _is_own(part)}:
            return f"a content part of type {min(own)}"
        return None

    def read(self, message: Message) -> Facts:
        get = message.get if type(message) is dict else getter(message)
        role, content = get("role"), get("content")
        if type(content) is not str and not isinstance(content, _CONTENT):
            return malformed("the content is neither text nor a list of parts")
        if role == "assistant":
            calls = get("tool_calls")
            return _read_calls(calls) if calls else _read_legacy(get("function_call"))
        if role == "tool":
            return answering(get("tool_call_id"))
        if role == "function":
            return answering(legacy_id(get("name")))
        plain = _PLAIN.get(role) if isinstance(role, str) else None
        return unknown_role(role) if plain is None else plain

    def weigh(self, message: Message) -> Weight:
        if type(message) is dict and len(message) == 2 and type(message.get("content")) is str:
            return Weight(str(message.get("role")), [message["content"]])
        get = getter(message)
        weight = Weight(str(get("role")))
        if name := as_text(get("name")):
            weight.name = name
        _weigh_content(get("content"), weight)
        if isinstance(refusal := get("refusal"), str):
            weight.texts.append(refusal)
        if isinstance(reasoning := get("reasoning_content"), str):
            weight.reasoning = (reasoning,)
        if spoken := get("audio"):
            weight.media += (Media("audio", _sound(spoken)),)
        if calls := listed(get("tool_calls")):
            weight.calls = tuple(_call(getter(call)) for call in calls)
        if legacy := get("function_call"):
            weight.calls += (_function(getter(legacy)),)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        _weigh_content(system, weight)
        return weight

    def without(self, message: Message, drop: Drop) -> Message | None:
        if "answer" in drop:
            return None
        get = getter(message)
        calls = listed(get("tool_calls"))
        left = [call for at, call in enumerate(calls) if at not in drop.get("call", ())]
        if left:
            return shallow(message, tool_calls=left)
        if not any(map(get, _SAYS)):
            return None
        field = "tool_calls" if calls else "function_call"
        if isinstance(message, Mapping):
            return {name: value for name, value in message.items() if name != field}
        return shallow(message, **{field: None})

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        get = getter(message)
        calls = list(listed(get("tool_calls")))
        if not calls:
            legacy = with_cleared(get("function_call"), said, "arguments")
            return shallow(message, function_call=legacy)
        inner = next(name for name in ("function", "custom") if getter(calls[call])(name))
        made = with_cleared(getter(calls[call])(inner), said, "arguments", "input")
        calls[call] = shallow(calls[call], **{inner: made})
        return shallow(message, tool_calls=calls)

    def without_media_of(self, part: Any, say: Say) -> Any:
        if kind_of(part) not in _MEDIA:
            return part
        weight = Weight("user")
        _weigh_part(part, weight)
        return text_in_place(part, say(weight.media[0], type_of(part)))

    def without_old_reasoning(self, message: Message) -> Message:
        """Without the reasoning of a reply that calls nothing: DeepSeek wants that of calls back.

        Source: DeepSeek's guide on thinking mode; Mistral's chunks are taken alike.
        """
        get = getter(message)
        if get("role") != "assistant" or get("tool_calls") or get("function_call"):
            return message
        parts = listed(get("content"))
        left = [part for part in parts if kind_of(part) not in _THINKING]
        gone = [name for name in _THOUGHTS if get(name)]
        if not gone and len(left) == len(parts):
            return message
        fields: dict[str, Any] = {}
        if parts and len(left) < len(parts):
            fields["content"] = left or [removed_text()]
        elif not parts and is_blank(get("content")) and not any(map(get, _SAYS[1:])):
            fields["content"] = REMOVED
        if not isinstance(message, Mapping):
            return shallow(message, **fields, **dict.fromkeys(gone))
        return {name: value for name, value in message.items() if name not in gone} | fields

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        get = getter(message)
        if not get("tool_calls"):
            name = getter(get("function_call"))("name")
            return [{"role": "function", "name": name, "content": text}]
        ids = [getter(get("tool_calls")[i])("id") for i in calls]
        return [{"role": "tool", "tool_call_id": id, "content": text} for id in ids]

    def body(self, request: Mapping[str, Any]) -> Body:
        output = request.get("max_completion_tokens") or request.get("max_tokens")
        tools = request.get("tools") or request.get("functions")
        shape = request.get("response_format")
        choice = request.get("tool_choice") or request.get("function_call")
        thinking = _thinks(request.get("reasoning"))
        return Body(request["messages"], None, tools, output, shape, choice, thinking)


def _thinks(reasoning: Any) -> bool:
    """Whether OpenRouter's switch asks for thinking."""
    get = getter(reasoning)
    return bool(reasoning) and get("enabled") is not False and get("effort") != "none"


def _read_calls(calls: Any) -> Facts:
    try:
        return calling([call["id"] for call in calls])
    except (TypeError, KeyError):  # SDK objects, or junk
        if not isinstance(calls, (list, tuple)):
            return malformed("tool_calls is no list")
        return calling([getter(call)("id") for call in calls])


def _read_legacy(call: Any) -> Facts:
    return calling([legacy_id(getter(call)("name"))]) if call else MODEL_WORDS


def _weigh_content(content: Any, weight: Weight) -> None:
    if isinstance(content, str):
        weight.texts.append(content)
        return
    for part in listed(content):
        _weigh_part(part, weight)


def _weigh_part(part: Any, weight: Weight) -> None:
    if isinstance(part, str):
        weight.texts.append(part)
        return
    get = getter(part)
    kind = kind_of(part)
    if kind in ("text", "refusal", "input_text", "output_text"):
        weight.texts.append(as_text(get("text") or get("refusal")))
    elif kind == "image_url":
        source = get("image_url")
        url = source if isinstance(source, str) else getter(source)("url")
        detail = None if isinstance(source, str) else getter(source)("detail")
        weight.media += (Media("image", data_in(url), as_text(detail) or "auto"),)
    elif kind == "input_audio":
        weight.media += (Media("audio", _sound(get("input_audio"))),)
    elif kind in ("file", "document_url"):
        file = getter(get("file"))("file_data")
        weight.media += (Media("document", data_in(file)),)
    else:
        weight.values += (part,)


def _sound(audio: Any) -> str:
    """The data of a sound; a reply that is sent back has its id alone."""
    return as_text(getter(audio)("data"))


def _call(get: Any) -> Call:
    inner = get("function") or get("custom")
    return _function(get if inner is None else getter(inner))


def _function(get: Any) -> Call:
    arguments = get("arguments") if get("arguments") is not None else get("input")
    return Call(as_text(get("name")), "" if arguments is None else arguments)
