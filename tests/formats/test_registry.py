"""Which format some messages are in, and what is said where that cannot be told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import sound_histories
from trimtab import InvalidOptions, UnknownFormat, check, count, fit, repair
from trimtab.formats.registry import detect, format_named, recognise

PLAIN = {"role": "user", "content": "hi"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "function": {"name": "f"}}],
}
USE = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}
BOTH = {**USE, "tool_calls": CALL["tool_calls"]}


@pytest.mark.parametrize(
    ("messages", "model", "name"),
    [
        ([], None, "openai-chat"),
        ([], "claude-opus-4-1", "anthropic"),
        ([PLAIN], None, "openai-chat"),
        ([PLAIN], "gpt-4o", "openai-chat"),
        ([PLAIN], "llama", "openai-chat"),
        ([PLAIN], "claude-opus-4-1", "anthropic"),
        ([PLAIN], "us.anthropic.CLAUDE-opus-4-6-v1:0", "anthropic"),
        ([PLAIN, {"role": "assistant", "content": "yes"}, CALL], None, "openai-chat"),
        ([PLAIN, {"role": "assistant", "content": "yes"}, USE], None, "anthropic"),
        ([PLAIN, CALL], "claude-opus-4-1", "openai-chat"),
        ([PLAIN, USE], "gpt-4o", "anthropic"),
        ([{"role": "developer", "content": "x"}], "claude-opus-4-1", "openai-chat"),
        ([{"role": "user", "content": [{"type": "text", "text": "x"}]}], None, "openai-chat"),
    ],
)
def test_the_messages_decide_and_then_the_model(messages, model, name):
    assert detect(messages, model).name == name


def test_a_leading_system_message_is_chat():
    messages = [{"role": "system", "content": "be brief"}, PLAIN]
    assert fit(messages, 1_000, model="anthropic/claude-opus-4-1").messages == messages


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_generated_histories_are_recognised(format, data):
    history = data.draw(sound_histories(format))
    names = {recognise(message, index) for index, message in enumerate(history)}
    assert names <= {None, format}
    if format in names:
        assert detect(history).name == format
        assert check(history) == check(history, format=format)


def test_one_message_of_two_formats_is_refused_with_both_reasons():
    with pytest.raises(UnknownFormat) as caught:
        fit([PLAIN, BOTH], 100)
    for words in (
        "message 1",
        "openai-chat: a message with tool_calls",
        "anthropic: a content block",
        "tool_use",
    ):
        assert words in str(caught.value)
    assert fit([PLAIN, BOTH], 100, format="openai-chat").messages == [PLAIN, BOTH]


@pytest.mark.parametrize("name", ["openai", "", "Anthropic", None, 5, ["anthropic"]])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(
        UnknownFormat, match="known are anthropic, .*openai-chat, openai-responses"
    ):
        format_named(name)


@pytest.mark.parametrize("call", [count, check])
def test_every_function_takes_a_name(call):
    with pytest.raises(UnknownFormat, match="'nope'"):
        call([PLAIN], format="nope")


@pytest.mark.parametrize(
    ("message", "kind"),
    [("hi", "str"), (None, "NoneType"), (5, "int"), (["user", "hi"], "list"), (object(), "object")],
)
def test_what_is_no_message_is_named_with_its_place(message, kind):
    for call in (count, check, repair, lambda messages, format: fit(messages, 99, format=format)):
        for format in (None, "openai-chat", "anthropic"):
            with pytest.raises(InvalidOptions, match=f"message 1 is of type {kind};"):
                call([PLAIN, message], format=format)


def test_a_format_may_be_given_itself():
    assert format_named(format_named("anthropic")) is format_named("anthropic")


def test_a_format_is_made_once():
    assert format_named("anthropic") is format_named("anthropic")
