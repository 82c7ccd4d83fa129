"""OpenAI Agents SDK: run items, which wrap items of OpenAI Responses.

Rules: those of ``openai-responses``, for what stands in ``raw_item``; input items, which are
such items themselves, may stand between them. A ``ToolApprovalItem`` is never sent: it costs
nothing and rides along with its call. Source: the item types of openai-agents 0.24.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from .base import MODEL, Body, Facts, Format, Message
from .binding import OPENAI
from .media import Say
from .objects import getter, shallow
from .registry import format_named
from .usual import Usual
from .weight import Weight

_APPROVAL: Final = "tool_approval_item"
_SILENT: Final = Facts(MODEL, item=True)


class OpenAIAgents(Usual):
    """See the module."""

    name = "openai-agents"
    maker = "openai"
    framing = "chatml"
    binding = OPENAI
    dialect = "responses"

    def recognises(self, message: Message) -> str | None:
        return "an object with a raw_item and to_input_item" if _wraps(message) else None

    def read(self, message: Message) -> Facts:
        return _SILENT if _approval(message) else _items().read(_raw(message))

    def weigh(self, message: Message) -> Weight:
        return Weight("assistant") if _approval(message) else _items().weigh(_raw(message))

    def weigh_system(self, system: Any) -> Weight:
        return _items().weigh_system(system)

    def unbilled(self, messages: Sequence[Message]) -> int:
        return _items().unbilled(list(map(_raw, messages)))

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        return _items().results(_raw(message))

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        return _wrapped(message, _items().with_result(_raw(message), answer, parts))

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        return _wrapped(message, _items().cleared(_raw(message), answer, text))

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        item = _items().cleared_input(_raw(message), call, said)
        return message if item is _raw(message) else _wrapped(message, item)

    def without_media(self, message: Message, say: Say) -> Message:
        item = _items().without_media(_raw(message), say)
        return message if item is _raw(message) else _wrapped(message, item)

    def failed(self, message: Message, answer: int) -> bool:
        return _items().failed(_raw(message), answer)

    def only_text(self, message: Message, answer: int, part: int, text: Any) -> Message:
        return _wrapped(message, _items().only_text(_raw(message), answer, part, text))

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        return _items().interrupted(_raw(message), calls, text)

    def body(self, request: Mapping[str, Any]) -> Body:
        system, tools = request.get("instructions"), request.get("tools")
        return Body(request["input"], system, tools, None, key="input")


@cache
def _items() -> Format:
    return format_named("openai-responses")


def _wraps(message: Message) -> bool:
    return hasattr(message, "raw_item") and callable(getattr(message, "to_input_item", None))


def _raw(message: Message) -> Any:
    """The item of OpenAI Responses that a run item holds, or that a message is."""
    return message.raw_item if _wraps(message) else message


def _wrapped(message: Message, item: Any) -> Message:
    return shallow(message, raw_item=item) if _wraps(message) else item


def _approval(message: Message) -> bool:
    return _wraps(message) and getter(message)("type") == _APPROVAL
