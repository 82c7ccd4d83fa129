"""Objects of the providers' own SDKs go in, and the same objects come out."""

from __future__ import annotations

import anthropic.types as claude
import pytest
from openai.types.chat import ChatCompletionMessage, ChatCompletionMessageFunctionToolCall
from openai.types.chat.chat_completion_message_function_tool_call import Function
from pydantic import BaseModel
from trimtab import Conversation, Policy, check, count, fit, per_message, repair, verify

LONG = "\n".join(f"line {n} of a long result" for n in range(400))


class ToolMessage(BaseModel):
    """What agent frameworks make of a tool result: a model of their own."""

    role: str = "tool"
    tool_call_id: str
    content: object
    extra: list[int] = [1, 2]


def asks(id):
    function = Function(name="look", arguments='{"q":1}')
    call = ChatCompletionMessageFunctionToolCall(id=id, type="function", function=function)
    return ChatCompletionMessage(role="assistant", content=None, tool_calls=[call])


def chat():
    return [
        {"role": "user", "content": "first " * 30},
        asks("a"),
        ToolMessage(tool_call_id="a", content="short"),
        ChatCompletionMessage(role="assistant", content="so it is"),
        {"role": "user", "content": "second"},
        asks("b"),
        ToolMessage(tool_call_id="b", content=LONG),
    ]


def said(*content):
    usage = claude.Usage(input_tokens=1, output_tokens=1)
    return claude.Message(
        id="msg",
        type="message",
        role="assistant",
        model="claude-opus-4-1",
        content=list(content),
        stop_reason="end_turn",
        usage=usage,
    )


def messages():
    use = claude.ToolUseBlock(type="tool_use", id="t", name="look", input={"q": 1})
    thought = claude.ThinkingBlock(type="thinking", thinking="hm", signature="c2ln")
    words = claude.TextBlock(type="text", text="so it is")
    answer = {"type": "tool_result", "tool_use_id": "t", "content": LONG, "is_error": True}
    return [
        {"role": "user", "content": "first " * 30},
        said(words),
        {"role": "user", "content": "second"},
        said(thought, use),
        {"role": "user", "content": [answer]},
        said(words),
    ]


HISTORIES = {"openai-chat": chat, "anthropic": messages}
both = pytest.mark.parametrize("format", sorted(HISTORIES))


@both
def test_the_same_objects_come_out(format):
    history = HISTORIES[format]()
    fitted = fit(history, 100_000)
    assert fitted.format == format
    assert all(a is b for a, b in zip(fitted.messages, history, strict=True))
    cut = fit(history, fitted.used - 20)
    assert 0 < len(cut.messages) < len(history)
    assert all(any(m is own for own in history) for m in cut.messages)
    assert verify(cut) == verify(fitted) == []


@both
def test_objects_cost_what_the_same_dicts_cost(format):
    def plain(message):
        return message if isinstance(message, dict) else message.model_dump(exclude_none=True)

    history = HISTORIES[format]()
    as_dicts = list(map(plain, history))
    assert count(history).by_message == count(as_dicts).by_message
    assert check(history) == check(as_dicts) == []


@both
def test_an_excerpt_is_a_copy_of_the_same_type_with_other_content(format):
    history = HISTORIES[format]()
    at = next(i for i, m in enumerate(history) if "of a long result" in repr(m))
    before = repr(history)
    for cut in (
        fit(history, 100_000, policy=Policy(max_result_tokens=50)),
        _grown(history, Policy(max_result_tokens=50)),
    ):
        changed = cut.messages[at]
        assert changed is not history[at] and type(changed) is type(history[at])
        for same, own in zip(cut.messages[:at], history[:at], strict=True):
            assert same is own
        if format == "openai-chat":
            assert changed.model_dump(exclude={"content"}) == history[at].model_dump(
                exclude={"content"}
            )
            assert changed.extra is history[at].extra
            assert count(changed.content).total <= 50
            assert changed.content.startswith("line 0") and changed.content.endswith("result")
        else:
            (block,), (own,) = changed["content"], history[at]["content"]
            assert {**block, "content": None} == {**own, "content": None}
            assert count(block["content"]).total <= 50
        assert verify(cut) == []
        assert [row.index for row in cut.decisions if row.action == "changed"] == [at]
    assert repr(history) == before


def _grown(history, policy):
    conversation = Conversation(100_000, policy=policy)
    conversation.extend(history)
    return conversation.fit()


def test_repair_of_objects_keeps_their_type_and_identity():
    history = [*chat(), {"role": "user", "content": "go on"}]
    history[6], history[7] = history[7], history[6]
    mended = repair(history)
    assert [id(m) for m in mended.messages] == [
        id(m) for m in [*history[:6], history[7], history[6]]
    ]

    history = [*messages()[:4], {"role": "user", "content": "never mind"}]
    history.append(said(history[3].content[1]))  # the same call once more
    mended = repair(history)
    assert check(mended.messages) == []
    assert mended.messages[3] is history[3]


def test_a_counter_of_whole_objects_sees_the_callers_objects():
    seen = []
    history = chat()
    fit(history, 10_000, counter=per_message(lambda message: seen.append(message) or 1))
    assert {id(m) for m in seen} <= {id(m) for m in history}
