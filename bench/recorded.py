"""Recorded requests and the prompt tokens that their provider reported."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from trimtab.counting import Count, count
from trimtab.formats.base import Body
from trimtab.formats.registry import format_named

CORPUS = Path(__file__).parents[1] / ".." / "shared" / "corpus"

# Whole sources are learned from or held out, so that no test's wording is in both.
LEARNED = {"pydantic-ai", "crewAI", "openinference", "openllmetry", "langchaingo"} | {
    "cagent",
    "opentelemetry-python-contrib",
    "openhands",
    "openhands-sdk",
}

# Flags of rows whose request is not known whole: what was billed cannot be told from it.
UNKNOWABLE = {
    "server_tools",
    "external_content",
    "unexplained_difference",
    "tools_from_harness_code",
    "reconstructed_from_harness_log",
    "tool_schemas_unknown",
    "reasoning_items_not_logged",
}


class Row(NamedTuple):
    """One request: its body in its provider's shape and what was reported for it."""

    id: str
    source: str
    turn: int
    provider: str
    model: str
    format: str
    body: dict[str, Any]
    reported: int
    completion: int
    flags: frozenset[str]
    usage: dict[str, Any]

    @property
    def learned(self) -> bool:
        return self.source in LEARNED

    @property
    def family(self) -> str:
        """The maker of the model, whoever serves it."""
        return family_of(self.model)

    @property
    def kind(self) -> str:
        """The most telling content of the request."""
        return kind_of(self.format, self.body, self.flags)

    @property
    def parts(self) -> Body:
        """The parts of its body."""
        return format_named(self.format).body(self.body)

    def count(self) -> Count:
        """What trimtab counts for it."""
        parts = self.parts
        return count(parts.messages, model=self.model, format=self.format, **parts.beside())


def rows(*, unknowable: bool = False) -> Iterator[Row]:
    """All recorded requests, but for those that are not known whole."""
    requests = _requests()
    with gzip.open(CORPUS / "usage.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            request = requests.get(row["id"])
            if request is None or (UNKNOWABLE & set(row["flags"]) and not unknowable):
                continue
            yield Row(
                row["id"],
                row["id"].split("/")[0],
                row["turn"],
                row["provider"],
                _model(row, request),
                row["format"],
                _body(request, row["messages_prefix_len"]),
                row["prompt_tokens"],
                row["completion_tokens"] or 0,
                frozenset(row["flags"]),
                row["usage"],
            )


def _model(row: dict[str, Any], request: dict[str, Any]) -> str:
    name = row["model"] or row["requested_model"] or request.get("model") or ""
    return f"vertex_ai/{name}" if row["provider"] == "google-vertex" else name


@cache
def _requests() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name in ("openai-chat", "anthropic", "openai-responses", "gemini", "usage-requests"):
        with gzip.open(CORPUS / f"{name}.jsonl.gz", "rt") as lines:
            for line in lines:
                request = json.loads(line)
                found[request["id"]] = request
    return found


def _body(request: dict[str, Any], size: int) -> dict[str, Any]:
    key = {"gemini": "contents", "openai-responses": "input"}.get(request["format"], "messages")
    body = {**(request.get("params") or {}), key: request["messages"][:size]}
    for part in ("system", "instructions", "systemInstruction", "tools"):
        if request.get(part):
            body[part] = request[part]
    return body


def family_of(model: str) -> str:
    """The maker of a model, by its name."""
    name = model.lower()
    for family, marks in {
        "claude": ("claude",),
        "gemini": ("gemini",),
        "gpt-oss": ("gpt-oss",),
        "openai": ("gpt-", "o1", "o3", "o4", "chatgpt"),
        "mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral", "pixtral"),
        "deepseek": ("deepseek",),
        "grok": ("grok",),
        "qwen": ("qwen", "qwq"),
        "llama": ("llama",),
        "glm": ("glm",),
        "gemma": ("gemma",),
        "kimi": ("kimi",),
        "sonar": ("sonar",),
    }.items():
        if any(mark in name for mark in marks):
            return family
    return "other"


_PICTURES = ('"image_url"', '"input_image"', '"image"', '"inlineData"', '"inline_data"')
_OTHER_MEDIA = ('"input_audio"', '"input_file"', '"document"', '"fileData"', '"file"')


def kind_of(format: str, body: dict[str, Any], flags: frozenset[str]) -> str:
    """media, response format, calls, tools or text: the first that applies."""
    text = json.dumps(body)
    if "media" in flags or any(mark in text for mark in _PICTURES + _OTHER_MEDIA):
        return "media"
    config = body.get("generationConfig") or {}
    if (
        (body.get("response_format") or {}).get("type", "text") != "text"
        or body.get("output_format")
        or (body.get("output_config") or {}).get("format")
        or ((body.get("text") or {}).get("format") or {}).get("type", "text") != "text"
        or config.get("responseSchema")
        or config.get("responseJsonSchema")
    ):
        return "response format"
    marks = ('"tool_calls": [{', '"tool_use"', '"function_call"', '"functionCall"', '"custom_tool_call"')
    messages = json.dumps(body.get("messages") or body.get("input") or body.get("contents"))
    if any(mark in messages for mark in marks):
        return "calls"
    return "tools" if body.get("tools") or body.get("functions") else "text"
