"""AI SDK model messages: what is read, what is broken, what is changed and what is not."""

from __future__ import annotations

import copy

import pytest
from support.weights import texts_of, values_of
from trimtab import Conversation, DoesNotFit, Policy, check, fit, fit_request, per_message, repair
from trimtab import verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.registry import detect
from trimtab.formats.vercel_ai import VercelAI
from trimtab.formats.weight import Media
from trimtab.soundness import SOUNDNESS

model = VercelAI()
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))


def call(id, **more):
    return {"type": "tool-call", "toolCallId": id, "toolName": "f", "input": {"q": 1}, **more}


def result(id, value="4", **more):
    output = {"type": "text", "value": value}
    return {"type": "tool-result", "toolCallId": id, "toolName": "f", "output": output, **more}


def asks(*ids):
    return {"role": "assistant", "content": [call(id) for id in ids]}


def tool(*ids):
    return {"role": "tool", "content": [result(id) for id in ids]}


def say(role, text="hi"):
    return {"role": role, "content": text}


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (say("user"), HEARD),
        (say("system"), Facts(SYSTEM)),
        (say("assistant"), Facts(MODEL)),
        (asks("a", "b"), Facts(MODEL, ("a", "b"))),
        (tool("a", "b"), Facts(RESULT, answers=("a", "b"))),
        (
            {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}, call("a")]},
            Facts(MODEL, ("a",), reasons=True, thought=True),
        ),
        (
            {"role": "assistant", "content": [call("a", providerExecuted=True), result("a")]},
            Facts(MODEL, server_calls=("a",), server_answers=("a",)),
        ),
        (
            {
                "role": "assistant",
                "content": [
                    call("a"),
                    {"type": "tool-approval-request", "approvalId": "p", "toolCallId": "a"},
                ],
            },
            Facts(MODEL, ("a",)),
        ),
        (
            {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "p"}]},
            Facts(RESULT),
        ),
    ],
)
def test_facts(message, facts):
    assert model.read(message) == facts


APPROVED = {"role": "tool", "content": [{"type": "tool-approval-response", "approvalId": "p"}]}


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([asks("a", "b"), tool("b"), tool("a"), say("assistant")], []),
        ([asks("a"), APPROVED, tool("a")], []),
        ([asks("a", "b"), tool("a")], []),
        ([asks("a"), tool("a"), asks("a"), tool("a")], []),
        ([asks("a"), say("user")], ["missing_result"]),
        ([say("user"), tool("a")], ["orphan_result"]),
        ([asks("a"), say("user"), tool("a")], ["misplaced"]),
        ([asks("a"), tool("a", "a")], ["duplicate_result"]),
        ([asks("a", "a"), tool("a")], ["duplicate_call"]),
        ([{"role": "assistant", "content": [call(None)]}], ["malformed"]),
        ([{"role": "tool", "content": [result(None)]}], ["orphan_result"]),
        ([say("data")], ["unknown_role"]),
    ],
)
def test_check_and_repair(history, codes):
    before = copy.deepcopy(history)
    assert sorted({f.code for f in check(history, format="vercel-ai")}) == codes
    assert bool(list(SOUNDNESS["vercel-ai"](history))) == bool(codes) or codes in (
        ["malformed"],
        ["unknown_role"],
    )
    if not set(codes) & {"malformed", "unknown_role"}:
        mended = repair(history, format="vercel-ai").messages
        assert check(mended, format="vercel-ai") == []
    assert history == before


def test_an_interrupted_call_is_answered_in_its_versions_words():
    old = {"type": "tool-call", "toolCallId": "b", "toolName": "g", "args": {}}
    history = [{"role": "assistant", "content": [call("a"), old]}, say("user")]
    added = repair(history, format="vercel-ai").messages[1]["content"]
    assert added[0]["output"]["type"] == "error-text" and "output" not in added[1]
    assert (added[1]["toolCallId"], added[1]["isError"]) == ("b", True)


@pytest.mark.parametrize(
    ("message", "texts", "values"),
    [
        (say("user"), ["hi"], []),
        (asks("a"), ["f"], [{"q": 1}]),
        (tool("a"), ["4"], []),
        (tool("a", "b"), ["4", "4"], []),
        (
            {"role": "tool", "content": [result("a", output={"type": "json", "value": {"n": 1}})]},
            [],
            [{"n": 1}],
        ),
        (
            {"role": "tool", "content": [{"type": "tool-result", "result": {"n": 1}}]},
            [],
            [{"n": 1}],
        ),
        (
            {
                "role": "tool",
                "content": [
                    result(
                        "a", output={"type": "content", "value": [{"type": "text", "text": "x"}]}
                    )
                ],
            },
            ["x"],
            [],
        ),
        ({"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}]}, ["hm"], []),
        (
            {"role": "user", "content": [{"type": "hologram", "n": 1}]},
            [],
            [{"type": "hologram", "n": 1}],
        ),
    ],
)
def test_what_costs(message, texts, values):
    weight = model.weigh(message)
    assert (texts_of(weight), values_of(weight)) == (texts, values)


@pytest.mark.parametrize(
    ("part", "media"),
    [
        ({"type": "image", "image": "data:image/png;base64,QUJD"}, Media("image", "QUJD")),
        ({"type": "image", "image": "https://example.org/a.png"}, Media("image", "")),
        (
            {"type": "file", "data": "QUJD", "mediaType": "application/pdf"},
            Media("document", "QUJD"),
        ),
        ({"type": "file", "data": "QUJD", "mediaType": "audio/wav"}, Media("audio", "QUJD")),
    ],
)
def test_media(part, media):
    message = {"role": "user", "content": [part]}
    assert model.weigh(message).media == (media,)
    assert detect([message]).name == "vercel-ai"


def model_history():
    history = [say("system"), say("user", "first " * 30), asks("a"), tool("a"), say("assistant")]
    return [*history, say("user"), asks("b"), {"role": "tool", "content": [result("b", LONG)]}]


def test_fit_and_the_conversation_agree():
    history = model_history()
    before = copy.deepcopy(history)
    name = detect(history).name
    whole = fit(history, 10_000)
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    policy = Policy(max_result_tokens=100, notice=True)
    least = fit(history, 10_000, policy=policy).used - 9
    for budget in (400, least + 9, least):
        fitted = fit_request({"messages": history, "id": "c"}, budget, format=name, policy=policy)
        assert verify(fitted) == [] and fitted.request["id"] == "c"
        conversation = Conversation(budget, format=name, policy=policy)
        conversation.extend(history)
        assert conversation.fit().messages == fitted.messages
        assert len(str(fitted.messages[-1])) < len(str(history[-1])) / 2
    assert fitted.dropped and history == before
