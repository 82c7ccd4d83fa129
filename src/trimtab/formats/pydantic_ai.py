"""pydantic-ai messages: ``ModelRequest`` and ``ModelResponse`` with their parts.

Rules: a ``ToolCallPart`` is answered by a ``ToolReturnPart``, or a ``RetryPromptPart`` with a
tool's name, of its ``tool_call_id`` in the requests directly behind it, before anything else
in them; a request may go on with human text behind its answers. Ids may repeat in later
turns. A request that holds a system prompt, a summary or a change of instructions or tools
is always kept, whatever else it holds. Feedback that answers no call stays with the response
that it is about. Native tools are left to their provider's model. The ``instructions`` of the
newest request are sent beside the messages and are not counted here: give them as
``system``. Source: the message types and the history repair of pydantic-ai 2.68.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, Body, Facts, Message, malformed
from .binding import CLAUDE, REMOVED
from .content import as_text, freed_of, is_id
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS
from .inputs import with_cleared
from .media import Say
from .objects import getter, shallow
from .packages import package
from .pydantic_ai_removed import may_go, without_media_of
from .pydantic_ai_returns import return_parts, with_return_parts
from .pydantic_ai_weight import part_kind, weigh_content, weigh_message
from .results import ResultBlocks
from .weight import Weight

# Rides along with the response before it; no result may come behind it.
_NEUTRAL: Final = Facts(RESULT, closes=True)
_HEARD: Final = frozenset({"user-prompt", "speech"})
_STEERS: Final = frozenset(
    {
        "system-prompt",
        "compaction",
        "instruction-delta",
        "instruction-baseline",
        "tool-availability-delta",
        "capability-load-delta",
        "model-settings-delta",
    }
)
_EPOCH: Final = datetime.fromtimestamp(0, UTC)  # new messages have no clock


class PydanticAI(ResultBlocks):
    """See the module."""

    name = "pydantic-ai"
    field = "parts"
    reasoning_head = True
    maker = "openai"
    framing = "chatml"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        if get("kind") in ("request", "response") and isinstance(get("parts"), (list, tuple)):
            return "a message of kind request or response with parts"
        return None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        kind, parts = get("kind"), get("parts")
        if kind not in ("request", "response") or not isinstance(parts, (list, tuple)):
            return malformed("neither a ModelRequest nor a ModelResponse with parts")
        return _read_response(parts) if kind == "response" else _read_request(parts)

    def weigh(self, message: Message) -> Weight:
        return weigh_message(message)

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_content(system, weight)
        return weight

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "parts", _bound, _removed)

    def without_old_reasoning(self, message: Message) -> Message:
        parts = getter(message)("parts")
        thoughts = [part for part in parts if part_kind(part) == "thinking"]
        calls = any(map(_calls, parts))
        if not all(may_go(part, calls=calls) for part in thoughts):
            return message
        return freed_of(message, "parts", self.silent, _removed)

    def input_of(self, block: Any) -> Any:
        return getter(block)("args")

    def with_input_of(self, block: Any, said: str) -> Any:
        signed = getter(getter(block)("provider_details"))("thought_signature") is not None
        return block if signed else with_cleared(block, said, "args")

    def without_media_of(self, block: Any, say: Say) -> Any:
        return without_media_of(block, say)

    def part(self, block: Any, role: str) -> str:
        return "call" if _calls(block) else "answer" if _answers(block) else ""

    def parts_of(self, block: Any) -> Sequence[Any]:
        return return_parts(block)

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        return with_return_parts(block, parts)

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        return shallow(block, content=text)

    def failed_of(self, block: Any) -> bool:
        return part_kind(block) == "retry-prompt"

    def name_of(self, block: Any) -> str:
        return str(getter(block)("tool_name"))

    def silent(self, block: Any) -> bool:
        return part_kind(block) == "thinking"

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = [getter(part) for part in self.of_part(message, "call")]
        when = getter(message)("timestamp")
        own = package("pydantic_ai.messages")
        returns = [
            own.ToolReturnPart(
                tool_name=asked[at]("tool_name"),
                content=text,
                tool_call_id=asked[at]("tool_call_id"),
                timestamp=_EPOCH if when is None else when,
                # the mark of pydantic-ai's own repair
                metadata={"pydantic_ai_synthesized_tool_return": True},
            )
            for at in calls
        ]
        return [own.ModelRequest(parts=[_as_interrupted(part) for part in returns])]

    def human(self, text: str) -> Message:
        own = package("pydantic_ai.messages")
        return own.ModelRequest(parts=[own.UserPromptPart(content=text, timestamp=_EPOCH)])

    def body(self, request: Mapping[str, Any]) -> Body:
        return Body(request["messages"], request.get("instructions"), None, None)


def _as_interrupted(part: Any) -> Any:
    """The outcome says so, where the version knows it."""
    return shallow(part, outcome="interrupted") if hasattr(part, "outcome") else part


def _bound(part: Any) -> bool:
    own = getter(part)("provider_name") in ("anthropic", "bedrock")
    return own and part_kind(part) == "thinking"


def _removed() -> Any:
    return package("pydantic_ai.messages").TextPart(content=REMOVED)


def _calls(part: Any) -> bool:
    return part_kind(part) == "tool-call"


def _answers(part: Any) -> bool:
    """Whether a part answers a call; a retry without a tool's name is feedback."""
    kind = part_kind(part)
    return kind == "tool-return" or (
        kind == "retry-prompt" and getter(part)("tool_name") is not None
    )


def _read_response(parts: Sequence[Any]) -> Facts:
    ids = tuple(getter(part)("tool_call_id") for part in parts if _calls(part))
    if not all(map(is_id, ids)):
        return malformed("a tool call without an id")
    kinds = [part_kind(part) for part in parts]
    if not ids and "thinking" not in kinds and "compaction" not in kinds:
        return MODEL_WORDS
    first = getter(parts[0])
    return Facts(
        MODEL,
        ids,
        # only Anthropic demands it at the head of a loop
        reasons=kinds[0] == "thinking" and first("provider_name") == "anthropic",
        thought="thinking" in kinds,
        steers="compaction" in kinds,
    )


def _read_request(parts: Sequence[Any]) -> Facts:
    answers: list[str] = []
    faults: list[tuple[str, str | None, str]] = []
    human = others = leads = steers = False
    for part in parts:
        if _answers(part):
            answers.append(as_text(getter(part)("tool_call_id")))
            if not answers[-1]:
                faults.append(("orphan_result", None, "a tool return without a tool_call_id"))
            if others:
                faults.append(("misplaced", answers[-1], "a tool return after other content"))
            continue
        kind = part_kind(part)
        heard, steering = kind in _HEARD, kind in _STEERS
        leads = leads or (heard and not answers)
        human, steers, others = human or heard, steers or steering, True
    if answers:
        return Facts(RESULT, (), tuple(answers), human, leads, steers=steers, faults=tuple(faults))
    if human:
        return Facts(HUMAN, human=True, leads_human=True, steers=True) if steers else HUMAN_WORDS
    return SYSTEM_WORDS if steers else _NEUTRAL
