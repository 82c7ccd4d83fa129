"""Gemini contents: the rules of the API, each with where it is said."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from support.rule_table import Rule, holds, table
from trimtab import Policy, check, fit, per_message, repair, verify

ONE = per_message(lambda message: 1)
NUMBER = 'error: "number of function response parts is equal to the number of function call parts"'
AFTER = 'error: "function response turn comes immediately after a function call turn"'
SPREAD = "observed: a recorded request"
ROLES = "error: please use a valid role: user, model"
PLACE = "doc: parallel calls are matched by id, else by name and place"
CODE = "doc: code execution stands in the model's own content"


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def asks(name="f", id=None, **more):
    return {"functionCall": {"name": name, "args": {}} | ({"id": id} if id else {}), **more}


def back(name="f", id=None, said="ok"):
    answer = {"name": name, "response": {"result": said}} | ({"id": id} if id else {})
    return {"functionResponse": answer}


TEXT = {"text": "hello"}
ASK, SAY = user(TEXT), model(TEXT)
RUNS, RAN = {"executableCode": {"id": "x", "code": "1"}}, {"codeExecutionResult": {"id": "x"}}
SIGNED = {"thoughtSignature": "c2ln"}


@table(
    Rule(
        "as many responses as calls",
        NUMBER,
        [ASK, model(asks(), asks()), user(back(), back()), SAY],
    ),
    Rule("too few", NUMBER, [ASK, model(asks(), asks()), user(back()), SAY], ("missing_result",)),
    Rule("too many", NUMBER, [ASK, model(asks()), user(back(), back()), SAY], ("orphan_result",)),
    Rule("none", AFTER, [ASK, model(asks()), ASK], ("missing_result",)),
    Rule("late", AFTER, [ASK, model(asks()), ASK, user(back())], ("misplaced",), seen=False),
    Rule("without a call", AFTER, [ASK, SAY, user(back()), SAY], ("orphan_result",)),
    Rule("first of all", AFTER, [user(back()), SAY], ("orphan_result",)),
    Rule("a response of the model", AFTER, [ASK, model(back())], ("misplaced",)),
    Rule(
        "a call of the user",
        "error: function call turn",
        [user(asks()), SAY],
        ("misplaced",),
    ),
    Rule(
        "by id", PLACE, [ASK, model(asks(id="a"), asks(id="b")), user(back(id="b"), back(id="a"))]
    ),
    Rule(
        "a wrong id",
        PLACE,
        [ASK, model(asks(id="a")), user(back(id="z")), SAY],
        ("missing_result", "orphan_result"),
    ),
    Rule("an id on the call alone", PLACE, [ASK, model(asks(id="a")), user(back()), SAY]),
    Rule("an id on the response alone", SPREAD, [ASK, model(asks()), user(back(id="a")), SAY]),
    Rule("by name", PLACE, [ASK, model(asks("f"), asks("g")), user(back("g"), back("f")), SAY]),
    Rule("by place", SPREAD, [ASK, model(asks("f")), user(back("other")), SAY]),
    Rule("an id again", PLACE, [ASK, *2 * [model(asks(id="a")), user(back(id="a"))], SAY]),
    Rule(
        "an id twice in a turn",
        PLACE,
        [model(asks(id="a"), asks(id="a")), user(back(id="a"))],
        ("duplicate_call",),
        seen=False,
    ),
    Rule(
        "two responses to an id",
        NUMBER,
        [model(asks(id="a")), user(back(id="a"), back(id="a"))],
        ("duplicate_result",),
    ),
    Rule(
        "calls in two contents",
        SPREAD,
        [ASK, model(asks(id="a")), model(asks(id="b")), user(back(id="a"), back(id="b"))],
    ),
    Rule(
        "responses in two contents",
        SPREAD,
        [ASK, model(asks("f"), asks("g")), user(back("f")), user(back("g")), SAY],
    ),
    Rule("a human text behind a response", SPREAD, [ASK, model(asks()), user(back(), TEXT), SAY]),
    Rule("a human text before a response", SPREAD, [ASK, model(asks()), user(TEXT, back()), SAY]),
    Rule(
        "a human text amid the responses",
        NUMBER,
        [ASK, model(asks("f"), asks("g")), user(back("f"), TEXT), user(back("g")), SAY],
        ("misplaced",),
        seen=False,
    ),
    Rule(
        "two user contents, two of the model",
        "source: ADK's maintainers",
        [ASK, ASK, SAY, SAY, ASK],
    ),
    Rule(
        "a text and then a call",
        "error: function call turn",
        [ASK, SAY, model(asks()), user(back()), SAY],
    ),
    Rule("ends on the model", "doc: a reply to come", [ASK, SAY]),
    Rule("waits at the very end", "doc: a call to answer", [ASK, model(asks())]),
    Rule("no role", "doc: the role is optional", [{"parts": [TEXT]}, SAY]),
    Rule(
        "the role function",
        "doc: older SDKs",
        [ASK, model(asks()), {"role": "function", "parts": [back()]}],
    ),
    Rule(
        "the role assistant",
        ROLES,
        [ASK, {"role": "assistant", "parts": [TEXT]}],
        ("unknown_role",),
        mends=False,
        seen=False,
    ),
    Rule("code and its result", CODE, [ASK, model(RUNS, RAN, TEXT), ASK]),
    Rule(
        "code without ids",
        CODE,
        [ASK, model({"executableCode": {}}, {"codeExecutionResult": {}}), ASK],
    ),
    Rule(
        "a result before its code",
        CODE,
        [ASK, model(RAN, RUNS, TEXT), ASK],
        ("orphan_result", "missing_result"),
    ),
    Rule("code without its result", CODE, [ASK, model(RUNS, TEXT), ASK], ("missing_result",)),
    Rule(
        "an empty content",
        "error: contents.parts must not be empty",
        [ASK, model(), ASK],
        ("empty_message",),
    ),
    Rule("an empty text", SPREAD, [user({"text": ""}), SAY]),
)
def test_rules(rule):
    holds("gemini", rule)


@pytest.mark.parametrize(
    ("calls", "came", "names"),
    [
        ([asks("f"), asks("g")], [back("g")], ["f", "g"]),
        ([asks("f"), asks("g")], [back("f")], ["f", "g"]),
        ([asks("f"), asks("f"), asks("g")], [back("g"), back("f", said="1st")], ["f", "f", "g"]),
    ],
)
def test_added_responses_without_ids_stand_in_the_place_of_their_calls(calls, came, names):
    """The API pairs by name and place, so what came first must still be for the first call."""
    mended = repair([ASK, model(*calls), user(*came), SAY], format="gemini").messages
    answers = [p["functionResponse"] for content in mended[2:-1] for p in content["parts"]]
    assert [answer["name"] for answer in answers] == names
    first = next(answer for answer in answers if answer["name"] == "f")
    added = sum("error" in answer["response"] for answer in answers)
    assert added == len(calls) - len(came)
    if any(part["functionResponse"]["name"] == "f" for part in came):
        assert "error" not in first["response"]


def test_words_beside_responses_that_are_put_in_order_stay():
    broken = [ASK, model(asks("f"), asks("g")), user(back("f"), TEXT), user(back("g")), SAY]
    mended = repair(broken, format="gemini")
    assert mended.messages == [*broken[:2], user(back("f"), back("g"), TEXT), SAY]
    assert [row.action for row in mended.repairs] == ["moved", "joined"]


def test_responses_with_ids_stay_where_they_are():
    broken = [ASK, model(asks(id="a"), asks(id="b")), user(back(id="a")), SAY]
    mended = repair(broken, format="gemini").messages
    assert mended[3] is broken[2]


def test_signatures_of_the_current_turn_stay_part_by_part():
    """Checked for the current turn alone; the first call of each step carries it."""
    step = [model(asks("f", **SIGNED), asks("g")), user(back("f"), back("g"))]
    history = [ASK, SAY, user({"text": "go"}), *step, *step, model({**TEXT, **SIGNED})]
    history = [*history[:5], model(asks("f", **SIGNED)), user(back("f")), *history[7:]]
    for budget in range(2, len(history) + 1):
        fitted = fit(history, budget, format="gemini", counter=ONE)
        assert all(any(m is own for own in history) for m in fitted.messages)
        assert fitted.messages[0] in (history[0], history[2])
        assert verify(fitted) == []
    twice = [ASK, model(asks(id="a", **SIGNED), asks(id="a")), user(back(id="a")), SAY]
    assert repair(twice, format="gemini").messages[1]["parts"] == [asks(id="a", **SIGNED)]


class Snake(BaseModel, alias_generator=to_camel, populate_by_name=True, extra="forbid"):
    """As the Python SDK's types: snake_case fields, camelCase aliases."""


class Call(Snake):
    id: str | None = None
    name: str | None = None
    args: dict[str, Any] | None = None


class Response(Snake):
    id: str | None = None
    name: str | None = None
    response: dict[str, Any] | None = None


class Part(Snake):
    text: str | None = None
    thought: bool | None = None
    thought_signature: bytes | None = None
    function_call: Call | None = None
    function_response: Response | None = None


class Content(Snake):
    role: str | None = None
    parts: list[Part] | None = None


def snake(history):
    return [Content.model_validate(c).model_dump(exclude_none=True) for c in history]


def typed(history):
    return [Content.model_validate(content) for content in history]


@pytest.mark.parametrize("form", [snake, typed])
def test_every_spelling_is_read_alike(form):
    history = [ASK, model(asks(id="a"), asks("g")), user(back(id="a")), ASK, user(back("x"))]
    codes = [(fault.code, fault.index, fault.id) for fault in check(history, format="gemini")]
    assert codes
    made = form(history)
    assert [(fault.code, fault.index, fault.id) for fault in check(made, format="gemini")] == codes
    mended = repair(made, format="gemini").messages
    assert check(mended, format="gemini") == []
    written = [c if isinstance(c, dict) else c.model_dump(exclude_none=True) for c in mended]
    kinds = {key for content in written for part in content["parts"] for key in part}
    assert kinds == {"text", "function_call", "function_response"}


@pytest.mark.parametrize("form", [snake, typed])
def test_every_spelling_fits_alike(form):
    long = "\n".join(f"line {n}" for n in range(400))
    history = [ASK, model(asks(**SIGNED)), user(back(said=long)), model(TEXT), ASK, SAY]
    made = form(history)
    for budget in (40, 10**6):
        plain = fit(history, budget, format="gemini", policy=Policy(max_result_tokens=40))
        fitted = fit(made, budget, format="gemini", policy=Policy(max_result_tokens=40))
        assert (fitted.used, fitted.dropped) == (plain.used, plain.dropped)
        assert verify(fitted) == []
        assert all(type(m) is type(made[0]) for m in fitted.messages)
