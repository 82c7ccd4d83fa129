"""OpenAI Chat Completions: the rules of the API, each with where it is said."""

from __future__ import annotations

import pytest
from support.rule_table import Rule, holds, table
from trimtab import check, count, fit, per_message, repair, verify

ONE = per_message(lambda message: 1)
FOLLOW = "error: \"must be followed by tool messages responding to each 'tool_call_id'\""
RESPONSE = "error: \"messages with role 'tool' must be a response to a preceeding message\""
TWICE = "error: \"Duplicate value for 'tool_call_id'\", one community source"
LEGACY = "doc: function_call, deprecated; its answer is found by its name"
SPOKEN = "doc: audio of an assistant message is given back by its id"
AGAIN = "source: servers which begin anew with call_0 in every turn"
DEEPSEEK = "doc: DeepSeek, reasoning_content of turns with tool calls must be passed back"
USER, REPLY = {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}
SYSTEM, DEVELOPER = {"role": "system", "content": "s"}, {"role": "developer", "content": "s"}


def function(id):
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": '{"a": 1.50}'}}


def custom(id):
    return {"id": id, "type": "custom", "custom": {"name": "shell", "input": "ls"}}


def asks(*calls, **more):
    made = [function(call) if isinstance(call, str) else call for call in calls]
    return {"role": "assistant", "content": None, "tool_calls": made, **more}


def back(id, content="r"):
    return {"role": "tool", "tool_call_id": id, "content": content}


def legacy(name="f"):
    call = {"name": name, "arguments": "{}"}
    return {"role": "assistant", "content": None, "function_call": call}


def returned(name="f"):
    return {"role": "function", "name": name, "content": "r"}


@table(
    Rule("answered in order", FOLLOW, [USER, asks("a", "b"), back("a"), back("b"), REPLY]),
    Rule("answered in another order", FOLLOW, [asks("a", "b"), back("b"), back("a"), REPLY]),
    Rule("never answered", FOLLOW, [USER, asks("a"), USER], ("missing_result",)),
    Rule("one of two answered", FOLLOW, [asks("a", "b"), back("a"), USER], ("missing_result",)),
    Rule("a user between", FOLLOW, [asks("a"), USER, back("a"), REPLY], ("misplaced",)),
    Rule("a system message between", FOLLOW, [asks("a"), SYSTEM, back("a")], ("misplaced",)),
    Rule("a developer message between", FOLLOW, [asks("a"), DEVELOPER, back("a")], ("misplaced",)),
    Rule("waits at the very end", "observed: sent once it is answered", [USER, asks("a")]),
    Rule("no call", RESPONSE, [USER, back("a"), REPLY], ("orphan_result",)),
    Rule("begins with a result", RESPONSE, [back("a"), USER], ("orphan_result",)),
    Rule("a wrong id", RESPONSE, [asks("a"), back("b"), USER], ("missing_result", "orphan_result")),
    Rule("a result first", RESPONSE, [back("a"), asks("a"), back("a")], ("orphan_result",)),
    Rule(
        "a result without an id",
        RESPONSE,
        [USER, {"role": "tool", "content": "r"}, REPLY],
        ("orphan_result",),
    ),
    Rule("two results", TWICE, [asks("a"), back("a"), back("a"), REPLY], ("duplicate_result",)),
    Rule("an id twice in a turn", TWICE, [asks("a", "a"), back("a"), REPLY], ("duplicate_call",)),
    Rule("an id again in a later turn", AGAIN, [asks("a"), back("a"), REPLY, asks("a"), back("a")]),
    Rule("an id again in the next turn", AGAIN, [asks("a"), back("a"), asks("a"), back("a")]),
    Rule("a custom call", "doc: custom tools", [USER, asks(custom("c")), back("c"), REPLY]),
    Rule(
        "a custom call unanswered",
        FOLLOW,
        [asks(custom("c"), "a"), back("a"), USER],
        ("missing_result",),
    ),
    Rule("a legacy call", LEGACY, [USER, legacy(), returned(), REPLY]),
    Rule("a legacy call twice", LEGACY, [legacy(), returned(), legacy(), returned(), REPLY]),
    Rule("a legacy call unanswered", LEGACY, [legacy(), USER], ("missing_result",)),
    Rule("a legacy result alone", LEGACY, [USER, returned(), REPLY], ("orphan_result",)),
    Rule(
        "a legacy result of another name",
        LEGACY,
        [legacy("f"), returned("g"), USER],
        ("missing_result", "orphan_result"),
    ),
    Rule(
        "a tool message for a legacy call",
        LEGACY,
        [legacy(), back("f"), USER],
        ("missing_result", "orphan_result"),
    ),
    Rule("begins with a reply", "doc: no rule for the first role", [REPLY, USER]),
    Rule("two users, two replies", "doc: no rule of alternation", [USER, USER, REPLY, REPLY]),
    Rule("system and developer anywhere", "doc: roles", [USER, SYSTEM, REPLY, DEVELOPER]),
    Rule("a refusal alone", "doc: refusal", [USER, {"role": "assistant", "refusal": "no"}, USER]),
    Rule("audio alone", SPOKEN, [USER, {"role": "assistant", "audio": {"id": "x"}}, USER]),
    Rule("reasoning and a call", DEEPSEEK, [asks("a", reasoning_content="hm"), back("a"), REPLY]),
    Rule(
        "a role of its own",
        "doc: roles",
        [{"role": "robot", "content": "x"}],
        ("unknown_role",),
        mends=False,
        seen=False,
    ),
    Rule(
        "a call without an id",
        "doc: schema",
        [asks(function(None)), USER],
        ("malformed",),
        mends=False,
        seen=False,
    ),
)
def test_rules(rule):
    holds("openai-chat", rule)


@pytest.mark.parametrize(
    "said",
    [{"audio": {"id": "audio_1"}}, {"refusal": "no"}, {"content": [{"type": "text", "text": "x"}]}],
)
def test_what_a_reply_says_beside_its_calls_outlives_them(said):
    broken = [USER, asks("a"), back("a"), asks("b", "b", **said), back("b"), REPLY]
    broken[3]["tool_calls"].pop(0)
    twice = [*broken[:3], {**broken[3], "function_call": None}, *broken[4:]]
    assert check(twice, format="openai-chat") == []
    shape_of = repair([USER, {**asks("a", "a", **said), "x": 1.0}, back("a"), REPLY])
    assert shape_of.messages[1] == {**asks("a", **said), "x": 1.0}


def test_audio_is_counted():
    spoken = {"role": "assistant", "audio": {"id": "audio_1"}}
    silent = {"role": "assistant"}
    assert count([spoken]).total > count([silent]).total
    assert not count([spoken]).exact


def test_reasoning_of_turns_with_calls_stays_with_them():
    turns = [
        asks("a", reasoning_content="hm"),
        back("a"),
        asks("b", reasoning_content="so"),
        back("b"),
    ]
    history = [USER, REPLY, USER, *turns, REPLY]
    for budget in range(2, len(history) + 1):
        fitted = fit(history, budget, format="openai-chat", counter=ONE)
        kept = [message for message in fitted.messages if message.get("tool_calls")]
        assert all("reasoning_content" in message for message in kept)
        assert verify(fitted) == []
    twice = asks("a", "a", reasoning_content="hm")
    mended = repair([USER, twice, back("a"), REPLY]).messages
    assert mended[1]["reasoning_content"] == "hm"
