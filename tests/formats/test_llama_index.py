"""LlamaIndex messages: what is read, what is broken, what is changed and what is not."""

from __future__ import annotations

import copy

import pytest
from support import llama_index_messages as llama_index
from support.weights import texts_of, values_of
from trimtab import Conversation, Policy, check, fit, repair, verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.llama_index import LlamaIndex

shape = LlamaIndex()
NAME = "llama-index"
LONG = "\n".join(f"line {n} of a long result" for n in range(300))
requires_real = pytest.mark.skipif(not llama_index.REAL, reason="llama-index is not installed")


@pytest.fixture(params=["twin", pytest.param("real", marks=requires_real)])
def li(request):
    with llama_index.installed(request.param) as package:
        yield package


def raw(id, name="f"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}


def block(li, id, name="f"):
    return li.ToolCallBlock(tool_call_id=id, tool_name=name, tool_kwargs={"q": 1})


def say(li, role, text="hi", **extra):
    return li.ChatMessage(role=role, content=text, additional_kwargs=extra)


def ask(li, *ids):
    return li.ChatMessage(role="assistant", blocks=[block(li, id) for id in ids])


def tool(li, id, text="4"):
    return say(li, "tool", text, tool_call_id=id)


FACTS = {
    "user": (lambda li: say(li, "user"), Facts(HUMAN, human=True, leads_human=True)),
    "system": (lambda li: say(li, "system"), Facts(SYSTEM)),
    "developer": (lambda li: say(li, "developer"), Facts(SYSTEM)),
    "assistant": (lambda li: say(li, "assistant"), Facts(MODEL)),
    "model": (lambda li: say(li, "model"), Facts(MODEL)),
    "tool": (lambda li: tool(li, "a"), Facts(RESULT, answers=("a",))),
    "function": (lambda li: say(li, "function", name="f"), Facts(RESULT, answers=("function:f",))),
    "blocks": (lambda li: ask(li, "a", "b"), Facts(MODEL, ("a", "b"))),
    "keywords": (lambda li: say(li, "assistant", tool_calls=[raw("a")]), Facts(MODEL, ("a",))),
    "both": (
        lambda li: li.ChatMessage(
            role="assistant", blocks=[block(li, "a")], additional_kwargs={"tool_calls": [raw("a")]}
        ),
        Facts(MODEL, ("a",)),
    ),
    "legacy": (
        lambda li: say(li, "assistant", function_call={"name": "f"}),
        Facts(MODEL, ("function:f",)),
    ),
    "thinking": (
        lambda li: li.ChatMessage(
            role="assistant", blocks=[li.ThinkingBlock(content="hm"), block(li, "a")]
        ),
        Facts(MODEL, ("a",), reasons=True, thought=True),
    ),
}


@pytest.mark.parametrize("case", FACTS)
def test_facts(li, case):
    make, facts = FACTS[case]
    assert shape.read(make(li)) == facts


BROKEN = {
    "sound": (lambda li: [ask(li, "a", "b"), tool(li, "b"), tool(li, "a")], []),
    "open": (lambda li: [ask(li, "a", "b"), tool(li, "b")], []),
    "missing": (lambda li: [ask(li, "a"), say(li, "user")], ["missing_result"]),
    "orphan": (lambda li: [say(li, "user"), tool(li, "a")], ["orphan_result"]),
    "no id": (lambda li: [ask(li, "a"), say(li, "tool")], ["orphan_result"]),
    "late": (lambda li: [ask(li, "a"), say(li, "user"), tool(li, "a")], ["misplaced"]),
    "twice": (lambda li: [ask(li, "a"), tool(li, "a"), tool(li, "a")], ["duplicate_result"]),
    "same id": (lambda li: [ask(li, "a", "a"), tool(li, "a")], ["duplicate_call"]),
    "nameless": (lambda li: [ask(li, None)], ["malformed"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_check(li, case):
    make, codes = BROKEN[case]
    history = make(li)
    before = copy.deepcopy(history)
    assert [fault.code for fault in check(history, format=NAME)] == codes
    if codes != ["malformed"]:
        assert check(repair(history, format=NAME).messages, format=NAME) == []
    assert history == before


@pytest.mark.parametrize(
    ("make", "texts", "values"),
    [
        (lambda li: say(li, "user"), ["hi"], []),
        (lambda li: ask(li, "a"), ["f"], [{"q": 1}]),
        (lambda li: say(li, "assistant", tool_calls=[raw("a")]), ["hi", "f", "{}"], []),
        (
            lambda li: li.ChatMessage(
                role="assistant",
                blocks=[block(li, "a")],
                additional_kwargs={"tool_calls": [raw("a")]},
            ),
            ["f"],
            [{"q": 1}],
        ),
        (lambda li: say(li, "function", name="f"), ["hi", "f"], []),
        (
            lambda li: li.ChatMessage(role="assistant", blocks=[li.ThinkingBlock(content="hm")]),
            ["hm"],
            [],
        ),
    ],
)
def test_what_costs(li, make, texts, values):
    weight = shape.weigh(make(li))
    assert (texts_of(weight), values_of(weight)) == (texts, values)


def test_calls_go_with_their_copies(li):
    message = li.ChatMessage(
        role="assistant",
        blocks=[li.TextBlock(text="so"), block(li, "a"), block(li, "b")],
        additional_kwargs={"tool_calls": [raw("a"), raw("b")], "own": 1},
    )
    before = copy.deepcopy(message)
    less = shape.without(message, {"call": {1}})
    assert less.blocks == message.blocks[:2] and less.blocks[0] is message.blocks[0]
    assert less.additional_kwargs == {"tool_calls": [raw("a")], "own": 1}
    assert shape.without(message, {"call": {0, 1}}).additional_kwargs == {"own": 1}
    assert shape.without(ask(li, "a"), {"call": {0}}) is None
    assert message == before


def test_repair_answers_in_llamaindexs_own_objects(li):
    history = [
        ask(li, "a"),
        say(li, "user"),
        say(li, "assistant", "", function_call={"name": "f"}),
        say(li, "user"),
    ]
    added = [m for m in repair(history, format=NAME).messages if m not in history]
    assert [(m.role.value, m.additional_kwargs) for m in added] == [
        ("tool", {"tool_call_id": "a"}),
        ("function", {"name": "f"}),
    ]
    assert "interrupted" in added[0].blocks[0].text


def test_fit_and_the_conversation_agree(li):
    history = [
        say(li, "system", "be brief"),
        say(li, "user", "first", own=1e300),
        ask(li, "a"),
        tool(li, "a", "short"),
        say(li, "assistant", "so it is " * 20),
        say(li, "user", "second"),
        ask(li, "b"),
        tool(li, "b", LONG),
    ]
    whole = fit(history, 10_000, format=NAME)
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    policy = Policy(max_result_tokens=100, notice=True)
    for budget in (300, 200, 180):
        fitted = fit(history, budget, format=NAME, policy=policy)
        assert verify(fitted) == []
        conversation = Conversation(budget, format=NAME, policy=policy)
        conversation.extend(history)
        assert conversation.fit().messages == fitted.messages
        short = fitted.messages[-1]
        assert type(short) is type(history[-1]) and len(short.blocks[0].text) < len(LONG)
    assert history[-1].blocks[0].text == LONG


@requires_real
def test_its_own_memory_takes_what_is_left():
    """Its buffer refuses a leading assistant or tool message."""
    from llama_index.core.memory import ChatMemoryBuffer

    li = llama_index.package("real")
    history = [say(li, "user", "old " * 40), say(li, "assistant", "yes"), say(li, "user", "now")]
    history += [ask(li, "a"), tool(li, "a")]
    kept = fit(history, 60, format=NAME).messages
    assert len(kept) < len(history)
    memory = ChatMemoryBuffer.from_defaults(chat_history=kept, token_limit=1_000)
    assert memory.get() == kept
