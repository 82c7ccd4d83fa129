"""What GPT-5 and gpt-oss add to the texts of a request."""

from __future__ import annotations

import pytest
from trimtab.formats.weight import Call, Weight
from trimtab.tokens.encodings import encoding
from trimtab.tokens.framing import harmony
from trimtab.tokens.framing.functions import grouped
from trimtab.tokens.framing.registry import framing_named
from trimtab.tokens.schemas import read_tools

CHAT = harmony.Harmony("")
RESPONSES = harmony.Harmony("", harmony.RESPONSES)
OSS = harmony.GptOss("")
TOOLS = read_tools([{"name": "look", "description": "Looks."}])

PREAMBLE = """You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2026-11-08

Reasoning: high

# Valid channels: analysis, commentary, final. Channel must be included for every message."""


def count(text):
    return encoding("o200k_base").count(text)


@pytest.mark.parametrize(
    ("weight", "overhead", "texts"),
    [
        (Weight("user", ["a"]), 4, ["a"]),
        (Weight("system", ["a"]), 4, ["a"]),
        (Weight("assistant", ["a"]), 6, ["a"]),
        (Weight("assistant", ["a"], reasoning=("because",)), 6, ["a"]),
        (Weight("tool", ["a"]), 4, ["a"]),
        (
            Weight("assistant", calls=(Call("look", '{"a": 1}'),)),
            14,
            ["functions.look", "look", '{"a":1}'],
        ),
        (
            Weight("assistant", ["so"], calls=(Call("look", "{}"),), reasoning=("because",)),
            6 + 14,
            ["so", "because", "functions.look", "look", "{}"],
        ),
        (Weight("assistant", hidden=700), 100, []),
    ],
)
def test_messages(weight, overhead, texts):
    """What the assistant says names its channel; reasoning stays beside its call alone."""
    assert CHAT.message(weight) == (overhead, texts)
    assert RESPONSES.message(weight) == (overhead, texts)


def test_several_calls_cost_six_more_than_before():
    calls = Weight("assistant", calls=(Call("f", "{}"), Call("g", "{}")))
    older = framing_named("chatml", "")
    assert CHAT.message(calls).overhead == older.message(calls).overhead + 6
    assert CHAT.message(calls).texts == older.message(calls).texts


def test_chat_introduces_tools_and_responses_does_not():
    (introduced,) = CHAT.tools(TOOLS).texts
    (bare,) = RESPONSES.tools(TOOLS).texts
    assert bare == grouped(TOOLS)
    assert introduced.endswith(f"\n\n{bare}") and introduced.startswith("# Tools\n\n")
    assert CHAT.tools(TOOLS).overhead == 4
    assert CHAT.tools(TOOLS, system="Be brief.").overhead == 3
    assert RESPONSES.tools(TOOLS, "required", system="Be brief.").overhead == 0


def test_tools_that_come_later_are_introduced_too():
    item = Weight(
        "developer", values=({"type": "function", "name": "look", "description": "Looks."},)
    )
    assert RESPONSES.message(item) == (4, CHAT.tools(TOOLS).texts)
    assert RESPONSES.message(Weight("user", values=({"a": 1},))).texts == ['{"a":1}']


def test_a_model_that_thinks_first_begins_no_reply():
    named = {"type": "function", "function": {"name": "look"}}
    assert CHAT.tools(TOOLS, named) == CHAT.tools(TOOLS)


def test_gpt_oss_says_who_it_is():
    """The system message of openai/harmony, and the two tokens that begin the reply."""
    assert OSS.primer == 3 + count("system") + count(PREAMBLE) + 2
    headed = OSS.message(Weight("system", ["Be brief."]))
    assert headed == (4 + count("# Instructions\n\n"), ["Be brief."])
    assert OSS.message(Weight("user", ["a"])) == (4, ["a"])
    assert not OSS.is_exact(Weight("user", ["a"]))


def test_gpt_oss_is_told_where_calls_go():
    schemas = OSS.tools(TOOLS)
    assert schemas.overhead == 4 + count("# Tools\n\n## functions\n\n")
    assert [text[:20] for text in schemas.texts] == [
        "namespace functions ",
        "\nCalls to these tool",
    ]


@pytest.mark.parametrize("family", ["chatml", "o-series", "harmony"])
def test_responses_has_a_style_of_its_own(family):
    chat, responses = framing_named(family, ""), framing_named(f"{family}-responses", "")
    assert chat.name == responses.name
    assert chat.tools(TOOLS).overhead > responses.tools(TOOLS).overhead
