"""Strict alternation with OpenAI Chat messages: Mistral, chat templates, fine-tuning."""

from __future__ import annotations

import copy

import pytest
from support.rule_table import Rule, holds, table
from trimtab import Conversation, InvalidHistory, MisplacedMessage, Policy, check, fit
from trimtab import fit_request, per_message, repair, verify

ONE = per_message(lambda message: 1)
TURNS = 'error: "conversation roles must alternate user/assistant/user/assistant/..."'
AFTER_TOOL = "source: mistral-common 1.4.4 and 1.8.5, \"Unexpected role 'user' after role 'tool'\""
NUMBER = 'error: mistral-common, "Not the same number of function calls and responses"'
FIRST = "source: public templates of Mistral, Gemma and Llama 2: a system message is the first"
IDS = "source: mistral-common, nine letters and digits up to v11, any id from v13 on"
LAST = 'error: mistral-common, "Expected last role Assistant for finetuning"'
USER, REPLY = {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}
SYSTEM = {"role": "system", "content": "s"}
STRICT = ("mistral", "strict-chat", "fine-tuning")


def asks(*ids, **more):
    function = {"name": "f", "arguments": "{}"}
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def back(id):
    return {"role": "tool", "tool_call_id": id, "content": "r"}


@pytest.mark.parametrize("format", STRICT)
@table(
    Rule("turn by turn", TURNS, [SYSTEM, USER, REPLY, USER, REPLY]),
    Rule("two users", TURNS, [USER, USER, REPLY], ("not_alternating",)),
    Rule("two replies", TURNS, [USER, REPLY, REPLY], ("not_alternating",)),
    Rule(
        "a reply and then a call",
        TURNS,
        [USER, REPLY, asks("a"), back("a"), REPLY],
        ("not_alternating",),
    ),
    Rule("a call and its answer", NUMBER, [USER, asks("a"), back("a"), REPLY]),
    Rule("a loop of calls", NUMBER, [USER, asks("a"), back("a"), asks("b"), back("b"), REPLY]),
    Rule("parallel calls", NUMBER, [USER, asks("a", "b"), back("b"), back("a"), REPLY]),
    Rule("one unanswered", NUMBER, [USER, asks("a", "b"), back("a"), REPLY], ("missing_result",)),
    Rule(
        "an answer too many",
        NUMBER,
        [USER, asks("a"), back("a"), back("b"), REPLY],
        ("orphan_result",),
    ),
    Rule(
        "a user after results",
        AFTER_TOOL,
        [USER, asks("a"), back("a"), USER, REPLY],
        ("not_alternating",),
    ),
    Rule("a system message within", FIRST, [USER, SYSTEM, REPLY], ("misplaced",)),
    Rule("a second system message", FIRST, [SYSTEM, SYSTEM, USER, REPLY], ("misplaced",)),
    Rule("an id of ten", IDS, [USER, asks("call_12345"), back("call_12345"), REPLY]),
    Rule("an id again", "observed: accepted", [USER, *2 * [asks("a"), back("a")], REPLY]),
    Rule("begins with a reply", "doc: head rules bind cuts, not inputs", [REPLY, USER, REPLY]),
)
def test_rules(format, rule):
    holds(format, rule)


@table(
    Rule("ends on the assistant", LAST, [USER, REPLY]),
    Rule("ends on a call", LAST, [USER, asks("a")]),
    Rule("ends on the user", LAST, [USER, REPLY, USER], ("no_reply",)),
    Rule("ends on a result", LAST, [USER, asks("a"), back("a")], ("no_reply",)),
    Rule("a system message alone", LAST, [SYSTEM]),
    Rule(
        "weights",
        "doc: fine-tuning, weight 0 or 1 on assistant messages",
        [USER, REPLY | {"weight": 0}],
    ),
)
def test_rules_of_fine_tuning(rule):
    holds("fine-tuning", rule)


@pytest.mark.parametrize("format", ["mistral", "strict-chat"])
def test_ends_that_are_no_examples(format):
    for history in ([USER, REPLY, USER], [USER, asks("a"), back("a")], [USER, asks("a")]):
        assert check(history, format=format) == []


@pytest.mark.parametrize(
    ("first", "second", "joined", "left_out"),
    [
        ({"content": "x"}, {"content": "y"}, {"content": "x\n\ny"}, None),
        (
            {"content": "x", "reasoning_content": "p"},
            {"content": "y", "reasoning_content": "q"},
            {"content": "x\n\ny", "reasoning_content": "p\n\nq"},
            None,
        ),
        (
            {"content": None, "refusal": "no"},
            {"content": "y"},
            {"content": "y", "refusal": "no"},
            None,
        ),
        (
            {"content": None, "audio": {"id": "1"}},
            {"content": "y"},
            {"content": "y", "audio": {"id": "1"}},
            None,
        ),
        (
            {"content": "x", "annotations": [1]},
            {"content": "y", "annotations": [2]},
            {"content": "x\n\ny", "annotations": [1, 2]},
            None,
        ),
        (
            {"content": "x", "reasoning_details": [{"data": "1"}]},
            {"content": "y"},
            {"content": "x\n\ny", "reasoning_details": [{"data": "1"}]},
            None,
        ),
        (
            {"content": "x", "name": "ann"},
            {"content": "y", "name": "ann"},
            {"content": "x\n\ny", "name": "ann"},
            None,
        ),
        (
            {"content": "x", "name": "ann"},
            {"content": "y", "name": "bob"},
            {"content": "x\n\ny", "name": "bob"},
            "name",
        ),
        ({"content": "x", "weight": 0}, {"content": "y"}, {"content": "x\n\ny"}, "weight"),
        ({"content": "x", "prefix": True}, {"content": "y"}, {"content": "x\n\ny"}, "prefix"),
    ],
)
def test_joined_replies_lose_nothing_unsaid(first, second, joined, left_out):
    said = {"role": "assistant"}
    broken = [copy.deepcopy(USER), said | first, said | second, copy.deepcopy(USER)]
    mended = repair(broken, format="strict-chat")
    assert mended.messages[1] == said | joined
    (row,) = mended.repairs
    assert row.action == "joined"
    assert ("left out" in row.message) == (left_out is not None)
    assert (left_out or "") in row.message


def test_a_call_that_is_joined_keeps_its_calls_and_marks():
    asked = asks("a", content=[{"type": "text", "text": "so", "cache_control": {}}])
    mended = repair([USER, REPLY, asked, back("a"), REPLY], format="mistral").messages
    assert mended[1]["tool_calls"] is asked["tool_calls"]
    assert mended[1]["content"] == [{"type": "text", "text": "a"}, asked["content"][0]]


def test_system_messages_that_are_joined_say_what_is_left_out():
    history = [SYSTEM | {"name": "one"}, USER, SYSTEM | {"name": "two"}, REPLY]
    (row,) = repair(history, format="mistral").repairs
    assert "'name' was left out" in row.message


@pytest.mark.parametrize("key", ["messages", "conversations"])
def test_a_row_of_a_data_set(key):
    example = [SYSTEM, USER, REPLY, USER, REPLY | {"weight": 0}]
    row = {key: example, "tools": [], "id": 7, "score": 1.0}
    format = "fine-tuning"
    whole = fit_request(row, 10**6, format=format)
    assert whole.format == "fine-tuning"
    assert whole.request == row
    assert all(a is b for a, b in zip(whole.request[key], example, strict=True))
    cut = fit_request(row, whole.used - 1, format=format, policy=Policy())
    assert cut.request == row | {key: [SYSTEM, *example[3:]]}
    with pytest.raises(InvalidHistory):
        fit_request({key: [USER]}, 10**6, format="fine-tuning")


def test_a_cut_and_a_repair_make_no_id():
    history = [USER, asks("abcdefghi"), back("abcdefghi"), REPLY, USER, asks("ihgfedcba"), REPLY]
    mended = repair(history, format="mistral").messages
    ids = {message.get("tool_call_id") for message in mended} - {None}
    assert ids == {"abcdefghi", "ihgfedcba"}
    cut = fit(mended, 4, format="mistral", counter=ONE)
    assert {m.get("tool_call_id") for m in cut.messages} == {None, "ihgfedcba"}


def test_words_of_an_unknown_role_are_never_joined_to_anothers():
    history = [USER, {"role": "robot", "content": "x"}, USER, REPLY]
    with pytest.raises(InvalidHistory, match="robot"):
        repair(history, format="mistral")
