"""ShareGPT rows: the rules of the converters that read them, each with where it is said."""

from __future__ import annotations

import pytest
from support.rule_table import Rule, holds, table
from trimtab import (
    Conversation,
    InvalidHistory,
    InvalidOptions,
    fit,
    fit_request,
    per_message,
    repair,
    verify,
)

ONE = per_message(lambda message: 1)
PAIRS = 'error: LLaMA-Factory skips the example, "Invalid role tag"'
EVEN = "source: LLaMA-Factory's converter: an even number of turns, the last the assistant's"
POSITION = "doc: LLaMA-Factory's data README: function_call, and then its observation"
HERMES = "doc: the Hermes function-calling data: <tool_call> in a gpt turn, then a tool turn"
FIRST = "source: LLaMA-Factory's converter: a system turn is the first"
TAGS = "source: LLaMA-Factory's default tags and FastChat's"


def turn(who, value="words"):
    return {"from": who, "value": value}


HUMAN, GPT, SYSTEM = turn("human"), turn("gpt"), turn("system")
CALL, BACK = turn("function_call", '{"name": "f", "arguments": {}}'), turn("observation", "ok")
MARKED, TOOL = turn("gpt", 'so\n<tool_call>\n{"name": "f"}\n</tool_call>'), turn("tool", "ok")


@table(
    Rule("turn by turn", PAIRS, [SYSTEM, HUMAN, GPT, HUMAN, GPT]),
    Rule("two humans", PAIRS, [HUMAN, HUMAN, GPT], ("not_alternating",)),
    Rule("two replies", PAIRS, [HUMAN, GPT, GPT], ("not_alternating",)),
    Rule("a reply and then a call", PAIRS, [HUMAN, GPT, CALL, BACK, GPT], ("not_alternating",)),
    Rule("a human after a result", PAIRS, [HUMAN, CALL, BACK, HUMAN, GPT], ("not_alternating",)),
    Rule("a call and its observation", POSITION, [HUMAN, CALL, BACK, GPT]),
    Rule("a loop of calls", POSITION, [HUMAN, CALL, BACK, CALL, BACK, GPT]),
    Rule("an observation alone", POSITION, [HUMAN, GPT, BACK, GPT], ("orphan_result",)),
    Rule("a second observation", POSITION, [HUMAN, CALL, BACK, BACK, GPT], ("duplicate_result",)),
    Rule("a call and no observation", POSITION, [HUMAN, CALL, HUMAN, GPT], ("missing_result",)),
    Rule("a call between marks", HERMES, [HUMAN, MARKED, TOOL, GPT]),
    Rule("such a call unanswered", HERMES, [HUMAN, MARKED, HUMAN, GPT], ("missing_result",)),
    Rule("one mark alone", HERMES, [HUMAN, turn("gpt", "the tag <tool_call> opens"), HUMAN, GPT]),
    Rule("ends on a reply", EVEN, [HUMAN, GPT]),
    Rule("ends on a call", EVEN, [HUMAN, CALL]),
    Rule("ends on a human", EVEN, [HUMAN, GPT, HUMAN], ("no_reply",)),
    Rule("ends on an observation", EVEN, [HUMAN, CALL, BACK], ("no_reply",)),
    Rule("a system turn within", FIRST, [HUMAN, SYSTEM, GPT], ("misplaced",)),
    Rule("a second system turn", FIRST, [SYSTEM, SYSTEM, HUMAN, GPT], ("misplaced",)),
    Rule(
        "other names of the sides",
        TAGS,
        [turn("user"), turn("assistant"), turn("user"), turn("chatgpt")],
    ),
    Rule(
        "a side of its own",
        TAGS,
        [HUMAN, turn("narrator"), HUMAN, GPT],
        ("unknown_role", "not_alternating", "not_alternating"),
        mends=False,
        seen=False,
    ),
)
def test_rules(rule):
    holds("sharegpt", rule)


@pytest.mark.parametrize(
    ("first", "second", "kept", "left_out"),
    [
        ({"tags": [1]}, {"tags": [2]}, {"tags": [1, 2]}, None),
        ({"weight": 0}, {"weight": 1}, {"weight": 1}, "weight"),
        ({"meta": {"a": 1}}, {}, {"meta": {"a": 1}}, None),
    ],
)
def test_joined_turns_lose_nothing_unsaid(first, second, kept, left_out):
    broken = [dict(HUMAN), GPT | first, GPT | second]
    mended = repair(broken, format="sharegpt")
    assert mended.messages[1] == turn("gpt", "words\n\nwords") | kept
    (row,) = mended.repairs
    assert ("left out" in row.message) == (left_out is not None)
    assert (left_out or "") in row.message


def test_a_call_that_is_joined_to_words_keeps_its_text():
    mended = repair([HUMAN, GPT, CALL | {"weight": 0}, BACK, GPT], format="sharegpt")
    assert mended.messages[1]["weight"] == 0
    assert CALL["value"] in mended.messages[1]["value"]
    assert mended.messages[2] is BACK


@pytest.mark.parametrize("key", ["conversations", "messages"])
def test_a_row_of_a_data_set(key):
    row = {key: [SYSTEM, HUMAN, GPT, HUMAN, GPT | {"weight": 1e-9}], "tools": "[]", "id": "7"}
    whole = fit_request(row, 10**6, format="sharegpt")
    assert whole.request == row
    cut = fit_request(row, 3, format="sharegpt", counter=ONE)
    assert cut.request == row | {key: [SYSTEM, *row[key][3:]]}
    assert fit_request(row, 10**6).format == "sharegpt"


def test_words_of_an_unknown_side_are_never_joined_to_anothers():
    history = [HUMAN, turn("narrator"), HUMAN, GPT]
    with pytest.raises(InvalidHistory, match="narrator"):
        repair(history, format="sharegpt")


def test_tools_that_are_no_json():
    with pytest.raises(InvalidOptions, match="no JSON"):
        fit_request({"conversations": [HUMAN, GPT], "tools": "{"}, 10**6)
