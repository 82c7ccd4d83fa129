"""What GPT-3.5 to GPT-4.5 and the o-series add to the texts of a request."""

from __future__ import annotations

import pytest
from trimtab.formats.openai_chat import OpenAIChat
from trimtab.formats.weight import Call, Media, Weight
from trimtab.tokens.encodings import encoding
from trimtab.tokens.framing import chatml
from trimtab.tokens.framing.base import NOTHING
from trimtab.tokens.schemas import read_tools

CHAT = chatml.ChatML("")
RESPONSES = chatml.ChatML("", chatml.RESPONSES)
FIRST = chatml.OSeries("")
FORMAT = OpenAIChat()

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
SYSTEM = "You are a helpful assistant that can answer to questions about the weather."
COOKBOOK = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": "What's the weather like in San Francisco?"},
]


def tokens(priced, name="o200k_base"):
    return priced.overhead + sum(encoding(name).count_many(priced.texts))


def request(framing, messages, tools=(), choice=None, name="o200k_base"):
    texts = [m["content"] for m in messages if m["role"] == "system"]
    total = framing.primer
    total += sum(tokens(framing.message(FORMAT.weigh(m)), name) for m in messages)
    if tools:
        schemas = framing.tools(read_tools(tools), choice, system=texts[0] if texts else None)
        total += tokens(schemas, name)
    return total


def test_the_example_of_openais_cookbook():
    """Section 7 of "How to count tokens with tiktoken", with what the API itself said."""
    assert request(CHAT, COOKBOOK, [WEATHER]) == 101  # gpt-4o
    assert request(CHAT, COOKBOOK, [WEATHER], name="cl100k_base") == 105  # gpt-4


@pytest.mark.parametrize(
    ("function", "choice", "billed"),
    [
        ({"name": "foo"}, None, 31),
        ({"name": "foo", "description": "Do a foo"}, "auto", 36),
        ({"name": "foo"}, "none", 32),
    ],
)
def test_the_figures_of_openai_chat_tokens(function, choice, billed):
    """What gpt-3.5-turbo was billed, by the tests of that package."""
    hello = [{"role": "user", "content": "hello"}]
    assert request(CHAT, hello, [function], choice, "cl100k_base") == billed


@pytest.mark.parametrize(
    ("weight", "overhead", "texts"),
    [
        (Weight("user", ["a"]), 4, ["a"]),
        (Weight("user", ["a", "b"]), 4, ["a", "b"]),
        (Weight("assistant", [""]), 4, [""]),
        (Weight("user", ["a"], name="bob"), 4, [":bob", "a"]),
        (Weight("assistant", ["a"], name="bob"), 4, [":bob", "a"]),
        (Weight("tool", ["a"], name="look"), 4, ["a"]),
        (Weight("function", ["a"], name="look"), 4, ["a"]),
        (Weight("user", ["a"], values=({"b": 1},)), 4, ["a", '{"b":1}']),
        (Weight("user", ["a"], hidden=70), 14, ["a"]),
        (
            Weight("assistant", calls=(Call("look", '{"a": 1}'),)),
            8,
            ["functions.look", "look", '{"a":1}'],
        ),
        (
            Weight("assistant", ["so"], calls=(Call("look", {"a": "é"}),)),
            8,
            ["so", "functions.look", "look", '{"a":"é"}'],
        ),
        (
            Weight("assistant", calls=(Call("look", "no {json"),)),
            8,
            ["functions.look", "look", "no {json"],
        ),
        (
            Weight("assistant", calls=(Call("f", "{}"), Call("g", ""))),
            4 + 17 - 2 * 4,
            [
                '{"tool_uses":[{"recipient_name":"functions.f","parameters":{}},'
                '{"recipient_name":"functions.g","parameters":}]}'
            ],
        ),
        (
            Weight("assistant", calls=(Call("f", "{}"),), results=(Weight("tool", ["r"]),)),
            8 + 4,
            ["functions.f", "f", "{}", "r"],
        ),
    ],
)
def test_messages(weight, overhead, texts):
    assert CHAT.message(weight) == (overhead, texts)


def test_a_call_costs_one_more_in_responses_and_silence_next_to_nothing():
    call = Weight("assistant", calls=(Call("look", "{}"),))
    assert RESPONSES.message(call).overhead == CHAT.message(call).overhead + 1
    assert RESPONSES.message(Weight("assistant", [""])).overhead == 1
    assert RESPONSES.message(Weight("user", [""])).overhead == 4


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("two\nlines", '"two\\nlines"'),
        ('{\n  "a": [1,2]\n}', '{"a": [1, 2]}'),
        ("é", '"é"'),
        ("[" * 100_000, None),
    ],
)
def test_the_results_of_several_calls_are_one_list(content, text):
    """Texts are escaped, and JSON is written anew."""
    (written,) = CHAT.message(Weight("tool", [content]), batch=True).texts
    assert written == (text or f'"{content}"')
    assert CHAT.message(Weight("tool", [content])).texts == [content]


def test_the_price_of_media_is_the_tables():
    weight = Weight("user", ["a"], media=(Media("image", detail="low"),))
    with_image = chatml.ChatML("gpt-4o").message(weight)
    assert with_image.overhead > 4 and with_image.texts == ["a"]


@pytest.mark.parametrize(
    ("weight", "exact"),
    [
        (Weight("user", ["a"]), True),
        (Weight("user", ["a"], name="bob"), True),
        (Weight("assistant", ["a"]), True),
        (Weight("tool", ["a"]), False),
        (Weight("assistant", calls=(Call("f", "{}"),)), False),
        (Weight("assistant", ["a"], reasoning=("b",)), False),
        (Weight("user", hidden=1), False),
        (Weight("user", values=({},)), False),
        (Weight("user", media=(Media("image"),)), False),
    ],
)
def test_what_is_exact(weight, exact):
    assert CHAT.is_exact(weight) is exact


@pytest.mark.parametrize(
    ("framing", "system", "overhead"),
    [
        (CHAT, None, 5 + 4),
        (CHAT, "Be brief.", 5),
        (CHAT, "Be brief", 5 + 1),
        (CHAT, "Be brief\n", 5),
        (CHAT, "```", 5 + 1),
        (CHAT, "", 5),
        (RESPONSES, None, 3),
        (RESPONSES, "Be brief", 3),
        (FIRST, None, 6 + 4),
        (FIRST, "Be brief.", 6 + 3),
    ],
)
def test_where_tools_stand(framing, system, overhead):
    """In the system message if there is one; a blank line goes with punctuation."""
    assert framing.tools(read_tools([WEATHER]), system=system).overhead == overhead


@pytest.mark.parametrize(
    ("framing", "choice", "more"),
    [
        (CHAT, "auto", (0, [])),
        (CHAT, "required", (0, [])),
        (CHAT, "none", (1, [])),
        (CHAT, {"type": "function", "function": {"name": "look"}}, (4, [" to=functions.look"])),
        (CHAT, {"type": "function", "name": "look"}, (4, [" to=functions.look"])),
        (CHAT, {"name": "look"}, (4, [" to=functions.look"])),
        (CHAT, {"type": "allowed_tools", "mode": "required"}, (0, [])),
        (RESPONSES, "required", (4, [" to=functions.get_current_weather"])),
        (FIRST, {"name": "look"}, (0, [])),
    ],
)
def test_a_choice_begins_the_reply(framing, choice, more):
    plain = framing.tools(read_tools([WEATHER]))
    chosen = framing.tools(read_tools([WEATHER]), choice)
    assert (chosen.overhead - plain.overhead, chosen.texts[1:]) == more


def test_tools_that_are_searched_for_are_not_there_yet():
    search, later = {"type": "tool_search"}, {"name": "f", "defer_loading": True}
    assert RESPONSES.tools(read_tools([search, later])) == NOTHING
    shown = RESPONSES.tools(read_tools([search, later, WEATHER]))
    assert shown == RESPONSES.tools(read_tools([WEATHER]))


SHAPE = {
    "title": "Answer",
    "type": "object",
    "properties": {
        "required": {"type": "array", "items": {"const": "x"}, "maxItems": 1},
        "score": {"type": "number", "minimum": 0, "default": 1, "description": "How good."},
    },
    "required": ["required"],
    "additionalProperties": False,
}
WRITTEN = (
    '{"title":"Answer","type":"object","properties":{"required":{"type":"array",'
    '"items":{"const":"x"}},"score":{"type":"number","description":"How good."}}}'
)


@pytest.mark.parametrize(
    "wanted",
    [
        {"type": "json_schema", "json_schema": {"name": "answer", "schema": SHAPE, "strict": True}},
        {"type": "json_schema", "name": "answer", "schema": SHAPE},
    ],
)
def test_a_response_format_is_a_section_with_what_the_model_must_know(wanted):
    section = f"# Response Formats\n\n## answer\n\n{WRITTEN}"
    assert CHAT.response_format(wanted) == (4 + 4, [section])
    assert CHAT.response_format(wanted, system="Be brief.") == (4, [section])
    assert CHAT.response_format(wanted, system="Be brief.", tools=True) == (1, [section])
    assert RESPONSES.response_format(wanted) == (0, [section])


def test_a_described_response_format():
    wanted = {"name": "answer", "description": "One\nanswer.", "schema": {}}
    (text,) = CHAT.response_format(wanted).texts
    assert text == "# Response Formats\n\n## answer\n\n// One\n// answer.\n{}"


@pytest.mark.parametrize("kind", ["text", "json_object", "json_schema"])
def test_response_formats_without_a_schema_cost_nothing(kind):
    assert CHAT.response_format({"type": kind}) == NOTHING


def test_a_response_format_of_another_shape_is_judged_by_its_json():
    assert CHAT.response_format({"type": "regex", "regex": "a+"}).texts == [
        '{"type":"regex","regex":"a+"}'
    ]
    deep: dict[str, object] = {"type": "string"}
    for _ in range(5_000):
        deep = {"items": deep}
    assert CHAT.response_format({"name": "deep", "schema": deep}).texts
