"""Anthropic Messages: the rules of the API, each with where it is said."""

from __future__ import annotations

import pytest
import turnsafe
from support.rule_table import Rule, holds, table
from trimtab import DoesNotFit, Policy, check, count, fit, per_message, repair, verify

ONE = per_message(lambda message: 1)
IDS = 'error: "unexpected `tool_use_id` found in `tool_result` blocks"'
AFTER = 'error: "`tool_use` ids were found without `tool_result` blocks immediately after"'
UNIQUE = 'error: "`tool_use` ids must be unique"'
SINGLE = 'error: "each tool_use must have a single result. Found multiple"'
SERVER = 'error: "must have a corresponding `server_tool_use` block before it"'
MID = 'doc: system messages within a conversation, "Placement"'
BLANK = 'error: "text content blocks must be non-empty"'
EMPTY = 'error: "all messages must have non-empty content except for the optional final assistant"'
LOOP = "doc: programmatic tool calling: an answer to its calls holds tool results alone"


def text(words):
    return {"type": "text", "text": words}


def use(id):
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id, content="r", **more):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def user(*content):
    return {"role": "user", "content": list(content)}


def model(*content):
    return {"role": "assistant", "content": list(content)}


def system(words="be brief"):
    return {"role": "system", "content": words}


def served(id, kind="server_tool_use"):
    return {"type": kind, "id": id, "name": "web_search", "input": {"q": "x"}}


def found(id, kind="web_search_tool_result"):
    return {"type": kind, "tool_use_id": id, "content": []}


ASK, SAY = user(text("q")), model(text("a"))
THOUGHT = {"type": "thinking", "thinking": "", "signature": "c2ln"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5j"}
CACHED = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
SUMMARY = {"type": "compaction", "content": "so far: all well", "encrypted_content": "ZW5j"}
LISTING = {"type": "mcp_tool_listing", "server_name": "s", "tools": [{"name": "f"}]}
FALLBACK = {"type": "fallback", "from": {"model": "m"}}


@table(
    # calls and results
    Rule("answered in the next turn", AFTER, [ASK, model(use("a")), user(result("a")), SAY]),
    Rule("answered later", AFTER, [ASK, model(use("a")), ASK, user(result("a"))], ("misplaced",)),
    Rule("never answered", AFTER, [ASK, model(use("a")), ASK], ("missing_result",)),
    Rule(
        "one of two answered",
        AFTER,
        [ASK, model(use("a"), use("b")), user(result("b")), SAY],
        ("missing_result",),
    ),
    Rule("waits at the very end", "doc: tool use", [ASK, model(use("a"))]),
    Rule("no call", IDS, [ASK, SAY, user(result("a")), SAY], ("orphan_result",)),
    Rule(
        "two results",
        SINGLE,
        [ASK, model(use("a")), user(result("a"), result("a")), SAY],
        ("duplicate_result",),
    ),
    Rule(
        "an id again in a later turn",
        UNIQUE,
        [ASK, model(use("a")), user(result("a")), model(use("a")), user(result("a")), SAY],
        ("duplicate_call",),
    ),
    Rule(
        "text before a result",
        "error: tool_result blocks must come first in the content",
        [ASK, model(use("a")), user(text("so"), result("a")), SAY],
        ("misplaced",),
    ),
    Rule(
        "text in a message of its own before a result",
        "doc: neighbours of one role are merged, before checking",
        [ASK, model(use("a")), ASK, user(result("a")), SAY],
        ("misplaced",),
    ),
    Rule(
        "text behind a result",
        "doc: tool use",
        [ASK, model(use("a")), user(result("a"), text("x"))],
    ),
    Rule(
        "results in two messages",
        "doc: neighbours of one role are merged",
        [ASK, model(use("a"), use("b")), user(result("b")), user(result("a")), SAY],
    ),
    Rule("two human messages, two replies", "doc: merged", [ASK, ASK, SAY, SAY, ASK]),
    Rule(
        "an error without content",
        "doc: tool use",
        [ASK, model(use("a")), user(result("a", "", is_error=True))],
    ),
    Rule("ends on a reply (prefill)", "doc: refused by newer models only", [ASK, SAY]),
    Rule("begins with a reply", "doc: head rules bind cuts, not inputs", [SAY, ASK]),
    # tools that the provider runs
    Rule("a server pair", SERVER, [ASK, model(served("s"), found("s"), text("x")), ASK]),
    Rule(
        "an MCP pair",
        "doc: MCP connector",
        [ASK, model(served("m", "mcp_tool_use"), found("m", "mcp_tool_result")), ASK],
    ),
    Rule(
        "paused, and gone on with", "doc: pause_turn", [ASK, model(served("s")), model(found("s"))]
    ),
    Rule(
        "a server result alone",
        SERVER,
        [ASK, model(found("s", "advisor_tool_result")), ASK],
        ("orphan_result",),
    ),
    Rule(
        "a server result before its call",
        SERVER,
        [ASK, model(found("s"), served("s"), text("x")), ASK],
        ("orphan_result", "missing_result"),
    ),
    Rule(
        "a server call unanswered",
        SERVER,
        [ASK, model(served("s"), text("x")), ASK],
        ("missing_result",),
    ),
    Rule(
        "a server call over client results",
        LOOP,
        [ASK, model(served("s"), use("a")), user(result("a")), model(found("s"), text("x"))],
    ),
    # system messages within
    Rule("system after a user turn", MID, [ASK, system(), SAY, ASK, system()]),
    Rule("two of them", MID, [ASK, system(), system(), SAY]),
    Rule("system after results", MID, [ASK, model(use("a")), user(result("a")), system(), SAY]),
    Rule("system first", MID, [system(), ASK, SAY], ("misplaced", "misplaced"), mends=False),
    Rule("system after a reply", MID, [ASK, SAY, system(), SAY], ("misplaced",), mends=False),
    Rule("system before a user turn", MID, [ASK, system(), ASK, SAY], ("misplaced",), mends=False),
    Rule(
        "system between a call and its result",
        MID,
        [ASK, model(use("a")), system(), user(result("a")), SAY],
        ("misplaced", "misplaced"),
    ),
    Rule(
        "the role developer",
        "doc: roles",
        [{"role": "developer", "content": "x"}],
        ("unknown_role",),
        mends=False,
        seen=False,
    ),
    # texts without text
    Rule("an empty user message", BLANK, [ASK, SAY, user(), SAY], ("blank_text",)),
    Rule(
        "an empty user text",
        BLANK,
        [ASK, SAY, {"role": "user", "content": ""}, SAY],
        ("blank_text",),
    ),
    Rule("a blank user text", BLANK, [ASK, SAY, user(text(" \n")), SAY], ("blank_text",)),
    Rule("a blank text beside others", BLANK, [user(text(""), text("x")), SAY], ("blank_text",)),
    Rule("an empty text of a reply", BLANK, [ASK, model(text("")), ASK], ("blank_text",)),
    Rule("an empty system message", BLANK, [ASK, system(""), SAY], ("blank_text",)),
    Rule("an empty system text", BLANK, [ASK, system([text("")]), SAY], ("blank_text",)),
    Rule("a reply of white space", "observed: a recorded request", [ASK, model(text(" ")), ASK]),
    Rule(
        "an empty text in a result",
        "source: turnsafe",
        [ASK, model(use("a")), user(result("a", [text("")])), SAY],
    ),
    Rule("an empty reply in the middle", EMPTY, [ASK, model(), ASK], ("empty_message",)),
    Rule("an empty reply at the end", EMPTY, [ASK, model()]),
    # what rides along
    Rule("a compaction block", "doc: compaction", [ASK, model(SUMMARY, text("x")), ASK]),
    Rule(
        "fallback and listings",
        "doc: beta headers",
        [ASK, model(FALLBACK, LISTING, text("x")), ASK],
    ),
    Rule("cache markers", "doc: prompt caching", [user({**text("q"), **CACHED}), SAY]),
    Rule("a block of next year", "doc: unknown types", [ASK, model({"type": "next", "x": 1}), ASK]),
)
def test_rules(rule):
    holds("anthropic", rule)


def test_what_a_validator_of_others_says_of_blank_texts():
    """turnsafe refuses white space in a reply, which a recorded request was accepted with."""
    for history, refused in (
        ([ASK, model(text(""))], True),
        ([user(text(" ")), SAY], True),
        ([ASK, model(use("a")), user(result("a", [text("")])), SAY], False),
    ):
        said = [v.code for v in turnsafe.validate(history, provider="anthropic").violations]
        assert ("empty_content" in said) == refused == bool(check(history, format="anthropic"))
    spaces = [ASK, model(text(" ")), ASK]
    said = [v.code for v in turnsafe.validate(spaces, provider="anthropic").violations]
    assert "empty_content" in said
    assert check(spaces, format="anthropic") == []


@pytest.mark.parametrize("thought", [THOUGHT, HIDDEN])
def test_a_cut_keeps_thinking_byte_for_byte_and_leads_a_loop_with_it(thought):
    loop = [model(thought, use("a")), user(result("a")), model(use("b")), user(result("b"))]
    loop += [model(thought, use("c")), user(result("c"))]
    history = [ASK, SAY, user(text("go")), *loop]
    for budget in range(3, len(history)):
        fitted = fit(history, budget, format="anthropic", counter=ONE)
        assert verify(fitted) == []
        assert all(any(m is own for own in history) for m in fitted.messages)
        first = next(m for m in fitted.messages if m["role"] == "assistant" and m is not SAY)
        if fitted.messages[0] is history[2]:
            assert first["content"][0] is thought


def test_a_human_message_leads_a_cut():
    history = [ASK, SAY, user(text("go")), model(use("a")), user(result("a")), SAY]
    for budget in range(2, 6):
        fitted = fit(history, budget, format="anthropic", counter=ONE)
        assert fitted.messages[0] in (history[0], history[2])
        assert fitted.messages[0]["content"][0]["type"] == "text"


def test_repair_keeps_the_marks_and_the_thinking_of_what_stays():
    asks = model(THOUGHT, {**text("so"), **CACHED}, use("a"), use("a"))
    answers = user({**result("a"), **CACHED})
    mended = repair([ASK, asks, answers, SAY], format="anthropic").messages
    assert mended[1]["content"] == asks["content"][:3]
    assert mended[1]["content"][0] is THOUGHT
    assert mended[2] is answers


def test_what_stands_before_a_compaction_block_is_free_and_goes_first():
    old = [user(text("old " * 200)), model(text("words " * 200))]
    history = [*old, user(text("go on")), model(SUMMARY, text("well")), ASK, SAY, ASK]
    assert count(history, format="anthropic").by_message[:3] == [0, 0, 0]
    failed = {"type": "compaction", "content": None}
    history[3]["content"].append(failed)
    assert count([*history, model(failed)], format="anthropic").by_message[:3] == [0, 0, 0]
    fitted = fit(history, fit(history[2:], 10**6, format="anthropic").used, format="anthropic")
    assert fitted.messages == history[2:]
    for budget in range(1, 6):
        try:
            cut = fit(history, budget, format="anthropic", counter=ONE)
        except DoesNotFit:
            assert budget < 4
            continue
        assert any(message is history[3] for message in cut.messages)
        assert cut.messages[0]["role"] == "user"
        assert verify(cut) == []


def test_an_excerpt_keeps_the_pair_and_its_marks():
    answer = result("a", "line\n" * 900, is_error=True, **CACHED)
    history = [ASK, model(THOUGHT, use("a")), user(answer, text("and?"))]
    fitted = fit(history, 10**6, format="anthropic", policy=Policy(max_result_tokens=30))
    block = fitted.messages[2]["content"][0]
    assert {**block, "content": ""} == {**answer, "content": ""}
    assert block["content"].strip()
    assert fitted.messages[1] is history[1]
    assert fitted.messages[2]["content"][1] is history[2]["content"][1]
