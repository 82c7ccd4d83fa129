"""Whole bodies of OpenAI Responses: what is read from them, and what the new body is."""

from __future__ import annotations

import copy

import pytest
from trimtab import InvalidHistory, InvalidOptions, OrphanResult, fit, fit_request, verify

TOOL = {"type": "function", "name": "look", "description": "Looks.", "parameters": {}}
ITEMS = [
    {"role": "user", "content": "first question " * 20},
    {"type": "reasoning", "id": "rs_1", "summary": []},
    {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "long " * 100},
    {"role": "assistant", "content": "first answer"},
    {"role": "user", "content": "second question"},
]
OUTPUT = {"type": "function_call_output", "call_id": "b", "output": "found"}


def body(**more):
    return {"model": "gpt-5", "instructions": "be brief", "input": ITEMS, "store": False, **more}


def test_the_new_body_differs_in_its_input_alone():
    given = body(tools=[TOOL])
    before = copy.deepcopy(given)
    whole = fit_request(given, 100_000)
    assert whole.request == given and whole.messages == ITEMS
    cut = fit_request(given, whole.used - 1)
    assert given == before
    assert list(cut.request) == list(given)
    assert cut.request["input"] == cut.messages == [ITEMS[0], *ITEMS[4:]]
    assert all(key == "input" or cut.request[key] is value for key, value in given.items())
    assert verify(cut) == []


def test_it_is_what_fit_gives_for_the_parts():
    shape = {"type": "json_schema", "name": "n", "schema": {"type": "object"}}
    parts = {"tools": [TOOL], "text": {"format": shape}}
    by_hand = fit(
        ITEMS,
        600,
        model="gpt-5",
        format="openai-responses",
        system="be brief",
        tools=[TOOL],
        response_format=shape,
    )
    fitted = fit_request(body(**parts), 600)
    assert fitted.to_dict() == by_hand.to_dict()
    bare = fit_request(body(tools=[TOOL]), 600)
    assert fitted.fixed_parts.tools > bare.fixed_parts.tools > 0
    plain = fit_request(body(tools=[TOOL], text={"format": {"type": "text"}}), 600)
    assert plain.fixed_parts.tools == bare.fixed_parts.tools


def test_the_output_limit_is_kept_free():
    window = fit_request(body()).budget
    fitted = fit_request(body(max_output_tokens=500))
    assert (fitted.budget, fitted.fixed_parts.reserve) == (window, 500)


def test_a_text_as_input_stays_a_text():
    fitted = fit_request(body(input="hello there"), 100)
    assert fitted.request["input"] == "hello there"
    assert fitted.messages == [{"role": "user", "content": "hello there"}]


@pytest.mark.parametrize("key", ["previous_response_id", "conversation"])
def test_outputs_may_answer_what_the_provider_holds(key):
    old = {"role": "user", "content": "old " * 50}
    new = {"role": "user", "content": "and now?"}
    given = body(input=[OUTPUT, old, {"role": "assistant", "content": "so"}, new], **{key: "id_1"})
    with pytest.raises(OrphanResult):
        fit_request({**given, key: None}, 10_000)
    fitted = fit_request(given, 10_000)
    assert fitted.messages == given["input"]
    assert fitted.exact is False
    assert any("provider holds" in warning for warning in fitted.warnings)
    cut = fit_request(given, fitted.used - 1)
    assert cut.messages == [OUTPUT, new]  # the output is pinned
    assert verify(cut) == []


def test_a_second_output_is_a_fault_all_the_same():
    with pytest.raises(InvalidHistory, match="second result"):
        fit_request(body(input=[OUTPUT, OUTPUT], previous_response_id="r"), 10_000)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({"model": "gpt-5"}, {"format": "openai-responses"}),
        ({"contents": []}, {"format": "openai-responses"}),
        ({"input": []}, {"format": "openai-chat"}),
        ({"input": 5}, {}),
    ],
)
def test_what_is_no_body(given, options):
    with pytest.raises(InvalidOptions):
        fit_request(given, 100, **options)
