"""`without_media`: what each format takes out, what stands for it, and what it must leave."""

import copy

import pytest
from support import llama_index_messages, pydantic_ai_messages
from support.pictures import BYTES, DATA, PARTS, PICTURED, Binary, Image, illustrated
from support.words import PIXEL
from support.written import installed

from trimtab.formats.registry import FORMATS, format_named

CACHED = {"cache_control": {"type": "ephemeral"}}
SOURCE = {"type": "base64", "media_type": "image/png", "data": PIXEL}
PDF = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}


def say(media, type):
    return f"<{media.kind} {type}>"


def text(words, kind="text", **more):
    return {"type": kind, "text": words, **more}


def user(*parts, role="user", field="content", **more):
    return {"role": role, field: list(parts), **more}


def result(content, **more):
    return {"type": "tool_result", "tool_use_id": "a", "content": content, **more}


def converse(*parts):
    return {"toolResult": {"toolUseId": "a", "content": list(parts), "status": "error"}}


def answer(**fields):
    return {"functionResponse": {"id": "a", "name": "f", **fields}}


def output(*parts):
    about = {"type": "tool-result", "toolCallId": "a", "toolName": "f"}
    return {**about, "output": {"type": "content", "value": list(parts)}}


CHAT = {"type": "image_url", "image_url": {"url": DATA}}
BLOB = PARTS["gemini"]
PICTURE = PARTS["bedrock-converse"]
GONE = "<image image/png>"
SWAPPED = [
    ("openai-chat", user(CHAT, text("a"), name="n"), user(text(GONE), text("a"), name="n")),
    (
        "openai-chat",
        user({"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}),
        user(text("<audio wav>")),
    ),
    ("openai-chat", user({"type": "file", "file": {"file_id": "f"}}), user(text("<document >"))),
    ("mistral", user({"type": "image_url", "image_url": DATA}), user(text(GONE))),
    ("mistral", user({"type": "document_url", "document_url": "x"}), user(text("<document >"))),
    (
        "openai-chat",
        {"role": "tool", "tool_call_id": "a", "content": [CHAT, text("b")]},
        {"role": "tool", "tool_call_id": "a", "content": [text(GONE), text("b")]},
    ),
    ("anthropic", user({"type": "image", "source": SOURCE, **CACHED}), user(text(GONE, **CACHED))),
    (
        "anthropic",
        user({"type": "document", "source": PDF, "title": "t"}),
        user(text("<document application/pdf>")),
    ),
    (
        "anthropic",
        user(result([text("b"), {"type": "image", "source": SOURCE}], is_error=True), text("c")),
        user(result([text("b"), text(GONE)], is_error=True), text("c")),
    ),
    (
        "gemini",
        user(BLOB, {"text": "a"}, field="parts"),
        user({"text": GONE}, {"text": "a"}, field="parts"),
    ),
    (
        "gemini",
        user({"file_data": {"mime_type": "video/mp4", "file_uri": "x"}}, field="parts"),
        user({"text": "<video video/mp4>"}, field="parts"),
    ),
    (
        "gemini",
        user(answer(response={"removed": 1}, parts=[BLOB, BLOB]), field="parts"),
        user(answer(response={"removed": 1, "removed_": [GONE, GONE]}), field="parts"),
    ),
    (
        "bedrock-converse",
        user(PICTURE, {"text": "a"}),
        user({"text": "<image png>"}, {"text": "a"}),
    ),
    (
        "bedrock-converse",
        user(converse({"text": "b"}, {"video": {"format": "mp4", "source": {"bytes": b""}}})),
        user(converse({"text": "b"}, {"text": "<video mp4>"})),
    ),
    (
        "langchain",
        {"type": "tool", "tool_call_id": "a", "content": [PARTS["langchain"], text("a")]},
        {"type": "tool", "tool_call_id": "a", "content": [text(GONE), text("a")]},
    ),
    (
        "langchain",
        {"type": "human", "content": [{"type": "media", "mime_type": "audio/ogg", "data": "x"}]},
        {"type": "human", "content": [text("<audio audio/ogg>")]},
    ),
    (
        "openai-responses",
        user(PARTS["openai-responses"], type="message"),
        user(text(GONE, "input_text"), type="message"),
    ),
    (
        "openai-responses",
        {"type": "function_call_output", "call_id": "a", "output": [PARTS["openai-responses"]]},
        {"type": "function_call_output", "call_id": "a", "output": [text(GONE, "input_text")]},
    ),
    ("vercel-ai", user(PARTS["vercel-ai"]), user(text(GONE))),
    (
        "vercel-ai",
        user({**PARTS["vercel-ai"], "providerOptions": {"anthropic": {}}}),
        user(text(GONE, providerOptions={"anthropic": {}})),
    ),
    (
        "vercel-ai",
        user(
            output(text("a"), {"type": "media", "data": "x", "mediaType": "audio/x"}), role="tool"
        ),
        user(output(text("a"), text("<audio audio/x>")), role="tool"),
    ),
    ("vercel-ui", user(PARTS["vercel-ui"], field="parts"), user(text(GONE), field="parts")),
    ("mcp", {"role": "user", "content": PARTS["mcp"]}, {"role": "user", "content": text(GONE)}),
    (
        "mcp",
        user({"type": "tool_result", "toolUseId": "a", "content": [PARTS["mcp"]]}),
        user({"type": "tool_result", "toolUseId": "a", "content": [text(GONE)]}),
    ),
]
SIGNED = {"google": {"thoughtSignature": "s"}}
CITED = {"citations": {"enabled": True}}
STAYS = [
    ("openai-chat", user(text("a"))),
    ("openai-chat", {"role": "assistant", "content": None, "audio": {"id": "a"}}),
    ("anthropic", user({"type": "document", "source": PDF, **CITED})),
    ("anthropic", user({"type": "document", "source": {"type": "text", "data": "words"}})),
    ("anthropic", user({"type": "web_search_tool_result", "tool_use_id": "a", "content": []})),
    ("gemini", user({**BLOB, "thoughtSignature": "s"}, role="model", field="parts")),
    ("gemini", user({"inlineData": {"mimeType": "text/plain", "data": "YQ=="}}, field="parts")),
    ("gemini", user(answer(response={"a": [{"$ref": "x"}]}, parts=[BLOB]), field="parts")),
    ("bedrock-converse", user({"document": {"source": {"text": "words"}, "name": "n"}})),
    ("bedrock-converse", user({"document": {"source": {"bytes": b"x"}, "name": "n", **CITED}})),
    (
        "langchain",
        {"type": "ai", "content": [{**PARTS["langchain"], "extras": {"signature": "s"}}]},
    ),
    ("openai-responses", {"type": "image_generation_call", "id": "a", "result": PIXEL}),
    ("vercel-ai", user({**PARTS["vercel-ai"], "providerOptions": SIGNED}, role="assistant")),
    ("vercel-ui", user({"type": "source-url", "url": "x"}, field="parts")),
    ("sharegpt", {"from": "human", "value": "<image> a"}),
    ("mcp", user({"type": "resource", "resource": {"blob": "x"}})),
]


@pytest.mark.parametrize(("format", "message", "left"), SWAPPED)
def test_a_text_stands_for_it(format, message, left):
    before = copy.deepcopy(message)
    shape = format_named(format)
    made = shape.without_media(message, say)
    assert made == left and message == before
    assert shape.without_media(made, say) is made
    assert shape.read(made) == shape.read(message)


@pytest.mark.parametrize(("format", "message"), STAYS)
def test_what_must_stay_is_the_same_object(format, message):
    assert format_named(format).without_media(message, say) is message


def test_a_screenshot_gives_way_to_a_dot():
    shape = format_named("openai-responses")
    shot = {"type": "computer_screenshot", "file_id": "f"}
    item = {"type": "computer_call_output", "call_id": "a", "output": shot}
    made = shape.without_media(item, say)
    assert made["output"].keys() == {"type", "image_url"}
    assert made["output"]["image_url"].startswith("data:image/png;base64,")
    assert shape.without_media(made, say) is made and item["output"] is shot


def kinds(module):
    return ["twin", "real"] if module.REAL else ["twin"]


@pytest.mark.parametrize("kind", kinds(pydantic_ai_messages))
def test_pydantic_ai(kind):
    shape = format_named("pydantic-ai")
    with pydantic_ai_messages.installed(kind) as package:
        picture = Binary(BYTES, "image/png")
        prompt = package.UserPromptPart(content=["a", picture])
        returned = package.ToolReturnPart("f", picture, tool_call_id="a")
        message = package.ModelRequest(parts=[returned, prompt])
        made = shape.without_media(message, say)
        assert [part.content for part in made.parts] == [GONE, ["a", GONE]]
        assert message.parts == [returned, prompt] and prompt.content[1] is picture
        assert made.parts[0].tool_call_id == "a"
        assert shape.without_media(made, say) is made
        data = package.ModelRequest(parts=[package.ToolReturnPart("f", {"kind": 3})])
        assert shape.without_media(data, say) is data


@pytest.mark.parametrize("kind", kinds(llama_index_messages))
def test_llama_index(kind):
    shape = format_named("llama-index")
    with llama_index_messages.installed(kind) as package:
        words = package.TextBlock(text="a")
        picture = Image(BYTES, "image/png") if kind == "twin" else package.ImageBlock(image=BYTES)
        message = package.ChatMessage(role="user", blocks=[picture, words])
        made = shape.without_media(message, say)
        assert made.blocks[0].text.startswith("<image") and made.blocks[1] is words
        assert message.blocks[0] is picture


@pytest.mark.parametrize("format", PICTURED)
def test_every_format_that_can_hold_pictures(format):
    shape = format_named(format)
    with installed(format):
        message = illustrated(format, shape.human("look"))
        made = shape.without_media(message, say)
        assert made is not message and not shape.weigh(made).media
        assert [*shape.weigh(message).texts, *shape.weigh(made).texts].count("look") == 2
        plain = shape.human("look")
        assert shape.without_media(plain, say) is plain


def test_no_format_is_forgotten():
    assert {*PICTURED, "sharegpt"} == set(FORMATS)
