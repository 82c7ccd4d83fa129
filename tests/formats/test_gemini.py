"""Gemini contents: what is read, what is broken, what is changed and what is not."""

from __future__ import annotations

import copy
from random import Random
from types import SimpleNamespace

import pytest
from pydantic import BaseModel
from support.corpus import conversations, requires_corpus
from support.generate import sound
from trimtab import DoesNotFit, Policy, UnknownFormat, check, fit, fit_request, repair, verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, Facts
from trimtab.formats.gemini import Gemini
from trimtab.formats.registry import detect

gemini = Gemini()
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def asks(name="f", id=None, **more):
    call = {"name": name, "args": {}} | ({"id": id} if id else {})
    return {"functionCall": call, **more}


def answers(name="f", id=None, response=None):
    answer = {"name": name, "response": response or {"result": "ok"}} | ({"id": id} if id else {})
    return {"functionResponse": answer}


SAY = {"text": "hello"}


class Blob(BaseModel):
    name: str | None = None
    id: str | None = None
    args: dict | None = None
    response: dict | None = None


class Part(BaseModel):
    """Shaped like the Python SDK's part."""

    text: str | None = None
    thought: bool | None = None
    function_call: Blob | None = None
    function_response: Blob | None = None
    thought_signature: bytes | None = None


class Content(BaseModel):
    role: str | None = None
    parts: list[Part] | None = None


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (user(SAY), HEARD),
        ({"parts": [SAY]}, HEARD),
        ({"role": None, "parts": {"text": "one part alone"}}, HEARD),
        (user({"text": ""}), HEARD),
        (user({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}), HEARD),
        (model(SAY), Facts(MODEL)),
        (model({"thoughtSignature": "c2ln"}), Facts(MODEL)),
        (model(asks(id="a"), asks(id="b")), Facts(MODEL, ("a", "b"))),
        (model(asks(), asks(), asks("g")), Facts(MODEL, ("name:f", "name:f", "name:g"))),
        (model({"function_call": {"name": "f", "id": "a"}}), Facts(MODEL, ("a",))),
        (user(answers(id="a")), Facts(RESULT, answers=("a",))),
        ({"role": "function", "parts": [answers()]}, Facts(RESULT, answers=("name:f",))),
        (user(answers(id="a"), SAY), Facts(RESULT, answers=("a",), human=True)),
        (
            user(SAY, answers(id="a")),
            Facts(RESULT, answers=("a",), human=True, leads_human=True),
        ),
        (
            model({"text": "hm", "thought": True}, SAY),
            Facts(MODEL, reasons=True, thought=True),
        ),
        (
            model({"executableCode": {"code": "1", "id": "x"}}, {"codeExecutionResult": {}}),
            Facts(MODEL, server_calls=("x",)),
        ),
        (
            model({"toolCall": {"id": "x"}}, {"tool_response": {"id": "x"}}),
            Facts(MODEL, server_calls=("x",), server_answers=("x",)),
        ),
    ],
)
def test_facts(message, facts):
    assert gemini.read(message) == facts


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([user(SAY), model(asks()), user(answers()), model(SAY)], []),
        (
            [user(SAY), model(asks(id="a"), asks(id="b")), user(answers(id="b"), answers(id="a"))],
            [],
        ),
        # accepted in recorded requests
        (
            [user(SAY), model(asks(id="a")), model(asks(id="b")), user(*map(answers, "ff", "ab"))],
            [],
        ),
        ([user(SAY), model(asks("f"), asks("g")), user(answers("f")), user(answers("g"))], []),
        ([user(SAY), model(asks("f", "a")), user(answers("f", "a")), user(SAY), model(SAY)], []),
        # ids may come again
        (
            [
                model(asks(id="a")),
                user(answers(id="a")),
                model(asks(id="a")),
                user(answers(id="a")),
            ],
            [],
        ),
        ([user(SAY), model(asks())], []),
        ([user(SAY), model()], []),
        ([user(SAY), model(asks()), user(SAY)], ["missing_result"]),
        ([user(SAY), model(asks(), asks()), user(answers()), model(SAY)], ["missing_result"]),
        ([user(SAY), model(asks()), user(SAY), user(answers())], ["misplaced"]),
        ([user(answers(id="a")), model(SAY)], ["orphan_result"]),
        ([model(asks(id="a")), user(answers(id="a"), answers(id="a"))], ["duplicate_result"]),
        ([model(asks(id="a"), asks(id="a")), user(answers(id="a"))], ["duplicate_call"]),
        ([user(SAY), model(), user(SAY)], ["empty_message"]),
        ([user(), model(SAY)], ["empty_message"]),
        ([user(SAY), {"role": "assistant", "parts": [SAY]}], ["unknown_role"]),
        ([user(SAY), {"role": "system", "parts": [SAY]}], ["unknown_role"]),
        ([user(SAY), {"role": "model", "parts": "text"}], ["malformed"]),
        ([user("text")], ["malformed"]),
        ([user(SAY), model({"functionCall": {}}), user(SAY)], ["malformed"]),
        ([user(SAY), model(answers(id="a"))], ["misplaced"]),
        ([user(asks(id="a")), model(SAY)], ["misplaced"]),
        ([user(SAY), model({"codeExecutionResult": {"id": "x"}}), user(SAY)], ["orphan_result"]),
        ([user(SAY), model({"executableCode": {"id": "x"}}), user(SAY)], ["missing_result"]),
    ],
)
def test_faults(history, codes):
    before = copy.deepcopy(history)
    faults = check(history, format="gemini")
    assert [fault.code for fault in faults] == codes
    assert history == before


@pytest.mark.parametrize(
    ("waiting", "came", "pairs"),
    [
        (["a", "b"], ["b", "a"], ["b", "a"]),
        (["a"], ["c"], ["c"]),
        # the id is missing on one side: by name, first in first out
        ([None, None], ["a", "b"], ["name:f", "name:f#2"]),
        (["a", "b"], [None, None], ["a", "b"]),
        # neither a name nor an id agrees, but the numbers do: by place
        (["?g"], ["?h"], ["name:g"]),
        (["?g", None], ["?h"], ["name:h"]),
    ],
)
def test_what_an_answer_is_for(waiting, came, pairs):
    """A name alone is written ?name, None stands for a call of f without an id."""

    def part(make, sign):
        name = sign[1:] if sign and sign[0] == "?" else "f"
        return make(name, None if sign is None or sign[0] == "?" else sign)

    calls = gemini.read(model(*(part(asks, sign) for sign in waiting))).calls
    found = gemini.read(user(*(part(answers, sign) for sign in came))).answers
    turn = gemini.turn()
    turn.called(calls)
    assert turn.answered(found) == pairs


@pytest.mark.parametrize(
    ("messages", "name"),
    [
        ([user(SAY)], "gemini"),
        ([Content(role="model", parts=[Part(text="a")])], "gemini"),
        ([{"role": "user", "content": "hello"}], "openai-chat"),
        # Vercel's UI messages have both
        ([{"role": "user", "content": "hello", "parts": [SAY]}], "openai-chat"),
    ],
)
def test_detection(messages, name):
    assert detect(messages).name == name


def test_a_message_of_two_formats_is_refused():
    with pytest.raises(UnknownFormat, match="gemini"):
        detect([{"role": "tool", "parts": [SAY]}])


def sdk(*messages):
    return [Content.model_validate(message) for message in messages]


def history():
    return [
        user({"text": "first " * 40}),
        model({"text": "so it is"}),
        user({"text": "second"}),
        model(asks("look", "a", thoughtSignature="c2ln" * 40)),
        user(answers("look", "a", {"output": LONG, "lines": 300})),
        model({"text": "hm", "thought": True}, {"text": "done", "thoughtSignature": "c2ln"}),
    ]


def test_a_cut_leaves_a_human_content_in_front_and_the_objects_as_they_are():
    messages = history()
    before = copy.deepcopy(messages)
    whole = fit(messages, 10**6)
    assert whole.format == "gemini"
    assert all(a is b for a, b in zip(whole.messages, messages, strict=True))
    cut = fit(messages, whole.used - 10)
    assert cut.dropped == [0, 1]
    assert cut.messages[0] is messages[2]
    assert verify(cut) == []
    assert messages == before


def test_sdk_objects_come_out_as_they_are():
    messages = sdk({"parts": [SAY]}, {"role": "model", "parts": [{"text": "a"}]})
    messages += sdk(
        {"role": "model", "parts": [{"function_call": {"name": "f"}, "thought_signature": b"xx"}]},
        {"role": "user", "parts": [{"function_response": {"name": "f", "response": {"r": LONG}}}]},
    )
    fitted = fit(messages, 10**6)
    assert all(a is b for a, b in zip(fitted.messages, messages, strict=True))
    shorter = fit(messages, 10**6, policy=Policy(max_result_tokens=50))
    part = shorter.messages[-1].parts[0]
    assert type(part) is Part
    assert "characters left out" in part.function_response.response["r"]
    assert messages[-1].parts[0].function_response.response["r"] == LONG
    assert fit(messages[:1], 100).used == fit([user(SAY)], 100).used


def test_an_excerpt_changes_the_texts_of_the_response_alone():
    messages = history()
    nested = {"rows": [{"text": LONG, "n": 1}], "note": "short", "none": None}
    messages[4] = user({"functionResponse": {"name": "look", "id": "a", "response": nested}})
    fitted = fit(messages, 10**6, policy=Policy(max_result_tokens=60))
    answer = fitted.messages[4]["parts"][0]["functionResponse"]
    assert answer["id"] == "a"
    assert answer["response"]["note"] == "short"
    assert answer["response"]["rows"][0]["n"] == 1
    assert len(answer["response"]["rows"][0]["text"]) < len(LONG) / 4
    assert nested["rows"][0]["text"] == LONG
    again = fit(fitted.messages, 10**6, policy=Policy(max_result_tokens=60))
    assert again.messages == fitted.messages


def test_what_stays_of_a_response_makes_no_copy():
    response = {"a": {"b": ["x", 1]}, "c": LONG}
    history = [user(SAY), model(asks()), user(answers(response=response))]
    fitted = fit(history, 10**6, policy=Policy(max_result_tokens=60))
    left = fitted.messages[2]["parts"][0]["functionResponse"]["response"]
    assert list(left) == ["a", "c"] and "characters left out" in left["c"]
    assert left["a"] is response["a"]


@pytest.mark.parametrize("key", ["functionCall", "function_call"])
def test_an_interrupted_call_is_answered_in_its_spelling(key):
    broken = [user(SAY), model({key: {"name": "f", "id": "a", "args": {}}}), user(SAY)]
    mended = repair(broken, format="gemini")
    assert [row.code for row in mended.repairs] == ["missing_result"]
    part = mended.messages[2]["parts"][0]
    answer = part[key.replace("Call", "Response").replace("call", "response")]
    assert (answer["name"], answer["id"]) == ("f", "a")
    assert "interrupted" in answer["response"]["error"]
    assert mended.messages[3] is broken[2]


def test_repair_drops_the_part_and_keeps_the_words_beside_it():
    broken = [user(SAY), model(SAY), user(answers(id="z"), SAY), model(SAY)]
    mended = repair(broken, format="gemini").messages
    assert mended == [user(SAY), model(SAY), user(SAY), model(SAY)]
    assert mended[2]["parts"][0] is SAY


def test_a_late_answer_moves_up():
    broken = [user(SAY), model(asks(id="a")), user(SAY), user(answers(id="a")), model(SAY)]
    mended = repair(broken, format="gemini").messages
    assert mended == [user(SAY), model(asks(id="a")), user(answers(id="a")), user(SAY), model(SAY)]


BODY = {
    "contents": [user(SAY)],
    "systemInstruction": {"role": "user", "parts": [{"text": "be brief"}]},
    "tools": [{"functionDeclarations": [{"name": "f"}]}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    "generationConfig": {"maxOutputTokens": 7, "responseSchema": {"type": "OBJECT"}},
}


@pytest.mark.parametrize(
    ("changes", "system", "output", "shape"),
    [
        ({}, [{"text": "be brief"}], 7, {"type": "OBJECT"}),
        ({"systemInstruction": "be brief"}, "be brief", 7, {"type": "OBJECT"}),
        ({"systemInstruction": None}, None, 7, {"type": "OBJECT"}),
        ({"systemInstruction": ["a", {"text": "b"}]}, ["a", {"text": "b"}], 7, {"type": "OBJECT"}),
        ({"generationConfig": {"max_output_tokens": 9}}, [{"text": "be brief"}], 9, None),
        (
            {"generationConfig": {"responseJsonSchema": {"type": "object"}}},
            [{"text": "be brief"}],
            None,
            {"type": "object"},
        ),
        (
            {"config": SimpleNamespace(system_instruction="s", max_output_tokens=3, tools=[1])},
            "s",
            3,
            None,
        ),
    ],
)
def test_the_parts_of_a_body(changes, system, output, shape):
    body = gemini.body(BODY | changes)
    assert (body.system, body.output, body.response_format) == (system, output, shape)
    assert body.messages == BODY["contents"]
    assert body.key == "contents"


def test_fit_request_changes_the_contents_alone():
    body = BODY | {"contents": history()}
    fitted = fit_request(body, 10**6, model="gemini-2.5-flash")
    assert fitted.request == body
    cut = fit_request(body, fitted.used - 10, model="gemini-2.5-flash")
    assert cut.request["contents"] == body["contents"][2:]
    assert {key: cut.request[key] for key in body if key != "contents"} == {
        key: body[key] for key in body if key != "contents"
    }


@pytest.mark.parametrize(
    ("part", "texts"),
    [
        ({"text": "a"}, ["a"]),
        ({"inlineData": {"mimeType": "text/csv", "data": "YSxi"}}, ["a,b"]),
        ({"executableCode": {"code": "print(1)", "language": "PYTHON"}}, ["print(1)"]),
        ({"codeExecutionResult": {"output": "1"}}, ["1"]),
        ({"thoughtSignature": "c2ln"}, []),
    ],
)
def test_texts_that_cost(part, texts):
    assert gemini.weigh(model(part)).texts == texts


def test_the_rest_that_costs():
    weight = gemini.weigh(
        model(
            {"text": "hm", "thought": True, "thoughtSignature": "c2ln"},
            asks("f", "a", thoughtSignature="c2lnbmVk"),
            {"inline_data": {"mime_type": "image/png", "data": "AAAA"}},
            {"file_data": {"mime_type": "application/pdf", "file_uri": "u"}},
            {"partOfNextYear": 1, "thoughtSignature": "c2ln"},
        )
    )
    assert weight.reasoning == ("hm",)
    assert weight.hidden == 8  # of the call alone
    assert [(call.name, call.arguments) for call in weight.calls] == [("f", {})]
    assert [media.kind for media in weight.media] == ["image", "document"]
    assert weight.values == ({"partOfNextYear": 1},)
    result = gemini.weigh(user(answers(response={"r": 1}))).results[0]
    assert (result.name, result.values) == ("f", ({"r": 1},))


@pytest.mark.parametrize("seed", range(40))
def test_generated_histories_hold_the_laws(seed):
    messages = sound("gemini", Random(seed), 10)
    assert check(messages, format="gemini") == []
    for budget in (40, 150, 600, 10**6):
        for policy in (Policy(), Policy(depth=0.6, max_result_tokens=20, notice=True)):
            try:
                fitted = fit(messages, budget, format="gemini", policy=policy)
            except DoesNotFit:
                continue
            assert verify(fitted) == []
            assert check(fitted.messages, format="gemini") == []


@requires_corpus
def test_recorded_conversations_at_seven_budgets():
    fits = 0
    for row in conversations("gemini"):
        messages = repair(row["messages"], format="gemini").messages
        for budget in (60, 200, 600, 2_000, 6_000, 20_000, 10**6):
            try:
                fitted = fit(messages, budget, format="gemini")
            except DoesNotFit:
                continue
            fits += 1
            assert verify(fitted) == [], (row["id"], budget)
    assert fits > 500
