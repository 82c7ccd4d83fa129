"""MCP sampling messages, as on the wire and as objects."""

from __future__ import annotations

import copy
from importlib.util import find_spec
from random import Random

import pytest
from pydantic import BaseModel
from support.forall import forall, sizes
from support.generate import DAMAGE, damaged_histories, sound
from support.mcp_messages import from_chat as chat
from support.weights import texts_of, values_of
from trimtab import Conversation, DoesNotFit, Policy, check, fit, fit_request, per_message, repair
from trimtab import verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, Facts
from trimtab.formats.mcp import MCP
from trimtab.formats.registry import detect
from trimtab.formats.weight import Media
from trimtab.soundness import SOUNDNESS

shape, NAME = MCP(), "mcp"
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))
REAL = find_spec("mcp") is not None
requires_real = pytest.mark.skipif(not REAL, reason="mcp is not installed")


def text(words="hi"):
    return {"type": "text", "text": words}


def use(id):
    return {"type": "tool_use", "id": id, "name": "f", "input": {"q": 1}}


def back(id, words="4"):
    return {"type": "tool_result", "toolUseId": id, "content": [text(words)]}


def user(*blocks):
    return {"role": "user", "content": list(blocks) if len(blocks) > 1 else blocks[0]}


def model(*blocks):
    return {**user(*blocks), "role": "assistant"}


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (user(text()), HEARD),
        ({"role": "user", "content": [text(), text()]}, HEARD),
        (model(text()), Facts(MODEL)),
        (model(use("a")), Facts(MODEL, ("a",))),
        (model(text(), use("a"), use("b")), Facts(MODEL, ("a", "b"))),
        (user(back("a")), Facts(RESULT, answers=("a",), closes=True)),
        (
            user({"type": "tool_result", "tool_use_id": "a", "content": []}),
            Facts(RESULT, answers=("a",), closes=True),
        ),
    ],
)
def test_facts(message, facts):
    assert shape.read(message) == facts


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([model(use("a"), use("b")), user(back("b"), back("a")), model(text())], []),
        ([user(text()), user(text()), model(use("a"))], []),
        ([model(use("a")), user(back("a"))] * 2, []),
        # one message answers all, even at the very end
        ([model(use("a"), use("b")), user(back("a"))], ["missing_result"]),
        ([model(use("a"), use("b")), user(back("a")), user(back("b"))], ["misplaced"]),
        ([model(use("a")), user(back("a"), text())], ["misplaced"]),
        ([model(use("a")), user(text(), back("a"))], ["misplaced"]),
        ([model(use("a")), user(text())], ["missing_result"]),
        ([user(text()), user(back("a"))], ["orphan_result"]),
        ([model(use("a")), user(text()), user(back("a"))], ["misplaced"]),
        ([model(use("a")), user(back("a"), back("a"))], ["duplicate_result"]),
        ([model(use("a"), use("a")), user(back("a"))], ["duplicate_call"]),
        ([model(use(None))], ["malformed"]),
        ([{"role": "user", "content": "words alone"}], ["malformed"]),
        ([{**user(text()), "role": "system"}], ["unknown_role"]),
        ([user(use("a"))], ["misplaced"]),
    ],
)
def test_check_and_repair(history, codes):
    before = copy.deepcopy(history)
    assert sorted({fault.code for fault in check(history, format=NAME)}) == codes
    if codes in (["malformed"], ["unknown_role"]) or history == [user(use("a"))]:
        return
    mended = repair(history, format=NAME)
    assert check(mended.messages, format=NAME) == []
    assert list(SOUNDNESS[NAME](mended.messages)) == []
    assert {r.code for r in mended.repairs} >= set(codes)
    assert history == before


@pytest.mark.parametrize(
    ("message", "texts", "values"),
    [
        (user(text()), ["hi"], []),
        (model(text(), use("a")), ["hi", "f"], [{"q": 1}]),
        (user(back("a")), ["4"], []),
        (user(back("a"), back("b", "5")), ["4", "5"], []),
        (user({"type": "resource", "resource": {"uri": "u", "text": "x"}}), ["x"], []),
        (user({"type": "hologram", "n": 1}), [], [{"type": "hologram", "n": 1}]),
    ],
)
def test_what_costs(message, texts, values):
    weight = shape.weigh(message)
    assert (texts_of(weight), values_of(weight)) == (texts, values)


def test_media():
    picture = {"type": "image", "data": "QUJD", "mimeType": "image/png"}
    assert shape.weigh(user(picture)).media == (Media("image", "QUJD"),)
    assert detect([user(picture, text())]).name == NAME
    assert detect([user(text())]).name == NAME
    assert detect([user(back("a"), back("b"))]).name == NAME


class Sampling(BaseModel):
    role: str
    content: object


def test_objects_are_answered_in_their_own_class():
    history = [Sampling(role="assistant", content=use("a")), Sampling(**user(text()))]
    added = repair(history, format=NAME).messages[1]
    assert type(added) is Sampling and added.content[0]["isError"] is True


def answered(history):
    """Without the results that an open end has received so far: here it may have none."""
    if (
        history
        and history[-1]["content"][0]["type"] == "tool_result"
        and check(history, format=NAME)
    ):
        return history[:-1]
    return history


COUNTER = per_message(lambda message: 1 + len(str(message)) // 20)


@sizes(quick=60, slow=3000)
def test_generated_histories(examples):
    def holds(drawn):
        _, whole, damaged = drawn
        assert check(answered(chat(whole)), format=NAME) == []
        assert list(SOUNDNESS[NAME](answered(chat(whole)))) == []
        broken = chat(damaged)
        assert bool(check(broken, format=NAME)) == bool(list(SOUNDNESS[NAME](broken)))
        mended = repair(broken, format=NAME).messages
        assert list(SOUNDNESS[NAME](mended)) == []
        for budget in (60, 300):
            try:
                fitted = fit(broken, budget, format=NAME, counter=COUNTER, on_invalid="repair")
            except DoesNotFit as error:
                assert error.needs.total > budget
                continue
            assert verify(fitted) == []

    forall(damaged_histories("openai-chat"), examples, holds)


def objects(history):
    from mcp.types import SamplingMessage

    return [SamplingMessage.model_validate(message) for message in history]


def refused(messages):
    """Whether the SDK's own validation of every prefix refuses it."""
    from mcp.server.validation import validate_tool_use_result_messages as validate

    try:
        for size in range(1, len(messages) + 1):
            validate(messages[:size])
    except ValueError as error:
        return str(error)
    return ""


@requires_real
@sizes(quick=60, slow=3000)
def test_the_sdk_agrees_on_every_prefix(examples):
    """It takes a call or a result that stands twice, which no provider does."""

    def holds(drawn):
        broken = objects(chat(drawn[2]))
        codes = {fault.code for fault in check(broken, format=NAME)}
        if codes <= {"duplicate_call", "duplicate_result"}:
            assert bool(codes) or not refused(broken)
        else:
            assert refused(broken), codes
        mended = repair(broken, format=NAME).messages
        assert not refused(mended)
        for budget in (60, 300):
            try:
                fitted = fit(mended, budget, format=NAME, counter=COUNTER)
            except DoesNotFit:
                continue
            assert not refused(fitted.messages) and verify(fitted) == []

    forall(damaged_histories("openai-chat"), examples, holds)


@requires_real
def test_twin_and_real_objects_are_judged_alike():
    for seed in range(100):
        kind = sorted(DAMAGE)[seed % len(DAMAGE)]
        history = sound("openai-chat", Random(seed))
        DAMAGE[kind](history, Random(seed))
        plain = chat(history)
        assert check(plain, format=NAME) == check(objects(plain), format=NAME)
        mended = repair(plain, format=NAME).messages
        real = repair(objects(plain), format=NAME).messages
        assert objects(mended) == real


HISTORY = [
    user(text("first " * 30)),
    *[model(use("a")), user(back("a")), model(text("so it is")), user(text("second"))],
    *[model(use("b")), user(back("b", LONG))],
]


@pytest.mark.parametrize(
    "make", [list, pytest.param(objects, marks=requires_real)], ids=["wire", "real"]
)
def test_fit_and_the_conversation_agree(make):
    history = make(HISTORY)
    before = copy.deepcopy(history)
    whole = fit(history, 10_000, format=NAME)
    assert detect(history).name == NAME
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    policy = Policy(max_result_tokens=100, notice=True)
    least = fit(history, 10_000, policy=policy).used - 9
    for budget in (least + 9, least):
        body = {"messages": history, "maxTokens": 9, "systemPrompt": "be brief"}
        fitted = fit_request(body, budget + 9, format=NAME, policy=policy)
        assert verify(fitted) == [] and fitted.request["maxTokens"] == 9
        conversation = Conversation(budget + 9, format=NAME, policy=policy, system="be brief")
        conversation.extend(history)
        assert conversation.fit().messages == fitted.messages
        assert len(str(fitted.messages[-1])) < len(str(history[-1])) / 2
    assert fitted.dropped and history == before
