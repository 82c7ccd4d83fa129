"""LangChain messages: what is read, what is broken, what is changed and what is not."""

from __future__ import annotations

import copy

import pytest
from support import langchain_messages as langchain
from support.weights import texts_of, values_of
from trimtab import (
    Conversation,
    Policy,
    check,
    count,
    fit,
    fit_request,
    per_message,
    repair,
    verify,
)
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.langchain import LangChain
from trimtab.formats.weight import Media

shape = LangChain()
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))
requires_real = pytest.mark.skipif(not langchain.REAL, reason="langchain-core is not installed")


@pytest.fixture(params=["twin", pytest.param("real", marks=requires_real)])
def lc(request):
    with langchain.installed(request.param) as package:
        yield package


def parsed(id, name="f", args=None):
    return {"type": "tool_call", "id": id, "name": name, "args": args or {}}


def raw(id, name="f", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def use(id, name="f"):
    return {"type": "tool_use", "id": id, "name": name, "input": {}}


def bad(id):
    return {"type": "invalid_tool_call", "id": id, "name": "f", "args": "{", "error": "no JSON"}


FACTS = {
    "human": (lambda lc: lc.HumanMessage("hi"), HEARD),
    "parts": (lambda lc: lc.HumanMessage([{"type": "text", "text": "hi"}]), HEARD),
    "system": (lambda lc: lc.SystemMessage("be brief"), Facts(SYSTEM)),
    "ai": (lambda lc: lc.AIMessage("yes"), Facts(MODEL)),
    "tool": (lambda lc: lc.ToolMessage("4", tool_call_id="a"), Facts(RESULT, answers=("a",))),
    "function": (
        lambda lc: lc.FunctionMessage("4", name="f"),
        Facts(RESULT, answers=("function:f",)),
    ),
    "calls": (
        lambda lc: lc.AIMessage("", tool_calls=[parsed("a"), parsed("b")]),
        Facts(MODEL, ("a", "b")),
    ),
    "invalid": (
        lambda lc: lc.AIMessage("", tool_calls=[parsed("a")], invalid_tool_calls=[bad("b")]),
        Facts(MODEL, ("a", "b")),
    ),
    "mirrored": (
        lambda lc: lc.AIMessage(
            [use("a"), use("b")],
            tool_calls=[parsed("a"), parsed("b")],
            additional_kwargs={"tool_calls": [raw("a"), raw("b")]},
        ),
        Facts(MODEL, ("a", "b")),
    ),
    "raw only": (
        lambda lc: lc.AIMessage("", additional_kwargs={"tool_calls": [raw("a")]}),
        Facts(MODEL, ("a",)),
    ),
    # what OpenAI's integration does not send where there are parsed calls
    "raw left over": (
        lambda lc: lc.AIMessage(
            "", tool_calls=[parsed("a")], additional_kwargs={"tool_calls": [raw("a"), raw("b")]}
        ),
        Facts(MODEL, ("a",)),
    ),
    "blocks only": (lambda lc: lc.AIMessage([use("a")]), Facts(MODEL, ("a",))),
    "responses": (
        lambda lc: lc.AIMessage(
            [{"type": "function_call", "id": "fc_1", "call_id": "a", "name": "f"}],
            tool_calls=[parsed("a")],
        ),
        Facts(MODEL, ("a",)),
    ),
    "legacy": (
        lambda lc: lc.AIMessage("", additional_kwargs={"function_call": {"name": "f"}}),
        Facts(MODEL, ("function:f",)),
    ),
    # Gemini's integration repeats its last call there
    "legacy mirror": (
        lambda lc: lc.AIMessage(
            "", tool_calls=[parsed("a")], additional_kwargs={"function_call": {"name": "f"}}
        ),
        Facts(MODEL, ("a",)),
    ),
    "thinking": (
        lambda lc: lc.AIMessage([{"type": "thinking", "thinking": "hm"}, use("a")]),
        Facts(MODEL, ("a",), reasons=True, thought=True),
    ),
    "reasoning": (
        lambda lc: lc.AIMessage([{"type": "reasoning", "summary": []}]),
        Facts(MODEL, thought=True),
    ),
    "server": (
        lambda lc: lc.AIMessage(
            [
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
            ]
        ),
        Facts(MODEL, server_calls=("s",), server_answers=("s",)),
    ),
    "chat user": (lambda lc: lc.ChatMessage("hi", role="user"), HEARD),
    "chat critic": (lambda lc: lc.ChatMessage("hi", role="critic"), HEARD),
    "chat assistant": (lambda lc: lc.ChatMessage("hi", role="assistant"), Facts(MODEL)),
    "chat developer": (lambda lc: lc.ChatMessage("hi", role="developer"), Facts(SYSTEM)),
    "chunk": (
        lambda lc: lc.AIMessageChunk(
            "",
            tool_call_chunks=[
                {"type": "tool_call_chunk", "id": "a", "name": "f", "args": "{}", "index": 0}
            ],
            tool_calls=[parsed("a")],
        ),
        Facts(MODEL, ("a",)),
    ),
}


@pytest.mark.parametrize("case", FACTS)
def test_facts(lc, case):
    make, facts = FACTS[case]
    assert shape.read(make(lc)) == facts


BROKEN = {
    "sound": (lambda lc: [ask(lc, "a"), tool(lc, "a")], []),
    "open": (lambda lc: [lc.HumanMessage("q"), ask(lc, "a", "b"), tool(lc, "a")], []),
    "again": (lambda lc: [ask(lc, "a"), tool(lc, "a")] * 2, []),
    "missing": (lambda lc: [ask(lc, "a"), lc.HumanMessage("q")], ["missing_result"]),
    "invalid": (
        lambda lc: [lc.AIMessage("", invalid_tool_calls=[bad("a")]), lc.HumanMessage("q")],
        ["missing_result"],
    ),
    "orphan": (lambda lc: [lc.HumanMessage("q"), tool(lc, "a")], ["orphan_result"]),
    "late": (lambda lc: [ask(lc, "a"), lc.HumanMessage("q"), tool(lc, "a")], ["misplaced"]),
    "twice": (lambda lc: [ask(lc, "a"), tool(lc, "a"), tool(lc, "a")], ["duplicate_result"]),
    "same id": (lambda lc: [ask(lc, "a", "a"), tool(lc, "a")], ["duplicate_call"]),
    "no id": (lambda lc: [ask(lc, None)], ["malformed"]),
    "remove": (lambda lc: [remove(lc)], ["malformed"]),
    "legacy": (
        lambda lc: [lc.HumanMessage("q"), lc.FunctionMessage("4", name="f")],
        ["orphan_result"],
    ),
}


def ask(lc, *ids):
    return lc.AIMessage("", tool_calls=[parsed(id) for id in ids])


def tool(lc, id, text="4"):
    return lc.ToolMessage(text, tool_call_id=id, artifact={"rows": [1]})


def remove(lc):
    return lc.RemoveMessage(id="m1") if lc is not langchain.TWIN else lc.RemoveMessage("", id="m1")


@pytest.mark.parametrize("case", BROKEN)
def test_check(lc, case):
    make, codes = BROKEN[case]
    assert [fault.code for fault in check(make(lc), format="langchain")] == codes


WEIGHTS = {
    "name": (lambda lc: lc.HumanMessage("hi", name="ann"), ["hi", "ann"], []),
    "tool": (lambda lc: lc.ToolMessage("4", tool_call_id="a", name="f"), ["4"], []),
    "calls": (
        lambda lc: lc.AIMessage(
            [{"type": "text", "text": "so"}, use("a", "look")],
            tool_calls=[parsed("a", "look", {"q": 1})],
            additional_kwargs={"tool_calls": [raw("a", "look", '{"q":1}')]},
        ),
        ["so", "look"],
        [{"q": 1}],
    ),
    "invalid": (
        lambda lc: lc.AIMessage("", invalid_tool_calls=[bad("a")]),
        ["", "f", "{"],
        [],
    ),
    "legacy": (
        lambda lc: lc.AIMessage(
            "", additional_kwargs={"function_call": {"name": "f", "arguments": "{}"}}
        ),
        ["", "f", "{}"],
        [],
    ),
    "kwargs": (
        lambda lc: lc.AIMessage(
            "a", additional_kwargs={"refusal": "no", "reasoning_content": "hm", "parsed": 3}
        ),
        ["a", "no", "hm"],
        [],
    ),
    "thought": (
        lambda lc: lc.AIMessage(
            [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "ah"}]},
                {"type": "reasoning", "reasoning": "oh", "extras": {}},
            ]
        ),
        ["hm", "ah", "oh"],
        [],
    ),
    "unknown": (
        lambda lc: lc.AIMessage([{"type": "hologram", "id": "x", "shape": "cube"}]),
        [],
        [{"shape": "cube"}],
    ),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_what_costs(lc, case):
    make, texts, values = WEIGHTS[case]
    weight = shape.weigh(make(lc))
    assert texts_of(weight) == texts
    assert values_of(weight) == values


PICTURE = "data:image/png;base64,QUJD"
MEDIA = [
    ({"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}}, "image", "low"),
    ({"type": "image_url", "image_url": PICTURE}, "image", "auto"),
    ({"type": "image", "base64": "QUJD", "mime_type": "image/png"}, "image", "auto"),
    ({"type": "image", "source_type": "base64", "data": "QUJD"}, "image", "auto"),
    ({"type": "image", "source": {"type": "base64", "data": "QUJD"}}, "image", "auto"),
    ({"type": "media", "mime_type": "video/mp4", "data": "QUJD"}, "video", "auto"),
    ({"type": "media", "mime_type": "application/pdf", "data": "QUJD"}, "document", "auto"),
    ({"type": "input_audio", "input_audio": {"data": "QUJD"}}, "audio", "auto"),
    (
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,QUJD"}},
        "document",
        "auto",
    ),
]


@pytest.mark.parametrize(("block", "kind", "detail"), MEDIA)
def test_media_of_every_integration(lc, block, kind, detail):
    assert shape.weigh(lc.HumanMessage([block])).media == (Media(kind, "QUJD", detail),)


def test_calls_go_with_all_their_copies(lc):
    message = lc.AIMessage(
        [{"type": "text", "text": "so"}, use("a"), use("b")],
        tool_calls=[parsed("a"), parsed("b", "g")],
        additional_kwargs={
            "tool_calls": [raw("a"), raw("b", "g")],
            "function_call": {"name": "g", "arguments": "{}"},
            "own": 7,
        },
        response_metadata={"model": "m"},
    )
    before = copy.deepcopy(message)
    less = shape.without(message, {"call": {1}})
    assert [c["id"] for c in less.tool_calls] == ["a"]
    assert [b.get("id") for b in less.content] == [None, "a"]
    assert less.content[0] is message.content[0]
    assert less.additional_kwargs == {"tool_calls": [raw("a")], "own": 7}
    assert less.response_metadata is message.response_metadata
    assert type(less) is type(message)
    assert message == before
    bare = shape.without(message, {"call": {0, 1}})
    assert (bare.tool_calls, bare.content) == ([], [message.content[0]])
    assert bare.additional_kwargs == {"own": 7}
    assert shape.without(ask(lc, "a"), {"call": {0}}) is None
    assert shape.without(lc.AIMessage([{"type": "thinking"}, use("a")]), {"call": {0}}) is None


def test_the_second_of_two_calls_with_one_id_goes(lc):
    message = lc.AIMessage([use("a"), use("a")], tool_calls=[parsed("a"), parsed("a", "g")])
    less = shape.without(message, {"call": {1}})
    assert [c["name"] for c in less.tool_calls] == ["f"]
    assert less.content == message.content[:1]


def test_repair_answers_in_langchains_own_objects(lc):
    legacy = {"function_call": {"name": "f", "arguments": "{}"}}
    history = [
        ask(lc, "a"),
        lc.HumanMessage("q"),
        lc.AIMessage("", additional_kwargs=legacy),
        lc.HumanMessage("r"),
    ]
    mended = repair(history, format="langchain")
    assert [r.code for r in mended.repairs] == ["missing_result"] * 2
    added = [m for m in mended.messages if not any(m is own for own in history)]
    assert [type(m).__name__ for m in added] == ["ToolMessage", "FunctionMessage"]
    assert (added[0].tool_call_id, added[0].status, added[1].name) == ("a", "error", "f")
    assert check(mended.messages, format="langchain") == []


def history_of(lc):
    return [
        lc.SystemMessage("be brief"),
        lc.HumanMessage("first " * 30, id="m1", additional_kwargs={"own": [1e300, "\ud800"]}),
        ask(lc, "a"),
        tool(lc, "a", "short"),
        lc.AIMessage("so it is", response_metadata={"model": "m", "n": -0.0}),
        lc.HumanMessage("second"),
        ask(lc, "b"),
        tool(lc, "b", LONG),
    ]


def test_where_all_fits_every_object_comes_back(lc):
    history = history_of(lc)
    whole = fit(history, 10_000, format="langchain")
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    assert len(whole.messages) == len(history) and verify(whole) == []


@pytest.mark.parametrize("room", [0, 3, 20, 60, 100])
def test_fit_and_the_conversation_agree(lc, room):
    history = history_of(lc)
    needed = fit(history, 10_000, format="langchain").used
    policy = Policy(max_result_tokens=100)
    fitted = fit(history, needed - room, format="langchain", policy=policy)
    assert verify(fitted) == []
    conversation = Conversation(needed - room, format="langchain", policy=policy)
    conversation.extend(history)
    assert conversation.fit().messages == fitted.messages
    short = fitted.messages[-1]
    assert short is not history[-1] and type(short) is type(history[-1])
    assert short.artifact is history[-1].artifact and len(short.content) < len(LONG)


def test_a_notice_and_the_state_of_a_graph(lc):
    state = {"messages": history_of(lc), "own": 1}
    size = count(state["messages"], format="langchain").total
    fitted = fit_request(state, size - 9, format="langchain", policy=Policy(notice=True))
    assert fitted.request["own"] == 1 and fitted.dropped
    assert [type(m).__name__ for m in fitted.request["messages"]][:2] == [
        "SystemMessage",
        "HumanMessage",
    ]
    assert verify(fitted) == []


def test_a_loop_begins_with_thinking_where_it_has_some(lc):
    thinks = lc.AIMessage([{"type": "thinking", "thinking": "hm"}, use("a")])
    loop = [lc.HumanMessage("q"), thinks, tool(lc, "a"), ask(lc, "b"), tool(lc, "b")]
    history = [lc.HumanMessage("old " * 50), lc.AIMessage("yes"), *loop]
    for budget in range(40, 90):
        try:
            kept = fit(history, budget, format="langchain").messages
        except Exception:
            continue
        assert kept[-2] is not history[-2] or any(m is thinks for m in kept)


@requires_real
def test_langchains_own_functions_take_what_is_left():
    from langchain_core.messages import convert_to_openai_messages, trim_messages

    lc = langchain.package("real")
    size = count(history_of(lc), format="langchain").total
    fitted = fit(history_of(lc), size - 9, format="langchain")
    assert fitted.dropped
    told = convert_to_openai_messages(fitted.messages)
    assert check(told, format="openai-chat") == []
    same = trim_messages(
        fitted.messages, max_tokens=99, token_counter=len, start_on="human", include_system=True
    )
    assert same == fitted.messages


def test_a_server_tool_that_goes_on_in_the_next_message_is_not_parted(lc):
    """Anthropic's ``pause_turn``: the result of a server tool comes in a message of its own."""
    begun = lc.AIMessage([{"type": "server_tool_use", "id": "s", "name": "f", "input": {}}])
    found = lc.AIMessage([{"type": "web_search_tool_result", "tool_use_id": "s", "content": []}])
    history = [lc.HumanMessage("q"), lc.AIMessage("so"), begun, found]
    one = per_message(lambda message: 1)
    assert check(history, format="langchain") == []
    assert fit(history, 3, format="langchain", counter=one).dropped == [1]
