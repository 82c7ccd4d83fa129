"""ShareGPT: rules of the converters of LLaMA-Factory and of the Hermes datasets."""

from __future__ import annotations

import copy

import pytest

from trimtab import Policy, check, fit, fit_request, per_message, repair, verify
from trimtab.formats.registry import detect
from trimtab.formats.sharegpt import ShareGPT

ONE = per_message(lambda message: 1)


def turn(who, value="words"):
    return {"from": who, "value": value}


HUMAN, GPT, SYSTEM = turn("human"), turn("gpt"), turn("system")
CALL, RESULT = turn("function_call", '{"name": "f", "arguments": {}}'), turn("observation", "ok")
MARKED, TOOL = turn("gpt", "<tool_call>\n{}\n</tool_call>"), turn("tool", "ok")


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([SYSTEM, HUMAN, GPT], []),
        ([turn("user"), turn("assistant")], []),
        ([HUMAN, CALL, RESULT, GPT], []),
        ([HUMAN, CALL, RESULT, CALL, RESULT, GPT], []),
        ([HUMAN, MARKED, TOOL, GPT], []),
        ([HUMAN, CALL], []),
        ([], []),
        ([HUMAN], ["no_reply"]),
        ([HUMAN, CALL, RESULT], ["no_reply"]),
        ([HUMAN, HUMAN, GPT], ["not_alternating"]),
        ([HUMAN, GPT, GPT], ["not_alternating"]),
        ([HUMAN, SYSTEM, GPT], ["misplaced"]),
        ([HUMAN, CALL, GPT], ["missing_result", "not_alternating"]),
        ([HUMAN, GPT, RESULT, GPT], ["orphan_result"]),
        ([HUMAN, CALL, RESULT, RESULT, GPT], ["duplicate_result"]),
        ([HUMAN, CALL, RESULT, HUMAN, GPT], ["not_alternating"]),
        ([HUMAN, turn("narrator"), GPT], ["unknown_role", "not_alternating"]),
        ([HUMAN, {"from": "gpt", "value": None}], ["malformed", "not_alternating", "no_reply"]),
    ],
)
def test_faults(history, codes):
    assert [fault.code for fault in check(history, format="sharegpt")] == codes


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ([HUMAN, HUMAN, GPT], [turn("human", "words\n\nwords"), GPT]),
        ([HUMAN, GPT, RESULT, HUMAN, GPT], [HUMAN, GPT, HUMAN, GPT]),
        ([HUMAN, GPT, HUMAN], [HUMAN, GPT]),
        ([HUMAN, SYSTEM, GPT], [SYSTEM, HUMAN, GPT]),
        ([HUMAN, CALL, RESULT, RESULT, GPT], [HUMAN, CALL, RESULT, GPT]),
        # a call holds JSON alone, so words before it need the marks of the other form
        (
            [HUMAN, GPT, CALL, RESULT, GPT],
            [
                HUMAN,
                turn("gpt", f"words\n<tool_call>\n{CALL['value']}\n</tool_call>"),
                RESULT,
                GPT,
            ],
        ),
    ],
)
def test_repair(broken, mended):
    before = copy.deepcopy(broken)
    assert repair(broken, format="sharegpt").messages == mended
    assert broken == before
    assert check(mended, format="sharegpt") == []
    apart = [copy.deepcopy(message) for message in broken]
    assert verify(fit(apart, 10**6, format="sharegpt", on_invalid="repair")) == []


def test_an_interrupted_call_is_answered_in_its_own_form():
    for call, answer in ((CALL, "observation"), (MARKED, "tool")):
        mended = repair([HUMAN, call, GPT], format="sharegpt").messages
        assert [m["from"] for m in mended] == ["human", call["from"], answer, "gpt"]


def test_a_cut_keeps_pairs_and_the_objects_as_they_are():
    messages = [SYSTEM, HUMAN, GPT, HUMAN | {"weight": 1e-9}, CALL, RESULT, GPT]
    whole = fit(messages, 10**6)
    assert whole.format == "sharegpt"
    assert all(a is b for a, b in zip(whole.messages, messages, strict=True))
    cut = fit(messages, 3, counter=ONE)
    assert cut.messages == [SYSTEM, messages[3], GPT]
    assert cut.messages[1] is messages[3]
    assert verify(cut) == []


def test_an_excerpt():
    long = turn("observation", "\n".join(f"line {n}" for n in range(500)))
    fitted = fit([HUMAN, CALL, long, GPT], 10**6, policy=Policy(max_result_tokens=40))
    assert "characters left out" in fitted.messages[2]["value"]
    assert verify(fitted) == []


def test_a_row_of_a_dataset():
    row = {"conversations": [HUMAN, GPT, HUMAN, GPT], "system": "be brief", "tools": "[]", "id": 7}
    fitted = fit_request(row, 10**6)
    assert fitted.request == row
    cut = fit_request(row, fitted.used - 1)
    assert cut.request == row | {"conversations": [HUMAN, GPT]}
    assert ShareGPT().body(row | {"tools": '[{"name": "f"}]'}).tools == [{"name": "f"}]
    assert ShareGPT().body(row | {"tools": ""}).tools is None


def test_detection_and_weights():
    assert detect([GPT]).name == "sharegpt"
    weigh = ShareGPT().weigh
    assert weigh(GPT).texts == ["words"]
    assert weigh(CALL).calls[0].arguments == CALL["value"]
    assert (weigh(RESULT).role, weigh(SYSTEM).role) == ("tool", "system")
    assert ShareGPT().weigh_system("s").texts == ["s"]
