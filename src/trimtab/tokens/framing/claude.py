"""Claude: nothing is documented but the price of images; the rest was learned.

Source: recorded requests and what they were billed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...formats.weight import Weight
from ..jsontext import jsontext
from ..media import media_tokens
from ..schemas import Tool
from .base import Priced

_PER_MESSAGE: Final = 7
_PER_CALL: Final = 22
_PER_RESULT: Final = 18
_HIDDEN_CHARS: Final = 4  # characters of redacted reasoning that cost at most one token
_PROMPT: Final = 540  # the instructions that come with tools


class Claude:
    """See the module."""

    name = "claude"
    primer = 3

    def __init__(self, images: str) -> None:
        self._images = images

    def message(self, weight: Weight) -> Priced:
        overhead, texts = self._parts(weight)
        return Priced(overhead + _PER_MESSAGE, texts)

    def _parts(self, weight: Weight) -> Priced:
        if weight.plain:
            return Priced(0, weight.texts)
        texts = [*weight.texts, *weight.reasoning]
        overhead = sum(media_tokens(m, self._images) for m in weight.media)
        for call in weight.calls:
            overhead += _PER_CALL
            texts += [call.name, jsontext(call.arguments)]
        for result in weight.results:
            inner = self._parts(result)
            overhead += _PER_RESULT + inner.overhead
            texts += inner.texts
        for value in weight.values:
            overhead += _PER_RESULT
            texts.append(jsontext(value))
        return Priced(overhead + weight.hidden // _HIDDEN_CHARS, texts)

    def is_exact(self, weight: Weight) -> bool:
        return False

    def system(self, weight: Weight) -> Priced:
        return self.message(weight)

    def tools(self, tools: Sequence[Tool], choice: Any = None) -> Priced:
        return Priced(_PROMPT, [jsontext(tool.value) for tool in tools])

    def response_format(self, wanted: Any) -> Priced:
        return Priced(0, [jsontext(wanted)])
