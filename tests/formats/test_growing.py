"""A conversation that grows in any format gives at every turn what `fit` gives for it all."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest
from support import agents_items as agents
from support import langchain_messages as langchain
from support import llama_index_messages as llama_index
from support import mcp_messages as mcp
from support import pydantic_ai_messages as pydantic_ai
from support import strict_histories as strict
from support import vercel_messages as vercel
from trimtab import Conversation, DoesNotFit, InvalidHistory, check, fit, Policy
from trimtab.formats.registry import FORMATS

CHAT = [
    {"role": "user", "content": "how warm is it? " * 9},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "4 degrees " * 9},
    {"role": "assistant", "content": "4 degrees"},
    {"role": "user", "content": "and there? " * 9},
    {"role": "assistant", "content": "I do not know"},
    {"role": "user", "content": "then look"},
]  # fmt: skip
SCRIPT = [("short", 1), ("loop", 2), ("parallel", 3), ("call", 4)]
CONTENTS = [
    {"role": "user", "parts": [{"text": "how warm is it? " * 9}]},
    {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
    {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"r": "4"}}}]},
    {"role": "model", "parts": [{"text": "4 degrees"}]},
    {"role": "user", "parts": [{"text": "and there? " * 9}]},
]
CLAUDE = [
    CHAT[0],
    {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "4 " * 9}]},
    *CHAT[3:],
]
CALL = {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"}
ITEMS = [CHAT[0], CALL, {"type": "function_call_output", "call_id": "a", "output": "4 " * 9}, *CHAT[3:]]


def history(name: str, stack: ExitStack) -> list[Any]:
    """A sound history of a format; the classes of a framework are there while ``stack`` is open."""
    for module in (langchain, llama_index, pydantic_ai):
        if module.NAME == name:
            return module.from_chat(CHAT, stack.enter_context(module.installed("twin")))
    if name in ("vercel-ai", "vercel-ui"):
        made = vercel.from_chat(CHAT)
        return made if name == "vercel-ai" else vercel.as_ui(made)
    if name in strict.SHAPES:
        return strict.build(name, SCRIPT)
    known: dict[str, Any] = {
        "mistral": strict.build("strict-chat", SCRIPT),
        "openai-chat": CHAT,
        "anthropic": CLAUDE,
        "openai-responses": ITEMS,
        "gemini": CONTENTS,
        "mcp": mcp.from_chat(CHAT),
        "openai-agents": agents.from_items(ITEMS, "twin"),
    }
    return known[name]


def outcome(call: Any) -> Any:
    """What a fit comes to, or the error that it ends in."""
    try:
        fitted = call()
    except (DoesNotFit, InvalidHistory) as error:
        return type(error), str(error)
    return fitted.to_dict(), list(map(id, fitted.messages))


@pytest.mark.parametrize("given", [True, False], ids=["named", "detected"])
@pytest.mark.parametrize("name", FORMATS)
def test_fit_and_the_conversation_agree_at_every_turn(name: str, given: bool) -> None:
    with ExitStack() as stack:
        messages = history(name, stack)
        assert check(messages, format=name) == []
        options: dict[str, Any] = {"format": name} if given else {}
        agreed = 0
        for budget in (45, 90, 10_000):
            grown = Conversation(budget, **{"policy": Policy(), **options})
            for end, message in enumerate(messages, 1):
                try:
                    grown.append(message)
                except InvalidHistory:
                    with pytest.raises(InvalidHistory):
                        fit(messages[:end], budget, **options)
                    break
                expected = outcome(lambda: fit(messages[:end], budget, **options))
                assert outcome(grown.fit) == expected
                agreed += isinstance(expected[0], dict)
        assert agreed > 2
