"""What Claude adds to the texts of a request."""

from __future__ import annotations

import json

import pytest
from trimtab.formats.registry import format_named
from trimtab.formats.weight import Call, Media, Weight
from trimtab.tokens.framing.claude import GENERATIONS, Claude
from trimtab.tokens.framing.registry import framing_named
from trimtab.tokens.media import media_tokens
from trimtab.tokens.models import model_named
from trimtab.tokens.schemas import read_tools

IMAGES = "claude-3"
FRAMING = Claude("claude-4.5", IMAGES)
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Oslo", "Łódź"]}},
    "required": ["city"],
}
SHOWN = json.dumps(SCHEMA, ensure_ascii=False)
TOOL = {"name": "get_weather", "description": "Weather now.", "input_schema": SCHEMA}
FUNCTION = {"name": "get_weather", "description": "Weather now.", "parameters": SCHEMA}
every = pytest.mark.parametrize("name", sorted(GENERATIONS))


def priced(message, format="anthropic", framing=FRAMING):
    """The overhead of a message beside that of an empty one, and its texts."""
    overhead, texts = framing.message(format_named(format).weigh(message))
    return overhead - framing.message(Weight("user")).overhead, texts


@pytest.mark.parametrize(
    ("model", "one", "more"),  # billed: "Hi" alone is 8 tokens up to 4.6, one of them the text
    [
        ("claude-3-opus-20240229", 7, 3),
        ("claude-sonnet-4-6", 7, 3),
        ("claude-opus-4-7", 11, 2),
        ("claude-opus-4-8", 6, 2),
        ("claude-sonnet-5", 6, 2),
    ],
)
def test_a_request_costs_a_frame_and_each_turn_a_little(model, one, more):
    framing = framing_named(model_named(model).framing, IMAGES)
    user = framing.message(Weight("user", ["Hi"]))
    assert user.texts == ["Hi"]
    assert framing.primer + user.overhead == one
    assert framing.message(Weight("assistant", ["Hi"])).overhead == more


def test_blocks_of_text_and_the_system_text_are_free_but_for_their_tokens():
    blocks = [{"type": "text", "text": text} for text in ("a", "b")]
    assert priced({"role": "user", "content": blocks}) == (0, ["a", "b"])
    assert FRAMING.system(Weight("system", ["a", "b"])) == (0, ["a", "b"])


def test_a_system_message_is_set_apart_by_one_token():
    weight = format_named("openai-chat").weigh({"role": "system", "content": "Be brief."})
    assert FRAMING.message(weight) == (1, ["Be brief."])


def test_arguments_are_written_between_marks_and_texts_as_they_are():
    def call(arguments):
        block = {"type": "tool_use", "id": "t", "name": "find", "input": arguments}
        return priced({"role": "assistant", "content": [block]})

    bare, texts = call({})
    assert texts == ["find"]
    long = 'He said "no"\nand left.'
    assert call({"what": long}) == (bare + 15, ["find", "what", long])
    nested = {"n": 3, "deep": {"a": ["é", None]}}
    assert call(nested) == (bare + 30, ["find", "n", "3", "deep", '{"a": ["é", null]}'])


@pytest.mark.parametrize("arguments", ['{"q": "x", "n": [1, 2]}', '{"q":"x","n":[1,2]}'])
def test_a_call_costs_the_same_through_a_gateway(arguments):
    own = {"type": "tool_use", "id": "t", "name": "f", "input": {"q": "x", "n": [1, 2]}}
    through = {"id": "t", "type": "function", "function": {"name": "f", "arguments": arguments}}
    assert priced({"role": "assistant", "content": [own]}) == priced(
        {"role": "assistant", "content": None, "tool_calls": [through]}, "openai-chat"
    )


@pytest.mark.parametrize("arguments", ["", "{broken", "[1", '"text"', "7", "[" * 100_000])
def test_arguments_that_are_no_object_are_one_text(arguments):
    _, texts = FRAMING.message(Weight("assistant", calls=(Call("f", arguments),)))
    assert len(texts) == 2


def test_a_call_and_its_result_cost_40_tokens_and_parallel_ones_more():
    """Billed: 40 for the pair, 15 an argument, and 16 for each of several calls."""
    one = {"type": "tool_use", "id": "t", "name": "f", "input": {"q": "x"}}
    two = {**one, "id": "u"}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": "sunny"}
    called, _ = priced({"role": "assistant", "content": [one]})
    answered, texts = priced({"role": "user", "content": [answer]})
    assert (called + answered, texts) == (40 + 15, ["sunny"])
    assert priced({"role": "assistant", "content": [one, two]})[0] == 2 * called + 2 * 16


def test_a_tool_message_is_a_turn_with_a_result_in_it():
    answer = {"type": "tool_result", "tool_use_id": "t", "content": "sunny"}
    tool = {"role": "tool", "tool_call_id": "t", "content": "sunny"}
    own = priced({"role": "user", "content": [answer]})
    assert priced(tool, "openai-chat") == own


def test_what_a_result_holds_is_priced_as_in_a_message():
    picture = {"type": "image", "source": {"type": "base64", "data": "", "media_type": "x"}}
    content = [{"type": "text", "text": "see"}, picture]
    answer = {"type": "tool_result", "tool_use_id": "t", "content": content, "is_error": False}
    overhead, texts = priced({"role": "user", "content": [answer]})
    alone, _ = priced({"role": "user", "content": [{**answer, "content": "see"}]})
    assert texts == ["see"]
    assert overhead - alone == media_tokens(Media("image"), IMAGES)


def test_reasoning_is_text_and_redacted_reasoning_a_quarter_of_its_length():
    thinking = {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln" * 100}
    assert priced({"role": "assistant", "content": [thinking]}) == (0, ["Let me see."])
    redacted = {"type": "redacted_thinking", "data": "x" * 400}
    assert priced({"role": "assistant", "content": [redacted]}) == (100, [])


@pytest.mark.parametrize("tool", [TOOL, {"type": "function", "function": FUNCTION}, FUNCTION])
def test_tools_of_every_shape_are_shown_as_one_json(tool):
    shown = f'{{"description": "Weather now.", "name": "get_weather", "parameters": {SHOWN}}}'
    overhead, texts = FRAMING.tools(read_tools([tool]))
    assert texts == [f"<function>{shown}</function>\n"]
    assert overhead == 497 + 1


def test_an_empty_description_is_left_out():
    (text,) = FRAMING.tools(read_tools([{**TOOL, "description": ""}])).texts
    assert text.startswith('<function>{"name": "get_weather"')


@pytest.mark.parametrize("extra", [{"cache_control": {"type": "ephemeral"}}, {"strict": True}])
def test_what_the_model_does_not_see_costs_nothing(extra):
    assert FRAMING.tools(read_tools([{**TOOL, **extra}])) == FRAMING.tools(read_tools([TOOL]))
    deferred = FRAMING.tools(read_tools([TOOL, {**TOOL, "defer_loading": True}]))
    assert deferred == FRAMING.tools(read_tools([TOOL]))


@every
@pytest.mark.parametrize(
    ("choice", "forced"),
    [
        (None, False),
        ("auto", False),
        ("none", False),
        ("required", True),
        ({"type": "auto"}, False),
        ({"type": "none"}, False),
        ({"type": "any"}, True),
        ({"type": "tool", "name": "get_weather"}, True),
        ({"type": "function", "function": {"name": "get_weather"}}, True),
        ({"any": {}}, True),
        ({"auto": {}}, False),
    ],
)
def test_the_prompt_that_comes_with_tools_depends_on_the_choice(name, choice, forced):
    framing, generation = Claude(name, IMAGES), GENERATIONS[name]
    expected = generation.forced if forced else generation.auto
    assert framing.tools(read_tools([TOOL]), choice).overhead == expected + 1


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [
        ("bash_20250124", 245),  # documented
        ("text_editor_20250728", 700),  # documented
        ("memory_20250818", 1070),
        ("web_search_20250305", 2000),
    ],
)
def test_a_tool_that_anthropic_defines_costs_its_definition(kind, tokens):
    tool = {"type": kind, "name": "own"}
    assert FRAMING.tools(read_tools([tool])) == (497 + tokens, [])


def test_a_response_format_is_its_schema_and_some_instructions():
    wanted = {"type": "json_schema", "schema": SCHEMA}
    assert FRAMING.response_format(wanted) == (125, [SHOWN])


def test_a_gateway_makes_a_forced_tool_of_a_response_format():
    wanted = {"type": "json_schema", "json_schema": {"name": "city", "schema": SCHEMA}}
    overhead, (text,) = FRAMING.response_format(wanted)
    assert overhead == 592 + 1
    assert SHOWN in text


@pytest.mark.parametrize("wanted", [{"type": "text"}, {"type": "json_object"}, {}])
def test_a_response_format_without_a_schema_is_free(wanted):
    assert FRAMING.response_format(wanted) == (0, [])


def test_a_schema_too_deep_for_json_is_counted_all_the_same():
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(5_000):
        inner["items"] = inner = {}
    (text,) = FRAMING.tools(read_tools([{**TOOL, "input_schema": deep}])).texts
    assert text.startswith("<function>")


@every
def test_nothing_is_ever_called_exact(name):
    assert not Claude(name, IMAGES).is_exact(Weight("user", ["Hi"]))


@pytest.mark.parametrize(
    ("name", "thinking"), [("claude-4", 29), ("claude-4.5", 29), ("claude-4.8", 0)]
)
def test_a_budget_for_thinking_costs_up_to_4_6(name, thinking):
    assert Claude(name, IMAGES).thinking == thinking
