"""Whole messages in tokens: the texts, the format's framing, and what a caller's counter adds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import sound_histories
from trimtab import CounterError, InvalidOptions, Policy, count, fit, per_message
from trimtab.formats.registry import format_named
from trimtab.tokens.encodings import encoding
from trimtab.tokens.choosing import meter_for, text_counter
from trimtab.tokens.meter import MessageMeter, TextMeter

CHAT, CLAUDE = format_named("openai-chat"), format_named("anthropic")
HELLO = {"role": "user", "content": "hello world"}
TOKENS = encoding("o200k_base")


def words(text):
    return len(text.split())


def size(message):
    return 1 + len(str(message.get("content")))


METERS = {
    "o200k": (None, CHAT, None),
    "cl100k": (None, CHAT, "gpt-4"),
    "claude": (None, CLAUDE, "claude-opus-4-7"),
    "claude without a name": (None, CLAUDE, None),
    "other": (None, CHAT, "llama"),
    "words": (words, CHAT, None),
    "words for claude": (words, CLAUDE, None),
    "an encoding": ("cl100k_base", CHAT, None),
    "messages": (per_message(size), CHAT, None),
}
every_meter = pytest.mark.parametrize("name", METERS)


@every_meter
@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_a_count_within_a_limit_is_the_count(name, data):
    meter = meter_for(*METERS[name])
    format = METERS[name][1].name
    for message in data.draw(sound_histories(format, max_units=4)):
        tokens = meter.message(message)
        assert tokens > 0
        for limit in (-1, 0, tokens // 2, tokens - 1, tokens, tokens + 1, 10**9):
            assert meter.within(message, limit) == (tokens if tokens <= limit else None)


@pytest.mark.parametrize(
    ("message", "tokens"),
    [
        (HELLO, 4 + 2),
        ({"role": "user", "content": ""}, 4),
        ({"role": "assistant", "content": None}, 4),
        (
            {"role": "user", "content": "hello world", "name": "ann"},
            4 + 1 + 2 + TOKENS.count("ann"),
        ),
        (
            {
                "role": "user",
                "content": [{"type": "text", "text": "hello"}, {"type": "text", "text": " world"}],
            },
            4 + 2,
        ),
    ],
)
def test_chat_adds_what_the_cookbook_says(message, tokens):
    counted = count([message])
    assert counted.by_message == [tokens]
    assert (counted.framing, counted.total) == (3, tokens + 3)
    assert counted.exact == (isinstance(message["content"], str) or len(message["content"] or ()) == 1)


def test_a_counter_of_texts_gets_the_framing_of_the_format():
    chat = count([HELLO], counter=words)
    claude = count([HELLO], counter=words, format="anthropic")
    assert chat.total == 2 + 4 + 3
    assert claude.total > 2 + 3
    assert chat.exact


def test_a_counter_of_messages_gets_nothing():
    counted = count([HELLO], counter=per_message(size))
    assert (counted.total, counted.framing) == (12, 0)
    assert counted.exact


@pytest.mark.parametrize(
    ("counter", "model", "label"),
    [
        (None, None, "o200k_base"),
        (None, "gpt-4", "cl100k_base"),
        (None, "gpt-oss-120b", "o200k_harmony"),
        (None, "claude-opus-4-1", "claude"),
        ("cl100k_base", "gpt-4o", "cl100k_base"),
        (words, None, "words"),
        (per_message(size), None, "per message"),
    ],
)
def test_a_meter_says_what_counts(counter, model, label):
    assert meter_for(counter, CHAT, model).label == label
    assert fit([HELLO], 900, counter=counter, model=model, format="openai-chat").counter == label


@pytest.mark.parametrize(
    ("format", "model", "exact"),
    [
        ("openai-chat", None, True),
        ("openai-chat", "gpt-4o", True),
        ("openai-chat", "gpt-4", True),
        ("openai-chat", "gpt-6", False),
        ("openai-chat", "llama", False),
        ("openai-chat", "claude-opus-4-1", False),
        ("anthropic", None, False),
        ("anthropic", "claude-opus-4-1", False),
        ("anthropic", "gpt-4o", False),
    ],
)
def test_what_is_exact(format, model, exact):
    assert count([HELLO], format=format, model=model).exact is exact
    assert fit([HELLO], 900, format=format, model=model).exact is exact


def test_one_inexact_message_makes_the_whole_inexact():
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}
    assert not count([HELLO, picture]).exact
    cut = fit([picture, {"role": "assistant", "content": "x"}, HELLO], 20)
    assert cut.messages == [HELLO] and cut.exact  # what is gone is not counted


@pytest.mark.parametrize(
    ("system", "texts"),
    [
        ("be brief", ["be brief"]),
        ([{"type": "text", "text": "be brief"}], ["be brief"]),
        ([{"type": "text", "text": "be"}, {"type": "text", "text": " brief"}], ["be", " brief"]),
        (
            [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}],
            ["be brief"],
        ),
    ],
)
def test_a_system_text_counts_like_a_message(system, texts):
    for format in ("openai-chat", "anthropic"):
        counted = count([HELLO], system=system, format=format, counter=words)
        framing = count([HELLO], system="", format=format, counter=words).system
        assert counted.system == sum(map(words, texts)) + framing
        assert counted.total == count([HELLO], format=format, counter=words).total + counted.system


@pytest.mark.parametrize("counter", [None, words, per_message(size)])
def test_numbers_of_tokens_are_taken_as_they_are(counter):
    counted = count([HELLO], system=5, tools=7, response_format=9, counter=counter)
    assert (counted.system, counted.tools, counted.response_format) == (5, 7, 9)
    assert counted.total == count([HELLO], counter=counter).total + 21
    fitted = fit([HELLO], 900, system=5, tools=7, response_format=9, counter=counter)
    assert fitted.used == counted.total


@pytest.mark.parametrize("name", ["system", "tools", "response_format"])
@pytest.mark.parametrize("value", [-1, 1.5, True, float("nan"), object()])
def test_what_is_neither_content_nor_a_number(name, value):
    for call in (count, lambda messages, **options: fit(messages, 900, **options)):
        for counter in (None, per_message(size)):
            with pytest.raises(InvalidOptions, match=name):
                call([HELLO], **{name: value}, counter=counter)


@pytest.mark.parametrize(
    ("name", "value"),
    [("system", "s"), ("system", []), ("tools", []), ("tools", ()), ("response_format", {})],
)
def test_a_counter_of_messages_counts_no_content_beside_them(name, value):
    with pytest.raises(InvalidOptions, match=f"give {name} as a number"):
        fit([HELLO], 900, counter=per_message(size), **{name: value})


def test_bare_texts():
    assert count("hello world").total == 2
    assert count("hello world", model="claude-opus-4-7").total > 2
    assert count("hello world", counter=words).total == 2
    assert count("hello world", counter="cl100k_base").total == 2
    assert count("").total == 0 == count([]).total
    assert (count("x").by_message, count("x").framing) == ([], 0)
    with pytest.raises(InvalidOptions, match="bare text"):
        count("x", counter=per_message(size))
    assert text_counter("cl100k_base", None) is encoding("cl100k_base")


def test_kinds_of_meters():
    assert isinstance(meter_for(per_message(size), CHAT, None), MessageMeter)
    assert isinstance(meter_for(words, CHAT, None), TextMeter)
    for counter in (5, "no-encoding", object(), [words]):
        with pytest.raises(InvalidOptions):
            meter_for(counter, CHAT, None)


def test_a_text_alone_is_measured_as_the_counter_can():
    """For an excerpt: a text counter counts the text, a message counter a message of it."""
    bare = {"role": "tool", "content": "12345"}
    assert meter_for(len, CHAT, None).text_within("12345", 5, lambda: bare) == 5
    assert meter_for(len, CHAT, None).text_within("12345", 4, lambda: bare) is None
    assert meter_for(per_message(size), CHAT, None).text_within("12345", 6, lambda: bare) == 6
    assert meter_for(per_message(size), CHAT, None).text_within("12345", 5, lambda: bare) is None


def test_a_long_text_is_given_up_early():
    asked = []

    class Stopping:
        """A counter that can tell early."""

        name, exact = "stopping", True

        def count(self, text):
            asked.append(text)
            return len(text)

        def count_many(self, texts):
            return [self.count(text) for text in texts]

        def fits(self, text, limit):
            return len(text) <= limit

        def within(self, text, limit):
            return len(text) if len(text) <= limit else None

    history = [{"role": "user", "content": "x" * 500}, {"role": "assistant", "content": "y"}, HELLO]
    assert fit(history, 40, counter=Stopping()).messages == [HELLO]
    assert all(len(text) < 500 for text in asked)


def test_a_counter_that_contradicts_itself_is_an_error():
    """Never an answer that is over the budget by its own second count."""
    calls = []

    def growing(message):
        calls.append(1)
        return 10 + len(calls)

    class Message:
        role, content = "user", "hi"

    with pytest.raises(CounterError, match="counted"):
        fit([Message(), Message()], 900, counter=per_message(growing))


@pytest.mark.parametrize("returned", [-1, 1.5, None, "3", True])
def test_a_counter_of_messages_returns_a_number(returned):
    with pytest.raises(CounterError):
        fit([HELLO], 900, counter=per_message(lambda message: returned))


def test_images_depend_on_the_model():
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}
    by_model = {
        model: count([picture], model=model).by_message[0] for model in ("gpt-4o", "claude-3")
    }
    assert by_model["gpt-4o"] > 4 + 255
    assert by_model["claude-3"] > 3 + 1_500
    assert by_model["gpt-4o"] != by_model["claude-3"]


def test_an_estimate_errs_high_in_every_part():
    history = [HELLO, {"role": "assistant", "content": "and hello to you"}]
    low = count(history, format="anthropic", counter="o200k_base").by_message
    high = count(history, format="anthropic", model="claude-opus-4-7").by_message
    assert all(a < b for a, b in zip(low, high, strict=True))


def test_the_room_is_what_fixed_cost_leaves():
    history = [HELLO] * 3
    options = {"counter": per_message(lambda message: 10), "system": 5, "tools": 7, "reserve": 11}
    fitted = fit(history, 53, **options)
    assert (fitted.fixed, fitted.used) == (23, 53)
    assert fitted.fixed_parts.total == 23
    policy = Policy(notice=True)
    assert fit(history, 53, policy=policy, **options).inserted == []
