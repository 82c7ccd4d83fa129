"""A summariser by any server that speaks OpenAI's Chat Completions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .asking import Ask
from .driver import Driver
from .prompt import Prompt


class OpenAISummariser(Driver):
    """Summaries by Chat Completions through the ``openai`` SDK.

    ``base_url`` is that of OpenAI, vLLM, Ollama, or a gateway; without ``client`` one is made
    for each summary. ``client`` may be an ``OpenAI`` or an ``AsyncOpenAI`` (the latter can
    only be awaited). ``options`` go with every request (``temperature``, ``reasoning_effort``,
    ``max_completion_tokens``...). No output limit is sent by itself: servers disagree on its
    name, and it would count reasoning. An answer that ends at a limit is ``cut``.
    Source: OpenAI's API reference.
    """

    sdk = "openai"

    def _create(self, client: Any) -> Any:
        return client.chat.completions.create

    def _own_client(self, retries: Mapping[str, Any]) -> Any:
        from openai import AsyncOpenAI

        key = self._api_key
        if key is None and self._base_url is not None and "OPENAI_API_KEY" not in os.environ:
            key = "none"  # local servers want none, the SDK does
        return AsyncOpenAI(base_url=self._base_url, api_key=key, **retries)

    def _request(self, prompt: Prompt, ask: Ask) -> Mapping[str, Any]:
        said = [("system", prompt.system), ("user", prompt.user)]
        return {
            "model": self.model,
            "messages": [{"role": role, "content": text} for role, text in said],
        }

    def _text(self, answer: Any) -> str:
        choices = answer.choices
        if choices is None:  # some gateways put an error there, with status 200
            raise self._odd()
        if not choices:
            return ""
        message, reason = choices[0].message, choices[0].finish_reason
        if getattr(message, "refusal", None) or reason == "content_filter":
            raise self._refused()
        if reason == "length":
            raise self._cut()
        return _without_thoughts(message.content or "")


def _without_thoughts(text: str) -> str:
    """The text after the reasoning that open models put in front of it."""
    if text.lstrip().startswith("<think>"):
        return text.rpartition("</think>")[2] if "</think>" in text else ""
    return text
