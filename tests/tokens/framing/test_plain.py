"""What the chat templates of open-weight models add, on examples that can be counted by hand."""

from __future__ import annotations

import json

import pytest
from trimtab.formats.weight import Call, Media, Weight
from trimtab.tokens.framing.plain import TEMPLATES
from trimtab.tokens.framing.registry import framing_named
from trimtab.tokens.schemas import read_tools

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
FUNCTION = {"name": "find", "description": "Finds.", "parameters": SCHEMA}
every = pytest.mark.parametrize("name", sorted(TEMPLATES))


def framing(name):
    return framing_named(name, "other")


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("qwen", 8),  # <|im_start|>user\n ... <|im_end|>\n<|im_start|>assistant\n
        ("mistral", 3),  # <s>[INST] ... [/INST]
        ("llama-3", 10),  # <|begin_of_text|>, two headers of four, <|eot_id|>
        ("llama", 35),  # the same, and a system message with two dates
        ("sonar", 0),
    ],
)
def test_a_first_message(name, tokens):
    weight = Weight("user", ["hello"])
    assert framing(name).primer + framing(name).message(weight).overhead == tokens


@every
def test_a_message_is_its_texts_and_a_few_tokens(name):
    priced = framing(name).message(Weight("user", ["a", "b"]))
    assert priced.texts == ["a", "b"]
    assert 0 <= priced.overhead <= 5
    assert framing(name).system(Weight("system", ["a", "b"])) == priced
    assert not framing(name).is_exact(Weight("user", ["a"]))


@every
def test_calls_and_results_cost_more(name):
    plain = framing(name).message(Weight("assistant", [""])).overhead
    call = Call("find", '{"q":"x"}')
    asked = framing(name).message(Weight("assistant", [""], calls=(call,)))
    assert asked.texts == ["", "find", '{"q":"x"}']
    told = framing(name).message(Weight("tool", ["found"]))
    inside = framing(name).message(Weight("user", results=(Weight("tool", ["found"]),)))
    assert inside.texts == ["found"]
    if name != "sonar":
        assert asked.overhead > plain
        assert inside.overhead >= told.overhead > plain


def test_arguments_that_are_data_cost_their_json():
    weight = Weight("assistant", calls=(Call("find", {"q": "x"}),))
    assert framing("plain").message(weight).texts == ["find", '{"q":"x"}']


def test_reasoning_counts_where_it_leads_to_calls():
    answer = Weight("assistant", ["a"], reasoning=("hm",))
    asking = Weight("assistant", ["a"], reasoning=("hm",), calls=(Call("find", "{}"),))
    assert framing("qwen").message(answer).texts == ["a"]
    assert framing("qwen").message(asking).texts == ["a", "hm", "find", "{}"]


def test_the_rest_of_a_message():
    bare = framing("plain").message(Weight("user", ["a"])).overhead
    assert framing("plain").message(Weight("user", ["a"], name="ann")).texts == ["a", "ann"]
    assert framing("plain").message(Weight("user", values=({"x": 1},))).texts == ['{"x":1}']
    assert framing("plain").message(Weight("user", ["a"], hidden=40)).overhead == bare + 10
    pictured = framing("plain").message(Weight("user", ["a"], media=(Media("image"),)))
    assert pictured.overhead > bare + 50


def written(name, *tools):
    return framing(name).tools(read_tools(tools))


def test_tools_are_written_as_openai_has_them():
    [text] = written("qwen", {"type": "function", "function": FUNCTION}).texts
    assert json.loads(text) == {"type": "function", "function": FUNCTION}
    assert '"name": "find", ' in text
    anthropic = {"name": "find", "description": "Finds.", "input_schema": SCHEMA}
    assert written("qwen", anthropic).texts == [text]
    assert written("qwen", {"functionDeclarations": [FUNCTION]}).texts == [text]


def test_how_some_templates_write_tools():
    tool = {"type": "function", "function": FUNCTION}
    assert json.loads(written("deepseek", tool).texts[0]) == FUNCTION
    assert '{\n    "type": "function",' in written("llama", tool).texts[0]


@every
def test_the_prompt_that_comes_with_tools_comes_once(name):
    tool = {"type": "function", "function": FUNCTION}
    one, two, three = (written(name, *[tool] * n).overhead for n in (1, 2, 3))
    assert one >= two - one == three - two >= 0
    assert len(written(name, tool, tool).texts) == 2


def test_a_tool_of_another_kind_costs_its_json():
    assert written("qwen", {"type": "web_search"}).texts == ['{"type": "web_search"}']


def test_tools_that_json_cannot_write():
    deep: dict = {}
    for _ in range(3_000):
        deep = {"properties": deep}
    assert written("llama", {"name": "f", "input_schema": deep}).texts


def test_a_response_format_is_held_by_the_server():
    wanted = {"type": "json_schema", "json_schema": {"schema": SCHEMA}}
    assert framing("qwen").response_format(wanted) == (0, [])
    assert framing("plain").response_format(wanted).texts
