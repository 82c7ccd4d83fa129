"""Vercel AI SDK: ``ModelMessage`` as JSON, of versions 4 to 6 (``CoreMessage`` before).

Rules: a ``tool-call`` part of an assistant message is answered by the ``tool-result`` of its
``toolCallId`` in the messages of role ``tool`` directly behind it, in any order and in one
message or several; ids may repeat in later turns. Calls that the provider runs are answered
in assistant messages. Approvals stay with the call that they are about. Source: the schemas
and the prompt conversion of ``ai`` 6.0, whose error for a missing result is
``AI_MissingToolResultsError``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .base import MODEL, RESULT, Body, Facts, Message, malformed, unknown_role
from .binding import CLAUDE
from .content import as_text, freed_of, kind_of, listed, removed_text
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS
from .inputs import with_cleared
from .media import Say
from .objects import getter
from .results import ResultBlocks
from .served import served
from .vercel_parts import (
    cleared_output,
    failed_output,
    is_bound,
    is_signed,
    only_output_part,
    output_parts,
    weigh_parts,
    with_output_parts,
    without_media_of,
    without_old,
)
from .weight import Weight

_CALL: Final = "tool-call"
_RESULT: Final = "tool-result"
_OWN: Final = frozenset({_CALL, _RESULT, "tool-approval-request", "tool-approval-response"})


class VercelAI(ResultBlocks):
    """See the module."""

    name = "vercel-ai"
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        for part in listed(getter(message)("content")):
            get, kind = getter(part), kind_of(part)
            if kind in _OWN:
                return f"a content part of type {kind}"
            if kind == "image" and get("image") is not None:
                return "an image part with its data in image"
            if kind == "file" and (get("mediaType") or get("mimeType")) and get("data"):
                return "a file part with data and a media type"
        return None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        role, content = get("role"), get("content")
        if not isinstance(content, (str, list, tuple)):
            return malformed("the content is neither text nor a list of parts")
        if role == "assistant":
            return MODEL_WORDS if isinstance(content, str) else _read_model(content)
        if role == "tool":
            return _read_tool(content)
        if role == "user":
            return HUMAN_WORDS
        return SYSTEM_WORDS if role == "system" else unknown_role(role)

    def weigh(self, message: Message) -> Weight:
        get = getter(message)
        weight = Weight(str(get("role")))
        weigh_parts(get("content"), weight)
        if weight.role == "tool" and len(weight.results) == 1:
            return weight.results[0]
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_parts(system, weight)
        return weight

    def part(self, block: Any, role: str) -> str:
        return _part(block, role)

    def parts_of(self, block: Any) -> Sequence[Any]:
        return output_parts(block)

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        return with_output_parts(block, parts)

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        return only_output_part(block, part, text)

    def cleared_of(self, block: Any, text: str) -> Any:
        return cleared_output(block, text)

    def failed_of(self, block: Any) -> bool:
        return failed_output(block)

    def name_of(self, block: Any) -> str:
        return str(getter(block)("toolName"))

    def input_of(self, block: Any) -> Any:
        return getter(block)("args" if getter(block)("input") is None else "input")

    def with_input_of(self, block: Any, said: str) -> Any:
        return block if is_signed(block) else with_cleared(block, said, "input", "args")

    def without_media_of(self, block: Any, say: Say) -> Any:
        return without_media_of(block, say)

    def without_old_reasoning(self, message: Message) -> Message:
        parts = listed(getter(message)("content"))
        left = without_old(parts, calls=any(map(self._asks, parts)))
        return message if left is None else self.with_blocks(message, left or [removed_text()])

    def _asks(self, block: Any) -> bool:
        return kind_of(block) == _CALL

    def silent(self, block: Any) -> bool:
        # Reasoning, and what is about a call.
        return kind_of(block) == "reasoning" or kind_of(block).startswith("tool-approval")

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", is_bound, removed_text)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = [getter(part) for part in self.of_part(message, "call")]
        return [{"role": "tool", "content": [_refusal(asked[at], text) for at in calls]}]

    def body(self, request: Mapping[str, Any]) -> Body:
        """The options of ``generateText``."""
        output = request.get("maxOutputTokens") or request.get("maxTokens")
        return Body(request["messages"], request.get("system"), None, output)


def _refusal(call: Any, text: str) -> dict[str, Any]:
    """The answer to an interrupted call, as the version of the call writes it."""
    about = {"type": _RESULT, "toolCallId": call("toolCallId"), "toolName": call("toolName")}
    if call("args") is not None and call("input") is None:
        return {**about, "result": text, "isError": True}
    return {**about, "output": {"type": "error-text", "value": text}}


def _part(part: Any, role: str) -> str:
    """What a part of a message of ``role`` is to the pairing: a kind of `Drop`, or empty."""
    kind = kind_of(part)
    if kind == _CALL:
        return "server_call" if getter(part)("providerExecuted") else "call"
    if kind == _RESULT:
        return "answer" if role == RESULT else "server_answer"
    return ""


def _read_model(content: Sequence[Any]) -> Facts:
    ids = [
        (kind, as_text(getter(part)("toolCallId")))
        for part in content
        if (kind := _part(part, MODEL))
    ]
    if not all(id for _, id in ids):
        return malformed("a tool call or result without a toolCallId")
    kinds = [kind_of(part) for part in content]
    thought = "reasoning" in kinds
    if not (thought or ids):
        return MODEL_WORDS
    ran = served((kind == "server_call", id) for kind, id in ids if kind != "call")
    return Facts(
        MODEL,
        tuple(id for kind, id in ids if kind == "call"),
        reasons=thought and kinds[0] == "reasoning",
        thought=thought,
        server_calls=ran.calls,
        server_answers=ran.answers,
    )


def _read_tool(content: Any) -> Facts:
    if isinstance(content, str):
        return malformed("a tool message whose content is no list of results")
    results = (getter(part) for part in content if kind_of(part) == _RESULT)
    answers = tuple(as_text(get("toolCallId")) for get in results)
    none = ("orphan_result", None, "a tool-result without a toolCallId")
    return Facts(RESULT, answers=answers, faults=() if all(answers) else (none,))
