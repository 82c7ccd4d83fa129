"""Gemini contents as objects of Google's own SDK: in and out the same ones."""

from __future__ import annotations

from random import Random

import pytest
from support.forall import sizes
from support.gemini_damage import KINDS, damage
from support.generate import sound
from support.heavy_oracles import oracle
from trimtab import Conversation, DoesNotFit, InvalidHistory, Policy, check, fit, per_message
from trimtab import repair, verify
from trimtab.formats.registry import detect

types = pytest.importorskip("google.genai.types", reason="google-genai is not installed")
NAME = "gemini"
COUNTER = per_message(lambda content: 1 + len(str(content)) // 40)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))


def contents(history):
    """As the SDK's objects; it knows no parts of next year."""
    return [types.Content.model_validate(content) for content in map(known, history)]


def known(content):
    """Without parts of next year, which the SDK does not know."""
    return {**content, "parts": [p for p in content["parts"] if "partOfNextYear" not in p]}


def plainly(content):
    """What a repair adds is plain data, which the SDK takes too."""
    return content if isinstance(content, dict) else content.model_dump(exclude_none=True)


def codes(faults):
    return [(fault.code, fault.index, fault.id) for fault in faults]


@sizes(quick=30, slow=1000)
def test_sound_histories_come_back_themselves(examples):
    for seed in range(examples):
        history = contents(sound(NAME, Random(seed)))
        assert check(history, format=NAME) == []
        whole = fit(history, 10**9, format=NAME, counter=COUNTER).messages
        assert all(a is b for a, b in zip(whole, history, strict=True))
        before = [content.model_dump() for content in history]
        for budget in (60, 300):
            try:
                fitted = fit(history, budget, format=NAME, counter=COUNTER)
            except DoesNotFit as error:
                assert error.needs.total > budget
                continue
            kept = [d.index for d in fitted.decisions if d.action == "kept"]
            assert all(a is history[i] for a, i in zip(fitted.messages, kept, strict=True))
            assert verify(fitted) == []
            assert oracle(NAME)(fitted.messages) == []
        assert [content.model_dump() for content in history] == before


@sizes(quick=50, slow=1000)
def test_objects_are_judged_and_mended_as_plain_data(examples):
    for seed in range(examples):
        rng = Random(seed)
        plain = damage(sound(NAME, rng), rng, rng.choice(sorted(KINDS)))
        plain = list(map(known, plain))
        objects = contents(plain)
        assert codes(check(objects, format=NAME)) == codes(check(plain, format=NAME)), seed
        try:
            mended = repair(plain, format=NAME)
        except InvalidHistory:
            with pytest.raises(InvalidHistory):
                repair(objects, format=NAME)
            continue
        again = repair(objects, format=NAME)
        assert again.repairs == mended.repairs
        assert contents(map(plainly, again.messages)) == contents(mended.messages)


def test_they_are_told_and_counted_as_plain_data():
    history = [
        {"role": "user", "parts": [{"text": "find it " * 20}]},
        {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "a", "name": "look", "response": {"r": LONG}}}]},
        {"role": "model", "parts": [{"text": "found"}]},
        {"role": "user", "parts": [{"text": "thanks"}]},
    ]  # fmt: skip
    objects = contents(history)
    assert detect(objects).name == NAME
    assert fit(objects, 10**6).used == fit(history, 10**6).used
    policy = Policy(max_result_tokens=50)
    short, plain = (fit(given, 300, policy=policy) for given in (objects, history))
    assert short.used == plain.used and verify(short) == []
    part = short.messages[2].parts[0]
    assert type(part) is types.Part
    said = part.function_response.response
    assert said == plain.messages[2]["parts"][0]["functionResponse"]["response"]
    assert objects[2].parts[0].function_response.response == {"r": LONG}
    conversation = Conversation(300, format=NAME, policy=policy)
    conversation.extend(objects)
    assert conversation.fit().messages == short.messages
