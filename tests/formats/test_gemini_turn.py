"""Gemini's turns: which call an answer is for, in linear work, whatever stands where."""

from __future__ import annotations

import sys
from random import Random

import pytest
from support.forall import sizes
from support.judges import judge
from trimtab import check, fit, repair, verify
from trimtab.formats import gemini_turn
from trimtab.formats.gemini_parts import CallId
from trimtab.formats.gemini_turn import GeminiTurn
from trimtab.soundness import SOUNDNESS


def ids(signs):
    """``f`` is of that function and has no id, ``f#a`` has the id a."""
    return [CallId(name, id) for name, _, id in (sign.partition("#") for sign in signs.split())]


@pytest.mark.parametrize(
    ("calls", "contents", "found"),
    [
        ("f#a f#b", ["f#b f#a"], "b a"),
        ("f f", ["f f"], "name:f name:f#2"),
        ("f f", ["f", "f"], "name:f name:f#2"),
        # an answer with an id of its own is for a call that has none
        ("f f", ["f#x f#y"], "name:f name:f#2"),
        ("f#a f", ["f#x"], "name:f"),
        # one without an id rather for a call without one, and only then for another
        ("f#a f", ["f", "f#a"], "name:f a"),
        ("f#a f", ["f f"], "name:f a"),
        # within a content the order decides nothing
        ("f#a f", ["f f#x"], "a name:f"),
        ("f#a f", ["f#x f"], "name:f a"),
        # an id that a call of the turn has is for that call alone
        ("f#a f", ["f#a f#a"], "a a"),
        # by place, where the numbers agree and no ids are given
        ("g h", ["x h"], "name:g name:h"),
        ("g h", ["x"], "name:x"),
        ("g#a", ["x"], "name:x"),
        ("g", ["x#a"], "a"),
        # for none of them: numbered on, so that it is taken for no other
        ("f", ["f f"], "name:f name:f#2"),
        ("f", ["f", "f"], "name:f name:f#2"),
        # an id that looks like a stand-in is none
        ("f#name:f f", ["f", "f#name:f"], "name:f id:name:f"),
    ],
)
def test_what_answers_are_for(calls, contents, found):
    turn = GeminiTurn()
    turn.called(ids(calls))
    pairs = [id for content in contents for id in turn.answered(ids(content))]
    assert " ".join(pairs) == found


def test_ids_and_stand_ins_are_never_equal():
    texts = ["f", "name:f", "id:name:f", "id:id:name:f", "id:f", "name:f#2", "name:"]
    made = [CallId("f", None), CallId("f", None, 2), *(CallId("f", text) for text in texts)]
    assert len(set(made)) == len(made)


def part(rng, ids, names):
    kind = rng.choice(["text", "functionCall", "functionCall", *2 * ["functionResponse"]])
    if kind == "text":
        return {"text": "hello"}
    own = {"name": rng.choice(names)} | ({"id": id} if (id := rng.choice(ids)) else {})
    return {kind: own | ({"args": {}} if kind == "functionCall" else {"response": {"r": 1}})}


def soup(rng):
    """Calls and responses with few names and ids, anywhere."""
    ids = rng.choice([[None], [None, "a"], [None, None, "a", "b"], [None, "name:f", "name:f#2"]])
    names, roles = rng.choice(["f", "fg", "fgh"]), rng.choice([("user", "model"), ("model",)])
    return [
        {
            "role": rng.choice(roles),
            "parts": [part(rng, ids, names) for _ in range(rng.choice([0, 1, 1, 2, 4]))],
        }
        for _ in range(rng.randint(1, 8))
    ]


def tidy(history):
    """The same with calls by the model alone, and responses by the user."""
    wrong = {"model": "functionResponse", "user": "functionCall"}
    kept = [[p for p in c["parts"] if wrong[c["role"]] not in p] for c in history]
    return [
        {**c, "parts": parts or [{"text": "x"}]} for c, parts in zip(history, kept, strict=True)
    ]


@sizes(quick=300, slow=5000)
def test_what_is_repaired_is_accepted(examples):
    accepts = judge("gemini")
    sound = 0
    for seed in range(examples):
        history = soup(Random(seed))
        history = history if seed % 2 else tidy(history)
        faults = check(history, format="gemini")
        objections = [accepts(history), list(SOUNDNESS["gemini"](history))]
        if not faults:
            assert not any(objections), seed
        elif all(fault.code != "duplicate_call" for fault in faults):  # the others count
            assert all(objections) or sound_by_number(objections), seed
        mended = repair(history, format="gemini").messages
        sound += not faults
        assert faults or mended == history, seed
        assert accepts(mended) == list(SOUNDNESS["gemini"](mended)) == [], seed
        if mended:
            fitted = fit(history, 10**6, format="gemini", on_invalid="repair")
            assert verify(fitted) == [], seed
    assert sound > examples / 20


def sound_by_number(objections):
    """The second opinion counts where there are no ids, the others pair content by content."""
    ours, numbers = objections
    return bool(ours) and not numbers


def turn(n, split):
    """One turn of calls without ids and their responses, each in a content or all in one."""
    calls = [{"functionCall": {"name": "fg"[at % 2], "args": {}}} for at in range(n)]
    said = [{"functionResponse": {"name": "fgh"[at % 3], "response": {}}} for at in range(n)]
    said = [
        {"role": "user", "parts": some} for some in ([[one] for one in said] if split else [said])
    ]
    return [*({"role": "model", "parts": [one]} for one in calls), *said]


def work(monkeypatch, history):
    """Calls of functions, and items of lists that a turn makes, until all is mended."""
    steps = 0

    def count(frame, event, argument):
        nonlocal steps
        steps += event == "call"

    def listed(items):
        nonlocal steps
        made = [*items]
        steps += len(made)
        return made

    monkeypatch.setattr(gemini_turn, "list", listed, raising=False)
    sys.setprofile(count)
    try:
        check(history, format="gemini")
        repair(history, format="gemini")
    finally:
        sys.setprofile(None)
    return steps


@pytest.mark.parametrize("split", [True, False])
def test_the_work_of_a_long_turn_is_linear(monkeypatch, split):
    small, big = (work(monkeypatch, turn(n, split)) for n in (400, 4000))
    assert 9 * small < big < 11 * small
