"""Running summaries: what a summariser is asked, its prompt, and ready summarisers."""

from typing import TYPE_CHECKING

from ..lazy import loader

if TYPE_CHECKING:
    from .anthropic import AnthropicSummariser
    from .asking import Ask, Said, Summariser, asummarise, name_of, summarise
    from .extractive import ExtractiveSummariser
    from .openai import OpenAISummariser
    from .settings import Summary

__all__ = [
    "AnthropicSummariser",
    "Ask",
    "ExtractiveSummariser",
    "OpenAISummariser",
    "Said",
    "Summariser",
    "Summary",
    "asummarise",
    "name_of",
    "summarise",
]

__getattr__ = loader(
    __name__,
    {
        "anthropic": ("AnthropicSummariser",),
        "asking": ("Ask", "Said", "Summariser", "asummarise", "name_of", "summarise"),
        "extractive": ("ExtractiveSummariser",),
        "openai": ("OpenAISummariser",),
        "settings": ("Summary",),
    },
)
