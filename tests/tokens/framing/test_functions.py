"""How OpenAI's models read function schemas, and what they cost."""

from __future__ import annotations

import pytest
from pydantic import BaseModel
from trimtab import InvalidOptions, count, fit, per_message
from trimtab.tokens.framing.functions import declarations, grouped, namespace
from trimtab.tokens.framing.openai_types import comment, parameters
from trimtab.tokens.schemas import read_tools

ASK = [{"role": "user", "content": "Which way?"}]


def tool(properties=None, **more):
    schema = {"type": "object", "properties": properties or {}, **more}
    return {"type": "function", "function": {"name": "f", "description": "d", "parameters": schema}}


def declared(*tools):
    return declarations(read_tools(tools))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "string"}, "string"),
        ({"type": "integer"}, "integer"),
        ({"type": "STRING"}, "string"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"enum": ["a", 2, True, None]}, '"a" | 2 | true | null'),
        ({"const": "a"}, '"a"'),
        ({"type": "array"}, "any[]"),
        ({"type": "array", "items": {"type": "number"}}, "number[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, 'Array<"a" | "b">'),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "[item0?: string]"),
        ({"type": "object"}, "object"),
        ({"type": "object", "properties": {"b": {"type": "null"}}}, "{ b?: null }"),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            "{ [key: string]: string }",
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"allOf": [{"$ref": "#/$defs/D"}]}, "{ c: boolean }"),
        ({"$ref": "#/$defs/D"}, "{ c: boolean }"),
        ({"$ref": "#/$defs/Loop"}, "{ again?: any }"),
        ({"$ref": "#/$defs/Gone"}, "any"),
        ({"type": "string", "nullable": True}, "string | null"),
        ({"type": "odd"}, "any"),
        (True, "any"),
        (False, "never"),
        ("odd", "any"),
        ({}, "any"),
    ],
)
def test_a_type_in_one_line(schema, text):
    """The forms of a published probe of every keyword of JSON Schema."""
    defs = {
        "D": {"type": "object", "properties": {"c": {"type": "boolean"}}, "required": ["c"]},
        "Loop": {"type": "object", "properties": {"again": {"$ref": "#/$defs/Loop"}}},
    }
    written = declared(tool({"a": schema}, required=["a"], **{"$defs": defs}))
    assert written == f"// d\ntype f = (_: {{ a: {text} }}) => any;"


@pytest.mark.parametrize(
    ("schema", "lines"),
    [
        ({"type": "string", "description": "Where to."}, ["// Where to.", "a?: string,"]),
        ({"type": "string", "title": "A"}, ["// A", "a?: string,"]),
        (
            {"type": "string", "title": "A", "description": "Where\n\n    to. "},
            ["// A", "//", "// Where", "//", "// to.", "a?: string,"],
        ),
        (
            {"type": "string", "default": "x", "maxLength": 9, "pattern": "^x"},
            ['a?: string, // maxLength: 9, pattern: /^x/, default: "x"'],
        ),
        ({"enum": ["x"], "default": None}, ['a?: "x", // default: null']),
        ({"type": "number", "minimum": 0.5}, ["a?: number, // minimum: 0.5"]),
        ({"type": "string", "examples": ["x"]}, ['// Example: "x"', "a?: string,"]),
        (
            {"type": "string", "examples": ["x", "y"]},
            ["// Examples:", '// - "x"', '// - "y"', "a?: string,"],
        ),
        (
            {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": None},
            ["// default: null", "a?:", ' | string // format: "date"', " | null", ","],
        ),
        (
            {"type": ["string", "null"], "description": "Say it."},
            ["// Say it.", "a?:", "// Say it.", " | string", "// Say it.", " | null", ","],
        ),
        (
            {
                "type": "array",
                "items": {
                    "title": "Inner",
                    "type": "object",
                    "properties": {"b": {"type": "string", "description": "B."}},
                },
            },
            ["a?: Array<", "// Inner", "{", "// B.", "b?: string,", "}", ">,"],
        ),
    ],
)
def test_a_type_with_comments_spans_lines(schema, lines):
    written = declared(tool({"a": schema}))
    assert written == "\n".join(["// d", "type f = (_: {", *lines, "}) => any;"])


def test_what_stands_above_the_parameters():
    written = parameters(
        {"title": "In", "description": "All.", "properties": {"a": {"type": "null"}}}
    )
    assert written == "(_: // In\n//\n// All.\n{ a?: null })"


@pytest.mark.parametrize(
    "schema", [None, {}, "odd", {"type": "object"}, {"type": "object", "properties": {}}]
)
def test_no_parameters(schema):
    assert parameters(schema) == "()"


def test_a_namespace_and_a_group():
    """The first is the form of openai/harmony, the second that of GPT-5's prompts."""
    tools = read_tools([{"name": "f", "description": ""}, {"name": "g", "description": "Goes."}])
    both = "type f = () => any;\n\n// Goes.\ntype g = () => any;"
    assert namespace(tools) == f"namespace functions {{\n\n{both}\n\n}} // namespace functions"
    assert grouped(tools).startswith("## Namespace: functions\n\n### Target channel: commentary")
    assert grouped(tools).endswith(f"### Tool definitions\n{both}")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"type": "web_search"}, '{"type":"web_search"}'),
        ("odd", '"odd"'),
        ({"type": "custom", "name": "run"}, "type run = (FREEFORM) => any;"),
        (
            {"type": "custom", "name": "run", "format": {"type": "grammar", "definition": "s: x"}},
            "type run = (FREEFORM\ns: x) => any;",
        ),
        (
            {"type": "tool_search", "execution": "client", "description": "Seeks."},
            "// Seeks.\ntype tool_search = () => any;",
        ),
    ],
)
def test_tools_that_are_no_functions(given, text):
    assert declared(given) == text


def test_a_schema_without_bounds_is_judged_by_its_json():
    deep = {"type": "string"}
    for _ in range(5_000):
        deep = {"type": "array", "items": deep}
    doubled = {
        f"D{i}": {"properties": {n: {"$ref": f"#/$defs/D{i + 1}"} for n in "ab"}} for i in range(40)
    }
    for given in (tool({"a": deep}), tool({"a": {"$ref": "#/$defs/D0"}}, **{"$defs": doubled})):
        assert 0 < len(declared(given)) < 500_000


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", ""), ("  \n ", ""), ("one", "// one\n"), ("one \n  two", "// one\n// two\n")],
)
def test_comments(text, lines):
    assert comment(text) == lines


class Spec(BaseModel):
    """A tool as SDKs hand it out."""

    name: str = "f"
    description: str | None = "d"
    parameters: dict[str, object] = {"type": "object", "properties": {"a": {"type": "string"}}}


def test_objects_cost_what_their_data_cost():
    assert declared(Spec()) == declared(Spec().model_dump())
    assert declared(Spec(description=None)) == declared(
        {"name": "f", "parameters": Spec().parameters}
    )


@pytest.mark.parametrize("where", ["tools", "response_format"])
def test_a_class_is_refused(where):
    with pytest.raises(InvalidOptions, match="class"):
        count(ASK, **{where: [Spec] if where == "tools" else Spec})


def test_a_number_of_tokens_may_stand_for_the_schemas():
    counted = count(ASK, tools=77)
    assert counted.tools == 77 and counted.exact
    fitted = fit(ASK, 500, tools=77)
    assert fitted.fixed_parts.tools == 77 and fitted.exact
    assert fit(ASK, 500, tools=[tool()]).exact is False
    assert fit(ASK, 500, tools=77, counter=per_message(lambda message: 1)).used == 78


@pytest.mark.parametrize("tools", ["look", {"name": "f"}, 1.5, -1, True, object()])
def test_what_is_no_list_of_tools(tools):
    for call in (lambda: count(ASK, tools=tools), lambda: fit(ASK, 500, tools=tools)):
        with pytest.raises(InvalidOptions, match="tools"):
            call()


def test_no_tools_cost_nothing():
    assert count(ASK, tools=[]).total == count(ASK).total


def test_a_counter_of_messages_cannot_count_schemas():
    with pytest.raises(InvalidOptions, match="give tools as a number"):
        fit(ASK, 500, tools=[tool()], counter=per_message(lambda message: 1))
