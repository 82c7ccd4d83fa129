"""Providers' count endpoints: real SDKs over a local transport, and what is asked of them."""

from __future__ import annotations

import pytest
from counters.conversations import conversations, say
from counters.providers import (
    Anthropic,
    GeminiClient,
    OpenAI,
    anthropic_client,
    openai_client,
    words,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import CounterError, InvalidOptions
from trimtab.counters import anthropic_endpoint, gemini_endpoint, openai_endpoint
from trimtab.formats.registry import format_named

CHAT, CLAUDE = format_named("openai-chat"), format_named("anthropic")
TOOL = {"name": "find", "description": "Find a file", "input_schema": {"type": "object"}}


def use(*ids):
    blocks = [
        {"type": "tool_use", "id": id, "name": "find", "input": {"path": "a b"}} for id in ids
    ]
    return {"role": "assistant", "content": [{"type": "text", "text": "I look."}, *blocks]}


def results(*ids, text="found it here"):
    return {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": id, "content": text} for id in ids],
    }


HISTORY = [
    say("user", "Find the two files, please."),
    use("toolu_1", "toolu_2"),
    results("toolu_1", "toolu_2"),
    say("assistant", "Here they are."),
    say("user", "Thanks a lot."),
]


def asked(provider, **options):
    return anthropic_endpoint(anthropic_client(provider, **options), "claude-opus-4-7")


@pytest.mark.parametrize("tools_needed", [False, True])
def test_prices_add_up_to_what_the_endpoint_says_of_the_whole(tools_needed):
    provider = Anthropic(tools_needed)
    meter = asked(provider).meter(CLAUDE)
    whole = Anthropic().count({"messages": HISTORY})["input_tokens"]
    assert meter.primer + sum(map(meter.message, HISTORY)) == whole
    assert not meter.exact
    assert not meter.is_exact(HISTORY[0])
    system = meter.system("Be brief.")
    assert (
        system
        == Anthropic().count(
            {"messages": HISTORY, "system": [{"type": "text", "text": "Be brief."}]}
        )["input_tokens"]
        - whole
    )
    assert meter.tools([TOOL]) == 300 + words([TOOL])
    assert all(body["model"] == "claude-opus-4-7" for body in provider.requests)


def test_a_message_is_asked_for_once_however_often_it_comes():
    provider = Anthropic()
    counter = asked(provider)
    counter.meter(CLAUDE).message(HISTORY[0])
    before = len(provider.requests)
    assert before <= 8
    for turn in range(1, 20):
        meter = counter.meter(CLAUDE)
        for text in range(turn):
            meter.message(say("user", f"turn {text}"))
    assert len(provider.requests) - before == 19


@pytest.mark.parametrize(
    "message",
    [
        say("user", ""),
        say("user", " \n "),
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "text", "text": " "}, {"type": "text", "text": "a"}]},
        say("assistant", ""),
        say("assistant", "ends in a blank "),
        use("toolu_9"),
        results("toolu_9"),
        results("a", "b", "c"),
    ],
    ids=str,
)
def test_what_cannot_stand_alone_or_is_blank_is_counted_all_the_same(message):
    assert asked(Anthropic()).meter(CLAUDE).message(message) > 0


def test_a_blank_text_costs_no_more_than_two_words():
    meter = asked(Anthropic()).meter(CLAUDE)
    two = meter.message(say("user", "two words"))
    for blank in ("", " \n "):
        assert 0 < meter.message(say("user", blank)) <= two
        assert (
            0 < meter.message({"role": "user", "content": [{"type": "text", "text": blank}]}) <= two
        )


@settings(max_examples=30, deadline=None)
@given(messages=conversations())
def test_messages_of_another_format_are_translated(messages):
    meter = asked(Anthropic()).meter(CHAT)
    openai = openai_endpoint(openai_client(OpenAI()), "gpt-5").meter(CHAT)
    gemini = gemini_endpoint(GeminiClient(), "gemini-3-pro").meter(CHAT)
    for made in (meter, openai, gemini):
        for message in messages:
            content = message["content"]
            assert made.message(message) >= len(content.split()) >= 0


def test_openai_counts_items_and_images():
    provider = OpenAI()
    meter = openai_endpoint(openai_client(provider), "gpt-5").meter(CHAT)
    call = {
        "id": "call_7",
        "type": "function",
        "function": {"name": "find", "arguments": '{"x": 1}'},
    }
    history = [
        say("system", "Be brief."),
        say("user", "Find it."),
        {"role": "assistant", "content": "I look.", "tool_calls": [call, {**call, "id": "call_8"}]},
        {"role": "tool", "tool_call_id": "call_7", "content": "found"},
        {"role": "tool", "tool_call_id": "call_8", "content": "not found"},
        say("user", "Thanks."),
    ]
    items = [
        *history[:2],
        say("assistant", "I look."),
        *(
            {"type": "function_call", "call_id": str(n), "name": "find", "arguments": '{"x": 1}'}
            for n in (7, 8)
        ),
        {"type": "function_call_output", "call_id": "7", "output": "found"},
        {"type": "function_call_output", "call_id": "8", "output": "not found"},
        history[-1],
    ]
    assert (
        meter.primer + sum(map(meter.message, history))
        == OpenAI().count({"input": items})["input_tokens"]
    )
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    seen = meter.message({"role": "user", "content": [{"type": "text", "text": "See"}, image]})
    assert 700 < seen < 720
    sent = provider.requests[-1]["input"][-1]["content"]
    assert [part["type"] for part in sent] == ["input_text", "input_image"]


@pytest.mark.parametrize("vertex", [False, True])
def test_gemini_takes_a_system_text_where_its_client_does(vertex):
    client = GeminiClient(vertex)
    meter = gemini_endpoint(client, "gemini-3-pro").meter(CHAT)
    assert meter.message(say("user", "three words here")) == 4
    assert meter.system("two words") >= 2
    assert meter.tools([{"type": "function", "function": {"name": "find", "parameters": {}}}]) > 0
    assert any(request["config"] for request in client.requests) == vertex


def test_retries_are_the_clients_and_what_is_left_is_an_error_without_the_text():
    provider = Anthropic()
    counter = asked(provider, failures=[529, 529], max_retries=2)
    assert counter.meter(CLAUDE).message(say("user", "secret plans")) > 0
    failing = asked(provider, failures=[429] * 9, max_retries=0)
    with pytest.raises(CounterError, match=r"RateLimitError \(429\)") as caught:
        failing.meter(CLAUDE).message(say("user", "secret plans"))
    assert "secret" not in str(caught.value)


class Client:
    """A client whose endpoint answers as a test wants."""

    def __init__(self, answer):
        self.messages = self
        self._answer = answer

    def count_tokens(self, **request):
        return self._answer(request)


@pytest.mark.parametrize("answer", [None, "12", True, -1, 1.5])
def test_an_answer_without_a_number_is_a_counter_error(answer):
    client = Client(lambda _: type("Answer", (), {"input_tokens": answer}))
    with pytest.raises(CounterError, match="without a number"):
        anthropic_endpoint(client, "claude").meter(CLAUDE).message(HISTORY[0])


def test_a_request_that_is_always_refused_is_a_counter_error():
    class Bad(Exception):
        status_code = 400

    def refuse(_):
        raise Bad

    with pytest.raises(CounterError, match="refuses a plain conversation"):
        anthropic_endpoint(Client(refuse), "claude").meter(CLAUDE).message(HISTORY[0])


def test_a_message_that_is_refused_is_priced_by_its_text():
    provider = Anthropic()
    meter = asked(provider).meter(CLAUDE)
    odd = {
        "role": "user",
        "content": [
            {"type": "text", "text": "a"},
            results("b")["content"][0],
            {"type": "tool_use", "id": "z"},
        ],
    }
    assert meter.message(odd) > 0


async def later(**request):
    raise AssertionError


def test_asynchronous_clients_are_refused():
    anthropic = pytest.importorskip("anthropic")
    openai = pytest.importorskip("openai")
    client = Client(lambda _: later())
    with pytest.raises(InvalidOptions, match="asynchronous"):
        anthropic_endpoint(client, "claude").meter(CLAUDE).message(HISTORY[0])
    with pytest.raises(InvalidOptions, match="asynchronous"):
        anthropic_endpoint(anthropic.AsyncAnthropic(api_key="none"), "claude")
    with pytest.raises(InvalidOptions, match="asynchronous"):
        openai_endpoint(openai.AsyncOpenAI(api_key="none"), "gpt-5")
    with pytest.raises(InvalidOptions, match="cannot count"):
        gemini_endpoint(object(), "gemini-3-pro")


def test_sdk_objects_are_messages_too():
    types = pytest.importorskip("anthropic").types
    reply = types.Message(
        id="msg_1",
        type="message",
        role="assistant",
        model="claude",
        content=[types.TextBlock(type="text", text="Here they are.")],
        stop_reason="end_turn",
        usage=types.Usage(input_tokens=1, output_tokens=1),
    )
    meter = asked(Anthropic()).meter(CLAUDE)
    same = {"role": "assistant", "content": [{"type": "text", "text": "Here they are."}]}
    assert meter.message(reply) == meter.message(same)


def test_options_go_with_every_request():
    seen = []
    client = Client(lambda request: seen.append(request) or type("A", (), {"input_tokens": 5}))
    thinking = {"type": "enabled", "budget_tokens": 1024}
    anthropic_endpoint(client, "claude", thinking=thinking).meter(CLAUDE).message(HISTORY[0])
    assert seen
    assert all(request["thinking"] == thinking for request in seen)
