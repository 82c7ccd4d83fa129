"""The cases of OpenAI Chat as the same talk in every other shape: the faults are of a kind.

No report is written in these shapes, so there is no list of what is kept; what must hold is
what holds for every history: faults are mended, results are sound, within the budget, and
hold the newest of what the user said.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest
from cases.loader import PLENTY, Case, load
from support import (
    agents_items,
    langchain_messages,
    llama_index_messages,
    mcp_messages,
    pydantic_ai_messages,
    vercel_messages,
)
from support.corpus import requires_cases
from support.shapes import History, Message

from trimtab import Conversation, DoesNotFit, check, count, fit, per_message, repair, verify, Policy

pytestmark = requires_cases

CHAT = [case for case in load() if case.format == "openai-chat" and len(case.messages) < 1_000]
ITEMS = [case for case in load() if case.format == "openai-responses"]


def sharegpt(history: History) -> History:
    """A turn for every message; several calls stand in one."""
    return [_turn(message) for message in history]


def _turn(message: Message) -> Message:
    role, content = message["role"], message.get("content") or ""
    words = content if isinstance(content, str) else json.dumps(content)
    if asked := message.get("tool_calls") or message.get("function_call"):
        return {"from": "function_call", "value": json.dumps(asked)}
    says = {"user": "human", "assistant": "gpt", "tool": "observation", "function": "observation"}
    return {"from": says.get(role, "system"), "value": words}


def ui(history: History) -> History:
    """UI messages, each holding its calls and their results."""
    return vercel_messages.as_ui(vercel_messages.from_chat(repair(history).messages))


def of(package: Any) -> Callable[[History], History]:
    """The objects of a framework, or of its light twin."""
    return lambda history: package.from_chat(history, package.package("twin"))


# format: how a Chat history is written in it, and where its classes are to be found
SHAPES: dict[
    str, tuple[Callable[[History], History], Callable[[], AbstractContextManager[Any]]]
] = {
    "mistral": (copy.deepcopy, nullcontext),
    "strict-chat": (copy.deepcopy, nullcontext),
    "fine-tuning": (copy.deepcopy, nullcontext),
    "sharegpt": (sharegpt, nullcontext),
    "langchain": (of(langchain_messages), lambda: langchain_messages.installed("twin")),
    "llama-index": (of(llama_index_messages), lambda: llama_index_messages.installed("twin")),
    "pydantic-ai": (of(pydantic_ai_messages), lambda: pydantic_ai_messages.installed("twin")),
    "vercel-ai": (vercel_messages.from_chat, nullcontext),
    "vercel-ui": (ui, nullcontext),
    "mcp": (mcp_messages.from_chat, nullcontext),
}
ONE_TO_ONE = ("langchain", "llama-index")


def named(cases: list[Case]) -> pytest.MarkDecorator:
    """A test of each case."""
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in cases])


@pytest.mark.parametrize("format", SHAPES)
@named(CHAT)
def test_the_same_talk_in_another_shape(case: Case, format: str) -> None:
    """Mended, fitted at four budgets, and the same message by message."""
    write, installed = SHAPES[format]
    with installed():
        messages = repair(write(case.messages), format=format).messages
        assert check(messages, format=format) == []
        for budget in _budgets(messages, format):
            try:
                fitted = fit(messages, budget, format=format)
            except DoesNotFit:
                continue
            assert verify(fitted) == []
            talk = Conversation(budget, format=format, policy=Policy())
            talk.extend(messages)
            assert list(map(id, talk.fit().messages)) == list(map(id, fitted.messages))
        same = fit(messages, PLENTY, format=format).messages
        assert all(a is b for a, b in zip(same, messages, strict=True))


@pytest.mark.parametrize("format", ONE_TO_ONE)
@named(CHAT)
def test_the_same_decisions_where_the_rules_are_the_same(case: Case, format: str) -> None:
    """A framework's messages at the costs of Chat's are kept where Chat's are."""
    write, installed = SHAPES[format]
    messages = repair(case.messages, format="openai-chat").messages
    with installed():
        mirrored = write(messages)
        price = dict(zip(map(id, mirrored), map(case.cost, messages), strict=True))
        price |= dict(zip(map(id, messages), map(case.cost, messages), strict=True))
        whole = sum(map(case.cost, messages))
        for budget in range(0, whole + 1, whole // 10 + 1):
            asked: dict[str, Any] = {"counter": per_message(lambda message: price[id(message)])}
            assert _dropped(mirrored, budget, format, asked) == _dropped(
                messages, budget, "openai-chat", asked
            )


@named(ITEMS)
def test_the_agents_sdks_items_are_fitted_as_the_items_are(case: Case) -> None:
    """Run items around the model's items: the same decisions."""
    messages = repair(case.messages, format=case.format).messages
    wrapped = agents_items.from_items(messages, "twin")
    price = dict(zip(map(id, wrapped), map(case.cost, messages), strict=True))
    price |= dict(zip(map(id, messages), map(case.cost, messages), strict=True))
    asked: dict[str, Any] = {"counter": per_message(lambda message: price[id(message)])}
    whole = sum(map(case.cost, messages))
    for budget in range(0, whole + 1, whole // 10 + 1):
        found = _dropped(wrapped, budget, "openai-agents", asked)
        assert found == _dropped(messages, budget, "openai-responses", asked)


def _dropped(messages: History, budget: int, format: str, asked: dict[str, Any]) -> Any:
    try:
        return fit(messages, budget, format=format, **asked).dropped
    except DoesNotFit:
        return "does not fit"


def _budgets(messages: History, format: str) -> Iterator[int]:
    whole = count(messages, format=format).total
    yield from (whole // 3, whole // 2, max(whole - 1, 0), whole)
