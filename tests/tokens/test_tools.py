"""What tool schemas cost."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from trimtab import InvalidOptions, count, fit, per_message
from trimtab.tokens.tools import weigh_tools

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {
            "type": "object",
            "properties": {
                "location": {
                    "type": "string",
                    "description": "The city and state, e.g. San Francisco, CA",
                },
                "unit": {
                    "type": "string",
                    "description": "The unit of temperature to return",
                    "enum": ["celsius", "fahrenheit"],
                },
            },
            "required": ["location"],
        },
    },
}
COOKBOOK = [
    {
        "role": "system",
        "content": "You are a helpful assistant that can answer to questions about the weather.",
    },
    {"role": "user", "content": "What's the weather like in San Francisco?"},
]


def test_the_example_of_openais_cookbook():
    """Section 7 of "How to count tokens with tiktoken": the API itself said 101."""
    counted = count(COOKBOOK, model="gpt-4o", tools=[WEATHER])
    assert counted.total == 101
    assert counted.tools == counted.total - count(COOKBOOK, model="gpt-4o").total
    assert not counted.exact


def schema(properties):
    return {
        "name": "f",
        "description": "d",
        "parameters": {"type": "object", "properties": properties},
    }


@pytest.mark.parametrize(
    ("tool", "overhead", "texts"),
    [
        (schema({}), 12 + 7, ["f:d"]),
        ({"type": "function", "function": schema({})}, 12 + 7, ["f:d"]),
        ({"name": "f"}, 12 + 7, ["f:"]),
        ({"name": "f", "description": "Looks."}, 12 + 7, ["f:Looks"]),
        ({"name": "f", "description": None, "parameters": None}, 12 + 7, ["f:"]),
        (schema({"a": {"type": "string"}}), 12 + 7 + 3 + 3, ["f:d", "a:string:"]),
        (
            schema({"a": {"type": "string", "enum": ["x", "y"]}}),
            12 + 7 + 3 + 3 - 3 + 2 * 3,
            ["f:d", "a:string:", "x", "y"],
        ),
        (
            schema(
                {
                    "a": {
                        "type": "object",
                        "properties": {"b": {"type": "number", "description": "n."}},
                    }
                }
            ),
            12 + 7 + 2 * (3 + 3),
            ["f:d", "a:object:", "b:number:n"],
        ),
        (
            schema({"a": {"type": "array", "items": {"type": "object", "properties": {"b": {}}}}}),
            12 + 7 + 2 * (3 + 3),
            ["f:d", "a:array:", "b:any:"],
        ),
        (
            schema({"a": {"type": ["string", "null"]}}),
            12 + 7 + 3 + 3,
            ["f:d", 'a:["string","null"]:'],
        ),
        (
            schema({"a": {"anyOf": [{"type": "string"}]}}),
            12 + 7 + 3 + 3,
            ["f:d", "a:any:", '{"anyOf":[{"type":"string"}]}'],
        ),
        (
            {
                "name": "f",
                "description": "d",
                "input_schema": {"properties": {"a": {"type": "string"}}},
            },
            12 + 7 + 3 + 3,
            ["f:d", "a:string:"],
        ),
        ({"type": "web_search"}, 12 + 7, ['{"type":"web_search"}']),
        ({"name": "f", "parameters": {"properties": "odd"}}, 12 + 7, ["f:"]),
        (schema({"a": True}), 12 + 7 + 3 + 3, ["f:d"]),
        ("odd", 12 + 7, ['"odd"']),
    ],
)
def test_openais_formula(tool, overhead, texts):
    weight = weigh_tools([tool], "openai")
    assert weight[0] == overhead
    assert sorted(weight[1]) == sorted(texts)


def test_a_definition_costs_like_the_same_schema_in_place():
    """The form in which pydantic writes every nested model."""
    inner = {
        "type": "object",
        "properties": {"b": {"type": "string", "description": "of the inner one"}},
    }
    in_place = schema({"a": inner})
    referred = schema({"a": {"$ref": "#/$defs/Inner"}})
    referred["parameters"]["$defs"] = {"Inner": inner}
    texts = weigh_tools([in_place], "openai")[1]
    assert set(texts) - {"a:object:"} <= set(weigh_tools([referred], "openai")[1])


def test_claude_has_the_json_and_a_prompt():
    tool = {
        "name": "f",
        "description": "d",
        "input_schema": {"type": "object", "properties": {"a": {}}},
    }
    prompt, texts = weigh_tools([tool], "claude")
    assert prompt >= 346  # as Anthropic's documentation has it
    assert texts == [
        '{"name":"f","description":"d","input_schema":{"type":"object","properties":{"a":{}}}}'
    ]
    assert weigh_tools([tool, tool], "claude") == (prompt, texts * 2)


@pytest.mark.parametrize("family", ["openai", "claude", "other"])
def test_no_tools_cost_nothing(family):
    assert weigh_tools([], family) == (0, [])


def test_several_tools_share_one_end():
    one, two = weigh_tools([WEATHER], "openai")[0], weigh_tools([WEATHER, WEATHER], "openai")[0]
    assert two - one == one - 12


class Spec(BaseModel):
    """A tool as SDKs hand it out."""

    name: str = "f"
    description: str | None = "d"
    parameters: dict[str, object] = {"type": "object", "properties": {"a": {"type": "string"}}}


def test_objects_cost_what_their_data_cost():
    assert weigh_tools([Spec()], "openai") == weigh_tools(
        [schema({"a": {"type": "string"}})], "openai"
    )
    assert weigh_tools([Spec(description=None)], "claude") == weigh_tools(
        [Spec(description=None).model_dump(exclude_none=True)], "claude"
    )


@pytest.mark.parametrize("where", ["tools", "response_format"])
def test_a_class_is_counted_by_its_schema_or_refused(where):
    """The parse helpers of the SDKs take classes, so one of them comes along."""
    value = [Spec] if where == "tools" else Spec
    try:
        counted = count(COOKBOOK, **{where: value}).total
    except InvalidOptions:
        return
    assert counted >= count(COOKBOOK, **{where: 20}).total


def test_a_number_of_tokens_may_stand_for_the_schemas():
    counted = count(COOKBOOK, tools=77)
    assert counted.tools == 77 and counted.exact
    fitted = fit(COOKBOOK, 500, tools=77)
    assert fitted.fixed_parts.tools == 77 and fitted.exact
    assert fit(COOKBOOK, 500, tools=[WEATHER]).exact is False
    assert fit(COOKBOOK, 500, tools=77, counter=per_message(lambda message: 1)).used == 79


@pytest.mark.parametrize("tools", ["look", {"name": "f"}, 1.5, -1, True, object()])
def test_what_is_no_list_of_tools(tools):
    for call in (lambda: count(COOKBOOK, tools=tools), lambda: fit(COOKBOOK, 500, tools=tools)):
        with pytest.raises(InvalidOptions, match="tools"):
            call()


def test_a_counter_of_messages_cannot_count_schemas():
    with pytest.raises(InvalidOptions, match="give tools as a number"):
        fit(COOKBOOK, 500, tools=[WEATHER], counter=per_message(lambda message: 1))
