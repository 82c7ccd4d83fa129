"""Histories that are odd but happen: each once showed a fault."""

import random

import pytest
from support.oracles import objections

from trimtab import (
    Conversation,
    InvalidHistory,
    Policy,
    check,
    count,
    fit,
    fit_request,
    per_message,
    repair,
    verify,
)

WORDS = ["alpha", "beta", "gamma", "delta", "river", "stone"]


def text(size):
    return " ".join(random.Random(size).choices(WORDS, k=size))


def user(content):
    return {"role": "user", "content": content}


def model(content):
    return {"role": "assistant", "content": content}


@pytest.mark.parametrize(
    ("format", "name", "compaction"),
    [
        ("anthropic", "claude-sonnet-4-5", model([{"type": "compaction", "content": text(20)}])),
        ("openai-responses", "gpt-5", {"type": "compaction", "encrypted_content": "x"}),
    ],
)
def test_a_report_does_not_hold_what_stands_before_a_compaction(format, name, compaction):
    chat = Conversation(60_000, format=format, model=name)
    new = user(text(2000))
    chat.extend([user(text(20_000)), compaction, new])
    chat.fit()
    chat.record_usage({"input_tokens": count([compaction, new], format=format, model=name).total})
    for _ in range(20):
        chat.extend([user(text(4000)), model(text(10))])
    fitted = chat.fit()
    sent = count(fitted.messages, format=format, model=name).total
    assert sent <= fitted.used + 50 <= 60_050
    assert verify(fitted) == []


def test_messages_that_can_be_read_but_once():
    messages = [user("a"), model("b"), user("c")]
    for body in ({"model": "gpt-4o", "messages": iter(messages)}, {"input": (m for m in messages)}):
        fitted = fit_request(body, 1000)
        [key] = {"messages", "input"} & set(fitted.request)
        assert fitted.request[key] == messages


def test_words_queued_between_a_call_and_its_output():
    items = [
        user("q"),
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
        user("one more thing"),
        {"type": "function_call_output", "call_id": "c1", "output": "12"},
        model("done"),
    ]
    chat = Conversation(1000, format="openai-responses")
    for size, item in enumerate(items, 1):
        chat.append(item)
        if check(items[:size], format="openai-responses"):
            with pytest.raises(InvalidHistory, match="without its result"):
                chat.fit()
        else:
            assert chat.fit().messages == items[:size]
    assert check(items) == []


@pytest.mark.parametrize("format", ["bedrock-converse"])
@pytest.mark.parametrize("budget", [102, 120, 150])
def test_a_notice_whose_reply_is_left_out_is_counted_once(format, budget):
    history = []
    for n in range(4):
        call = {"toolUse": {"toolUseId": str(n), "name": "f", "input": {}}}
        result = {"toolResult": {"toolUseId": str(n), "content": [{"text": "x " * 30}]}}
        history += [model([call]), user([result])]
    policy = Policy(notice=True)
    fitted = fit(history, budget, format=format, policy=policy)
    chat = Conversation(budget, format=format, policy=policy)
    chat.extend(history)
    twin = chat.fit()
    assert (twin.used, twin.messages) == (fitted.used, fitted.messages)
    assert verify(twin) == verify(fitted) == []


def test_an_error_without_content_that_stands_elsewhere_is_moved_and_filled():
    call = {"toolUse": {"toolUseId": "b", "name": "f", "input": {}}}
    late = {"toolResult": {"toolUseId": "b", "content": [], "status": "error"}}
    history = [
        user([{"text": "q"}]),
        model([call]),
        user([{"text": "and?"}]),
        model([{"text": "hm"}]),
        user([late, {"text": "more"}]),
    ]
    mended = repair(history).messages
    assert check(mended) == []
    assert "and?" in str(mended) and "more" in str(mended)


def test_replies_joined_across_a_system_message_keep_their_results():
    call = {"toolUse": {"toolUseId": "b", "name": "f", "input": {}}}
    history = [
        user([{"text": "q"}]),
        model([{"text": "let me see"}]),
        {"role": "system", "content": [{"text": "be brief"}]},
        model([call]),
        user([{"toolResult": {"toolUseId": "b", "content": [{"text": "x"}]}}]),
    ]
    mended = repair(history).messages
    assert check(mended) == []
    assert "let me see" in str(mended) and "be brief" in str(mended)


def test_a_server_call_without_its_answer_goes_and_not_its_neighbour():
    code = {"executableCode": {"code": "x", "language": "PYTHON"}}
    ran = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
    lone = {"toolCall": {"id": "d", "toolType": "GOOGLE_SEARCH_WEB"}}
    history = [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [code, ran, lone, {"text": "done"}]},
        {"role": "user", "parts": [{"text": "next"}]},
    ]
    mended = repair(history, format="gemini").messages
    assert mended[1]["parts"] == [code, ran, {"text": "done"}]
    assert check(mended, format="gemini") == []


@pytest.mark.parametrize("broken", [[None], [{"toolResult": None}], [{"toolUse": 5}], None])
def test_a_malformed_block_is_refused_before_it_is_excerpted(broken):
    policy = Policy(max_result_tokens=8, depth=0.5)
    with pytest.raises(InvalidHistory):
        fit([user(broken)], 40, format="bedrock-converse", policy=policy)
    chat = Conversation(100, format="bedrock-converse", policy=policy)
    with pytest.raises(InvalidHistory):
        chat.append(user(broken))
    assert chat.messages == []


def test_a_notice_stands_where_it_stood_when_a_system_message_comes():
    size = per_message(
        lambda message: len(message["content"]) if len(message["content"]) < 10 else 1
    )
    history = [
        model("x" * 9),
        {"role": "system", "content": "s"},
        {"role": "system", "content": "t"},
    ]
    first, second = (
        fit(history[:n], 8, policy=Policy(notice=True), counter=size, format="openai-chat")
        for n in (2, 3)
    )
    assert first.cut_at == second.cut_at
    assert second.messages[: len(first.messages)] == first.messages
    assert objections("openai-chat", second.messages) == []


@pytest.mark.parametrize("cap", [1, 2, 5])
@pytest.mark.parametrize("content", [[{"text": "no such file " * 40}], [{"text": " " * 900 + "x"}]])
def test_an_error_is_never_excerpted_to_nothing(cap, content):
    """Converse refuses an error result without a word."""
    call = {"toolUse": {"toolUseId": "b", "name": "f", "input": {}}}
    failed = {"toolResult": {"toolUseId": "b", "content": content, "status": "error"}}
    history = [user([{"text": "q"}]), model([call]), user([failed])]
    fitted = fit(history, 1000, policy=Policy(max_result_tokens=cap))
    assert verify(fitted) == []
    assert check(fitted.messages) == []
    [result] = fitted.messages[2]["content"]
    assert result["toolResult"]["content"][0]["text"].strip()


def test_a_compaction_is_not_what_reasoning_needs_behind_it():
    items = [
        user("q"),
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "compaction", "encrypted_content": "x"},
        model("a"),
    ]
    assert [fault.code for fault in check(items)] == ["lone_reasoning"]
    mended = repair(items, format="openai-responses").messages
    assert mended == [items[0], *items[2:]]
    assert verify(fit(items, 1000, format="openai-responses", on_invalid="repair")) == []
