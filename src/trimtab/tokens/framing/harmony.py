"""GPT-5 and later, and gpt-oss: the harmony format.

Sources: openai/harmony; published system prompts of GPT-5 for the section of tools; and
120 recorded requests (November 2026). ``<|start|>``, the role, ``<|message|>`` and
``<|end|>`` are the 4 tokens of a message; the assistant's name a channel in 2 more. A call
and its result cost 19 beside names, arguments and content, two messages of 4 among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...formats.weight import Weight
from ..schemas import Tool, read_tools
from .base import Priced
from .functions import grouped, namespace
from .openai_framing import OpenAI, Style

_INTRODUCTION: Final = (
    "# Tools\n\nTools are grouped by namespace where each namespace has one or more tools"
    " defined. By default, the input for each tool call is a JSON object. If the tool schema"
    " has the word 'FREEFORM' input type, you should strictly follow the function"
    " description and instructions for the input format. It should not be JSON unless"
    " explicitly instructed by the function description or system/developer instructions."
    "\n\n"
)
_TO_COMMENTARY: Final = "\nCalls to these tools must go to the commentary channel: 'functions'."

# "# Instructions" stands above the system text once tools follow, in Chat alone.
CHAT: Final = Style(
    primer=2, header=0, addressed=10, together=23, above=3, said=2, silent=6, begun=False
)
RESPONSES: Final = Style(
    primer=2, header=0, addressed=10, together=23, alone=0, said=2, silent=6, begun=False
)
# gpt-oss as the open source renders it: who it is, dates, effort and channels, in 61 tokens.
OSS: Final = Style(primer=63, header=6, addressed=12, together=25, said=2, silent=6, begun=False)


class Harmony(OpenAI):
    """The framing of GPT-5 and later."""

    name = "harmony"

    def __init__(self, images: str, style: Style = CHAT) -> None:
        super().__init__(images, style, _introduced if style is CHAT else grouped)

    def _values(self, weight: Weight) -> list[str]:
        """Tools that a developer's item adds later are introduced in full."""
        if weight.role != "developer":
            return super()._values(weight)
        return [_introduced(read_tools(weight.values))]


class GptOss(OpenAI):
    """The framing of gpt-oss; whoever serves it may add a few tokens (3 to 6 were seen).

    System texts stand below a heading, and tools in the same message.
    """

    name = "gpt-oss"

    def __init__(self, images: str) -> None:
        super().__init__(images, OSS, namespace)

    def message(self, weight: Weight, batch: bool = False) -> Priced:
        overhead, texts = super().message(weight, batch=batch)
        headed = weight.role in ("system", "developer")
        return Priced(overhead + 3 * headed, texts)

    def is_exact(self, weight: Weight) -> bool:
        return False

    def tools(self, tools: Sequence[Tool], choice: Any = None, system: str | None = None) -> Priced:
        overhead, texts = super().tools(tools, choice, system=system)
        return Priced(overhead, [*texts, _TO_COMMENTARY])


def _introduced(tools: Sequence[Tool]) -> str:
    return _INTRODUCTION + grouped(tools)
