"""Providers' count endpoints as their documentation tells them, over no network."""

from __future__ import annotations

import json

import pytest

try:
    import httpx2 as httpx
except ImportError:
    httpx = pytest.importorskip("httpx", reason="needs the HTTP client of the SDKs")


def words(value):
    """Tokens of plain data: one a word and one a key."""
    if isinstance(value, dict):
        return sum(1 + words(item) for item in value.values())
    if isinstance(value, list):
        return sum(map(words, value))
    return len(str(value).split()) if isinstance(value, str) else 1


class Refusal(Exception):
    """What the endpoint answers with status 400."""


class Anthropic:
    """Refuses what the Messages API refuses; neighbours of one role are one turn."""

    path = "/v1/messages/count_tokens"

    def __init__(self, tools_needed=False):
        self.requests = []
        self._tools_needed = tools_needed

    def count(self, body):
        self.requests.append(body)
        waiting, tokens, role = [], 3, None
        for message in body["messages"]:
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            if not blocks:
                raise Refusal("messages: content must not be empty")
            answers = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
            if sorted(answers) != sorted(waiting):
                raise Refusal("tool_use and tool_result do not match")
            waiting = [b["id"] for b in blocks if b["type"] == "tool_use"]
            if (waiting or answers) and self._tools_needed and not body.get("tools"):
                raise Refusal("requests with tool_use blocks must define tools")
            tokens += 0 if message["role"] == role else 4
            role = message["role"]
            for block in blocks:
                if block["type"] == "text" and not block["text"].strip():
                    raise Refusal("text content blocks must be non-empty")
                tokens += words({k: v for k, v in block.items() if not k.endswith("id")})
        if waiting:
            raise Refusal("tool_use without tool_result")
        system = body.get("system")
        tokens += words(system) + 5 if system else 0
        tokens += 300 + words(body["tools"]) if body.get("tools") else 0
        return {"input_tokens": tokens}


class OpenAI:
    """Counts items of the Responses API; an output needs its call."""

    path = "/v1/responses/input_tokens"

    def __init__(self):
        self.requests = []

    def count(self, body):
        self.requests.append(body)
        tokens, calls = 3, set()
        for item in body["input"]:
            if item.get("type") == "function_call":
                calls.add(item["call_id"])
                json.loads(item["arguments"])
            elif item.get("type") == "function_call_output" and item["call_id"] not in calls:
                raise Refusal("no tool call found for function call output")
            elif "role" in item and item["role"] not in (
                "user",
                "assistant",
                "system",
                "developer",
            ):
                raise Refusal("no such role")
            for part in item["content"] if isinstance(item.get("content"), list) else ():
                tokens += 700 if part["type"] == "input_image" else 0
            tokens += 4 + words({k: v for k, v in item.items() if not k.endswith("id")})
        tokens += 10 + words(body["tools"]) if body.get("tools") else 0
        return {"object": "response.input_tokens", "input_tokens": tokens}


def transport(provider, failures=()):
    """The provider behind a local HTTP transport; ``failures`` are statuses answered first."""
    left = list(failures)

    def handle(request):
        assert request.url.path == provider.path
        if left:
            return httpx.Response(left.pop(0), json={"error": {"message": "try again"}})
        try:
            return httpx.Response(200, json=provider.count(json.loads(request.content)))
        except Refusal as refusal:
            error = {"type": "invalid_request_error", "message": str(refusal)}
            return httpx.Response(400, json={"type": "error", "error": error})

    return httpx.MockTransport(handle)


def anthropic_client(provider, failures=(), **options):
    anthropic = pytest.importorskip("anthropic", reason="needs the SDK of Anthropic")
    http = httpx.Client(transport=transport(provider, failures))
    return anthropic.Anthropic(api_key="none", http_client=http, **options)


def openai_client(provider, failures=(), **options):
    openai = pytest.importorskip("openai", reason="needs the SDK of OpenAI")
    http = httpx.Client(transport=transport(provider, failures))
    return openai.OpenAI(api_key="none", http_client=http, **options)


class Answer:
    def __init__(self, total_tokens):
        self.total_tokens = total_tokens


class GeminiClient:
    """A stand-in for ``google.genai.Client``; ``vertex`` takes a config, else it is refused."""

    def __init__(self, vertex=False):
        self.models = self
        self.requests = []
        self._vertex = vertex

    def count_tokens(self, *, model, contents, config=None):
        if config and not self._vertex:
            raise ValueError("system_instruction parameter is only supported elsewhere")
        self.requests.append({"contents": contents, "config": config})
        assert all(content["role"] in ("user", "model") for content in contents)
        return Answer(1 + words([c["parts"] for c in contents]) + words(config or {}))
