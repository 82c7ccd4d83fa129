"""`without_old_reasoning`: what may go once its turn is over, all of a response or none."""

import copy

import pytest
from support import langchain_messages, llama_index_messages, pydantic_ai_messages

from trimtab.formats.registry import format_named

SAID = "[The reasoning was removed.]"
TEXT = {"type": "text", "text": "so"}
CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
HM = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}


def model(content, **more):
    return {"role": "assistant", "content": content, **more}


def gemini(*parts):
    return {"role": "model", "parts": list(parts)}


def vercel(**about):
    return {"type": "reasoning", "text": "hm", **({"providerOptions": about} if about else {})}


USE = {"type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}}
CLAUDE, GOOGLE = vercel(anthropic={"signature": "s"}), vercel(google={"thoughtSignature": "s"})
OPENAI = vercel(openai={"itemId": "rs_1"})
ASKED = {"functionCall": {"name": "f", "args": {}}}
GONE = [
    ("openai-chat", model("so", reasoning_content="hm", name="n"), model("so", name="n")),
    ("openai-chat", model("so", reasoning="hm", reasoning_details=[{}]), model("so")),
    ("openai-chat", model(None, reasoning_content="hm"), model(SAID)),
    ("openai-chat", model(None, refusal="no", reasoning_content="hm"), model(None, refusal="no")),
    ("openai-chat", model("so", tool_calls=[], reasoning="hm"), model("so", tool_calls=[])),
    ("mistral", model([HM, TEXT]), model([TEXT])),
    ("mistral", model([HM]), model([{"type": "text", "text": SAID}])),
    ("gemini", gemini({"text": "hm", "thought": True}, {"text": "so"}), gemini({"text": "so"})),
    ("gemini", gemini({"text": "hm", "thought": True}), gemini({"text": SAID})),
    ("gemini", gemini({**ASKED, "thoughtSignature": "s"}), gemini(ASKED)),
    ("gemini", gemini({"text": "so", "thought_signature": "s"}), gemini({"text": "so"})),
    ("anthropic", model([{"type": "redacted_thinking", "data": "x"}, TEXT]), model([TEXT])),
    ("vercel-ai", model([CLAUDE, USE]), model([USE])),
    ("vercel-ai", model([GOOGLE, USE]), model([USE])),
    ("vercel-ai", model([vercel(), TEXT]), model([TEXT])),
    (
        "vercel-ui",
        {"role": "assistant", "parts": [vercel()]},
        {"role": "assistant", "parts": [{"type": "text", "text": SAID}]},
    ),
]
STAYS = [
    ("openai-chat", model(None, reasoning_content="hm", tool_calls=[CALL])),
    ("openai-chat", {"role": "user", "content": "so", "reasoning": "hm"}),
    ("openai-chat", model("so")),
    ("mistral", model([HM], tool_calls=[CALL])),
    ("gemini", gemini({"text": "so"})),
    ("gemini", {"role": "user", "parts": [{"text": "so", "thoughtSignature": "s"}]}),
    ("openai-responses", {"type": "reasoning", "id": "rs_1", "summary": []}),
    ("vercel-ai", model([OPENAI, TEXT])),
    ("vercel-ai", model([CLAUDE, OPENAI, TEXT])),
    ("vercel-ai", model([vercel(), USE])),
    ("vercel-ai", model("so")),
]


@pytest.mark.parametrize(("format", "message", "left"), GONE)
def test_it_goes_and_the_rest_stays(format, message, left):
    before = copy.deepcopy(message)
    shape = format_named(format)
    made = shape.without_old_reasoning(message)
    assert made == left and message == before
    assert shape.without_old_reasoning(made) is made
    assert shape.read(made).calls == shape.read(message).calls


@pytest.mark.parametrize(("format", "message"), STAYS)
def test_what_stays_is_the_same_object(format, message):
    assert format_named(format).without_old_reasoning(message) is message


def kinds(module):
    return ["twin", "real"] if module.REAL else ["twin"]


@pytest.mark.parametrize("kind", kinds(langchain_messages))
def test_langchain(kind):
    shape = format_named("langchain")
    call = [{"type": "tool_call", "id": "a", "name": "f", "args": {}}]
    spoken = {"reasoning_content": "hm", "x": 1}
    with langchain_messages.installed(kind) as package:
        deep = package.AIMessage("so", additional_kwargs=spoken)
        assert shape.without_old_reasoning(deep).additional_kwargs == {"x": 1}
        asks = package.AIMessage("so", tool_calls=call, additional_kwargs=spoken)
        assert shape.without_old_reasoning(asks) is asks
        signed = {"type": "thinking", "thinking": "hm", "signature": "s"}
        claude = package.AIMessage([signed, TEXT], tool_calls=call)
        assert shape.without_old_reasoning(claude).content == [TEXT]
        item = {"type": "reasoning", "id": "rs_1", "summary": []}
        both = package.AIMessage([signed, item, TEXT])
        assert shape.without_old_reasoning(both) is both
        alone = package.AIMessage([{"type": "reasoning", "reasoning": "hm"}])
        assert shape.without_old_reasoning(alone).content[0]["text"] == SAID


@pytest.mark.parametrize("kind", kinds(pydantic_ai_messages))
def test_pydantic_ai(kind):
    shape = format_named("pydantic-ai")
    rows = [
        (("anthropic", None, "s"), True, True),
        (("google-gla", None, "s"), True, True),
        (("deepseek", "reasoning_content", None), True, False),
        (("openai", "rs_1", None), False, False),
        (("openai", "x", "s"), False, False),
    ]
    with pydantic_ai_messages.installed(kind) as package:
        for (maker, id, signature), alone, beside in rows:
            part = package.ThinkingPart("hm", id=id, signature=signature, provider_name=maker)
            for call, gone in ((False, alone), (True, beside)):
                more = [package.ToolCallPart("f", {}, tool_call_id="a")] if call else []
                message = package.ModelResponse(parts=[part, *more])
                assert (shape.without_old_reasoning(message) is not message) == gone


@pytest.mark.parametrize("kind", kinds(llama_index_messages))
def test_llama_index(kind):
    shape = format_named("llama-index")
    with llama_index_messages.installed(kind) as package:
        call = package.ToolCallBlock(tool_call_id="a", tool_name="f", tool_kwargs={})
        for about, alone, beside in (
            ({"signature": "s"}, True, True),
            ({}, True, False),
            ({"id": "rs_1"}, False, False),
        ):
            part = package.ThinkingBlock(content="hm", additional_information=about)
            for more, gone in (([], alone), ([call], beside)):
                message = package.ChatMessage(role="assistant", blocks=[part, *more])
                assert (shape.without_old_reasoning(message) is not message) == gone
