"""Repair, fault by fault: what comes out, what is said about it, and what stays untouched."""

from __future__ import annotations

import copy
from random import Random

import pytest
from hypothesis import strategies as st
from support.forall import forall, sizes
from support.generate import DAMAGE, damage, sound
from support.oracles import objections
from trimtab import (
    InvalidHistory,
    InvalidOptions,
    UnknownFormat,
    check,
    fit,
    repair,
    verify,
)
from trimtab.mending import INTERRUPTED

# OpenAI Chat


def user(words="u"):
    return {"role": "user", "content": words}


def reply(words="so"):
    return {"role": "assistant", "content": words}


def asks(*ids, content=None):
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids
    ]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def answer(id, words="r"):
    return {"role": "tool", "tool_call_id": id, "content": words}


def legacy(name="f"):
    return {
        "role": "assistant",
        "content": None,
        "function_call": {"name": name, "arguments": "{}"},
    }


def answers_legacy(name="f", words="r"):
    return {"role": "function", "name": name, "content": words}


GONE = INTERRUPTED

# Each case: input, expected output, expected repairs as (code, index, id, action).
CHAT = {
    "orphan": (
        [user(), answer("a"), reply()],
        [user(), reply()],
        [("orphan_result", 1, "a", "dropped")],
    ),
    "orphan in front": ([answer("a"), user()], [user()], [("orphan_result", 0, "a", "dropped")]),
    "result without an id": (
        [user(), {"role": "tool", "content": "r"}, reply()],
        [user(), reply()],
        [("orphan_result", 1, None, "dropped")],
    ),
    "wrong id": (
        [asks("a"), answer("z"), user()],
        [asks("a"), answer("a", GONE), user()],
        [("missing_result", 0, "a", "answered"), ("orphan_result", 1, "z", "dropped")],
    ),
    "result before its call": (
        [user(), answer("a"), asks("a"), user()],
        [user(), asks("a"), answer("a", GONE), user()],
        [("orphan_result", 1, "a", "dropped"), ("missing_result", 2, "a", "answered")],
    ),
    "no result": (
        [asks("a"), user()],
        [asks("a"), answer("a", GONE), user()],
        [("missing_result", 0, "a", "answered")],
    ),
    "one of three results": (
        [asks("a", "b", "c"), answer("b"), user()],
        [asks("a", "b", "c"), answer("a", GONE), answer("c", GONE), answer("b"), user()],
        [("missing_result", 0, "a", "answered"), ("missing_result", 0, "c", "answered")],
    ),
    "no result to a legacy call": (
        [legacy(), user()],
        [legacy(), answers_legacy(words=GONE), user()],
        [("missing_result", 0, "function:f", "answered")],
    ),
    "a call twice in one message": (
        [asks("a", "a", "b"), answer("a"), answer("b"), user()],
        [asks("a", "b"), answer("a"), answer("b"), user()],
        [("duplicate_call", 0, "a", "dropped")],
    ),
    "a call twice with two results": (
        [asks("a", "a"), answer("a", "1"), answer("a", "2"), user()],
        [asks("a"), answer("a", "1"), user()],
        [("duplicate_call", 0, "a", "dropped"), ("duplicate_result", 2, "a", "dropped")],
    ),
    "a second result": (
        [asks("a"), answer("a", "1"), answer("a", "2"), user()],
        [asks("a"), answer("a", "1"), user()],
        [("duplicate_result", 2, "a", "dropped")],
    ),
    "a second result much later": (
        [asks("a"), answer("a", "1"), user(), reply(), answer("a", "2")],
        [asks("a"), answer("a", "1"), user(), reply()],
        [("duplicate_result", 4, "a", "dropped")],
    ),
    "a user between": (
        [asks("a"), user(), answer("a"), reply()],
        [asks("a"), answer("a"), user(), reply()],
        [("misplaced", 2, "a", "moved")],
    ),
    "a system message between": (
        [asks("a"), {"role": "system", "content": "s"}, answer("a")],
        [asks("a"), answer("a"), {"role": "system", "content": "s"}],
        [("misplaced", 2, "a", "moved")],
    ),
    "parallel results scattered": (
        [asks("a", "b", "c"), answer("b"), user("1"), answer("c"), reply(), answer("a"), user("2")],
        [asks("a", "b", "c"), answer("c"), answer("a"), answer("b"), user("1"), reply(), user("2")],
        [("misplaced", 3, "c", "moved"), ("misplaced", 5, "a", "moved")],
    ),
    "results of two turns after both": (
        [asks("a"), asks("b"), answer("a"), answer("b"), user()],
        [asks("a"), answer("a"), asks("b"), answer("b"), user()],
        [("misplaced", 2, "a", "moved")],
    ),
    "a legacy result late": (
        [legacy(), user(), answers_legacy()],
        [legacy(), answers_legacy(), user()],
        [("misplaced", 2, "function:f", "moved")],
    ),
    "an id again answers the nearest call": (
        [asks("a"), user(), asks("a"), answer("a", "2"), user()],
        [asks("a"), answer("a", GONE), user(), asks("a"), answer("a", "2"), user()],
        [("missing_result", 0, "a", "answered")],
    ),
    "several at once": (
        [answer("x"), asks("a", "b"), user("1"), answer("b"), answer("b"), asks("c"), user("2")],
        [
            asks("a", "b"),
            answer("b"),
            answer("a", GONE),
            user("1"),
            asks("c"),
            answer("c", GONE),
            user("2"),
        ],
        [
            ("orphan_result", 0, "x", "dropped"),
            ("missing_result", 1, "a", "answered"),
            ("misplaced", 3, "b", "moved"),
            ("duplicate_result", 4, "b", "dropped"),
            ("missing_result", 5, "c", "answered"),
        ],
    ),
}

# Anthropic Messages


def said(*blocks):
    return {"role": "user", "content": list(blocks)}


def model(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def text(words="x"):
    return {"type": "text", "text": words}


def use(id):
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id, words="r", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": words, **more}


def gone(*ids):
    return said(*[result(id, GONE, is_error=True) for id in ids])


def served(id):
    return {"type": "server_tool_use", "id": id, "name": "web_search", "input": {}}


def found(id):
    return {"type": "web_search_tool_result", "tool_use_id": id, "content": []}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
Q = user("q")

CLAUDE = {
    "orphan": (
        [Q, reply(), said(result("a"))],
        [Q, reply()],
        [("orphan_result", 2, "a", "dropped")],
    ),
    "orphan beside words": (
        [Q, model(text()), said(result("a"), text("and?"))],
        [Q, model(text()), said(text("and?"))],
        [("orphan_result", 2, "a", "dropped")],
    ),
    "orphan beside another result": (
        [Q, model(use("a")), said(result("z"), result("a"))],
        [Q, model(use("a")), said(result("a"))],
        [("orphan_result", 2, "z", "dropped")],
    ),
    "no result": (
        [Q, model(text(), use("a")), user("v")],
        [Q, model(text(), use("a")), gone("a"), user("v")],
        [("missing_result", 1, "a", "answered")],
    ),
    "one of two results": (
        [Q, model(use("a"), use("b")), said(result("b"), text())],
        [Q, model(use("a"), use("b")), gone("a"), said(result("b"), text())],
        [("missing_result", 1, "a", "answered")],
    ),
    "no result to a call of the provider": (
        [Q, model(text(), served("s")), user("v")],
        [Q, model(text()), user("v")],
        [("missing_result", 1, "s", "dropped")],
    ),
    "a result of the provider without its call": (
        [Q, model(text(), found("s")), user("v")],
        [Q, model(text()), user("v")],
        [("orphan_result", 1, "s", "dropped")],
    ),
    "a call twice in one turn": (
        [Q, model(use("a")), model(text(), use("a")), said(result("a")), user("v")],
        [Q, model(use("a")), model(text()), said(result("a")), user("v")],
        [("duplicate_call", 2, "a", "dropped")],
    ),
    "an id again in a later turn": (
        [
            Q,
            model(use("a")),
            said(result("a", "1")),
            model(text(), use("a")),
            said(result("a", "2")),
            user("v"),
        ],
        [Q, model(use("a")), said(result("a", "1")), model(text()), user("v")],
        [("duplicate_call", 3, "a", "dropped"), ("duplicate_result", 4, "a", "dropped")],
    ),
    "a call twice leaves no bare thinking": (
        [Q, model(use("a")), said(result("a")), model(THOUGHT, use("a")), user("v")],
        [Q, model(use("a")), said(result("a")), user("v")],
        [("duplicate_call", 3, "a", "dropped")],
    ),
    "a second result": (
        [Q, model(use("a")), said(result("a", "1"), result("a", "2")), reply()],
        [Q, model(use("a")), said(result("a", "1")), reply()],
        [("duplicate_result", 2, "a", "dropped")],
    ),
    "a user between": (
        [Q, model(use("a")), user("wait"), said(result("a")), reply()],
        [Q, model(use("a")), said(result("a")), user("wait"), reply()],
        [("misplaced", 3, "a", "moved")],
    ),
    "a result among the words of a later message": (
        [Q, model(use("a")), user("wait"), said(text("here"), result("a")), reply()],
        [Q, model(use("a")), said(result("a")), user("wait"), said(text("here")), reply()],
        [("misplaced", 3, "a", "moved")],
    ),
    "words before the result": (
        [Q, model(use("a")), said(text("note"), result("a")), reply()],
        [Q, model(use("a")), said(result("a"), text("note")), reply()],
        [("misplaced", 2, "a", "edited")],
    ),
    "blank words before the result": (
        [Q, model(use("a")), said(text(" "), result("a")), reply()],
        [Q, model(use("a")), said(result("a")), reply()],
        [("blank_text", 2, None, "dropped"), ("misplaced", 2, "a", "edited")],
    ),
    "parallel results scattered": (
        [
            Q,
            model(use("a"), use("b")),
            said(result("b")),
            user("v"),
            reply(),
            said(result("a"), text("late")),
        ],
        [
            Q,
            model(use("a"), use("b")),
            said(result("a")),
            said(result("b")),
            user("v"),
            reply(),
            said(text("late")),
        ],
        [("misplaced", 5, "a", "moved")],
    ),
    "a blank text": (
        [Q, model(text()), said(text(""), text("v"))],
        [Q, model(text()), said(text("v"))],
        [("blank_text", 2, None, "dropped")],
    ),
    "a blank message": (
        [user(" "), user("v"), reply()],
        [user("v"), reply()],
        [("blank_text", 0, None, "dropped")],
    ),
    "a blank text of the model": (
        [Q, model(text(""), use("a")), said(result("a"))],
        [Q, model(use("a")), said(result("a"))],
        [("blank_text", 1, None, "dropped")],
    ),
    "several at once": (
        [
            said(result("x"), text("q")),
            model(text(""), use("a"), served("s")),
            user("v"),
            said(result("a"), result("a")),
        ],
        [said(text("q")), model(use("a")), said(result("a")), user("v")],
        [
            ("orphan_result", 0, "x", "dropped"),
            ("blank_text", 1, None, "dropped"),
            ("missing_result", 1, "s", "dropped"),
            ("duplicate_result", 3, "a", "dropped"),
            ("misplaced", 3, "a", "moved"),
        ],
    ),
}

ALL = [
    *(pytest.param("openai-chat", *case, id=f"chat: {name}") for name, case in CHAT.items()),
    *(pytest.param("anthropic", *case, id=f"anthropic: {name}") for name, case in CLAUDE.items()),
]
every_case = pytest.mark.parametrize(("format", "broken", "mended", "repairs"), ALL)


def rows(repaired):
    return [(row.code, row.index, row.id, row.action) for row in repaired.repairs]


@every_case
def test_a_fault_and_its_repair(format, broken, mended, repairs):
    before = copy.deepcopy(broken)
    assert check(broken, format=format), "the case is broken"
    repaired = repair(broken, format=format)
    assert broken == before
    assert repaired.messages == mended
    assert sorted(rows(repaired)) == sorted(repairs)
    assert [row.index for row in repaired.repairs] == sorted(row.index for row in repaired.repairs)
    assert all(row.message for row in repaired.repairs)


@every_case
def test_the_repaired_history_is_sound_and_stays_as_it_is(format, broken, mended, repairs):
    repaired = repair(broken, format=format)
    assert check(repaired.messages, format=format) == []
    assert objections(format, repaired.messages) == []
    again = repair(repaired.messages, format=format)
    assert again.repairs == []
    assert all(a is b for a, b in zip(again.messages, repaired.messages, strict=True))


@every_case
def test_what_needs_no_repair_is_the_same_object(format, broken, mended, repairs):
    touched = {index for code, index, _, action in repairs if action not in ("moved", "answered")}
    own = {id(message): at for at, message in enumerate(broken)}
    out = repair(broken, format=format).messages
    for message in out:
        if id(message) not in own:
            assert message not in [m for at, m in enumerate(broken) if at not in touched]
    kept = [own[id(message)] for message in out if id(message) in own]
    assert len(set(kept)) == len(kept)
    still = [at for at in kept if at not in {i for _, i, _, action in repairs if action == "moved"}]
    assert still == sorted(still)


@every_case
def test_fit_does_the_same_and_lists_it(format, broken, mended, repairs):
    with pytest.raises(InvalidHistory) as caught:
        fit(broken, 10**6, format=format)
    assert caught.value.code == check(broken, format=format)[0].code
    fitted = fit(broken, 10**6, format=format, on_invalid="repair")
    assert fitted.messages == mended
    assert fitted.repairs == repair(broken, format=format).repairs
    assert verify(fitted) == []
    codes = {row.index: set(row.reasons) for row in fitted.decisions}
    for code, index, _, _ in repairs:
        assert code in codes[index]


# What cannot be mended is still refused, by the same code.


@pytest.mark.parametrize(
    ("format", "broken", "code"),
    [
        ("openai-chat", [{"role": "robot", "content": "x"}], "unknown_role"),
        ("anthropic", [Q, {"role": "tool", "content": "x"}], "unknown_role"),
        ("openai-chat", [{"role": "user", "content": 5}], "malformed"),
        ("anthropic", [{"role": "system", "content": "s"}, Q], "misplaced"),
        ("anthropic", [Q, reply(), {"role": "system", "content": "s"}], "misplaced"),
        ("anthropic", [Q, {"role": "system", "content": "s"}, user("v")], "misplaced"),
        ("anthropic", [Q, model(result("a"))], "misplaced"),
        ("anthropic", [said(use("a"))], "misplaced"),
    ],
)
def test_what_cannot_be_mended_is_refused(format, broken, code):
    for call in (
        lambda: repair(broken, format=format),
        lambda: fit(broken, 10**6, format=format, on_invalid="repair"),
    ):
        with pytest.raises(InvalidHistory) as caught:
            call()
        assert caught.value.code == code


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        pytest.param(
            [Q, model(use("a"), use("b")), said(result("a"), text("hm"), result("b"))],
            [Q, model(use("a"), use("b")), said(result("a"), result("b"), text("hm"))],
        ),
        pytest.param(
            [Q, model(served("s"), found("s")), user("v"), model(served("s"), found("s"), text())],
            [Q, model(served("s"), found("s")), user("v"), model(text())],
        ),
        pytest.param(
            [Q, model(use("a")), model(text(), use("a"))],
            [Q, model(use("a")), model(text())],
        ),
        pytest.param(
            [Q, model(use("a"), use("a"))],
            [Q, model(use("a"))],
        ),
        pytest.param(
            [Q, model(use("a"), use("b")), said(result("z"), result("a"))],
            [Q, model(use("a"), use("b")), said(result("a"))],
        ),
    ],
)
def test_odd_corners(broken, mended):
    assert repair(broken).messages == mended


def test_every_unanswered_call_is_reported():
    history = [asks("a"), user(), asks("a"), user()]
    assert [(f.code, f.index) for f in check(history)] == [
        ("missing_result", 0),
        ("missing_result", 2),
    ]


def test_a_fault_is_reported_once():
    assert len(check([Q, model(use("a")), user("wait"), said(result("a"))])) == 1


def test_faults_come_oldest_first():
    history = [Q, model(served("s")), model(text("")), user("v")]
    assert [fault.index for fault in check(history)] == [1, 2]


def test_a_second_result_of_a_server_tool():
    (fault,) = check([Q, model(served("s"), found("s"), found("s"))])
    assert fault.code == "duplicate_result"


def test_an_empty_reply_at_the_very_end_stays():
    history = [Q, reply(), said(result("z"), text()), model()]
    repaired = repair(history)
    assert repaired.messages[-1] is history[-1]
    assert [row.code for row in repaired.repairs] == ["orphan_result"]


class Watched(list):
    """Content that counts how often a block is read from it."""

    reads = 0

    def __iter__(self):
        for block in super().__iter__():
            Watched.reads += 1
            yield block


def test_many_results_move_in_linear_work():
    def reads(n):
        ids = [f"t{k}" for k in range(n)]
        results = Watched([*[result(id) for id in ids], text()])
        Watched.reads = 0
        repair([Q, model(*map(use, ids)), user("wait"), {"role": "user", "content": results}])
        return Watched.reads

    assert reads(80) < 3 * reads(40)


# Random damage


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@sizes(quick=300, slow=4000)
def test_several_damages_at_once(format, examples):
    """Mended once and for all, or refused for a rule that has no repair."""
    outcomes = {"mended": 0, "refused": 0}

    def holds(seed):
        rng = Random(seed)
        broken = sound(format, rng)
        for _ in range(rng.randint(1, 4)):
            if broken:
                broken = damage(broken, rng, rng.choice(sorted(DAMAGE)))
        before = copy.deepcopy(broken)
        try:
            repaired = repair(broken, format=format)
        except InvalidHistory as error:
            assert format == "anthropic" and error.code == "misplaced"
            outcomes["refused"] += 1
            return
        finally:
            assert broken == before
        outcomes["mended"] += 1
        assert check(repaired.messages, format=format) == []
        again = repair(repaired.messages, format=format)
        assert again.repairs == [] and again.messages == repaired.messages
        assert bool(repaired.repairs) == bool(check(broken, format=format))
        fitted = fit(broken, 10**7, format=format, on_invalid="repair")
        assert fitted.messages == repaired.messages
        assert verify(fitted) == []
        assert {row.index for row in fitted.decisions} == set(range(len(broken)))

    forall(st.integers(0, 2**32), examples, holds)
    assert outcomes["mended"] > examples // 2


def test_a_sound_history_is_a_new_list_of_the_same_objects():
    history = [user(), asks("a"), answer("a"), reply()]
    repaired = repair(history)
    assert repaired.messages is not history
    assert all(a is b for a, b in zip(repaired.messages, history, strict=True))
    assert repaired.repairs == []
    assert repair([]).messages == []


def test_calls_that_wait_at_the_very_end_are_sound():
    for history in ([user(), asks("a", "b")], [user(), asks("a", "b"), answer("b")]):
        assert check(history) == [] and repair(history).repairs == []


@pytest.mark.parametrize("call", [check, repair])
def test_wrong_arguments(call):
    with pytest.raises(UnknownFormat):
        call([user()], format="nope")
    for messages in (None, 5, "text", {"role": "user"}, [None], [5]):
        with pytest.raises(InvalidOptions):
            call(messages)
