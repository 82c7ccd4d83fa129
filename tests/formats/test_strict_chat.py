"""Strict chat templates, Mistral and fine-tuning: the rules beside those of OpenAI Chat."""

from __future__ import annotations

import copy

import pytest

from trimtab import InvalidHistory, MisplacedMessage, Policy
from trimtab import check, fit, per_message, repair, verify
from trimtab.formats.registry import detect

ONE = per_message(lambda message: 1)
USER = {"role": "user", "content": "hello"}
REPLY = {"role": "assistant", "content": "hi"}
SYSTEM = {"role": "system", "content": "be brief"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "abcdefghi", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    ],
}
RESULT = {"role": "tool", "tool_call_id": "abcdefghi", "content": "ok"}


def own(messages):
    """Every message an object of its own."""
    return [copy.deepcopy(message) for message in messages]


@pytest.mark.parametrize("format", ["mistral", "strict-chat"])
@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([SYSTEM, USER, REPLY, USER], []),
        ([USER, CALL, RESULT, REPLY, USER], []),
        ([USER, CALL, RESULT, CALL, RESULT, REPLY], []),
        ([USER, CALL, RESULT], []),
        ([USER, CALL], []),
        ([REPLY, USER], []),  # head rules bind cuts, not inputs
        ([USER, USER, REPLY], ["not_alternating"]),
        ([USER, REPLY, REPLY], ["not_alternating"]),
        ([USER, REPLY, CALL, RESULT], ["not_alternating"]),
        ([USER, CALL, RESULT, USER], ["not_alternating"]),
        ([USER, SYSTEM, REPLY], ["misplaced"]),
        ([SYSTEM, SYSTEM, USER], ["misplaced"]),
    ],
)
def test_faults(format, history, codes):
    assert [fault.code for fault in check(history, format=format)] == codes
    assert check(history, format="openai-chat") == []
    if codes:
        with pytest.raises(MisplacedMessage):
            fit(history, 10**6, format=format)


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        (
            [SYSTEM, USER, USER | {"content": "again"}, REPLY],
            [SYSTEM, USER | {"content": "hello\n\nagain"}, REPLY],
        ),
        ([USER, REPLY, REPLY], [USER, REPLY | {"content": "hi\n\nhi"}]),
        ([USER, REPLY, CALL, RESULT], [USER, CALL | {"content": "hi"}, RESULT]),
        (
            [USER, CALL, RESULT, USER],
            [
                USER,
                CALL,
                RESULT,
                {"role": "assistant", "content": "[The reply was interrupted.]"},
                USER,
            ],
        ),
        ([USER, SYSTEM, REPLY], [SYSTEM, USER, REPLY]),
        (
            [SYSTEM, USER, SYSTEM | {"content": "or not"}, REPLY],
            [SYSTEM | {"content": "be brief\n\nor not"}, USER, REPLY],
        ),
        (
            [USER | {"content": [{"type": "image_url", "image_url": {"url": "u"}}]}, USER, REPLY],
            [
                USER
                | {
                    "content": [
                        {"type": "image_url", "image_url": {"url": "u"}},
                        {"type": "text", "text": "hello"},
                    ]
                },
                REPLY,
            ],
        ),
    ],
)
def test_repair(broken, mended):
    before = copy.deepcopy(broken)
    assert repair(broken, format="mistral").messages == mended
    assert broken == before
    fitted = fit(own(broken), 10**6, format="mistral", on_invalid="repair")
    assert fitted.messages == mended
    assert verify(fitted) == []
    assert repair(mended, format="mistral").messages == mended


def test_reasoning_of_joined_replies_stays():
    broken = [USER, REPLY | {"reasoning_content": "hm"}, REPLY, USER]
    assert repair(broken, format="strict-chat").messages[1]["reasoning_content"] == "hm"


def test_a_pin_keeps_its_exchange_and_a_notice_gets_a_reply():
    history = own([SYSTEM, USER, CALL, RESULT, REPLY, USER, REPLY, USER, REPLY])
    fitted = fit(history, 5, format="mistral", counter=ONE, pin=[1])
    assert fitted.dropped == [2, 3, 5, 6]
    assert verify(fitted) == []
    told = fit(history, 5, format="mistral", counter=ONE, policy=Policy(notice=True))
    assert [m["role"] for m in told.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
    ]
    assert told.messages[-1] is history[-1]


def test_an_example_for_fine_tuning_ends_with_the_assistant():
    with pytest.raises(InvalidHistory) as caught:
        fit([USER, REPLY, USER], 10**6, format="fine-tuning")
    assert (caught.value.code, caught.value.index) == ("no_reply", 2)
    assert repair([USER, REPLY, USER], format="fine-tuning").messages == [USER, REPLY]
    assert repair([USER, CALL, RESULT], format="fine-tuning").messages == [USER, CALL]
    assert repair([SYSTEM, USER], format="fine-tuning").messages == [SYSTEM]
    whole = [SYSTEM, USER, CALL, RESULT, REPLY]
    cut = fit(whole, 3, format="fine-tuning", counter=ONE)
    assert cut.messages == [SYSTEM, USER, REPLY]


def test_the_data_never_tell_a_strict_format():
    assert detect([SYSTEM, USER, CALL, RESULT]).name == "openai-chat"
