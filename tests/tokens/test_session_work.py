"""A long session costs the tokenising of its text once, however often it is fitted."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest
from support.engines import Fed, every_engine, noting

from trimtab import Conversation, Policy, count, fit
from trimtab.tokens.bounded import chunks

BUDGET = 12_000
TURNS = 500
MESSAGES = 4 * TURNS


def session() -> list[dict[str, Any]]:
    """2,000 messages: a question, a call, its result, a reply; no text comes twice."""
    chance = random.Random(9)

    def words(least: int, most: int) -> str:
        number = chance.randint(least, most)
        return " ".join(f"{chance.choice(WORDS)}{chance.randrange(10**6)}" for _ in range(number))

    made: list[dict[str, Any]] = []
    for turn in range(TURNS):
        call = {"name": "search", "arguments": f'{{"query": "{words(1, 9)}"}}'}
        made += [
            {"role": "user", "content": words(3, 60)},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": call}],
            },
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": words(5, 700)},
            {"role": "assistant", "content": words(3, 90)},
        ]
    return made


WORDS = ["alpha", "bravo", "Straße", "中文", "“quoted”", "path/to", "é", "the", "of"]
SESSION = session()


def texts_of(messages: list[dict[str, Any]]) -> list[str]:
    """The texts of the messages themselves, by hand."""
    found: list[str] = []
    for message in messages:
        found += [message["content"]] if message["content"] is not None else []
        found += [call["function"]["arguments"] for call in message.get("tool_calls", ())]
    return found


@cache
def priced_texts() -> list[str]:
    """What counting the session once feeds: each text that a message is priced by, once."""
    counter, fed = noting("o200k_base")
    count(SESSION, counter=counter)
    return sorted(fed.texts)


def fed_once(fed: Fed) -> None:
    """Each text of the session was fed, as a whole or chunk by chunk, and none twice."""
    assert fed.characters == sum(map(len, priced_texts()))
    assert len(fed.texts) == len(set(fed.texts))
    seen = set(fed.texts)
    for text in priced_texts():
        assert text in seen or seen >= set(chunks(text, fed.step)), text
    contents = {m["content"] for m in SESSION if m["content"] is not None}
    assert contents <= set(priced_texts())
    own = sum(map(len, texts_of(SESSION)))
    assert abs(fed.characters - own) < own / 100


def test_the_session_is_as_long_as_it_says() -> None:
    own = texts_of(SESSION)
    assert (len(SESSION), len(set(own))) == (2000, len(own))
    assert count(SESSION).total > 50 * BUDGET


@every_engine
@pytest.mark.parametrize("policy", [Policy(), Policy(depth=0.5)], ids=["longest", "steady"])
def test_through_a_conversation(policy: Policy, engine: str) -> None:
    """Fitted after every message."""
    counter, fed = noting("o200k_base", engine)
    conversation = Conversation(BUDGET, counter=counter, policy=policy)
    for message in SESSION:
        conversation.append(message)
        assert conversation.fit().used <= BUDGET
    fed_once(fed)


@every_engine
@pytest.mark.parametrize(
    "turns",
    [pytest.param(5, id="some"), pytest.param(1, id="all", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("policy", [Policy(), Policy(depth=0.5)], ids=["longest", "steady"])
def test_through_stateless_fits(policy: Policy, turns: int, engine: str) -> None:
    """The whole list again at every turn, or every fifth one, as a server without memory does."""
    counter, fed = noting("o200k_base", engine)
    for size in range(4 * turns, MESSAGES + 1, 4 * turns):
        assert fit(list(SESSION[:size]), BUDGET, counter=counter, policy=policy).used <= BUDGET
    fed_once(fed)


@every_engine
def test_counting_and_fitting_share_it(engine: str) -> None:
    """Three ways to the same counts, and one tokenising."""
    counter, fed = noting("o200k_base", engine)
    fit(SESSION, BUDGET, counter=counter)
    count(SESSION, counter=counter)
    conversation = Conversation(BUDGET, counter=counter)
    conversation.extend(SESSION)
    conversation.fit()
    fed_once(fed)
