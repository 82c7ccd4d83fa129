"""What validators of others, and chat templates that raise, say of a strict history.

Pairing: ``tool-call-repair``, ``turnsafe`` and ``mistral-common``, once a history is written
in a shape that they read. Alternation: templates rendered by ``jinja2`` which raise as the
public ones do (written here). Strands for Bedrock Converse, where it is installed.

Completed before asking, since Trimtab takes it as sound: what waits at the very end, and a
head that is the assistant's (head rules bind cuts, not inputs).
"""

from __future__ import annotations

import copy
import importlib.util
import logging
from functools import cache
from typing import Any

import toolrepair
from jinja2.sandbox import ImmutableSandboxedEnvironment
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.validator import MistralRequestValidatorV15, ValidationMode

from support.oracles import objections as chat_objections
from support.shapes import History, Message

PAIRS = """
{%- set talk = messages[1:] if messages[0].role == 'system' else messages -%}
{%- for message in talk -%}
  {%- if (message.role == 'user') != (loop.index0 is even) or message.role not in
      ('user', 'assistant') -%}
    {{ raise_exception('user and assistant must take turns') }}
  {%- endif -%}
  <{{ message.role }}>{{ message.content }}
{%- endfor -%}
"""
"""As Llama 2's and Gemma's: turns at even places are the user's; no tools."""

TOOLS = """
{%- set ns = namespace(turn=0, before='') -%}
{%- set talk = messages[1:] if messages[0].role == 'system' else messages -%}
{%- for message in talk -%}
  {%- if message.role == 'user' or (message.role == 'assistant' and not message.tool_calls) -%}
    {%- if (message.role == 'user') != (ns.turn is even) -%}
      {{ raise_exception('user and assistant must take turns') }}
    {%- endif -%}
    {%- set ns.turn = ns.turn + 1 -%}
  {%- elif message.role not in ('assistant', 'tool') -%}
    {{ raise_exception('no such role here: ' + message.role) }}
  {%- elif message.role == 'assistant' and ns.before == 'assistant' -%}
    {{ raise_exception('two assistant messages in a row') }}
  {%- endif -%}
  {%- set ns.before = message.role -%}
{%- endfor -%}
"""
"""As Mistral's: turns are counted without the tool traffic between them."""


class Refused(Exception):
    """A template raised."""


@cache
def _template(source: str) -> Any:
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)

    def refuse(text: str) -> None:
        raise Refused(text)

    environment.globals["raise_exception"] = refuse
    return environment.from_string(source)


def rendered(source: str, messages: History) -> list[str]:
    """What a template objects to; empty when it renders."""
    try:
        _template(source).render(messages=messages)
    except Refused as refused:
        return [f"template: {refused}"]
    return []


def objections(format: str, messages: History) -> list[str]:
    """Every objection of every oracle of this format."""
    if not messages:
        return []
    if format == "bedrock-converse":
        return _converse(copy.deepcopy(messages))
    if format == "sharegpt":
        return _sharegpt(messages)
    said = _chat(copy.deepcopy(messages))
    return said + _ends(messages) if format == "fine-tuning" else said


def _chat(messages: History) -> list[str]:
    led = _led(messages, {"role": "user", "content": "go"}, lambda m: m["role"])
    return chat_objections("openai-chat", messages) + rendered(TOOLS, led)


def _led(messages: History, human: Message, role: Any) -> History:
    """With a human message in front where the assistant or a tool begins."""
    at = 1 if role(messages[0]) == "system" else 0
    if len(messages) > at and role(messages[at]) not in ("user", "system"):
        return [*messages[:at], human, *messages[at:]]
    return messages


def _ends(messages: History) -> list[str]:
    """Of fine-tuning alone: how it ends."""
    if messages[-1]["role"] == "system" and len(messages) == 1:
        return []
    last: Any = {"role": messages[-1]["role"], "content": "x"}
    if last["role"] == "tool":
        last["tool_call_id"] = "c"
    try:
        request: Any = ChatCompletionRequest(messages=[last])
        MistralRequestValidatorV15(ValidationMode.finetuning)._validate_last_message(
            request.messages[-1]
        )
    except Exception as error:  # noqa: BLE001 - whatever it raises is its objection
        return [f"mistral-common: {error}"]
    return []


def _converse(messages: History) -> list[str]:
    said = [
        f"own: two {b['role']} messages at {at}"
        for at, (a, b) in enumerate(zip(messages, messages[1:]), 1)
        if a["role"] == b["role"]
    ]
    said += _blank(messages)
    whole = completed(messages)
    found = toolrepair.validate([_anthropic(m) for m in whole], format="anthropic")
    return said + [f"tool-call-repair: {v}" for v in found] + strands(whole)


def completed(messages: History) -> History:
    """With the calls answered that wait at the very end."""
    last = messages[-1]
    answers = [b for b in last["content"] if "toolResult" in b]
    content = [b for b in last["content"] if "cachePoint" not in b]  # a mark, no content
    if last["role"] == "user" and (not answers or len(answers) < len(content)):
        return messages
    at = len(messages) - (2 if answers else 1)
    if at < 0 or messages[at]["role"] != "assistant":
        return messages
    have = {b["toolResult"]["toolUseId"] for b in answers}
    asked = [b["toolUse"]["toolUseId"] for b in messages[at]["content"] if "toolUse" in b]
    made = [
        {"toolResult": {"toolUseId": id, "content": [{"text": "x"}]}}
        for id in asked
        if id not in have
    ]
    if not made:
        return messages
    return [*messages[: at + 1], {"role": "user", "content": answers + made}]


def _blank(messages: History) -> list[str]:
    """Texts without text, by the API's error texts."""
    said: list[str] = []
    for at, message in enumerate(messages):
        if not message["content"] and not (
            at == len(messages) - 1 and message["role"] == "assistant"
        ):
            said.append(f"own: message {at} is empty")
        for block in message["content"]:
            result = block.get("toolResult", {})
            failed = result.get("status") == "error" and message["role"] == "user"
            if failed and not any(p.get("text", "x").strip() for p in result["content"]):
                said.append(f"own: an error without content in message {at}")
            if "text" in block and not block["text"].strip():
                said.append(f"own: a blank text in message {at}")
    return said


def _anthropic(message: Message) -> Message:
    """Results first, as the order is free in Converse."""
    blocks: list[Any] = []
    for block in sorted(message["content"], key=lambda b: "toolResult" not in b):
        if "toolUse" in block:
            call = block["toolUse"]
            blocks.append({"type": "tool_use", "id": call["toolUseId"], "name": "f", "input": {}})
        elif "toolResult" in block:
            id = block["toolResult"]["toolUseId"]
            blocks.append({"type": "tool_result", "tool_use_id": id, "content": "x"})
        else:
            blocks.append({"type": "text", "text": "x"})
    return {"role": message["role"], "content": blocks}


def strands(messages: History) -> list[str]:
    """Whether Strands would mend a completed Converse history, where it is installed."""
    if importlib.util.find_spec("strands") is None:
        return []
    from strands.session.repository_session_manager import RepositorySessionManager as Manager

    logging.getLogger("strands").setLevel(logging.CRITICAL)  # it warns of what it mends
    fixed = Manager._fix_broken_tool_use(object.__new__(Manager), copy.deepcopy(messages))
    return [] if fixed == messages else ["strands: it would mend the tool traffic"]


_ASKING = ("human", "user", "observation", "tool")
_ANSWERS = ("observation", "tool")


def _sharegpt(messages: History) -> list[str]:
    """The rule of LLaMA-Factory's converter, and that a result follows a call and a call a result."""
    talk = messages[1:] if messages[0]["from"] == "system" else messages
    talk = _led(talk, {"from": "human", "value": "go"}, _speaker) if talk else talk
    said = [
        f"own: the role {m['from']} at {at}"
        for at, m in enumerate(talk)
        if (m["from"] in _ASKING) != (at % 2 == 0) or m["from"] == "system"
    ]
    said += ["own: an odd number of turns"] * (len(talk) % 2)
    for before, after in zip(talk, talk[1:]):
        calls = before["from"] == "function_call" or "</tool_call>" in before["value"]
        if (after["from"] in _ANSWERS) != calls:
            said.append("own: a result without a call, or a call without a result")
    if talk and talk[0]["from"] in _ANSWERS:
        said.append("own: it begins with a result")
    return said


def _speaker(message: Message) -> str:
    who = message["from"]
    return "user" if who in _ASKING else who
