"""Bedrock Converse: the rules of the service, each with where it is said."""

from __future__ import annotations

import pytest
from support.rule_table import Rule, holds, table
from trimtab import fit, per_message, repair, verify

ONE = per_message(lambda message: 1)
TURNS = 'error: "A conversation must alternate between user and assistant roles"'
EXPECTED = 'error: "Expected toolResult blocks at messages.2.content for the following Ids"'
EXCEEDS = 'error: "The number of toolResult blocks at … exceeds the number of toolUse blocks"'
FAILED = 'error: "toolResult cannot be empty when status value is error"'
BLANK = 'error: "The text field in the ContentBlock object at … is blank"'
EMPTY = 'error: "The content field in the Message object at … is empty"'
ID = "source: botocore 1.44, ToolUseId: 1 to 64 of [a-zA-Z0-9_.:-]"
BLOCKS = "source: botocore 1.44, ContentBlock"
SERVED = "source: botocore 1.44, ToolUseType server_tool_use"
ROLE = "source: botocore 1.44, ConversationRole: user, assistant, system"


def user(*blocks):
    return {"role": "user", "content": list(blocks)}


def model(*blocks):
    return {"role": "assistant", "content": list(blocks)}


def asks(id, **more):
    return {"toolUse": {"toolUseId": id, "name": "f", "input": {}, **more}}


def back(id, *content, **more):
    return {"toolResult": {"toolUseId": id, "content": list(content or [{"text": "ok"}]), **more}}


TEXT, CACHE = {"text": "hello"}, {"cachePoint": {"type": "default"}}
ASK, SAY = user(TEXT), model(TEXT)
RUNS = asks("s", type="server_tool_use")
FAIL = {"status": "error"}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}}
HIDDEN = {"reasoningContent": {"redactedContent": b"ZW5j"}}
PICTURE = {"image": {"format": "png", "source": {"bytes": b"x"}}}
PAGES = {"document": {"format": "pdf", "name": "d", "source": {"bytes": b"x"}}}
FILM = {"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/k"}}}}
GUARD = {"guardContent": {"text": {"text": "g", "qualifiers": ["query"]}}}


@table(
    Rule("turn by turn", TURNS, [ASK, SAY, ASK]),
    Rule("two users", TURNS, [ASK, ASK, SAY], ("not_alternating",)),
    Rule("two replies", TURNS, [ASK, SAY, SAY, ASK], ("not_alternating",)),
    Rule("three users", TURNS, [ASK, ASK, ASK, SAY], ("not_alternating", "not_alternating")),
    Rule("begins with a reply", "doc: head rules bind cuts, not inputs", [SAY, ASK]),
    Rule("a system message between", ROLE, [ASK, {"role": "system", "content": [TEXT]}, SAY]),
    Rule(
        "the role tool",
        ROLE,
        [ASK, SAY, {"role": "tool", "content": [TEXT]}],
        ("unknown_role",),
        mends=False,
        seen=False,
    ),
    Rule(
        "all results in one message",
        EXPECTED,
        [ASK, model(asks("a"), asks("b")), user(back("b"), back("a")), SAY],
    ),
    Rule(
        "results in two messages",
        EXPECTED,
        [ASK, model(asks("a"), asks("b")), user(back("a")), user(back("b")), SAY],
        ("not_alternating",),
    ),
    Rule(
        "a result missing",
        EXPECTED,
        [ASK, model(asks("a"), asks("b")), user(back("a")), SAY],
        ("missing_result",),
    ),
    Rule("no result", EXPECTED, [ASK, model(asks("a")), ASK, SAY], ("missing_result",)),
    Rule(
        "the results late",
        EXPECTED,
        [ASK, model(asks("a")), ASK, SAY, user(back("a")), SAY],
        ("misplaced",),
    ),
    Rule("waits at the very end", "doc: tool use", [ASK, model(asks("a"))]),
    Rule("no call", EXCEEDS, [ASK, SAY, user(back("a")), SAY], ("orphan_result",)),
    Rule(
        "two results",
        EXCEEDS,
        [ASK, model(asks("a")), user(back("a"), back("a")), SAY],
        ("duplicate_result",),
    ),
    Rule(
        "a wrong id",
        EXCEEDS,
        [ASK, model(asks("a")), user(back("z")), SAY],
        ("missing_result", "orphan_result"),
    ),
    Rule(
        "an id twice in a turn",
        EXCEEDS,
        [ASK, model(asks("a"), asks("a")), user(back("a")), SAY],
        ("duplicate_call",),
    ),
    Rule(
        "an id again in a later turn",
        "doc: nothing against it",
        [ASK, *2 * [model(asks("a")), user(back("a"))], SAY],
    ),
    Rule(
        "words beside results",
        "doc: tool use",
        [ASK, model(asks("a")), user(TEXT, back("a"), TEXT), SAY],
    ),
    Rule(
        "words behind results",
        TURNS,
        [ASK, model(asks("a")), user(back("a")), ASK, SAY],
        ("not_alternating",),
    ),
    Rule(
        "all that an id may have",
        ID,
        [ASK, model(asks("aZ09_.:-" * 8)), user(back("aZ09_.:-" * 8)), SAY],
    ),
    Rule(
        "an id of 65",
        ID,
        [ASK, model(asks("a" * 65)), user(back("a" * 65))],
        ("malformed",),
        mends=False,
    ),
    Rule(
        "an id with a bar",
        ID,
        [ASK, model(asks("a|b")), user(back("a|b"))],
        ("malformed",),
        mends=False,
    ),
    Rule(
        "an id of a line",
        ID,
        [ASK, model(asks("a\n")), user(back("a\n"))],
        ("malformed",),
        mends=False,
    ),
    Rule(
        "a call that is null",
        BLOCKS,
        [ASK, model({"toolUse": None})],
        ("malformed", "not_alternating"),
        mends=False,
        seen=False,
    ),
    Rule(
        "a result that is null",
        BLOCKS,
        [ASK, user({"toolResult": None})],
        ("malformed", "not_alternating"),
        mends=False,
        seen=False,
    ),
    Rule(
        "a part that is null",
        BLOCKS,
        [user({"toolResult": {"toolUseId": "a", "content": [None]}})],
        ("malformed",),
        mends=False,
        seen=False,
    ),
    Rule("an error with words", FAILED, [ASK, model(asks("a")), user(back("a", **FAIL)), SAY]),
    Rule(
        "an error with data",
        FAILED,
        [ASK, model(asks("a")), user(back("a", {"json": {}}, **FAIL)), SAY],
    ),
    Rule(
        "an error with a blank text",
        FAILED,
        [ASK, model(asks("a")), user(back("a", {"text": " "}, **FAIL)), SAY],
        ("blank_text",),
    ),
    Rule(
        "an error with nothing",
        FAILED,
        [
            ASK,
            model(asks("a")),
            user({"toolResult": {"toolUseId": "a", "content": [], **FAIL}}),
            SAY,
        ],
        ("blank_text",),
    ),
    Rule(
        "a result with a blank text",
        "observed: accepted",
        [ASK, model(asks("a")), user(back("a", {"text": ""})), SAY],
    ),
    Rule("a blank text", BLANK, [user({"text": "\n"}, TEXT), SAY], ("blank_text",)),
    Rule("a blank reply", BLANK, [ASK, model({"text": ""}), ASK], ("blank_text",)),
    Rule("an empty message", EMPTY, [ASK, SAY, user(), SAY], ("empty_message",)),
    Rule("an empty reply at the end", EMPTY, [ASK, model()]),
    Rule(
        "media and guarded words", BLOCKS, [user(PICTURE, PAGES, TEXT), SAY, user(FILM, GUARD), SAY]
    ),
    Rule("reasoning", BLOCKS, [ASK, model(THOUGHT, HIDDEN, asks("a")), user(back("a")), SAY]),
    Rule("cache points", "doc: prompt caching", [user(TEXT, CACHE), SAY, user(CACHE), SAY]),
    Rule(
        "a cache point behind results",
        "doc: prompt caching",
        [ASK, model(asks("a")), user(back("a"), CACHE), SAY],
    ),
    Rule("a pair of the service", SERVED, [ASK, model(RUNS, back("s"), TEXT), ASK]),
    Rule(
        "such a result before its call",
        SERVED,
        [ASK, model(back("s"), RUNS, TEXT), ASK],
        ("orphan_result", "missing_result"),
    ),
    Rule("such a result alone", SERVED, [ASK, model(back("s"), TEXT), ASK], ("orphan_result",)),
    Rule("such a call unanswered", SERVED, [ASK, model(RUNS, TEXT), ASK], ("missing_result",)),
    Rule("a block of next year", "doc: unknown members", [user(TEXT, {"next": {}}), SAY]),
)
def test_rules(rule):
    holds("bedrock-converse", rule)


def test_a_message_with_a_cache_point_alone_goes_whole():
    """Facts: a marker is no content, so what is left of a message must not be it alone."""
    broken = [ASK, SAY, user(back("z"), CACHE), SAY]
    mended = repair(broken, format="bedrock-converse")
    assert mended.messages == [ASK, model(TEXT, TEXT)]
    assert [row.code for row in mended.repairs] == ["orphan_result", "not_alternating"]
    thinks = [ASK, model(THOUGHT, asks("a"), asks("a")), user(back("a")), SAY]
    assert repair(thinks, format="bedrock-converse").messages[1] == model(THOUGHT, asks("a"))


def test_joined_messages_keep_every_block_in_its_order():
    broken = [user(TEXT, CACHE), user(PICTURE, CACHE), model(THOUGHT, TEXT), model(HIDDEN, TEXT)]
    mended = repair(broken, format="bedrock-converse")
    said = [[*broken[at]["content"], *broken[at + 1]["content"]] for at in (0, 2)]
    assert [message["content"] for message in mended.messages] == said
    assert all(a is b for a, b in zip(mended.messages[1]["content"], said[1], strict=True))


@pytest.mark.parametrize(
    ("first", "second", "kept", "lost"),
    [
        ({"tags": [1]}, {"tags": [2]}, {"tags": [1, 2]}, ""),
        ({"extra": {"a": 1}}, {}, {"extra": {"a": 1}}, ""),
        ({"label": "x"}, {"label": "x"}, {"label": "x"}, ""),
        ({"label": "x"}, {"label": "y"}, {"label": "y"}, "'label'"),
        ({"label": "x", "n": 1}, {}, {}, "'label' and 'n'"),
    ],
)
def test_what_else_two_joined_messages_hold_is_kept_or_noted(first, second, kept, lost):
    mended = repair([ASK | first, ASK | second, SAY], format="bedrock-converse")
    assert mended.messages[0] == user(TEXT, TEXT) | kept
    (row,) = mended.repairs
    assert (lost in row.message) and (("left out" in row.message) == bool(lost))


def test_a_user_message_leads_a_cut():
    history = [ASK, model(THOUGHT, asks("a")), user(back("a"), CACHE), SAY, user(PICTURE), SAY]
    for budget in range(2, 7):
        fitted = fit(history, budget, format="bedrock-converse", counter=ONE)
        assert fitted.messages[0] in (ASK, history[4])
        assert verify(fitted) == []
