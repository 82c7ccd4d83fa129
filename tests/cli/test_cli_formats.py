"""Documents of every format from the outside: read as they are, written in the same shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

import trimtab
from trimtab.formats.registry import FORMATS

WORDS = "some words of a question that is long " * 6
TEXT = {"type": "text", "text": WORDS}
OUTPUT = {"type": "text", "value": "4 degrees"}


def chat(call: Any, result: Any, human: Any, reply: Any) -> list[Any]:
    """Two exchanges, the first with a call."""
    return [human(WORDS), call, result, reply("done"), human("and now?"), reply("yes")]


def plain(role: str) -> Any:
    """A message whose content is a text."""
    return lambda text: {"role": role, "content": text}


def parts(role: str, **kind: str) -> Any:
    """A message whose content is a list with one part."""
    return lambda text: {"role": role, "content": [{**kind, "text": text}]}


def content(role: str) -> Any:
    """A message of Gemini."""
    return lambda text: {"role": role, "parts": [{"text": text}]}


USE = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
FUNCTION = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": "", "tool_calls": [FUNCTION]}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "4 degrees"}
CHAT = chat(CALLING, RESULT, plain("user"), plain("assistant"))
KEYS = {"openai-responses": "input", "openai-agents": "input", "gemini": "contents", "sharegpt": "conversations"}
BY_NAME = {"mistral", "strict-chat", "fine-tuning", "openai-agents"}
DOCUMENTS: dict[str, list[Any]] = {
    "openai-chat": CHAT,
    "mistral": CHAT,
    "strict-chat": CHAT,
    "fine-tuning": CHAT,
    "anthropic": chat(
        {"role": "assistant", "content": [USE]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "4 degrees"}]},
        plain("user"), plain("assistant"),
    ),
    "openai-responses": chat(
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "4 degrees"},
        plain("user"), plain("assistant"),
    ),
    "gemini": chat(
        {"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"r": "4 degrees"}}}]},
        content("user"), content("model"),
    ),
    "bedrock-converse": chat(
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "4 degrees"}]}}]},
        parts("user"), parts("assistant"),
    ),
    "sharegpt": chat(
        {"from": "function_call", "value": '{"name": "look", "arguments": {}}'},
        {"from": "observation", "value": "4 degrees"},
        lambda text: {"from": "human", "value": text}, lambda text: {"from": "gpt", "value": text},
    ),
    "vercel-ai": chat(
        {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "a", "toolName": "look", "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "a", "toolName": "look", "output": OUTPUT}]},
        plain("user"), plain("assistant"),
    ),
    "mcp": chat(
        {"role": "assistant", "content": USE},
        {"role": "user", "content": {"type": "tool_result", "toolUseId": "a", "content": [{"type": "text", "text": "4 degrees"}]}},
        parts("user", type="text"), parts("assistant", type="text"),
    ),
}  # fmt: skip
DOCUMENTS["openai-agents"] = DOCUMENTS["openai-responses"]
every = pytest.mark.parametrize("name", DOCUMENTS)


def arguments(name: str) -> list[str]:
    """``--format`` where the data do not tell."""
    return ["--format", name] if name in BY_NAME else []


def laid_out(name: str) -> dict[str, tuple[bytes, Any]]:
    """The ways in which a conversation may stand in a file, and how to read each back."""
    messages, key = DOCUMENTS[name], KEYS.get(name, "messages")
    body = {"x": 1.5, key: messages, "y": [None]}
    batch = {"custom_id": "1", "body": body}
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in messages)
    return {
        "list": (json.dumps(messages).encode(), lambda out: json.loads(out)),
        "body": (json.dumps(body).encode(), lambda out: unwrapped(json.loads(out), body, key)),
        "batch": (
            json.dumps(batch).encode() + b"\n",
            lambda out: unwrapped(json.loads(out)["body"], body, key),
        ),
        "lines": (lines, lambda out: [json.loads(line) for line in out.splitlines()]),
    }


def unwrapped(found: Any, body: Any, key: str) -> Any:
    """The messages of a body in which nothing else has changed."""
    assert list(found) == list(body)
    assert {**found, key: None} == {**body, key: None}
    return found[key]


@every
@pytest.mark.parametrize("shape", ["list", "body", "batch", "lines"])
def test_fit_writes_the_same_shape(run: Any, name: str, shape: str) -> None:
    """All of it where all fits, what the library keeps where it does not."""
    data, read = laid_out(name)[shape]
    whole = run("fit", "--budget", "10k", *arguments(name), input=data)
    assert (whole.code, read(whole.out)) == (0, DOCUMENTS[name])
    budget = trimtab.fit(DOCUMENTS[name], 10_000, format=name).used - 1
    cut = run("fit", "--budget", str(budget), *arguments(name), input=data)
    expected = trimtab.fit(DOCUMENTS[name], budget, format=name).messages
    assert (cut.code, read(cut.out)) == (0, expected)
    assert 0 < len(expected) < len(DOCUMENTS[name])


@every
@pytest.mark.parametrize("shape", ["list", "body", "batch", "lines"])
def test_check_finds_and_mends_in_the_same_shape(run: Any, name: str, shape: str) -> None:
    """The call is lost; its result is named by message, or by line."""
    sound = run("check", *arguments(name), input=laid_out(name)[shape][0])
    assert (sound.code, sound.err) == (0, "0 faults\n")
    del DOCUMENTS[name][1]
    try:
        data, read = laid_out(name)[shape]
        broken = run("check", *arguments(name), input=data)
        faults = trimtab.check(DOCUMENTS[name], format=name)
        where = f"line {faults[0].index + 1}" if shape == "lines" else f"message {faults[0].index}"
        assert broken.code == 1 and faults
        assert broken.text.startswith(f"{where}: {faults[0].code}")
        fixed = run("check", "--fix", *arguments(name), input=data)
        mended = trimtab.repair(DOCUMENTS[name], format=name).messages
        assert (fixed.code, read(fixed.out)) == (0, mended)
        assert run("fit", "--repair", "--budget", "10k", *arguments(name), input=data).out == fixed.out
    finally:
        DOCUMENTS[name][:] = ORIGINAL[name]


ORIGINAL = {name: list(messages) for name, messages in DOCUMENTS.items()}


@every
@pytest.mark.parametrize("shape", ["list", "body", "lines"])
def test_count_names_roles_and_tools(run: Any, name: str, shape: str) -> None:
    """Whatever the format calls them."""
    counted = run("count", "--json", *arguments(name), input=laid_out(name)[shape][0]).json
    roles = {role: row["messages"] for role, row in counted["by_role"].items()}
    assert roles == {"human": 2, "call": 1, "result": 1, "assistant": 2}
    if name != "sharegpt":  # whose calls are a text
        [(tool, row)] = counted["by_tool"].items()
        assert (tool, row["calls"], row["results"]) == ("look", 1, 1)
    assert counted["total"] == trimtab.count(DOCUMENTS[name], format=name).total
    table = run("count", *arguments(name), input=laid_out(name)[shape][0]).text
    assert "4 degrees" in table and "some words" in table


@every
def test_many_conversations_a_line_each(run: Any, name: str) -> None:
    """A broken row is answered in its place, the others as if they stood alone."""
    key = KEYS.get(name, "messages")
    rows = [{key: DOCUMENTS[name], "id": 1}, {key: [*DOCUMENTS[name][:1], *DOCUMENTS[name][2:]]}]
    data = b"".join(json.dumps(row).encode() + b"\n" for row in [*rows, rows[0]])
    outcome = run("fit", "--budget", "10k", *arguments(name), input=data)
    first, second, third = outcome.lines
    assert first == third == rows[0]
    assert "error" in second and "line 2" in outcome.err
    checked = run("check", *arguments(name), input=data)
    assert checked.code == 1
    assert all(line.startswith("line 2, message ") for line in checked.text.splitlines())


def test_the_options_name_every_format(run: Any) -> None:
    """In the order in which they are known."""
    words = "".join(run("fit", "--help").text.split())
    assert f"Oneof{','.join(FORMATS)}." in words


def test_messages_of_several_formats_are_wrong_input(run: Any) -> None:
    """What was tried is said; nothing else is."""
    messages = [*DOCUMENTS["openai-chat"], *DOCUMENTS["anthropic"]]
    for command in (["check"], ["fit", "--budget", "1k"], ["count"]):
        outcome = run(*command, input=messages)
        assert (outcome.code, outcome.out) == (2, b"")
        assert outcome.err.count("\n") == 1
        assert "openai-chat: a message with tool_calls" in outcome.err


@pytest.mark.parametrize("key", ["previous_response_id", "conversation"])
def test_a_continued_response_may_answer_what_is_not_seen(run: Any, key: str) -> None:
    """The provider holds the call."""
    output = {"type": "function_call_output", "call_id": "a", "output": "x"}
    body = {"model": "gpt-5", "input": [output, {"role": "user", "content": "so?"}], key: "r"}
    assert run("check", input=body).code == 0
    assert run("check", input={**body, key: None}).code == 1
    assert run("check", "--fix", input=body).json == body
    assert run("fit", "--budget", "1k", input=body).json == body
    assert run("check", "--fix", input={"model": "gpt-5", "input": "hi"}).json["input"] == "hi"
