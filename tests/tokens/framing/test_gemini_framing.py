"""What Gemini adds to texts: little to a message, and one of three styles for functions."""

from __future__ import annotations

import pytest
from trimtab.formats.weight import Call, Media, Weight
from trimtab.tokens.framing.declared import bare, declaration, python_function
from trimtab.tokens.framing.gemini import GENERATIONS
from trimtab.tokens.framing.registry import framing_named
from trimtab.tokens.schemas import read_tools

WEATHER = {
    "name": "get_weather",
    "description": "The weather of a city.",
    "parameters": {
        "type": "OBJECT",
        "properties": {"city": {"type": "STRING", "description": "Its name"}},
        "required": ["city"],
    },
}
DECLARED = (
    "declaration:get_weather{description:The weather of a city.,parameters:{type:OBJECT,"
    "properties:{city:{type:STRING,description:Its name}},required:[city]}}"
)
PYTHON = '''def get_weather(
    city: str,
) -> dict:
  """The weather of a city.

  Args:
    city: Its name
  """
'''


def framing(name):
    return framing_named(name, "gemini-3")


def tools(*functions):
    return read_tools([{"functionDeclarations": list(functions)}])


@pytest.mark.parametrize(("name", "tokens"), [("gemini-2", 0), ("gemini-2.5", 1), ("gemini", 1)])
def test_a_text_costs_what_it_costs_alone_and_a_token(name, tokens):
    assert framing(name).message(Weight("user", ["a", "b"])) == (tokens, ["a", "b"])
    assert framing(name).primer == 0


def test_declarations_of_gemini_3():
    # two marks around it, and two around each of five strings
    assert framing("gemini").tools(tools(WEATHER)) == (2 + 2 * 5, [DECLARED])


def test_python_of_gemini_2_5():
    assert framing("gemini-2.5").tools(tools(WEATHER, WEATHER)) == (0, [PYTHON, PYTHON])


def test_strings_alone_before():
    texts = framing("gemini-2").tools(tools(WEATHER)).texts
    assert texts == [
        "get_weather",
        "The weather of a city.",
        "OBJECT",
        "city",
        "STRING",
        "Its name",
        "city",
    ]


@pytest.mark.parametrize("name", sorted(GENERATIONS))
def test_a_response_format_is_free(name):
    assert framing(name).response_format({"type": "OBJECT"}) == (0, [])


@pytest.mark.parametrize(
    ("name", "overhead", "texts"),
    [
        ("gemini-2", 0, ["f", "city", "Paris", "f", "r", "x"]),
        (
            "gemini-2.5",
            1,
            ['print(default_api.f({"city":"Paris"}))\n', '{"f_response": {"r":"x"}}\n'],
        ),
        ("gemini", 1 + 4 + 4, ["call:f{city:Paris}", "response:f{r:x}"]),
    ],
)
def test_calls_and_results(name, overhead, texts):
    result = Weight("function", name="f", values=({"r": "x"},))
    weight = Weight("model", calls=(Call("f", {"city": "Paris"}),), results=(result,))
    assert framing(name).message(weight) == (overhead, texts)


def test_arguments_of_another_shape_are_read():
    call = Call("f", '{"city": "Paris"}')
    assert framing("gemini").message(Weight("assistant", calls=(call,))).texts == [
        "call:f{city:Paris}"
    ]
    broken = Weight("assistant", calls=(Call("f", '{"city": "Par'),))
    assert framing("gemini").message(broken).texts == ['call:f{"city": "Par']


def test_a_result_that_is_a_message():
    priced = framing("gemini").message(Weight("tool", ["sunny"]))
    assert priced.texts == ["response:{result:sunny}"]
    assert priced.overhead > framing("gemini").message(Weight("user", ["sunny"])).overhead


@pytest.mark.parametrize("name", sorted(GENERATIONS))
def test_the_thoughts_in_a_signature(name):
    def overhead(hidden):
        return framing(name).message(Weight("model", ["a"], hidden=hidden)).overhead

    assert overhead(48) == overhead(0)
    assert overhead(1_090) - overhead(0) == 210


def test_thoughts_and_unknown_parts_cost_their_text():
    weight = Weight("model", ["a"], reasoning=("hm",), values=({"x": 1},))
    assert framing("gemini").message(weight).texts == ["a", "hm", '{"x":1}']


def test_media_come_on_top():
    plain = framing("gemini").message(Weight("user", ["a"])).overhead
    weight = Weight("user", ["a"], media=(Media("image"),))
    assert framing("gemini").message(weight).overhead > plain + 200


def test_a_tool_that_is_no_function_costs_its_json():
    search = read_tools([{"googleSearch": {}}])
    for name in GENERATIONS:
        assert framing(name).tools(search).texts == ['{"googleSearch":{}}']


def test_nested_objects_and_choices_in_python():
    [tool] = tools(
        {
            "name": "book_room",
            "description": "Book.",
            "parameters": {
                "type": "object",
                "properties": {
                    "guest": {
                        "type": "object",
                        "description": "Who",
                        "properties": {"age": {"type": "integer"}},
                    },
                    "beds": {"type": "array", "items": {"$ref": "#/$defs/Bed"}},
                    "kind": {"enum": ["a", 2]},
                    "price": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                    "paid": {"type": ["boolean", "null"]},
                    "extra": {"type": "object"},
                },
                "required": ["beds", "kind"],
                "$defs": {"Bed": {"type": "object", "properties": {"wide": {"type": "boolean"}}}},
            },
        }
    )
    text = python_function(tool)
    for line in (
        "    guest: BookRoomGuest | None = None,",
        "    beds: list[BookRoomBeds],",
        "    kind: Literal['a', 2],",
        "    price: float | None | None = None,",
        "    paid: bool | None | None = None,",
        "    extra: dict | None = None,",
        "    guest: Who",
        "class BookRoomGuest:",
        "  age: int | None = None",
        "class BookRoomBeds:",
    ):
        assert line in text.splitlines()
    assert text.count("@dataclasses.dataclass(kw_only=True)") == 2


def test_references_that_lead_to_themselves_end():
    node = {
        "type": "object",
        "properties": {"l": {"$ref": "#/$defs/N"}, "r": {"$ref": "#/$defs/N"}},
    }
    [tool] = tools({"name": "f", "parameters": {**node, "$defs": {"N": node}}})
    text = python_function(tool)
    assert 2 < text.count("class ") <= 200
    assert "Any" in text


def test_a_schema_deeper_than_the_stack_is_counted_as_it_is():
    deep: dict = {"type": "object"}
    for _ in range(3_000):
        deep = {"type": "object", "properties": {"a": deep}}
    for name in GENERATIONS:
        [text] = framing(name).tools(tools({"name": "f", "parameters": deep})).texts[-1:]
        assert text
    value: list = []
    for _ in range(3_000):
        value = [value]
    weight = Weight("model", calls=(Call("f", value),))
    for name in GENERATIONS:
        assert framing(name).message(weight).texts


@pytest.mark.parametrize(
    ("value", "text", "strings"),
    [
        ("a", "a", 1),
        ({"a": "b", "c": [1, "d", None, True]}, "{a:b,c:[1,d,null,true]}", 2),
        (1.5, "1.5", 0),
    ],
)
def test_values_without_quotes(value, text, strings):
    assert bare(value) == (text, strings)


def test_what_a_declaration_leaves_out():
    [tool] = tools(
        {
            "name": "f",
            "description": "",
            "parametersJsonSchema": {
                "type": "object",
                "title": "F",
                "additionalProperties": False,
                "properties": {},
            },
        }
    )
    assert declaration(tool) == ("declaration:f{parameters:{type:object}}", 1)
