"""Independent validators as oracles: what would a provider object to?

Three authors: ``turnsafe`` and ``tool-call-repair`` for both formats, ``mistral-common``
for Chat; plus ``own_rules`` for what none of them checks. Their agreement on pairing is
good evidence; on anything else they are single opinions.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import toolrepair
import turnsafe
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import (
    MistralRequestValidatorV15,
    ValidationMode,
)

from support import prepare
from support.own_rules import server_pair_objections, system_placement_objections
from support.shapes import History

Oracle = Callable[[History], list[str]]
FORMATS = ("openai-chat", "anthropic")


def objections(format: str, messages: History) -> list[str]:
    """Every objection of every oracle to this history; empty when all accept it.

    A history that ends on unanswered calls is completed first (see ``prepare``), since
    Trimtab rightly takes it as sound. The messages are copied and never changed.
    """
    if not messages:
        return []
    if format == "openai-chat":
        return _ask(prepare.chat(messages), _CHAT)
    own = system_placement_objections(messages)
    return own + _ask(prepare.turns(messages), _ANTHROPIC)


def _ask(history: History, oracles: dict[str, Oracle]) -> list[str]:
    found: list[str] = []
    for name, oracle in oracles.items():
        try:
            found += [f"{name}: {text}" for text in oracle(copy.deepcopy(history))]
        except Exception as error:  # noqa: BLE001 - one that cannot even read it rejects it
            found.append(f"{name}: {type(error).__name__}: {str(error)[:200]}")
    return found


def _turnsafe(provider: str) -> Oracle:
    def ask(history: History) -> list[str]:
        report = turnsafe.validate(history, provider=provider)
        # Warnings are about old models (head, system): rules for cuts, not for inputs.
        return [f"{v.code} at {v.index}" for v in report.violations if v.severity == "error"]

    return ask


def _toolrepair(format: Any) -> Oracle:
    return lambda history: [str(v) for v in toolrepair.validate(history, format=format)]


def _mistral(history: History) -> list[str]:
    messages: Any = prepare.mistral(history)  # plain dicts, which the model parses
    request: Any = ChatCompletionRequest(messages=messages, model="m")
    MistralRequestValidatorV15(ValidationMode.serving).validate_request(request)
    return []


_CHAT: dict[str, Oracle] = {
    "turnsafe": _turnsafe("openai"),
    "tool-call-repair": _toolrepair("openai"),
    "mistral-common": _mistral,
}
_ANTHROPIC: dict[str, Oracle] = {
    "turnsafe": _turnsafe("anthropic"),
    "tool-call-repair": _toolrepair("anthropic"),
    "own": server_pair_objections,
}
