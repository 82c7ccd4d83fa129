"""Calls and answers of which only one side has an id, and answers spread over contents."""

from __future__ import annotations

from random import Random

import pytest
from trimtab import check, fit, repair, verify

SAY = {"text": "hello"}


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def asks(name="f", id=None):
    return {"functionCall": {"name": name, "args": {}} | ({"id": id} if id else {})}


def answers(name="f", id=None):
    answer = {"name": name, "response": {"r": "ok"}} | ({"id": id} if id else {})
    return {"functionResponse": answer}


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        # Gemini CLI writes an id on the answer alone
        ([model(asks()), user(answers(id="f-1")), model(asks()), user(answers(id="f-2"))], []),
        ([model(asks(id="a")), user(answers()), model(SAY)], []),
        ([model(asks(), asks()), user(answers()), user(answers()), model(SAY)], []),
        ([model(asks("f"), asks("g")), user(answers("g"), answers("f")), model(SAY)], []),
        # accepted in a recorded request: the answer has another name, but there is one of each
        ([user(SAY), model(asks("look")), user(answers("call_1")), model(SAY)], []),
        (
            [model(asks("f", "a")), user(answers("f", "b")), model(SAY)],
            ["missing_result", "orphan_result"],
        ),
        ([model(asks(), asks()), user(answers(id="x")), model(SAY)], ["missing_result"]),
        ([model(asks()), user(answers(), answers()), model(SAY)], ["orphan_result"]),
    ],
)
def test_pairs(history, codes):
    assert [fault.code for fault in check(history, format="gemini")] == codes
    mended = repair(history, format="gemini").messages
    assert check(mended, format="gemini") == []
    assert (mended == history) == (not codes)


def test_a_cut_keeps_such_pairs_whole():
    history = [user({"text": "words " * 9})]
    rng = Random(3)
    for n in range(8):
        one, other = rng.choice([(None, f"c{n}"), (f"c{n}", None), (None, None)])
        history += [model(asks(id=one)), user(answers(id=other)), model(SAY), user(SAY)]
    for budget in range(20, 200, 7):
        fitted = fit(history, budget, format="gemini")
        assert verify(fitted) == []
        assert check(fitted.messages, format="gemini") == []
