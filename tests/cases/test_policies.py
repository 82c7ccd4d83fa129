"""Every case under policies that shrink and sum up: the laws hold, and nothing is lost."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from cases.loader import Case, load
from cases.objecting import objections
from cases.runs import Run
from cases.scripted import texts_of
from cases.test_entries import budgets, counting, sound
from cases.views import view
from support.corpus import requires_cases
from support.shapes import History, Message

from trimtab import (
    ClearResults,
    Conversation,
    DoesNotFit,
    Fitted,
    InvalidHistory,
    Policy,
    Summary,
    fit,
    verify,
)
from trimtab.stores import MemoryStore
from trimtab.summary import Ask
from trimtab.summary.frame import HEAD, unframed

pytestmark = requires_cases

CASES = [case for case in load() if len(case.messages) < 1_000]
CLEAR = ClearResults(keep=0, smallest=0, inputs=True)


class Listener:
    """Sums up in one letter, and remembers what it was told."""

    name = "listener"

    def __init__(self) -> None:
        self.asks: list[Ask] = []

    def __call__(self, ask: Ask) -> str:
        self.asks.append(ask)
        return "+"


def summed(listener: Listener) -> Summary:
    """A summary of two tokens at most, in a store of its own."""
    return Summary(listener, max_summary_tokens=2, store=MemoryStore())


POLICIES: dict[str, Callable[[Listener], Policy]] = {
    "clear": lambda _: Policy(clear_results=CLEAR, repeats=True, media=0),
    "reasoning": lambda _: Policy(reasoning="drop_earlier", clear_results=ClearResults(keep=1)),
    "summary": lambda listener: Policy(summary=summed(listener)),
    "all": lambda listener: Policy(
        depth=0.5,
        keep_first=1,
        max_result_tokens=20,
        clear_results=CLEAR,
        media=1,
        repeats=True,
        handles=True,
        reasoning="drop_earlier",
        summary=summed(listener),
    ),
}


def cases() -> pytest.MarkDecorator:
    """A test of each case under each policy."""
    pairs = [
        pytest.param(case, name, id=f"{case.id}-{name}") for case in CASES for name in POLICIES
    ]
    return pytest.mark.parametrize(("case", "name"), pairs)


@cases()
def test_the_laws_hold(case: Case, name: str) -> None:
    """Within the budget, sound by every judge, each message accounted for, the input as it was."""
    messages = sound(case)
    before, some = copy.deepcopy(messages), 0
    for budget in budgets(case, messages):
        listener = Listener()
        fitted = fitted_at(case, messages, budget, POLICIES[name](listener))
        if fitted is None:
            continue
        some += 1
        assert verify(fitted) == [] and fitted.used <= budget
        assert objections_to(case, fitted) == []
        accounted(fitted, messages, listener)
        assert all(told_in_order(ask, messages) for ask in listener.asks)
        again = fitted_at(case, copy.deepcopy(messages), budget, POLICIES[name](Listener()))
        assert again is not None and again.messages == fitted.messages
        assert again.to_dict() == fitted.to_dict()
    assert some and messages == before


@cases()
def test_a_conversation_gives_the_same(case: Case, name: str) -> None:
    """Message by message, fitted at the end or at every step."""
    messages = sound(case)
    for budget in budgets(case, messages):
        wanted = fitted_at(case, messages, budget, POLICIES[name](Listener()))
        talk = Conversation(
            budget, format=case.format, counter=counting(case), policy=POLICIES[name](Listener())
        )
        talk.extend(messages)
        try:
            found = talk.fit()
        except DoesNotFit:
            found = None
        assert (found and found.messages) == (wanted and wanted.messages)
        assert found is None or wanted is None or found.to_dict() == wanted.to_dict()


@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in CASES])
def test_a_growing_history_is_summed_up_once(case: Case) -> None:
    """Fitted at every length: all that went was told, and nothing was told twice."""
    messages = sound(case)
    for budget in budgets(case, messages):
        listener = Listener()
        policy = POLICIES["summary"](listener)
        talk = Conversation(budget, format=case.format, counter=counting(case), policy=policy)
        gone: set[int] = set()
        for message in messages:
            talk.append(message)
            try:
                fitted = talk.fit()
            except (DoesNotFit, InvalidHistory):  # too much, or no end for a request
                continue
            accounted(fitted, talk.messages, listener)
            gone.update(fitted.dropped)
        told = [said for ask in listener.asks for said in ask.said]
        assert len(told) <= sum(1 + len(view(messages[index]).results) for index in gone)


@cases()
def test_what_was_sent_is_fitted_again_with_what_came_since(case: Case, name: str) -> None:
    """Fed back turn by turn: one summary at most, none within another, and nothing lost."""
    messages = sound(case)
    own = sum(view(message).text.startswith(HEAD) for message in messages)
    for budget in (case.budget, sum(map(case.cost, messages)) // 2):
        listener = Listener()
        policy, sent, new = POLICIES[name](listener), [], []
        for message, after in zip(messages, [*messages[1:], None], strict=True):
            new.append(message)
            if view(message).calls or (after and view(after).results):
                continue
            fitted = fitted_at(case, [*sent, *new], budget, policy)
            if fitted is None:
                continue
            assert verify(fitted) == [] and fitted.used <= budget
            accounted(fitted, [*sent, *new], listener)
            sent, new = fitted.messages, []
            heads = [view(m).text.count(HEAD) for m in sent]
            assert set(heads) <= {0, 1} and sum(heads) <= 1 + own


def fitted_at(case: Case, messages: History, budget: int, policy: Policy) -> Fitted | None:
    """The fit of a case at a budget, None where it does not fit."""
    asked: dict[str, Any] = {"format": case.format, "counter": counting(case), "policy": policy}
    try:
        return fit(messages, budget, **asked)
    except DoesNotFit:
        return None


def objections_to(case: Case, fitted: Fitted) -> list[str]:
    """What validators that others wrote say of a result."""
    run = Run(replace(case, options={}))
    run.__dict__["outcome"] = fitted
    return objections(run)


def accounted(fitted: Fitted, messages: History, listener: Listener) -> None:
    """What its account says of every message is so; what is dropped for good is said."""
    told = [text for ask in listener.asks for text in texts_of(ask)]
    assert not any(HEAD in text for text in told), "a summary was told as a message"
    kept, gone = set(map(id, fitted.messages)), []
    alone = Policy(summary=fitted.setup.policy.summary) == fitted.setup.policy
    for row, message in zip(fitted.decisions, messages, strict=True):
        if row.action in ("kept", "changed"):
            assert (id(message) in kept) == (row.action == "kept")
            continue
        gone.append(row.index)
        assert id(message) not in kept
        if row.action == "summarised":
            assert fitted.summary and not (alone and is_missing(message, told))
        elif listener.asks:
            assert fitted.warnings
    assert gone == fitted.dropped


def is_missing(message: Message, told: list[str]) -> bool:
    """Whether the words of a message are in nothing that was told."""
    seen = view(message)
    words = (unframed(seen.text) or seen.text).strip()
    return bool(words) and not seen.results and not any(words in text for text in told)


def told_in_order(ask: Ask, messages: History) -> bool:
    """Whether messages whose words stand in one request alone are told as they came."""
    texts = [said.text for said in ask.said]
    words = [view(message).text.strip() for message in messages]
    places = [
        [at for at, text in enumerate(texts) if word and word == text.strip()]
        for word in words
        if words.count(word) == 1
    ]
    found = [at for at, *others in filter(None, places) if not others]
    return found == sorted(found)
