"""Vercel AI SDK: ``UIMessage`` as JSON, of versions 4 to 6.

Rules: one part of an assistant message (``tool-<name>``, ``dynamic-tool``, or
``tool-invocation`` of version 4) holds a call and its output, so every message is whole by
itself. A part that is still without output is a call that waits, which only the newest
message may hold. Sources, ``data-*`` parts, ``step-start`` and metadata are not sent to a
model and cost nothing. Source: the types of ``ai`` 6.0 and its ``convertToModelMessages``,
whose error for a missing output is ``AI_MissingToolResultsError``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .base import MODEL, Body, Facts, Input, Message, malformed, unknown_role
from .binding import CLAUDE
from .content import as_text, freed_of, is_id, kind_of, listed, removed_text
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS
from .inputs import cleared_arguments
from .media import Say
from .objects import getter, shallow
from .results import ResultBlocks
from .vercel_parts import (
    call_of,
    cleared_output,
    is_bound,
    is_signed,
    weigh_part,
    without_media_of,
    without_old,
)
from .weight import Weight

_OLD: Final = "tool-invocation"
_DONE: Final = frozenset({"output-available", "output-error", "output-denied", "result"})
_UNSENT: Final = ("source-", "data-", "step-start")


class VercelUI(ResultBlocks):
    """See the module."""

    name = "vercel-ui"
    field = "parts"
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        parts = listed(get("parts"))
        typed = bool(parts) and all(kind_of(part) for part in parts)
        return "a message with typed parts" if typed and get("role") else None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        role, parts = get("role"), get("parts")
        if not isinstance(parts, (list, tuple)):
            return malformed("the message has no list of parts")
        if role == "assistant":
            ids = tuple(_tool(part)("toolCallId") for part in filter(_waits, parts))
            if not all(map(is_id, ids)):
                return malformed("a tool part without a toolCallId")
            thought = any(kind_of(part) == "reasoning" for part in parts)
            return Facts(MODEL, ids, thought=thought) if ids or thought else MODEL_WORDS
        if role == "user":
            return HUMAN_WORDS
        return SYSTEM_WORDS if role == "system" else unknown_role(role)

    def weigh(self, message: Message) -> Weight:
        get = getter(message)
        weight = Weight(str(get("role")))
        for part in listed(get("parts")):
            kind = kind_of(part)
            if _is_tool(part):
                _weigh_tool(part, weight)
            elif not kind.startswith(_UNSENT):
                weigh_part(part, kind, weight)
        return weight

    def part(self, block: Any, role: str) -> str:
        return "call" if _waits(block) else "answer" if _done(block) else ""

    def parts_of(self, block: Any) -> Sequence[Any]:
        said = _bare_field(block)
        return () if said is None else (getter(_bare(block))(said),)

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        said = _bare_field(block)
        if said is None:
            return block
        return _with_bare(block, shallow(_bare(block), **{said: parts[0]}))

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        return self.with_parts_of(block, [text])

    def cleared_of(self, block: Any, text: str) -> Any:
        if _state(_tool(block)) == "output-error":
            return shallow(block, errorText=text)
        return _with_bare(block, cleared_output(_bare(block), text))

    def failed_of(self, block: Any) -> bool:
        return _state(_tool(block)) == "output-error"

    def name_of(self, block: Any) -> str:
        return str(_tool(block)("toolName") or kind_of(block).removeprefix("tool-"))

    def answered(self, message: Message) -> list[tuple[str, str]]:
        done = self.of_part(message, "answer")
        return [(as_text(_tool(part)("toolCallId")), self.name_of(part)) for part in done]

    def inputs(self, message: Message) -> list[Input]:
        """Those of the calls that are done: each holds its own output."""
        done = self.of_part(message, "answer")
        pairs = zip(self.answered(message), done, strict=True)
        return [Input(*about, _tool(part)(_asked(part))) for about, part in pairs]

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        parts, place = list(self.blocks(message)), self.places(message, "answer")[call]
        part, field = parts[place], _asked(parts[place])
        given = _tool(part)(field)
        if given is None or is_signed(_as_called(part)):
            return message
        made = shallow(_bare(part), **{field: cleared_arguments(given, said)})
        parts[place] = _with_bare(part, made)
        return self.with_blocks(message, parts)

    def without_media_of(self, block: Any, say: Say) -> Any:
        return without_media_of(block, say) if kind_of(block) == "file" else block

    def without_old_reasoning(self, message: Message) -> Message:
        parts = self.blocks(message)
        left = without_old(parts, calls=any(map(_is_tool, parts)))
        return message if left is None else self.with_blocks(message, left or [removed_text()])

    def silent(self, block: Any) -> bool:
        return kind_of(block).startswith(("reasoning", *_UNSENT))

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "parts", is_bound, removed_text)

    def closed(self, message: Message, calls: Sequence[int], text: str) -> Message:
        parts, waiting = list(self.blocks(message)), self.places(message, "call")
        for at in calls:
            parts[waiting[at]] = _closed(parts[waiting[at]], text)
        return self.with_blocks(message, parts)

    def human(self, text: str) -> Message:
        return {"id": "trimtab", "role": "user", "parts": [{"type": "text", "text": text}]}

    def body(self, request: Mapping[str, Any]) -> Body:
        """What ``useChat`` posts."""
        return Body(request["messages"], request.get("system"), None, None)


def _is_tool(part: Any) -> bool:
    kind = kind_of(part)
    return kind == "dynamic-tool" or kind.startswith("tool-")


def _tool(part: Any) -> Callable[[str], Any]:
    """The fields of a tool part; version 4 has them in an object of their own."""
    return getter(getter(part)("toolInvocation") if kind_of(part) == _OLD else part)


def _waits(part: Any) -> bool:
    """Whether a part is a call without its output; what the provider runs is its own affair."""
    if not _is_tool(part):
        return False
    get = _tool(part)
    return _state(get) not in _DONE and not get("providerExecuted")


def _asked(part: Any) -> str:
    """The field that holds the arguments of a tool part."""
    return "args" if _tool(part)("input") is None else "input"


def _as_called(part: Any) -> dict[str, Any]:
    """A tool part as the model part of its call, of which the SDK keeps the metadata."""
    about = getter(part)("callProviderMetadata") or getter(part)("providerMetadata")
    return {"providerOptions": about}


def _done(part: Any) -> bool:
    return _is_tool(part) and _state(_tool(part)) in _DONE


def _state(get: Callable[[str], Any]) -> str:
    return as_text(get("state"))


def _bare(part: Any) -> Any:
    """What holds the output of a tool part."""
    return getter(part)("toolInvocation") if kind_of(part) == _OLD else part


def _bare_field(part: Any) -> str | None:
    """Where the output of a tool part stands, None where it has none."""
    get = _tool(part)
    if _state(get) == "output-error":
        return None if get("errorText") is None else "errorText"
    return next((name for name in ("result", "output") if get(name) is not None), None)


def _with_bare(part: Any, bare: Any) -> Any:
    return shallow(part, toolInvocation=bare) if kind_of(part) == _OLD else bare


def _closed(part: Any, text: str) -> Any:
    if kind_of(part) == _OLD:
        invocation = shallow(_bare(part), state="result", result=text)
        return shallow(part, toolInvocation=invocation)
    return shallow(part, state="output-error", errorText=text)


def _weigh_tool(part: Any, weight: Weight) -> None:
    get, kind = _tool(part), kind_of(part)
    name = as_text(get("toolName")) or kind.removeprefix("tool-")
    weight.calls += (call_of(name, get("args") if get("input") is None else get("input")),)
    if _state(get) not in _DONE:
        return
    said = get("output") if get("result") is None else get("result")
    if _state(get) == "output-error":
        said = get("errorText")
    result = Weight("tool")
    if isinstance(said, str):
        result.texts.append(said)
    elif said is not None:
        result.values += (said,)
    weight.results += (result,)
