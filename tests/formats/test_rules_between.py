"""Rules that hold between a format and what is built on it: repair, verify, a conversation."""

from __future__ import annotations

import copy

import pytest
from support.rule_table import Rule, holds, table
from trimtab import Conversation, InvalidHistory, MisplacedMessage, fit, repair, verify

UNIQUE = 'error: "`tool_use` ids must be unique"'
LOOP = "doc: programmatic tool calling: an answer to its calls holds tool results alone"
BLANK = 'error: "text content blocks must be non-empty"'
NUMBER = 'error: "number of function response parts is equal to the number of function call parts"'
SPREAD = "observed: a recorded request"


def user(*content):
    return {"role": "user", "content": list(content)}


def model(*content):
    return {"role": "assistant", "content": list(content)}


def use(id, type="tool_use"):
    return {"type": type, "id": id, "name": "f", "input": {}}


def back(id, type="tool_result"):
    return {"type": type, "tool_use_id": id, "content": []}


TEXT = {"type": "text", "text": "hello"}
ASK, SAY = user(TEXT), model(TEXT)
SERVED, FOUND = use("s", "server_tool_use"), back("s", "web_search_tool_result")


@table(
    Rule(
        "an id of a server tool again",
        UNIQUE,
        [ASK, model(SERVED, FOUND), ASK, model(use("s")), user(back("s")), SAY],
        ("duplicate_call",),
        seen=False,
    ),
    Rule(
        "an id of a client tool again",
        UNIQUE,
        [ASK, model(use("s")), user(back("s")), model(SERVED, FOUND, TEXT)],
        ("duplicate_call",),
        seen=False,
    ),
    Rule(
        "a human text amid a server call",
        LOOP,
        [ASK, model(SERVED, use("a")), user(back("a"), TEXT), model(FOUND, TEXT)],
        ("missing_result", "duplicate_result"),
    ),
    Rule("a blank message in front", BLANK, [user(), SAY, ASK], ("blank_text",)),
)
def test_rules_of_anthropic(rule):
    holds("anthropic", rule)


def asks(**more):
    return {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}, **more}]}


def answers(*said):
    parts = [{"functionResponse": {"name": "f", "response": {"r": words}}} for words in said]
    return {"role": "user", "parts": parts}


HEARD, SAID = ({"role": role, "parts": [{"text": "x"}]} for role in ("user", "model"))


@table(
    Rule("calls without ids in two contents", SPREAD, [HEARD, asks(), asks(), answers(1, 2), SAID]),
    Rule(
        "one of those unanswered",
        NUMBER,
        [HEARD, asks(), asks(), answers(1), SAID],
        ("missing_result",),
    ),
)
def test_rules_of_gemini(rule):
    holds("gemini", rule)


def test_the_call_that_came_first_keeps_its_answer():
    mended = repair([HEARD, asks(), asks(), answers(1), SAID], format="gemini").messages
    said = [part["functionResponse"]["response"] for part in mended[3]["parts"]]
    assert said[0] == {"r": 1}
    assert "error" in said[1]


@pytest.mark.parametrize(
    ("format", "message", "fields"),
    [
        ("bedrock-converse", {"role": "assistant", "content": [{"text": "x"}]}, {"tags": [1]}),
        ("strict-chat", {"role": "assistant", "content": "x"}, {"audio": {"id": "1"}}),
        ("mistral", {"role": "assistant", "content": "x"}, {"refusal": "no"}),
        ("fine-tuning", {"role": "assistant", "content": "x"}, {"annotations": [1]}),
        ("sharegpt", {"from": "gpt", "value": "x"}, {"meta": {"a": 1}}),
    ],
)
def test_what_was_joined_is_a_listed_change(format, message, fields):
    broken = [message | fields, copy.deepcopy(message)]
    fitted = fit(broken, 10**6, format=format, on_invalid="repair")
    assert fields.items() <= fitted.messages[0].items()
    assert verify(fitted) == []


@pytest.mark.parametrize(
    ("format", "human", "reply"),
    [
        ("fine-tuning", {"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}),
        ("sharegpt", {"from": "human", "value": "u"}, {"from": "gpt", "value": "a"}),
    ],
)
def test_a_conversation_under_way_is_open_at_its_end(format, human, reply):
    conversation = Conversation(10**6, format=format)
    conversation.append(human)
    for raises in (conversation.fit, lambda: fit([human], 10**6, format=format)):
        with pytest.raises(InvalidHistory) as caught:
            raises()
        assert (caught.value.code, caught.value.index) == ("no_reply", 0)
    conversation.append(reply)
    assert conversation.fit().messages == [human, reply]
    with pytest.raises(MisplacedMessage):
        conversation.append(dict(reply))
    assert conversation.messages == [human, reply]
    conversation.truncate(1)
    with pytest.raises(InvalidHistory):
        conversation.fit()
