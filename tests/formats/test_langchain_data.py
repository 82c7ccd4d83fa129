"""LangChain messages as plain data, as `model_dump` gives them: the package is not asked for."""

from __future__ import annotations

import sys

import pytest

from trimtab import Policy, check, fit, per_message, repair, verify

CALL = {"name": "look_up", "args": {"q": 1}, "id": "c1", "type": "tool_call"}
ASKED = {"type": "ai", "content": "", "tool_calls": [CALL]}
LEGACY = {
    "type": "ai",
    "content": "",
    "additional_kwargs": {"function_call": {"name": "look_up", "arguments": "{}"}},
}
HUMAN = {"type": "human", "content": "what is it", "additional_kwargs": {}}
RESULT = {"type": "tool", "content": "it is blue", "tool_call_id": "c1", "status": "success"}
REPLY = {"type": "ai", "content": "Blue.", "tool_calls": []}


BLOCKS = [
    {"type": "text", "text": "so"},
    {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}}


@pytest.mark.parametrize(
    "message",
    [
        HUMAN,
        ASKED,
        LEGACY,
        RESULT,
        REPLY,
        {**ASKED, "content": BLOCKS},
        {**HUMAN, "content": [PICTURE]},
    ],
)
def test_one_such_message_tells_the_format(message):
    assert fit([message, HUMAN], 10_000, on_invalid="repair").format == "langchain"


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "hi", "type": "human"},
        {"type": "message", "role": "user", "content": "hi"},
        {"type": "human"},
        {"type": "tool", "content": "hi"},
        {"type": "system", "content": "hi"},
    ],
)
def test_what_others_may_write_too_tells_nothing(message):
    from trimtab.formats.langchain import LangChain

    assert LangChain().recognises(message) is None


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (ASKED, {"type": "tool", "tool_call_id": "c1", "name": "look_up", "status": "error"}),
        (LEGACY, {"type": "function", "name": "look_up"}),
    ],
    ids=["call", "legacy"],
)
def test_repair_answers_in_plain_data(asked, answer):
    before = "langchain_core.messages" in sys.modules
    mended = repair([HUMAN, asked, HUMAN], format="langchain").messages
    assert {key: value for key, value in mended[2].items() if key != "content"} == answer
    assert mended[2]["content"]
    assert check(mended, format="langchain") == []
    assert ("langchain_core.messages" in sys.modules) == before


def test_a_notice_is_plain_data():
    if "langchain_core.messages" in sys.modules:
        pytest.skip("another test loaded the package, so that a notice is an object of it")
    history = [HUMAN, ASKED, RESULT, REPLY, HUMAN]
    counter = per_message(lambda message: 1 + len(message["content"]))
    policy = Policy(notice="Some are gone.")
    fitted = fit(history, 30, counter=counter, policy=policy)
    assert fitted.messages[0] == {"type": "human", "content": "Some are gone."}
    assert fitted.messages[1:] == [HUMAN] and verify(fitted) == []
