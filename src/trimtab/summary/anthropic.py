"""A summariser by Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .asking import Ask
from .driver import Driver
from .prompt import Prompt


class AnthropicSummariser(Driver):
    """Summaries by the Messages API through the ``anthropic`` SDK.

    ``client`` may be an ``Anthropic`` or an ``AsyncAnthropic`` (or of Bedrock or Vertex);
    without it one is made for each summary. ``options`` go with every request
    (``thinking``, ``extra_body``...). The API wants an output limit: ``max_tokens`` among
    them, else twice what the summary may have and some more, since tokenizers differ and an
    answer that is too long should be seen as such. One that ends there is ``cut``.
    Source: Anthropic's API reference.
    """

    sdk = "anthropic"

    def _create(self, client: Any) -> Any:
        return client.messages.create

    def _own_client(self, retries: Mapping[str, Any]) -> Any:
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(base_url=self._base_url, api_key=self._api_key, **retries)

    def _request(self, prompt: Prompt, ask: Ask) -> Mapping[str, Any]:
        return {
            "model": self.model,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
            "max_tokens": 2 * ask.max_tokens + 512,
        }

    def _text(self, answer: Any) -> str:
        if answer.content is None:
            raise self._odd()
        if answer.stop_reason == "refusal":
            raise self._refused()
        if answer.stop_reason in ("max_tokens", "model_context_window_exceeded"):
            raise self._cut()
        return "".join(block.text for block in answer.content if block.type == "text")
