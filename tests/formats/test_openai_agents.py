"""Run items of the OpenAI Agents SDK, which are items of OpenAI Responses in a wrapper."""

from __future__ import annotations

import pytest
from support.agents_items import REAL, RunItem, from_items, to_items
from support.forall import forall, sizes
from support.generate_responses import build, damaged_responses
from support.responses_oracle import objections
from trimtab import Conversation, DoesNotFit, Policy, check, fit, per_message, repair, verify
from trimtab.formats.base import MODEL, Facts
from trimtab.formats.openai_agents import OpenAIAgents
from trimtab.formats.registry import detect

NAME = "openai-agents"
LONG = "\n".join(f"line {n} of a long result" for n in range(300))
COUNTER = per_message(lambda item: 1 + len(str(to_items([item]))) // 20)
kinds = pytest.mark.parametrize(
    "kind",
    [
        "twin",
        pytest.param(
            "real", marks=pytest.mark.skipif(not REAL, reason="openai-agents is not installed")
        ),
    ],
)


def call(id):
    return {"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"}


def back(id, output="4"):
    return {"type": "function_call_output", "call_id": id, "output": output}


def said(text="so it is"):
    part = {"type": "output_text", "text": text, "annotations": []}
    own = {"id": "msg_1", "type": "message", "status": "completed"}
    return {**own, "role": "assistant", "content": [part]}


THINK = {"type": "reasoning", "id": "rs_1", "summary": []}
HISTORY = [
    {"role": "user", "content": "first " * 30},
    *[THINK, call("a"), back("a", "short"), said(), {"role": "user", "content": "second"}],
    *[{**THINK, "id": "rs_2"}, call("b"), back("b", LONG)],
]


@kinds
def test_run_items_come_back_themselves(kind):
    history = from_items(HISTORY, kind)
    assert detect(history).name == NAME
    assert check(history) == []
    whole = fit(history, 10_000)
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    plain = fit(HISTORY, 10_000, format="openai-responses")
    assert whole.used == plain.used
    cut = fit(history, whole.used - 1)
    assert cut.dropped == fit(HISTORY, plain.used - 1, format="openai-responses").dropped != []
    assert verify(cut) == []


@kinds
def test_a_result_is_shortened_in_a_copy_of_its_item(kind):
    history = from_items(HISTORY, kind)
    policy = Policy(max_result_tokens=50)
    fitted = fit(history, 200, policy=policy)
    assert verify(fitted) == []
    short, before = fitted.messages[-1], history[-1]
    assert type(short) is type(before) and short.agent is before.agent
    assert len(short.to_input_item()["output"]) < len(LONG) == len(before.raw_item["output"])
    conversation = Conversation(200, format=NAME, policy=policy)
    conversation.extend(history)
    assert to_items(conversation.fit().messages) == to_items(fitted.messages)


def test_an_approval_is_never_sent():
    approval = RunItem("a", call("a"), type="tool_approval_item")
    shape = OpenAIAgents()
    assert shape.read(approval) == Facts(MODEL, item=True)
    assert shape.weigh(approval).plain and not shape.weigh(approval).texts
    history = [*from_items([call("a")], "twin"), approval]
    assert check(history, format=NAME) == []
    done = [*history, *from_items([back("a"), said()], "twin")]
    assert check(done, format=NAME) == []
    assert verify(fit(done, 1_000, format=NAME)) == []


@kinds
@sizes(quick=60, slow=3000)
def test_generated_items_are_judged_as_the_items_they_hold(kind, examples):
    def holds(drawn):
        broken = from_items(drawn[2], kind)
        codes = [fault.code for fault in check(broken, format=NAME)]
        assert codes == [fault.code for fault in check(drawn[2], format="openai-responses")]
        mended = repair(broken, format=NAME).messages
        assert objections(to_items(mended)) == []
        for budget in (60, 300):
            try:
                fitted = fit(mended, budget, format=NAME, counter=COUNTER)
            except DoesNotFit as error:
                assert error.needs.total > budget
                continue
            assert objections(to_items(fitted.messages)) == []
            assert verify(fitted) == []

    forall(damaged_responses(), examples, holds)


@pytest.mark.skipif(not REAL, reason="openai-agents is not installed")
def test_the_sdks_own_pruning_finds_nothing_to_drop():
    from agents.run_internal.items import drop_orphan_function_calls

    for seed in range(40):
        script = [(kind, seed) for kind in ("say", "parallel", "call", "reply", "say", "call")]
        history = from_items(build(script), "real")
        for budget in (40, 120, 400):
            try:
                items = to_items(fit(history, budget, format=NAME, counter=COUNTER).messages)
            except DoesNotFit:
                continue
            every = set(range(len(items)))
            assert len(drop_orphan_function_calls(items, output_pruning_indexes=every)) == len(
                items
            )
