"""Marks: where they go, what the service finds by them, and that nothing else changes."""

from __future__ import annotations

import copy
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from breakpoints.service_model import Service, flat
from trimtab import ClearResults, InvalidOptions, Policy, Summary, fit, fit_request, per_message, verify
from trimtab.breakpoints import Breakpoint
from trimtab.breakpoints.services import SERVICES
from trimtab.steady import Steady
from trimtab.stores import MemoryStore

SYSTEM = [{"type": "text", "text": "You keep a garden diary."}]
TOOLS = [{"name": "look", "description": "look", "input_schema": {"type": "object"}}]
SIZE = per_message(lambda message: 1 + len(str(message)) // 40)
STEADY = Steady("0.1", "1.25")
POLICIES = [Policy(depth=STEADY), Policy(depth=0.5), Policy(depth=STEADY, clear_results=ClearResults(keep=1, smallest=0))]


def session(rng: Random, turns: int):
    """An agent's conversation: some turns call a few tools, some very many; some think."""
    messages = [{"role": "user", "content": "Begin."}]
    for turn in range(turns):
        calls = rng.choice((0, 1, 1, 2, 12, 24))
        say = [{"type": "text", "text": f"step {turn} " + "word " * rng.randint(0, 30)}]
        if rng.random() < 0.3:
            say.insert(0, {"type": "thinking", "thinking": f"hm {turn}", "signature": "s"})
        ids = [f"c{turn}-{n}" for n in range(calls)]
        say += [{"type": "tool_use", "id": i, "name": "look", "input": {}} for i in ids]
        messages.append({"role": "assistant", "content": say})
        if calls:
            answers = [{"type": "tool_result", "tool_use_id": i, "content": f"{i} " + "seen " * rng.randint(1, 20)} for i in ids]
            messages.append({"role": "user", "content": answers})
        else:
            messages.append({"role": "user", "content": f"And then, {turn}?"})
    return messages


def converse(body):
    """The same request for Bedrock Converse."""
    def block(one):
        if isinstance(one, str):
            return {"text": one}
        if one["type"] == "text":
            return {"text": one["text"]}
        if one["type"] == "thinking":
            return {"reasoningContent": {"reasoningText": {"text": one["thinking"], "signature": "s"}}}
        if one["type"] == "tool_use":
            return {"toolUse": {"toolUseId": one["id"], "name": one["name"], "input": {}}}
        return {"toolResult": {"toolUseId": one["tool_use_id"], "content": [{"text": one["content"]}]}}

    messages = []
    for message in body["messages"]:
        content = message["content"]
        blocks = [content] if isinstance(content, str) else content
        messages.append({"role": message["role"], "content": [block(one) for one in blocks]})
    return {
        "modelId": "anthropic.claude-sonnet-4-5",
        "system": [{"text": "You keep a garden diary."}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "look", "inputSchema": {"json": {}}}}]},
        "messages": messages,
    }


def body(messages):
    return {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": SYSTEM, "tools": TOOLS, "messages": messages}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(POLICIES), st.sampled_from([True, "1h"]), st.booleans())
def test_between_cuts_a_request_reads_all_that_the_one_before_wrote(seed, policy, lasting, bedrock):
    messages, service, before = session(Random(seed), 14), Service(), None
    for size in range(1, len(messages) + 1, 2):
        request = body(messages[:size])
        request = converse(request) if bedrock else request
        given_ = copy.deepcopy(request)
        fitted = fit_request(request, 7_000, policy=policy, breakpoints=lasting)
        assert request == given_
        assert verify(fitted) == []
        read, end = service.send(fitted.request)
        cut = fitted.plan.cuts
        if before is not None and before[0] == cut:
            assert read == before[1], "all that was written is read"
        elif before is not None:
            assert read >= len(TOOLS) + len(SYSTEM), "what stands in front is never written again"
        assert end == len(flat(fitted.request)), "the end is marked"
        before = cut, end


def test_only_what_is_marked_differs():
    request = body(session(Random(3), 9))
    plain = fit_request(request, 3_000, policy=POLICIES[0])
    fitted = fit_request(request, 3_000, policy=POLICIES[0], breakpoints=True)
    assert fitted.messages == plain.messages and fitted.used == plain.used
    differ = [at for at, (a, b) in enumerate(zip(plain.request["messages"], fitted.request["messages"], strict=True)) if a is not b]
    assert differ == [row.message for row in fitted.breakpoints if row.where == "messages"]
    assert [text for text, _, _ in flat(fitted.request)] == [text for text, _, _ in flat(plain.request)]
    assert fitted.request["tools"] is request["tools"]
    assert set(fitted.request) == set(request)


def test_where_they_are_and_why():
    request = body(session(Random(3), 9))
    fitted = fit_request(request, 3_000, policy=POLICIES[0], breakpoints=True)
    rows = fitted.breakpoints
    assert [row.reason for row in rows][0] == "head" and rows[-1].reason == "end"
    assert rows[-1].tokens == fitted.used
    assert rows == sorted(rows, key=lambda row: (("tools", "system", "messages").index(row.where), row.message or 0, row.block))
    assert 2 <= len(rows) <= 4


def test_a_turn_of_many_blocks_gets_a_mark_where_the_request_before_ended():
    calls = [{"type": "tool_use", "id": f"c{n}", "name": "look", "input": {}} for n in range(25)]
    answers = [{"type": "tool_result", "tool_use_id": f"c{n}", "content": "x"} for n in range(25)]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": answers},
    ]
    rows = fit(messages, 10_000, format="anthropic").breakpoints
    assert [(row.message, row.block, row.reason) for row in rows] == [(0, 0, "step"), (2, 24, "end")]


def test_your_own_marks_stay_and_count():
    messages = session(Random(5), 8)
    own = copy.deepcopy(messages)
    places = [(2, 0), (4, 0), (6, 0)]
    for at, block in places:
        content = own[at]["content"]
        if isinstance(content, str):
            own[at]["content"] = content = [{"type": "text", "text": content}]
        content[block]["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    fitted = fit_request(body(own), 100_000, breakpoints=True)
    rows = fitted.breakpoints
    assert [(row.message, row.block) for row in rows if row.reason == "own"] == places
    assert [row.reason for row in rows if row.reason != "own"] == ["end"]
    for at, _ in places:
        assert fitted.request["messages"][at] is own[at]
    own += [
        {"role": "assistant", "content": "and?"},
        {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]},
    ]
    full = fit_request(body(own), 100_000, breakpoints=True)
    assert {row.reason for row in full.breakpoints} == {"own"}
    assert all(a is b for a, b in zip(full.request["messages"], own, strict=True))


@pytest.mark.parametrize(("mine", "asked", "ours"), [("5m", "1h", None), ("1h", True, "1h")])
def test_marks_of_an_hour_stand_before_those_of_five_minutes(mine, asked, ours):
    """An own short mark before ours keeps ours short; an own long one after ours makes it long."""
    tools = [{**TOOLS[0], "cache_control": {"type": "ephemeral", "ttl": mine}}]
    request = {**body(session(Random(1), 3)), "tools": tools if mine == "5m" else TOOLS}
    if mine == "1h":
        request["messages"] += [
            {"role": "assistant", "content": "and?"},
            {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]},
        ]
    fitted = fit_request(request, 100_000, breakpoints=asked)
    head = fitted.request["system"][-1]["cache_control"]
    assert head.get("ttl") == ours


def test_a_body_that_marks_its_end_by_itself_gets_none_there():
    request = body(session(Random(1), 3)) | {"cache_control": {"type": "ephemeral"}}
    fitted = fit_request(request, 100_000, breakpoints=True)
    assert "cache_control" not in str(fitted.request["messages"][-1])
    assert "cache_control" in fitted.request["system"][-1]


def test_neither_thinking_nor_empty_text_is_marked():
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "text", "text": "yes"}, {"type": "thinking", "thinking": "x", "signature": "s"}]},
    ]
    rows = fit(messages, 10_000, format="anthropic").breakpoints
    assert [(row.message, row.block) for row in rows] == [(1, 0)]
    service = SERVICES["anthropic"]
    for block in (messages[1]["content"][1], {"type": "redacted_thinking"}, {"type": "text", "text": " "}, "", 7):
        assert not service.takes(block)


def test_providers_without_marks_have_none():
    messages = [{"role": "user", "content": "go"}]
    assert fit(messages, 100, format="openai-chat").breakpoints == []
    request = {"model": "gpt-4o", "messages": messages}
    fitted = fit_request(request, 100, breakpoints=True)
    assert fitted.request == request
    with pytest.raises(InvalidOptions, match="breakpoints"):
        fit_request(request, 100, breakpoints="2h")


def test_a_text_becomes_one_block_in_the_copy_alone():
    request = {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": [{"role": "user", "content": "go"}]}
    fitted = fit_request(request, 100, breakpoints=True)
    mark = {"type": "ephemeral"}
    assert fitted.request["system"] == [{"type": "text", "text": "Be brief.", "cache_control": mark}]
    assert fitted.request["messages"] == [{"role": "user", "content": [{"type": "text", "text": "go", "cache_control": mark}]}]
    assert request["messages"][0]["content"] == "go"
    assert [row._replace(tokens=0) for row in fitted.breakpoints] == [
        Breakpoint("system", None, 0, "head", 0),
        Breakpoint("messages", 0, 0, "end", 0),
    ]


def test_marks_change_no_count():
    request = body(session(Random(4), 5))
    marked = fit_request(request, 100_000, breakpoints=True)
    assert fit_request(marked.request, 100_000).used == marked.used


@pytest.mark.parametrize("fields", [{"notice": True}, {"summary": "told"}, {"keep_first": 2}, {}])
def test_no_cut_moves_what_the_head_mark_stands_behind(fields):
    """Without system text or tools too, and with what stands in for dropped messages in front."""
    summaries = iter(range(10**6))
    if "summary" in fields:
        make = lambda ask: f"Summary {next(summaries)}."
        fields = {"summary": Summary(make, max_summary_tokens=30, store=MemoryStore())}
    messages, heads, cuts = session(Random(8), 30), set(), 0
    for size in range(1, len(messages) + 1, 2):
        request = {"model": "claude-sonnet-4-5", "messages": messages[:size]}
        fitted = fit_request(request, 6_000, policy=Policy(depth=0.5, **fields), breakpoints=True)
        cuts = fitted.plan.cuts
        for row in fitted.breakpoints:
            if row.reason in ("head", "frontier") and row.where == "messages":
                if row.reason == "head":
                    heads.add(str(fitted.messages[: row.message + 1]))
                if "summary" in fields and fitted.insertion is not None:
                    assert row.message < fitted.insertion.position
    assert cuts > 2
    assert len(heads) == ("keep_first" in fields)
