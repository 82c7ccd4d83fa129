"""What validators that others wrote say of the result of a run."""

from __future__ import annotations

from cases.runs import Run
from cases.views import as_chat
from support import oracles, responses_oracle, strict_oracles

from trimtab.soundness import SOUNDNESS

_STRICT = ("bedrock-converse", "mistral", "strict-chat")


def objections(run: Run) -> list[str]:
    """All objections of the oracles of the run's format; empty when they accept the result."""
    format, messages = run.format, run.output
    own = SOUNDNESS[format or "openai-chat"](messages)
    said = [f"second opinion: message {at}: {words}" for at, words in own]
    if format in oracles.FORMATS:
        return said + oracles.objections(format, messages)
    if format == "openai-responses":
        return said + responses_oracle.objections(messages)
    if format in _STRICT:
        return said + strict_oracles.objections(format, messages)
    return said + oracles.objections("openai-chat", as_chat(messages))
