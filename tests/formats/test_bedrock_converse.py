"""Bedrock Converse: what is read, what is broken, what is changed and what is not.

Rules: the Converse API reference, the service's model in botocore, and error texts that
users report (see docs/faults.md). A blank text inside a result was measured to be accepted.
"""

from __future__ import annotations

import copy

import pytest

from trimtab import DoesNotFit, Policy, check, fit, fit_request, per_message, repair, verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.bedrock_converse import BedrockConverse
from trimtab.formats.registry import detect

converse = BedrockConverse()
NAME = "bedrock-converse"
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))
ONE = per_message(lambda message: 1)


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def model(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def asks(id, **more):
    return {"toolUse": {"toolUseId": id, "name": "f", "input": {}, **more}}


def answers(id, *content, **more):
    return {"toolResult": {"toolUseId": id, "content": list(content or [{"text": "ok"}]), **more}}


SAY = {"text": "hello"}
CACHE = {"cachePoint": {"type": "default"}}
SERVED = {"type": "server_tool_use"}


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (user(SAY), HEARD),
        (user(SAY, CACHE), HEARD),
        (user({"image": {"format": "png", "source": {"bytes": b"x"}}}), HEARD),
        (user({"blockOfNextYear": {}}), HEARD),
        (user(CACHE), HEARD),
        (model(SAY), Facts(MODEL)),
        (model({"citationsContent": {"content": [SAY]}}), Facts(MODEL)),
        (model(SAY, asks("a"), asks("b")), Facts(MODEL, ("a", "b"))),
        (user(answers("a"), answers("b")), Facts(RESULT, answers=("a", "b"))),
        (user(answers("a"), CACHE), Facts(RESULT, answers=("a",))),
        (user(answers("a"), SAY), Facts(RESULT, answers=("a",), human=True)),
        (
            user(SAY, answers("a")),
            Facts(RESULT, answers=("a",), human=True, leads_human=True),
        ),
        (
            model({"reasoningContent": {"reasoningText": {"text": "hm"}}}, SAY),
            Facts(MODEL, reasons=True, thought=True),
        ),
        (
            model(asks("s", **SERVED), answers("s")),
            Facts(MODEL, server_calls=("s",), server_answers=("s",)),
        ),
        ({"role": "system", "content": [SAY]}, Facts(SYSTEM)),
    ],
)
def test_facts(message, facts):
    assert converse.read(message) == facts


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([user(SAY), model(SAY), user(SAY)], []),
        ([user(SAY), model(asks("a"), asks("b")), user(answers("b"), answers("a"))], []),
        ([user(SAY), model(asks("a")), user(answers("a"), SAY), model(SAY)], []),
        ([user(SAY), model(asks("a")), user(SAY, answers("a")), model(SAY)], []),
        # ids may come again
        (
            [user(SAY)] + 2 * [model(asks("a")), user(answers("a"))] + [model(SAY)],
            [],
        ),
        ([user(SAY), model(asks("a"))], []),
        # a blank text in a result that is no error was measured to be accepted
        ([user(SAY), model(asks("a")), user(answers("a", {"text": ""}))], []),
        ([user(SAY), {"role": "system", "content": [SAY]}, model(SAY)], []),
        # head rules bind cuts, not inputs
        ([model(SAY), user(SAY)], []),
        # "A conversation must alternate between user and assistant roles"
        ([user(SAY), user(SAY)], ["not_alternating"]),
        ([user(SAY), model(SAY), model(SAY)], ["not_alternating"]),
        ([user(SAY), model(asks("a")), user(answers("a")), user(SAY)], ["not_alternating"]),
        # "Expected toolResult blocks at messages.2.content for the following Ids"
        ([user(SAY), model(asks("a")), user(SAY), model(SAY)], ["missing_result"]),
        (
            [user(SAY), model(asks("a"), asks("b")), user(answers("a")), user(answers("b"))],
            ["not_alternating"],
        ),
        # "The number of toolResult blocks exceeds the number of toolUse blocks of previous turn"
        ([user(SAY), model(SAY), user(answers("a"))], ["orphan_result"]),
        (
            [user(SAY), model(asks("a")), user(answers("a"), answers("a"))],
            ["duplicate_result"],
        ),
        ([user(SAY), model(asks("a"), asks("a")), user(answers("a"))], ["duplicate_call"]),
        # "The text field in the ContentBlock object at … is blank"
        ([user({"text": " "}), model(SAY)], ["blank_text"]),
        ([user(SAY), model({"text": ""}), user(SAY)], ["blank_text"]),
        # "The content field in the Message object at … is empty"
        ([user(), model(SAY)], ["empty_message"]),
        # "The content field at … toolResult cannot be empty when status value is error"
        (
            [user(SAY), model(asks("a")), user(answers("a", {"text": ""}, status="error"))],
            ["blank_text"],
        ),
        ([user(SAY), {"role": "assistant", "content": "text"}], ["malformed"]),
        ([user("text"), model(SAY)], ["malformed"]),
        ([user(SAY), {"role": "tool", "content": [SAY]}], ["unknown_role", "not_alternating"]),
        ([user(asks("a")), model(SAY)], ["misplaced"]),
        ([user(SAY), model({"toolUse": {"name": "f"}}), user(SAY)], ["malformed"]),
    ],
)
def test_faults(history, codes):
    before = copy.deepcopy(history)
    found = [fault.code for fault in check(history, format=NAME)]
    assert found[: len(codes)] == codes
    assert bool(found) == bool(codes)
    assert history == before


def test_results_in_two_messages_become_one():
    broken = [user(SAY), model(asks("a"), asks("b")), user(answers("a")), user(answers("b"))]
    mended = repair(broken, format=NAME)
    assert mended.messages == [*broken[:2], user(answers("a"), answers("b"))]
    assert [(row.code, row.index, row.action) for row in mended.repairs] == [
        ("not_alternating", 3, "joined")
    ]
    assert mended.messages[2]["content"][0] is broken[2]["content"][0]


def test_a_missing_result_joins_those_that_came():
    broken = [user(SAY), model(asks("a"), asks("b")), user(answers("b")) | {"own": 1}, model(SAY)]
    mended = repair(broken, format=NAME).messages
    assert [block["toolResult"]["toolUseId"] for block in mended[2]["content"]] == ["a", "b"]
    assert mended[2]["content"][0]["toolResult"]["status"] == "error"
    assert mended[2]["own"] == 1
    assert check(mended, format=NAME) == []


def test_blank_texts_go_and_an_error_gets_words():
    broken = [
        user(SAY, {"text": " "}),
        model(asks("a")),
        user(answers("a", {"text": ""}, status="error")),
    ]
    mended = repair(broken, format=NAME).messages
    assert mended[0] == user(SAY)
    assert mended[2]["content"][0]["toolResult"]["content"][0]["text"].strip()


def history():
    return [
        user({"text": "first " * 40}),
        model(SAY),
        user(SAY, CACHE),
        model(
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}, asks("a")
        ),
        user(answers("a", {"json": {"rows": [LONG, 1.50], "n": None}}, {"text": "short"})),
        model({"text": "done"}),
    ]


def test_what_fits_comes_back_as_it_was():
    messages = history()
    messages[0] |= {"unknown": {"odd": [1e-7, 10**30, "\\u00e9\u00e9"]}}
    fitted = fit(messages, 10**6)
    assert fitted.format == NAME
    assert all(a is b for a, b in zip(fitted.messages, messages, strict=True))


def test_an_excerpt_stays_json_where_it_was():
    messages = history()
    before = copy.deepcopy(messages)
    fitted = fit(messages, 10**6, policy=Policy(max_result_tokens=60))
    result = fitted.messages[4]["content"][0]["toolResult"]
    assert result["toolUseId"] == "a"
    assert len(result["content"][0]["json"]["rows"][0]) < len(LONG) / 4
    assert result["content"][0]["json"]["rows"][1] == 1.50
    assert result["content"][1] is messages[4]["content"][0]["toolResult"]["content"][1]
    assert messages == before
    assert verify(fitted) == []
    again = fit(fitted.messages, 10**6, policy=Policy(max_result_tokens=60))
    assert again.messages == fitted.messages


@pytest.mark.parametrize(
    ("pin", "kept"),
    [
        ([], [4, 5, 6, 7, 8]),
        # a pin keeps its exchange: the human turn that leads it and the reply that ends it
        ([0], [0, 3, 4, 5, 6, 7, 8]),
        ([1], [0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ([3], [0, 3, 4, 5, 6, 7, 8]),
        ([5], [4, 5, 6, 7, 8]),
    ],
)
def test_a_pin_keeps_its_exchange_through_the_reply(pin, kept):
    first = [user(SAY), model(asks("a")), user(answers("a")), model(SAY)]
    second = [user(SAY), model(asks("b")), user(answers("b")), model(SAY), user(SAY)]
    messages = first + second
    fitted = fit(messages, len(kept), counter=ONE, pin=pin)
    assert [i for i in range(9) if i not in fitted.dropped] == kept
    assert check(fitted.messages) == []
    assert verify(fitted) == []


def test_a_pin_in_the_newest_exchange_needs_no_reply():
    messages = [
        user(SAY),
        model(asks("a")),
        user(answers("a")),
        model(asks("b")),
        user(answers("b")),
    ]
    fitted = fit(messages, 3, counter=ONE, pin=[0])
    assert fitted.dropped == [1, 2]
    with pytest.raises(DoesNotFit):
        fit(messages, 4, counter=ONE, pin=[1])


def test_a_notice_is_followed_by_a_reply():
    messages = [user(SAY), model(SAY), user(SAY), model(SAY)]
    fitted = fit(messages, 3 + 1, counter=ONE, policy=Policy(notice=True, keep_first=0))
    assert fitted.messages == messages
    fitted = fit([*messages, user(SAY)], 4, counter=ONE, policy=Policy(notice=True))
    assert [m["role"] for m in fitted.messages] == ["user", "assistant", "user"]
    assert [(row.position, row.kind) for row in fitted.inserted] == [(0, "notice"), (1, "notice")]
    assert verify(fitted) == []
    assert check(fitted.messages) == []


def test_a_notice_before_a_reply_is_alone():
    messages = [model(SAY), user(SAY), model(SAY), user(SAY)]
    fitted = fit(messages, 5, counter=ONE, policy=Policy(notice=True, keep_first=1))
    assert fitted.messages == messages
    longer = [model({"text": "welcome"}), user(SAY), model(SAY), user(SAY), model(SAY), user(SAY)]
    fitted = fit(longer, 5, counter=ONE, policy=Policy(notice=True, keep_first=1))
    assert [m["role"] for m in fitted.messages] == ["user", "assistant", "user"]
    assert len(fitted.inserted) == 1
    assert verify(fitted) == []


BODY = {
    "modelId": "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "system": [{"text": "be brief"}, CACHE],
    "toolConfig": {
        "tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}, CACHE],
        "toolChoice": {"any": {}},
    },
    "inferenceConfig": {"maxTokens": 7},
}


def test_the_parts_of_a_body():
    body = converse.body(BODY | {"messages": [user(SAY)]})
    assert body.system == BODY["system"]
    assert body.tools == BODY["toolConfig"]["tools"][:1]
    assert body.tool_choice == {"any": {}}
    assert body.output == 7
    assert converse.weigh_system(body.system).texts == ["be brief"]


def test_fit_request_changes_the_messages_alone():
    body = BODY | {"messages": history()}
    fitted = fit_request(body, 10**6)
    assert (fitted.format, fitted.model) == (NAME, BODY["modelId"])
    assert fitted.request == body
    cut = fit_request(body, fitted.used - 10)
    assert cut.request["messages"] == body["messages"][2:]
    assert {k: v for k, v in cut.request.items() if k != "messages"} == BODY


@pytest.mark.parametrize(
    ("messages", "name"),
    [
        ([user(SAY)], NAME),
        ([user(CACHE)], NAME),
        ([{"role": "user", "content": "hello"}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}]}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "document", "source": {}}]}], "anthropic"),
    ],
)
def test_detection(messages, name):
    assert detect(messages).name == name


@pytest.mark.parametrize(
    ("block", "field", "value"),
    [
        (SAY, "texts", ["hello"]),
        ({"guardContent": {"text": {"text": "g", "qualifiers": ["query"]}}}, "texts", ["g"]),
        ({"citationsContent": {"content": [SAY], "citations": [{}]}}, "texts", ["hello"]),
        (
            {"searchResult": {"source": "u", "title": "t", "content": [SAY]}},
            "texts",
            ["t", "u", "hello"],
        ),
        ({"document": {"name": "n", "source": {"text": "whole"}}}, "texts", ["n", "whole"]),
        ({"reasoningContent": {"reasoningText": {"text": "hm"}}}, "reasoning", ("hm",)),
        ({"reasoningContent": {"redactedContent": b"12345678"}}, "hidden", 8),
        (CACHE, "values", ()),
        ({"nextYear": 1}, "values", ({"nextYear": 1},)),
    ],
)
def test_what_costs(block, field, value):
    assert getattr(converse.weigh(user(block)), field) == value


@pytest.mark.parametrize("kind", ["image", "document", "video", "audio"])
def test_media_and_calls_cost(kind):
    weight = converse.weigh(user({kind: {"source": {"bytes": b"abc"}}}))
    assert [(media.kind, media.data) for media in weight.media] == [(kind, b"abc")]
    weight = converse.weigh(model(asks("a")))
    assert [(call.name, call.arguments) for call in weight.calls] == [("f", {})]
    inner = converse.weigh(user(answers("a", {"json": {"r": 1}}, SAY))).results[0]
    assert (inner.values, inner.texts) == (({"r": 1},), ["hello"])
