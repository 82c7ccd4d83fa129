"""OpenAI's chat models up to GPT-4.5, and its first reasoning models.

Sources: OpenAI cookbook, "How to count tokens with tiktoken" (3 tokens a message and one
for the role, 3 for the reply; a blank between name and text); the counts published by
openai-chat-tokens; and 420 recorded requests to Chat Completions (November 2026), of which
400 are met to the token where the system text and parallel calls are told.
"""

from __future__ import annotations

from typing import Final

from .functions import namespace
from .openai_framing import OpenAI, Style

# A single call and its result cost 13 tokens beside names, arguments and content, 14 in
# Responses, two messages of 4 among them. Several calls cost 17 beside their JSON.
CHAT: Final = Style(primer=3, header=5, addressed=4, together=17, shaped=4)
RESPONSES: Final = Style(
    primer=3, header=3, addressed=5, together=18, alone=0, silent=1, forced=True
)
# o1 to o4: the reply is begun with one token less, and "# Tools" stands above the tools.
O_SERIES: Final = Style(
    primer=2, header=6, addressed=4, together=17, above=3, shaped=4, begun=False
)
O_SERIES_RESPONSES: Final = Style(
    primer=2, header=4, addressed=5, together=18, alone=0, silent=1, begun=False
)


class ChatML(OpenAI):
    """The framing of GPT-3.5 to GPT-4.5."""

    name = "chatml"

    def __init__(self, images: str, style: Style = CHAT) -> None:
        super().__init__(images, style, namespace)


class OSeries(OpenAI):
    """The framing of o1, o3 and o4-mini."""

    name = "o-series"

    def __init__(self, images: str, style: Style = O_SERIES) -> None:
        super().__init__(images, style, namespace)
