"""Every format gives back the caller's own objects, and changes a result in its text alone.

Whatever a format does not know rides along: unknown keys and blocks, numbers that a JSON
reader and writer would spell otherwise, escapes, halves of surrogate pairs.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from enum import Enum
from typing import Any

import pytest
from support import langchain_messages, llama_index_messages, mcp_messages, pydantic_ai_messages
from support import vercel_messages
from support.agents_items import REAL as AGENTS
from support.agents_items import from_items
from trimtab import Conversation, Policy, check, fit, verify
from trimtab.formats.registry import FORMATS

LONG = "\n".join(f"line {n} of a long result" for n in range(300))
ODD = {
    "float": 1.0,
    "minus": -0.0,
    "tiny": 5e-324,
    "big": 10**400,
    "beyond": "1e400",
    "escaped": '\\u00e9 \\/ "\n\t\x00 \u2028',
    "half": "\ud83d",
    "none": None,
    "nested": [[], {}, [{"": [True, 0.1 + 0.2]}]],
}
NEXT = {"type": "block_of_next_year", "payload": ODD}


def text(words):
    return {"type": "text", "text": words}


def chat():
    """An OpenAI Chat history under which user and assistant take turns."""
    call = {"type": "function", "function": {"name": "look", "arguments": '{"q": 1.50, "r":1e1}'}}
    return [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "first " * 40},
        {"role": "assistant", "content": "so it is"},
        {"role": "user", "content": "second"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "abcdefghi", **call}]},
        {"role": "tool", "tool_call_id": "abcdefghi", "content": LONG},
        {"role": "assistant", "content": "done"},
    ]


def odd(history):
    """With a key of next year in every message, and in every list a block of next year."""
    for message in history:
        message["key_of_next_year"] = copy.deepcopy(ODD)
    return history


def openai_chat():
    history = chat()
    history[1]["content"] = [text("first " * 40), copy.deepcopy(NEXT)]
    history[4] |= {"content": None, "reasoning_content": "hm", "refusal": None}
    history[6] |= {"audio": {"id": "audio_1"}, "annotations": [ODD]}
    return odd(history)


def anthropic():
    thought = {"type": "thinking", "thinking": "", "signature": "+/+/=="}
    use = {"type": "tool_use", "id": "t", "name": "look", "input": copy.deepcopy(ODD)}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": LONG, "is_error": True}
    answer["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    return odd(
        [
            {"role": "user", "content": [text("first " * 40), copy.deepcopy(NEXT)]},
            {"role": "assistant", "content": [copy.deepcopy(NEXT), text("so it is")]},
            {"role": "user", "content": "second"},
            {"role": "assistant", "content": [thought, copy.deepcopy(NEXT), use]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": [{**text("done"), "citations": [ODD]}]},
        ]
    )


def responses():
    said = {"type": "output_text", "text": "so it is", "annotations": []}
    own = {"id": "msg_1", "type": "message", "status": "completed", "role": "assistant"}
    asks = {"type": "function_call", "call_id": "a", "name": "f", "arguments": '{"q": 1.50}'}
    return [
        {"role": "user", "content": "first " * 40},
        {**own, "content": [said], "phase": "commentary"},
        {"role": "user", "content": [{"type": "input_text", "text": "second"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "+/+/=="},
        asks,
        {"type": "function_call_output", "call_id": "a", "output": LONG},
        {**own, "id": "msg_2", "content": [said]},
    ]


def openai_responses():
    history = responses()
    history.insert(6, {"type": "item_of_next_year", "payload": ODD})
    return odd(history)


def openai_agents(kind):
    return from_items(responses(), kind)


def gemini():
    call = {"functionCall": {"name": "look", "args": copy.deepcopy(ODD)}}
    response = {"rows": [LONG, 1.0], "odd": {**ODD, "escaped": "x"}}
    answer = {"function_response": {"name": "look", "response": response}}
    return odd(
        [
            {"role": "user", "parts": [{"text": "first " * 40}, {"part_of_next_year": ODD}]},
            {"role": "model", "parts": [{"text": "so it is", "thoughtSignature": "+/+/=="}]},
            {"parts": [{"text": "second"}]},
            {"role": "model", "parts": [{**call, "thoughtSignature": "_-_-"}]},
            {"role": "user", "parts": [answer]},
            {"role": "model", "parts": [{"text": "done"}]},
        ]
    )


def bedrock_converse():
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "+/+/=="}}}
    use = {"toolUse": {"toolUseId": "t", "name": "look", "input": copy.deepcopy(ODD)}}
    content = [{"json": {"rows": [LONG, 1.0]}}, {"text": "short"}, {"blockOfNextYear": ODD}]
    answer = {"toolResult": {"toolUseId": "t", "content": content, "status": "error"}}
    return odd(
        [
            {"role": "user", "content": [{"text": "first " * 40}, {"blockOfNextYear": ODD}]},
            {"role": "assistant", "content": [{"text": "so it is"}]},
            {"role": "user", "content": [{"text": "second"}, {"cachePoint": {"type": "default"}}]},
            {"role": "assistant", "content": [thought, use]},
            {"role": "user", "content": [answer, {"cachePoint": {"type": "default"}}]},
            {"role": "assistant", "content": [{"text": "done"}]},
        ]
    )


def strict():
    history = openai_chat()
    history[4] |= {"weight": 0}
    return history


def sharegpt():
    turns = [("human", "first " * 40), ("gpt", "so it is"), ("human", "second")]
    turns += [("function_call", '{"name": "f", "arguments": {"q":1.50}}')]
    turns += [("observation", LONG), ("gpt", "done")]
    return odd([{"from": who, "value": value} for who, value in turns])


def langchain(package):
    history = langchain_messages.from_chat(chat(), package)
    for message in history:
        message.additional_kwargs["key_of_next_year"] = ODD
    history[2].content = [text("so it is"), NEXT]
    return history


def pydantic_ai(package):
    history = pydantic_ai_messages.from_chat(chat(), package)
    for message in history:
        for part in message.parts:
            if hasattr(part, "metadata"):
                part.metadata = ODD
            elif getattr(part, "args", None) is not None:
                part.args = ODD
    return history


def llama_index(package):
    history = llama_index_messages.from_chat(chat(), package)
    for message in history:
        message.additional_kwargs["key_of_next_year"] = ODD
    return history


def vercel_ai():
    history = vercel_messages.from_chat(chat())
    history[2]["content"] = [text("so it is"), {**NEXT, "providerOptions": ODD}]
    return odd(history)


def vercel_ui():
    history = vercel_messages.as_ui(vercel_messages.from_chat(chat()))
    history[2]["parts"].append({"type": "data-next-year", "data": ODD})
    return odd(history)


def mcp():
    history = mcp_messages.from_chat(chat()[1:])
    history[4]["content"][0]["content"] = [text(LONG), NEXT]
    return odd(history)


PLAIN: dict[str, Callable[[], list[Any]]] = {
    "openai-chat": openai_chat,
    "anthropic": anthropic,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "bedrock-converse": bedrock_converse,
    "mistral": strict,
    "strict-chat": strict,
    "fine-tuning": strict,
    "sharegpt": sharegpt,
    "vercel-ai": vercel_ai,
    "vercel-ui": vercel_ui,
    "mcp": mcp,
}
FRAMEWORKS = {
    "langchain": (langchain_messages, langchain),
    "pydantic-ai": (pydantic_ai_messages, pydantic_ai),
    "llama-index": (llama_index_messages, llama_index),
}
absent = pytest.mark.skipif
cases = [pytest.param((name, "plain"), id=name) for name in PLAIN]
for name, real in [(n, m.REAL) for n, (m, _) in FRAMEWORKS.items()] + [("openai-agents", AGENTS)]:
    skip = absent(not real, reason=f"the package of {name} is not installed")
    cases.append(pytest.param((name, "twin"), id=f"{name}-twin"))
    cases.append(pytest.param((name, "real"), id=f"{name}-real", marks=skip))


@pytest.fixture(params=cases)
def given(request: pytest.FixtureRequest):
    """A format's name and a history in it."""
    name, kind = request.param
    if name in PLAIN:
        context, made = nullcontext(), PLAIN[name]
    elif name == "openai-agents":
        context, made = nullcontext(), lambda: openai_agents(kind)
    else:
        support, make = FRAMEWORKS[name]
        context = support.installed(kind)
        made = lambda: make(support.package(kind))  # noqa: E731
    with context:
        yield name, made()


def test_every_format_is_here():
    assert {*PLAIN, *FRAMEWORKS, "openai-agents"} == set(FORMATS)


def leaves(value: Any, path: str = "") -> dict[str, str]:
    """Every leaf of an object by its path, each with its type, so that 1 is not 1.0."""
    if isinstance(value, Mapping):
        inner = {f"{path}.{key!r}": item for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        inner = {f"{path}[{at}]": item for at, item in enumerate(value)}
    elif hasattr(value, "__dict__") and not isinstance(value, (Enum, type)):
        extra = getattr(value, "__pydantic_extra__", None) or {}
        inner = {f"{path}.{key}": item for key, item in {**vars(value), **extra}.items()}
    else:
        return {path: f"{type(value).__name__} {value!r}"}
    here = {path: type(value).__name__}
    return here | {p: leaf for at, item in inner.items() for p, leaf in leaves(item, at).items()}


def same(result: list[Any], source: list[Any]) -> bool:
    return len(result) == len(source) and all(a is b for a, b in zip(result, source, strict=True))


def test_what_fits_comes_back_itself(given):
    name, history = given
    before, listed = leaves(history), list(history)
    assert check(history, format=name) == []
    for policy in (Policy(), Policy(depth=0.5, keep_first=1, notice=True)):
        fitted = fit(history, 10**6, format=name, policy=policy)
        assert same(fitted.messages, history)
        assert fitted.messages is not history
        assert fitted.to_dict()
        assert verify(fitted) == []
    conversation = Conversation(10**6, format=name)
    conversation.extend(history)
    assert same(conversation.fit().messages, history)
    assert same(history, listed)
    assert leaves(history) == before


def test_what_is_kept_of_a_cut_comes_back_itself(given):
    name, history = given
    before = leaves(history)
    whole = fit(history, 10**6, format=name).used
    cuts = 0
    for budget in (whole - 1, whole * 9 // 10):
        fitted = fit(history, budget, format=name)
        kept = [at for at in range(len(history)) if at not in fitted.dropped]
        assert same(fitted.messages, [history[at] for at in kept])
        assert verify(fitted) == []
        cuts += bool(fitted.dropped)
    assert cuts == 2
    assert leaves(history) == before


def test_a_changed_result_differs_in_its_text_alone(given):
    name, history = given
    before = leaves(history)
    fitted = fit(history, 10**6, format=name, policy=Policy(max_result_tokens=900))
    (changed,) = [row.index for row in fitted.decisions if row.action == "changed"]
    old, new = leaves(history[changed]), leaves(fitted.messages[changed])
    assert old.keys() == new.keys()
    places = [path for path in old if old[path] != new[path]]
    assert places
    for path in places:
        assert "line 299 of a long result" in old[path]
        assert "characters left out" in new[path]
    others = [at for at in range(len(history)) if at != changed]
    assert all(fitted.messages[at] is history[at] for at in others)
    assert type(fitted.messages[changed]) is type(history[changed])
    assert verify(fitted) == []
    assert leaves(history) == before


@pytest.mark.parametrize("name", PLAIN)
def test_the_bytes_of_a_changed_result_are_the_same_but_for_its_text(name):
    history = PLAIN[name]()
    fitted = fit(history, 10**6, format=name, policy=Policy(max_result_tokens=900))
    written = [json.dumps(messages) for messages in (history, fitted.messages)]
    long = json.dumps(LONG)[1:-1]
    head, tail = written[0].split(long)
    assert written[1].startswith(head)
    assert written[1].endswith(tail)
