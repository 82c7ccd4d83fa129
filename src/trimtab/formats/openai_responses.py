"""OpenAI Responses: the items of ``input``, dicts and SDK objects.

Rules: a call (``function_call`` and its like) has a ``call_id``, and an output of that
``call_id`` stands at any later place; an ``mcp_approval_request`` is answered by its id.
What the model says in one response is a run of items: neighbours stay together, reasoning
needs the item that follows it, and an item of unknown type rides along. Calls of a
``program`` belong to it. Tools that the provider runs are one item with their results. An
``item_reference`` stands for something that nobody else can read: it is always kept, and
outputs behind it may answer a call in it. Compaction items, which stand for all before
them, are kept like system messages. Source: OpenAI's API reference, the types of its SDK
and the API's own error texts, see ``docs/faults.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from .base import MODEL, RESULT, SYSTEM, Body, Facts, Message, malformed, unknown_role
from .binding import OPENAI
from .content import is_id, kind_of, listed
from .facts import HUMAN_WORDS, SYSTEM_WORDS
from .media import Say
from .objects import getter
from .openai_responses_output import cleared, interrupted, only_text, texts_of, with_texts_of
from .openai_responses_removed import cleared_input, without_media
from .openai_responses_weight import weigh_content, weigh_item
from .usual import Usual
from .weight import Weight

_ITEM: Final = Facts(MODEL, item=True)
_REASONING: Final = Facts(MODEL, item=True, reasons=True, thought=True, bound=True)
_REFERENCE: Final = Facts(MODEL, item=True, held=True)
_UNASKED: Final = Facts(RESULT, item=True)
_NO_ID: Final = Facts(
    RESULT, item=True, faults=(("orphan_result", None, "an output without a call_id"),)
)
_BY_ROLE: Final[Mapping[Any, Facts]] = {
    "user": HUMAN_WORDS,
    "assistant": _ITEM,
    "system": SYSTEM_WORDS,
    "developer": SYSTEM_WORDS,
}
_KINDS: Final[Mapping[str, Facts]] = {
    "reasoning": _REASONING,
    "item_reference": _REFERENCE,
    # What steers all that follows, or stands for all before.
    "compaction": Facts(SYSTEM, item=True, stands=True),
    "compaction_trigger": Facts(SYSTEM, item=True),
    "configuration_update": Facts(SYSTEM, item=True),
    "additional_tools": SYSTEM_WORDS,
}
_NEEDS_ID: Final = frozenset(
    {"function_call", "custom_tool_call", "local_shell_call", "shell_call"}
    | {"apply_patch_call", "computer_call", "program"}
)
_OWN_KINDS: Final = frozenset({*_KINDS, "mcp_list_tools", "mcp_approval_request"}) | {
    "mcp_approval_response",
    "program",
    "program_output",
    "tool_search_output",
}
_STATE: Final = ("previous_response_id", "conversation", "prompt")
_OWN_PARTS: Final = frozenset({"input_text", "output_text", "input_image", "input_file"})


class OpenAIResponses(Usual):
    """See the module."""

    name = "openai-responses"
    maker = "openai"
    framing = "chatml"
    binding = OPENAI
    dialect = "responses"

    def __init__(self, *, held: bool = False) -> None:
        self.held = held  #: whether the provider holds items that stand before these

    def recognises(self, message: Message) -> str | None:
        get, kind = getter(message), kind_of(message)
        if kind in _OWN_KINDS or kind.endswith(("_call", "_call_output")):
            return f"an item of type {kind}"
        content = get("content")
        if kind == "message" and isinstance(content, str):
            return "an item of type message"
        kinds = {kind_of(part) for part in listed(content)}
        if own := kinds & _OWN_PARTS:
            return f"a content part of type {min(own)}"
        return "an item of type message" if kind == "message" and kinds == {"refusal"} else None

    def read(self, message: Message) -> Facts:
        get = message.get if type(message) is dict else getter(message)
        kind = get("type")
        if kind is None or kind == "message":
            return _read_message(get)
        if not isinstance(kind, str):
            return malformed("the type of an item is no text")
        if (known := _KINDS.get(kind)) is not None:
            return known
        if kind.endswith("_output"):
            return _read_output(kind, get)
        if kind == "mcp_approval_response":
            id = get("approval_request_id")
            return _answering(id) if is_id(id) else _NO_ID
        if kind == "mcp_approval_request" or kind in _NEEDS_ID or kind.endswith("_call"):
            id = get("id") if kind == "mcp_approval_request" else get("call_id")
            if is_id(id):
                return _calling(id, _program(get))
            if kind in _NEEDS_ID:
                return malformed(f"a {kind} without a call_id")
        role = get("role")
        return _BY_ROLE.get(role, _ITEM) if isinstance(role, str) else _ITEM

    def weigh(self, message: Message) -> Weight:
        return weigh_item(message)

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_content(system, weight)
        return weight

    def unbilled(self, messages: Sequence[Message]) -> int:
        """How many messages at the front cost nothing: all before the newest compaction item.

        Source: OpenAI's guide on compaction; two recorded requests agree.
        """
        for at in range(len(messages) - 1, -1, -1):
            if kind_of(messages[at]) == "compaction":
                return at
        return 0

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        texts = texts_of(message)
        return [] if texts is None else [(0, texts)]

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        return with_texts_of(message, parts)

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        return cleared(message, text)

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        return cleared_input(message, said)

    def without_media(self, message: Message, say: Say) -> Message:
        return without_media(message, say)

    def failed(self, message: Message, answer: int) -> bool:
        return getter(message)("status") in ("failed", "incomplete")

    def only_text(self, message: Message, answer: int, part: int, text: Any) -> Message:
        return only_text(message, part, text)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        return [interrupted(message, text)]

    def body(self, request: Mapping[str, Any]) -> Body:
        given = request["input"]
        wanted = getter(request.get("text"))("format")
        return Body(
            [self.human(given)] if isinstance(given, str) else given,
            request.get("instructions"),
            request.get("tools"),
            request.get("max_output_tokens"),
            None if kind_of(wanted) == "text" else wanted,
            request.get("tool_choice"),
            key="input",
            format=_CONTINUED if any(request.get(key) for key in _STATE) else None,
        )


_CONTINUED: Final = OpenAIResponses(held=True)


def _read_message(get: Any) -> Facts:
    role = get("role")
    if role is None and get("type") is None and is_id(get("id")):
        return _REFERENCE  # its type may be left out
    facts = _BY_ROLE.get(role) if isinstance(role, str) else None
    if facts is None:
        return unknown_role(role)
    if not isinstance(get("content"), (str, list, tuple)):
        return malformed("the content is neither text nor a list of parts")
    return facts


def _read_output(kind: str, get: Any) -> Facts:
    id = get("call_id")
    if kind == "local_shell_call_output" and not is_id(id):
        id = get("id")  # the call's, by the API reference
    if is_id(id):
        return _answering(id)
    if kind.removesuffix("_output") not in _NEEDS_ID:
        return _ITEM  # of a search that the provider ran, or of a type that nobody knows
    return _UNASKED if is_id(get("name")) else _NO_ID


def _program(get: Any) -> str | None:
    """The ``call_id`` of the program that a call belongs to."""
    id = getter(get("caller"))("caller_id")
    return id if is_id(id) else None


# A stateless caller sends the same ids again every turn, so their facts are kept.
@lru_cache(maxsize=1 << 14)
def _calling(id: str, within: str | None) -> Facts:
    return Facts(MODEL, (id,), item=True, within=within)


@lru_cache(maxsize=1 << 14)
def _answering(id: str) -> Facts:
    return Facts(RESULT, answers=(id,), item=True)
