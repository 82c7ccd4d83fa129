"""Mistral's models by mistral-common, whose own encoding of a request is the oracle."""

from __future__ import annotations

import base64
import json
from functools import cache

import pytest
from counters.conversations import conversations, say
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from trimtab import InvalidOptions
from trimtab.counters import mistral
from trimtab.formats.registry import format_named

pytest.importorskip("mistral_common", reason="needs the package mistral-common")

from mistral_common.exceptions import MistralCommonException
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer
from mistral_common.tokens.tokenizers.tekken import Tekkenizer

CHAT = format_named("openai-chat")
VERSIONS = ["v3", "v7", "v11", "v13"]
_SPECIAL = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] "
    "[/TOOL_RESULTS] [TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] "
    "[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CONTENT] [ARGS] [CALL_ID] [THINK] [/THINK]"
).split()


def tekken(version):
    """A tokeniser of single bytes with Mistral's special tokens."""
    bytes_ = [
        {"rank": n, "token_bytes": base64.b64encode(bytes([n])).decode(), "token_str": None}
        for n in range(256)
    ]
    special = [{"rank": n, "token_str": s, "is_control": True} for n, s in enumerate(_SPECIAL)]
    config = {
        "pattern": r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|\s+|[^\s\p{L}\p{N}]+",
        "num_vocab_tokens": 256,
        "default_vocab_size": 256 + len(special),
        "default_num_special_tokens": len(special),
        "version": version,
    }
    return {"config": config, "vocab": bytes_, "special_tokens": special}


@cache
def made(version, tmp):
    path = tmp / f"tekken_{version}.json"
    path.write_text(json.dumps(tekken(version)))
    return MistralTokenizer.from_file(path), mistral(path)


@pytest.fixture(scope="module")
def at(tmp_path_factory):
    directory = tmp_path_factory.mktemp("mistral")
    return lambda version: made(version, directory)


def whole(tokenizer, messages, tools=None):
    """Mistral's own count, with call ids of the length that its rules ask for."""
    renamed = []
    for message in messages:
        message = dict(message)
        if "tool_calls" in message:
            message["tool_calls"] = [{**c, "id": c["id"][-1] * 9} for c in message["tool_calls"]]
        if "tool_call_id" in message:
            message["tool_call_id"] = message["tool_call_id"][-1] * 9
        renamed.append(message)
    return len(
        tokenizer.encode_chat_completion(ChatCompletionRequest.from_openai(renamed, tools)).tokens
    )


def accepted(tokenizer, messages):
    """The whole of messages that Mistral's rules accept; others are no example."""
    try:
        return whole(tokenizer, messages)
    except MistralCommonException:
        assume(False)


def summed(counter, messages, tools=None):
    meter = counter.meter(CHAT)
    return meter.primer + meter.tools(tools) + sum(map(meter.message, messages))


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=40, deadline=None)
@given(messages=conversations(system=False, calls=0))
def test_plain_conversations_are_exact(at, version, messages):
    tokenizer, counter = at(version)
    meter = counter.meter(CHAT)
    real = accepted(tokenizer, messages)
    assert all(map(meter.is_exact, messages))
    assert summed(counter, messages) == real == counter.total(messages)


@pytest.mark.parametrize("version", VERSIONS)
@settings(max_examples=40, deadline=None)
@given(messages=conversations())
def test_the_sum_is_never_below_the_whole(at, version, messages):
    tokenizer, counter = at(version)
    real = accepted(tokenizer, messages)
    said = summed(counter, messages)
    assert said >= real
    if all(map(counter.meter(CHAT).is_exact, messages)):
        assert said == real


def test_texts_are_ordinary_text(at):
    tokenizer, counter = at("v7")
    engine = tokenizer.instruct_tokenizer.tokenizer
    assert isinstance(engine, Tekkenizer)
    for text in ("", "trim tab", "[INST]", "日本語", "a\ud800"):
        same = text.replace("\ud800", "\ufffd")
        assert counter.count(text) == len(engine.encode(same, bos=False, eos=False))


def test_tools_are_counted_by_the_models_own_rules(at):
    tokenizer, counter = at("v7")
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    tool = {
        "type": "function",
        "function": {"name": "find", "description": "d", "parameters": schema},
    }
    messages = [say("user", "Hi")]
    assert summed(counter, messages, [tool]) == whole(tokenizer, messages, [tool])


def test_a_tokeniser_object_and_a_path_count_alike(at):
    tokenizer, counter = at("v3")
    messages = [say("user", "Hi")]
    assert mistral(tokenizer, name="mine").total(messages) == counter.total(messages)
    assert (mistral(tokenizer, name="mine").name, counter.name) == ("mine", "tekken_v3.json")


@pytest.mark.parametrize("wrong", ["no-such-model", 7, None])
def test_what_is_no_tokeniser_is_refused(wrong):
    with pytest.raises(InvalidOptions):
        mistral(wrong)
