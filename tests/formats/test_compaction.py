"""A compaction stands for all before it: the provider leaves that out, so it costs nothing.

(D) OpenAI's and Anthropic's guides on compaction: items before the newest one may be
dropped, blocks before it are ignored; the compaction itself must stay as it is.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from support.generate import sound
from support.generate_responses import UNITS, build
from trimtab import Conversation, DoesNotFit, Policy, count, fit, per_message, verify

LONG = "many words " * 400
EACH = per_message(lambda message: 1)
OPENAI, ANTHROPIC = "openai-responses", "anthropic"
COMPACTION: dict[str, Any] = {"type": "compaction", "id": "cmp", "encrypted_content": "g" * 900}
SUMMARY: dict[str, Any] = {"type": "compaction", "content": "so far"}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def pair(id: str) -> list[dict[str, Any]]:
    """A call of OpenAI Responses and its output."""
    call = {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}
    return [call, {"type": "function_call_output", "call_id": id, "output": "ok"}]


def loop(id: str, *first: Any) -> list[dict[str, Any]]:
    """The same of Anthropic."""
    call = {"type": "tool_use", "id": id, "name": "f", "input": {}}
    return [said(*first, call), {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]}]


BEHIND = [COMPACTION, *pair("z"), {"role": "assistant", "content": "so"}]
BEFORE = [
    (OPENAI, [user(LONG), *pair("a")], BEHIND),
    (OPENAI, [{"role": "developer", "content": LONG}, user("q")], BEHIND),
    (OPENAI, [{"type": "item_reference", "id": "m"}, user(LONG)], BEHIND),
    (OPENAI, [user(LONG), COMPACTION, user(LONG), *pair("a")], BEHIND),
    (ANTHROPIC, [user(LONG), said({"type": "text", "text": LONG}), user(LONG)], [*loop("z", SUMMARY), user("go on")]),
    (ANTHROPIC, [user(LONG), *loop("a")], [*loop("z", SUMMARY)]),
    (ANTHROPIC, [user(LONG), *loop("a", SUMMARY), user(LONG)], [*loop("z", SUMMARY)]),
]


@pytest.mark.parametrize(("format", "before", "behind"), BEFORE)
def test_a_budget_that_holds_what_counts_is_enough(format: str, before: list[Any], behind: list[Any]) -> None:
    """However large is what must stay before it: the question, system messages, references."""
    history = [*before, *behind]
    needed = count(history, format=format).total
    assert needed < 150
    for policy in (Policy(), Policy(depth=0.5)):
        fitted = fit(history, needed, format=format, policy=policy)
        assert fitted.messages[-len(behind) :] == behind
        assert fitted.used == count(fitted.messages, format=format).total == needed
        assert sum(row.after for row in fitted.decisions) + fitted.fixed == needed
        assert verify(fitted) == []
        chat = Conversation(needed, format=format, policy=policy)
        for message in history:
            chat.append(message)
        assert chat.fit().to_dict() == fitted.to_dict()
    assert fit(history, 10**6, format=format).messages == history


def test_the_compaction_always_stays() -> None:
    """Without it all that it stands for would be lost."""
    history = [user("a"), *loop("x", SUMMARY), user("b"), said({"type": "text", "text": "c"}), user("d")]
    for budget in range(4, 7):
        assert history[1] in fit(history, budget, format=ANTHROPIC, counter=EACH).messages


@pytest.mark.parametrize("seed", range(40))
def test_one_by_one_is_the_same_as_at_once(seed: int) -> None:
    """For any histories with compactions in any place, budgets and policies."""
    rng = Random(seed)
    kinds = [*UNITS, *["compaction"] * 3]
    script = [(rng.choice(kinds), rng.getrandbits(16)) for _ in range(rng.randint(1, 8))]
    for format, history in ((OPENAI, build(script)), (ANTHROPIC, _compacted(rng))):
        for policy in (Policy(), Policy(notice=True), Policy(depth=0.6), Policy(reasoning="drop_after_edit")):
            budget = rng.randint(5, 400)
            chat = Conversation(budget, format=format, policy=policy)
            chat.extend(history)
            try:
                fitted = fit(history, budget, format=format, policy=policy)
            except DoesNotFit as error:
                with pytest.raises(DoesNotFit) as caught:
                    chat.fit()
                assert str(caught.value) == str(error)
                if policy.reasoning == "keep":
                    enough = error.needs.total
                    assert fit(history, enough, format=format, policy=policy).used <= enough
                continue
            assert verify(fitted) == []
            assert chat.fit().to_dict() == fitted.to_dict()


def _compacted(rng: Random) -> list[Any]:
    """A sound Anthropic history in which some turns begin with a compaction."""
    history = sound(ANTHROPIC, rng, 8)
    for at, message in enumerate(history):
        first = at == 0 or history[at - 1]["role"] != "assistant"
        if message["role"] == "assistant" and first and rng.random() < 0.4:
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            history[at] = {**message, "content": [SUMMARY, *blocks]}
    return history
