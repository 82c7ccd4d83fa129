"""OpenAI Chat messages under strict alternation, as chat templates and fine-tuning demand it.

Rules: as OpenAI Chat, and a system message may only be the very first; user and assistant
take turns, and there is no developer; an assistant message stands between tool results and
what the user says next; a cut leaves a user message in front. `FineTuning` also ends with the
assistant.
Mistral's releases up to v11 also want call ids of nine letters and digits. That is not
checked: which release reads them is not in the data, ids are never renamed, and no cut and no
repair makes one.
Source: the public chat templates of Mistral Nemo, Mistral Small and Ministral, Gemma and
Llama 2, which raise otherwise ("conversation roles must alternate …"), and
mistral-common, whose releases before 1.9 refuse a user message after tool results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from .alternation import Alternating, Note, Place
from .base import SYSTEM, Alternation, Facts, Message
from .content import contents_joined
from .objects import getter, shallow
from .openai_chat import OpenAIChat

_TEXTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
_DEVELOPER: Final = Facts(
    SYSTEM, faults=(("unknown_role", None, "the role developer, which templates do not know"),)
)


class StrictChat(OpenAIChat, Alternating):
    """See the module. Only its name tells it from OpenAI Chat, never the data."""

    name = "strict-chat"
    human_head = True
    alternation = Alternation(system_first=True)
    joins = frozenset({*_TEXTS, "role"})
    maker = ""
    framing = "plain"

    def recognises(self, message: Message) -> str | None:
        return None

    def read(self, message: Message) -> Facts:
        facts = super().read(message)
        return _DEVELOPER if facts.role == SYSTEM and _developer(message) else facts

    def settled(self, places: Sequence[Place], note: Note) -> Sequence[Place]:
        renamed = list(places)
        for n, (message, at) in enumerate(places):
            if _developer(message):
                renamed[n] = (shallow(message, role="system"), at)
                note("unknown_role", at, None, "edited", "its role is system now")
        return super().settled(renamed, note)

    def reply(self, text: str) -> Message:
        return {"role": "assistant", "content": text}

    def joined(self, own: Message, first: Message, second: Message) -> Message:
        fields: dict[str, Any] = {}
        for name in _TEXTS:
            both = getter(first)(name), getter(second)(name)
            if name == "content" or any(both):
                fields[name] = contents_joined(*both)
        return shallow(own, **fields)


def _developer(message: Message) -> bool:
    return getter(message)("role") == "developer"


class Mistral(StrictChat):
    """Mistral's models, by their own API or behind their chat templates."""

    name = "mistral"
    maker = "mistral"
    framing = "mistral"


class FineTuning(StrictChat):
    """Examples for fine-tuning: one conversation that ends with the assistant."""

    name = "fine-tuning"
    alternation = Alternation(system_first=True, closed=True)
