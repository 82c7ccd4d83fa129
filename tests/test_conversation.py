"""The incremental twin: the same results, and never half a step."""

from __future__ import annotations

import copy
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import damaged_histories, sound_histories
from trimtab import (
    Conversation,
    CounterError,
    DoesNotFit,
    DuplicateCall,
    InvalidHistory,
    InvalidOptions,
    MissingResult,
    OrphanResult,
    Policy,
    UnknownFormat,
    check,
    fit,
    per_message,
    verify,
)

FORMATS = ["openai-chat", "anthropic"]
POLICIES = [
    Policy(),
    Policy(depth=0.5),
    Policy(keep_first=2),
    Policy(notice=True, max_result_tokens=8),
]


def user(words="u"):
    return {"role": "user", "content": words}


def reply(words="so"):
    return {"role": "assistant", "content": words}


def asks(id):
    call = {"id": id, "type": "function", "function": {"name": "f", "arguments": ""}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answer(id, words="r"):
    return {"role": "tool", "tool_call_id": id, "content": words}


def uses(id):
    return {
        "role": "assistant",
        "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}],
    }


def result(id):
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "r"}]}


def state(conversation):
    """All that can be seen of a conversation."""
    try:
        fitted = conversation.fit()
    except DoesNotFit as error:
        return conversation.messages, str(error)
    return conversation.messages, fitted.messages, fitted.to_dict()


def outcome(call):
    try:
        fitted = call()
    except DoesNotFit as error:
        return error.needs, error.newest, error.anchors
    return fitted.messages, fitted.to_dict(), verify(fitted)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_a_conversation_gives_what_fit_gives(format, data):
    """For every prefix, with pins, by steps of any size, without a format told."""
    history = data.draw(sound_histories(format))
    policy, budget = data.draw(st.sampled_from(POLICIES)), data.draw(st.integers(10, 300))
    pins = data.draw(st.lists(st.booleans(), min_size=len(history), max_size=len(history)))
    options = {"policy": policy, "format": data.draw(st.sampled_from([None, format]))}
    conversation = Conversation(budget, **options)
    at = 0
    while at < len(history):
        step = data.draw(st.integers(1, 3))
        if step == 1:
            conversation.append(history[at], pin=pins[at])
        else:
            step = min(
                step,
                next(
                    (n for n in range(1, step + 1) if pins[at : at + n] != [pins[at]] * n), step + 1
                )
                - 1,
            )
            conversation.extend(history[at : at + step], pin=pins[at])
        at = min(at + step, len(history))
        chosen = [index for index in range(at) if pins[index]]
        alone = outcome(lambda: fit(history[:at], budget, pin=chosen, **options))
        assert outcome(conversation.fit) == alone


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_truncate_is_a_conversation_of_the_rest(format, data):
    history = data.draw(sound_histories(format))
    budget, policy = data.draw(st.integers(10, 300)), data.draw(st.sampled_from(POLICIES))
    conversation = Conversation(budget, format=format, policy=policy)
    conversation.extend(history)
    n = data.draw(st.integers(0, len(history)))
    conversation.truncate(n)
    assert conversation.messages == history[:n]
    assert outcome(conversation.fit) == outcome(
        lambda: fit(history[:n], budget, format=format, policy=policy)
    )
    conversation.extend(history[n:])
    assert outcome(conversation.fit) == outcome(
        lambda: fit(history, budget, format=format, policy=policy)
    )


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_a_step_that_fails_changes_nothing(format, data):
    """The first message that breaks a rule is refused; what stood before goes on as if nothing was."""
    _, sound, broken = data.draw(damaged_histories(format))
    conversation = Conversation(10**6, format=format)
    for index, message in enumerate(broken):
        before = state(conversation)
        try:
            conversation.append(message)
        except InvalidHistory as error:
            assert error.index == check(broken[: index + 1], format=format)[0].index
            assert state(conversation) == before
            break
        assert check(broken[: index + 1], format=format) == []
    conversation.truncate(0)
    conversation.extend(sound)
    assert conversation.fit().messages == sound


FAILING = {
    "an orphan": (answer("z"), OrphanResult),
    "an unknown role": ({"role": "robot", "content": "x"}, InvalidHistory),
    "no message": (5, InvalidOptions),
    "nothing": (None, InvalidOptions),
    "a message of two formats": (
        {**uses("a"), "tool_calls": asks("a")["tool_calls"]},
        UnknownFormat,
    ),
    "another format's rules": ({"role": "developer", "content": 5}, InvalidHistory),
}


@pytest.mark.parametrize(("message", "error"), FAILING.values(), ids=list(FAILING))
def test_a_failed_append(message, error):
    conversation = Conversation(1_000)
    conversation.extend([user("a"), reply("b")])
    before = state(conversation)
    with pytest.raises(error):
        conversation.append(message)
    assert state(conversation) == before
    conversation.append(user("c"))
    assert len(conversation.messages) == 3


def test_extend_takes_all_or_none():
    conversation = Conversation(1_000)
    conversation.append(user("a"))
    before = state(conversation)
    for batch, error in (
        ([reply("b"), 5], InvalidOptions),
        ([reply("b"), user("c"), answer("z")], OrphanResult),
        ([asks("a"), user("c")], MissingResult),
    ):
        with pytest.raises(error):
            conversation.extend(batch)
        assert state(conversation) == before
    conversation.extend([])
    assert state(conversation) == before
    conversation.extend(iter([reply("b"), user("c")]))
    assert len(conversation.messages) == 3


def test_a_counter_that_fails_changes_nothing():
    def counter(text):
        if text == "bad":
            raise KeyError(text)
        return len(text)

    conversation = Conversation(1_000, counter=counter)
    conversation.append(user("a"))
    before = state(conversation)
    with pytest.raises(CounterError):
        conversation.extend([reply("good"), user("bad")])
    assert state(conversation) == before


@pytest.mark.parametrize(
    ("model", "messages", "formats"),
    [
        (None, [user("a"), asks("a"), answer("a")], ["openai-chat"] * 3),
        (None, [user("a"), uses("a"), result("a")], ["openai-chat", "anthropic", "anthropic"]),
        ("claude-opus-4-1", [user("a"), uses("a"), result("a")], ["anthropic"] * 3),
        (
            "claude-opus-4-1",
            [user("a"), asks("a"), answer("a")],
            ["anthropic", "openai-chat", "openai-chat"],
        ),
    ],
)
def test_the_format_is_settled_by_the_first_message_that_can(model, messages, formats):
    conversation = Conversation(1_000, model=model, policy=Policy())
    for n, (message, name) in enumerate(zip(messages, formats, strict=True), 1):
        conversation.append(message)
        assert conversation.fit().format == name
        assert outcome(conversation.fit) == outcome(
            lambda n=n: fit(messages[:n], 1_000, model=model)
        )


def test_a_refused_message_does_not_settle_the_format():
    conversation = Conversation(1_000)
    conversation.append(user("a"))
    with pytest.raises(InvalidHistory):
        conversation.append(result("z"))
    conversation.extend([uses("a"), result("a")])
    assert conversation.fit().format == "anthropic"


@pytest.mark.parametrize("message", [None, 5, "text", object()])
def test_what_is_no_message_is_invalid_options_in_a_named_format_too(message):
    for call in (
        lambda: Conversation(1_000, format="openai-chat").append(message),
        lambda: fit([message], 1_000, format="anthropic"),
    ):
        with pytest.raises(InvalidOptions):
            call()


def test_a_format_can_be_settled_again_after_truncate():
    conversation = Conversation(1_000)
    conversation.extend([user("a"), uses("a"), result("a")])
    conversation.truncate(1)
    conversation.extend([uses("a"), result("a")])
    assert conversation.fit().format == "anthropic"


@pytest.mark.parametrize("n", [-1, "x", 1.5, True])
def test_truncate_takes_a_number_of_messages(n):
    conversation = Conversation(1_000)
    conversation.extend([user("a"), reply("b")])
    with pytest.raises(InvalidOptions):
        conversation.truncate(n)


@pytest.mark.parametrize("pin", [False, True])
def test_an_append_does_not_copy_what_is_there(pin):
    def peak(size):
        conversation = Conversation(100, counter=len, format="openai-chat")
        conversation.append(user(), pin=pin)
        conversation.extend([user(), reply()] * (size // 2))
        conversation.append(user())  # lists have room for more from here on
        tracemalloc.start()
        conversation.append(user())
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(100)
    assert peak(40_000) < peak(400) + 50_000


def test_a_named_format_is_kept():
    conversation = Conversation(1_000, format="openai-chat")
    conversation.extend([user("a"), reply("b")])
    with pytest.raises(InvalidHistory):
        conversation.append({"role": "user", "content": 5})
    assert conversation.fit().format == "openai-chat"


def test_a_pin_stays():
    conversation = Conversation(40, counter=per_message(lambda message: 10))
    conversation.append(user("pinned"), pin=True)
    for n in range(9):
        conversation.extend([reply(f"r{n}"), user(f"u{n}")])
    fitted = conversation.fit()
    assert fitted.messages[0] is conversation.messages[0]
    assert fitted.decisions[0].reasons == ("pinned",)
    conversation.truncate(3)
    assert conversation.fit().messages == conversation.messages
    conversation.extend([user(str(n)) for n in range(3)], pin=True)
    with pytest.raises(DoesNotFit):
        conversation.fit()


def test_what_does_not_fit_now_may_fit_later():
    conversation = Conversation(30, counter=len, format="openai-chat")
    conversation.append(user("x" * 99))
    with pytest.raises(DoesNotFit):
        conversation.fit()
    conversation.append(reply("y"))
    with pytest.raises(DoesNotFit):  # the question that it answers stays
        conversation.fit()
    conversation.append(user("short"))
    assert conversation.fit().messages == [user("short")]


def test_results_and_lists_are_independent():
    conversation = Conversation(1_000)
    conversation.extend([user("a"), reply("b")])
    fitted = conversation.fit()
    conversation.messages.clear()
    fitted.messages.clear()
    assert len(conversation.messages) == 2
    assert conversation.fit().messages == [user("a"), reply("b")]


def test_an_empty_conversation():
    conversation = Conversation(10, system=4)
    fitted = conversation.fit()
    assert (fitted.messages, fitted.used) == ([], 4)
    with pytest.raises(DoesNotFit):
        Conversation(3, system=4).fit()


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({}, InvalidOptions),
        ({"budget": -1}, InvalidOptions),
        ({"budget": 1.5}, InvalidOptions),
        ({"budget": 10, "reserve": -1}, InvalidOptions),
        ({"budget": 10, "format": "nope"}, UnknownFormat),
        ({"budget": 10, "policy": None}, InvalidOptions),
        ({"budget": 10, "counter": 5}, InvalidOptions),
        ({"budget": 10, "system": 1.5}, InvalidOptions),
        ({"budget": 10, "tools": "look"}, InvalidOptions),
        ({"budget": 10, "model": 5}, InvalidOptions),
        ({"model": "nobody-knows"}, InvalidOptions),
    ],
)
def test_wrong_options_are_refused_at_once(options, error):
    with pytest.raises(error):
        Conversation(**options)


def test_a_window_of_the_model():
    assert Conversation(model="gpt-4o", reserve=1_000).fit().budget == 128_000


def test_the_input_is_never_changed():
    history = [user("a"), asks("a"), answer("a", "word " * 200), user("b")]
    before = copy.deepcopy(history)
    conversation = Conversation(60, policy=Policy(max_result_tokens=9, notice=True))
    for message in history:
        conversation.append(message)
        conversation.fit()
    assert history == before
    assert all(a is b for a, b in zip(conversation.messages, history, strict=True))


@pytest.mark.parametrize("batch", [DuplicateCall, MissingResult])
def test_an_id_twice_in_anthropic(batch):
    conversation = Conversation(1_000, format="anthropic")
    conversation.extend([user("a"), uses("a")])
    wrong = [result("a"), uses("a")] if batch is DuplicateCall else [user("b")]
    with pytest.raises(batch):
        conversation.extend(wrong)
    conversation.append(result("a"))
    assert len(conversation.messages) == 3
