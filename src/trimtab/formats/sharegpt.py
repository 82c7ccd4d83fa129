"""ShareGPT conversations: ``{"from": ..., "value": ...}``, as datasets for training hold them.

Rules: ``human`` and ``gpt`` take turns; ``observation`` (or ``tool``) answers the
``function_call``, or the ``gpt`` turn with ``<tool_call>`` marks, directly before it; there
are no ids. A system turn may only be the first, and the last turn is the assistant's. A cut
leaves a human turn in front. Source: the ShareGPT section of LLaMA-Factory's data README,
whose converter skips what breaks this ("Invalid role tag"), and the Hermes datasets' form of
function calls.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..errors import InvalidOptions
from .alternation import Alternating
from .base import (
    HUMAN,
    MODEL,
    RESULT,
    SYSTEM,
    Alternation,
    Body,
    Facts,
    Message,
    malformed,
    unknown_role,
)
from .content import contents_joined
from .facts import HUMAN_WORDS, MODEL_WORDS, SYSTEM_WORDS
from .inputs import cleared_arguments
from .objects import getter, shallow
from .results import ResultMessages
from .weight import Call, Weight

_LINK: Final = ("turn",)  # the only call of a turn, which the next one answers
_CALL: Final = Facts(MODEL, _LINK)
_RESULT: Final = Facts(RESULT, answers=_LINK)
_FACTS: Final[Mapping[Any, Facts]] = {
    **dict.fromkeys(("human", "user"), HUMAN_WORDS),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bing", "bard", "model"), MODEL_WORDS),
    "system": SYSTEM_WORDS,
    **dict.fromkeys(("function_call", "function-call"), _CALL),
    **dict.fromkeys(("observation", "tool", "tool_response", "function-response"), _RESULT),
}
_WORDS: Final = {HUMAN: "user", MODEL: "assistant", SYSTEM: "system", RESULT: "tool"}
_MARKS: Final = ("<tool_call>", "</tool_call>")


class ShareGPT(ResultMessages, Alternating):
    """See the module."""

    name = "sharegpt"
    field = "value"
    human_head = True
    alternation = Alternation(system_first=True, closed=True)
    joins = frozenset({"from", "value"})

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        if isinstance(get("from"), str) and get("value") is not None and get("role") is None:
            return "a message with from and value"
        return None

    def read(self, message: Message) -> Facts:
        get = getter(message)
        speaker, value = get("from"), get("value")
        if not isinstance(value, str):
            return malformed("the value is no text")
        facts = _FACTS.get(speaker) if isinstance(speaker, str) else None
        if facts is None:
            return unknown_role(speaker)
        return _CALL if facts is MODEL_WORDS and all(mark in value for mark in _MARKS) else facts

    def weigh(self, message: Message) -> Weight:
        get = getter(message)
        weight = Weight(_WORDS[self.read(message).role])
        value = get("value")
        if not isinstance(value, str):
            weight.values = (value,)
        elif get("from") in ("function_call", "function-call"):
            weight.calls = (Call("", value),)
        else:
            weight.texts.append(value)
        return weight

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        own = getter(message)("from")
        return [{"from": "observation" if own == "function_call" else "tool", "value": text}]

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        """The turn of a single ``function_call`` that is an object with its arguments."""
        get = getter(message)
        try:
            asked = json.loads(get("value"))
        except (ValueError, RecursionError):
            return message
        if self.weigh(message).texts or not isinstance(asked, dict) or not asked.get("arguments"):
            return message
        name = json.dumps(asked.get("name"))  # noqa: TID251 - a line that we write anew
        arguments = cleared_arguments("", said)
        return shallow(message, value=f'{{"name": {name}, "arguments": {arguments}}}')

    def call_names(self, message: Message) -> list[str]:
        return [""] * len(self.read(message).calls)  # the name is inside the text

    def human(self, text: str) -> Message:
        return {"from": "human", "value": text}

    def reply(self, text: str) -> Message:
        return {"from": "gpt", "value": text}

    def joined(self, own: Message, first: Message, second: Message) -> Message:
        words, value = getter(first)("value"), getter(second)("value")
        if self.read(second) is not _CALL or _MARKS[0] in value:
            return shallow(own, value=contents_joined(words, value))
        # A function_call holds JSON alone; with words before it, it is written between marks.
        marked = "\n".join((words, _MARKS[0], value, _MARKS[1]))
        return shallow(own, **{"from": "gpt", "value": marked})

    def body(self, request: Mapping[str, Any]) -> Body:
        return Body(
            request["conversations"],
            request.get("system"),
            _parsed(request.get("tools")) or None,
            None,
            key="conversations",
        )


def _parsed(tools: Any) -> Any:
    """Tools, which a row may hold as the text of their JSON."""
    if not isinstance(tools, str):
        return tools
    try:
        return json.loads(tools) if tools.strip() else None
    except ValueError as error:
        raise InvalidOptions(f"the tools of the row are no JSON: {error}") from None
