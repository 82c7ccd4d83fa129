"""`without_reasoning`: what each format takes out, and what it must leave."""

import copy

import pytest
from support import langchain_messages, llama_index_messages, pydantic_ai_messages

from trimtab import Policy, fit, per_message, verify
from trimtab.formats.registry import FORMATS, format_named

SAID = "[The reasoning was removed.]"
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "s"}
HIDDEN = {"type": "redacted_thinking", "data": "x"}
TEXT = {"type": "text", "text": "so"}


def model(content, **more):
    return {"role": "assistant", "content": content, **more}


def vercel(about, field="providerOptions"):
    return {"type": "reasoning", "text": "hm", field: about}


BEDROCK = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
CLAUDE = {"anthropic": {"signature": "s"}}
OPENAI = {"openai": {"itemId": "rs_1"}}
GONE = [
    ("anthropic", model([SIGNED, HIDDEN, TEXT], id=7), model([TEXT], id=7)),
    ("anthropic", model([HIDDEN]), model([{"type": "text", "text": SAID}])),
    ("bedrock-converse", model([BEDROCK, {"text": "so"}]), model([{"text": "so"}])),
    ("bedrock-converse", model([BEDROCK]), model([{"text": SAID}])),
    ("vercel-ai", model([vercel(CLAUDE), TEXT]), model([TEXT])),
    ("vercel-ai", model([vercel({"bedrock": {}}), TEXT]), model([TEXT])),
    (
        "vercel-ui",
        {"id": "1", "role": "assistant", "parts": [vercel(CLAUDE, "providerMetadata"), TEXT]},
        {"id": "1", "role": "assistant", "parts": [TEXT]},
    ),
]
# DeepSeek demands its own back, Gemini checks signatures, OpenAI leaves reasoning out itself
# and an item must be followed by another.
STAYS = [
    ("openai-chat", model("so", reasoning_content="hm", tool_calls=[])),
    ("mistral", model("so", reasoning_content="hm")),
    ("gemini", {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "so"}]}),
    ("openai-responses", {"type": "reasoning", "id": "rs_1", "summary": []}),
    ("vercel-ai", model([vercel(OPENAI), TEXT])),
    ("vercel-ai", model([{"type": "reasoning", "text": "hm"}, TEXT])),
    ("anthropic", model([TEXT])),
    ("anthropic", model("so")),
    ("mcp", model([TEXT])),
    ("sharegpt", {"from": "gpt", "value": "so"}),
]


@pytest.mark.parametrize(("format", "message", "left"), GONE)
def test_reasoning_goes_and_the_rest_stays(format, message, left):
    before = copy.deepcopy(message)
    shape = format_named(format)
    made = shape.without_reasoning(message)
    assert made == left and message == before
    assert shape.without_reasoning(made) is made
    assert not shape.read(made).thought


@pytest.mark.parametrize(("format", "message"), STAYS)
def test_what_is_not_bound_is_the_same_object(format, message):
    assert format_named(format).without_reasoning(message) is message


def kinds(module):
    return ["twin", "real"] if module.REAL else ["twin"]


@pytest.mark.parametrize("kind", kinds(langchain_messages))
def test_langchain(kind):
    shape = format_named("langchain")
    with langchain_messages.installed(kind) as package:
        message = package.AIMessage(content=[SIGNED, TEXT])
        assert shape.without_reasoning(message).content == [TEXT]
        assert type(shape.without_reasoning(message)) is type(message)
        openai = package.AIMessage(content=[{"type": "reasoning", "id": "rs_1"}, TEXT])
        assert shape.without_reasoning(openai) is openai


@pytest.mark.parametrize("kind", kinds(pydantic_ai_messages))
def test_pydantic_ai(kind):
    shape = format_named("pydantic-ai")
    with pydantic_ai_messages.installed(kind) as package:
        for maker, gone in (("anthropic", True), ("bedrock", True), ("openai", False)):
            thinking = package.ThinkingPart(content="hm", provider_name=maker)
            message = package.ModelResponse(parts=[thinking, package.TextPart(content="so")])
            made = shape.without_reasoning(message)
            assert (made is message) != gone
            assert [part.part_kind for part in made.parts][-1] == "text"
            alone = shape.without_reasoning(package.ModelResponse(parts=[thinking]))
            assert (alone.parts[0].content == SAID) == gone


@pytest.mark.parametrize("kind", kinds(llama_index_messages))
def test_llama_index(kind):
    shape = format_named("llama-index")
    with llama_index_messages.installed(kind) as package:
        text = package.TextBlock(text="so")
        for about, gone in (({"signature": "s"}, True), ({}, False)):
            thinking = package.ThinkingBlock(content="hm", additional_information=about)
            message = package.ChatMessage(role="assistant", blocks=[thinking, text])
            assert len(shape.without_reasoning(message).blocks) == 2 - gone
            assert message.blocks == [thinking, text]


def test_every_format_says_what_becomes_of_it():
    """A format that takes reasoning out names the provider's own switch."""
    for name in FORMATS:
        shape = format_named(name)
        removes = (
            type(shape).without_reasoning
            is not format_named("openai-chat").without_reasoning.__func__
        )
        assert not removes or "drop_block" in shape.binding


def test_a_cut_of_converse_leaves_it_valid():
    turns = [
        [{"role": "user", "content": [{"text": f"q{n}"}]}, model([BEDROCK, {"text": f"a{n}"}])]
        for n in range(6)
    ]
    messages = [message for turn in turns for message in turn]
    each = per_message(lambda message: 1 + len(str(message)) // 20)
    for budget in range(6, 60):
        fitted = fit(
            messages,
            budget,
            format="bedrock-converse",
            counter=each,
            policy=Policy(reasoning="drop_after_edit"),
        )
        assert verify(fitted) == []
        cut = -1 if fitted.cut_at is None else fitted.cut_at
        assert all(row.action == "kept" for row in fitted.decisions if row.index > cut)
