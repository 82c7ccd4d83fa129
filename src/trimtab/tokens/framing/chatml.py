"""OpenAI's chat models before GPT-5: three tokens a message and one for the role.

Source: OpenAI cookbook, "How to count tokens with tiktoken".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ...formats.weight import Weight
from ..jsontext import jsontext
from ..media import media_tokens
from ..schemas import Tool
from .base import Priced
from .functions import weigh_functions

_PER_MESSAGE: Final = 4
_PER_CALL: Final = 8  # not documented; chosen to err high


class ChatML:
    """See the module."""

    name = "chatml"
    primer = 3

    def __init__(self, images: str) -> None:
        self._images = images

    def message(self, weight: Weight) -> Priced:
        if weight.plain:
            return Priced(_PER_MESSAGE, weight.texts)
        texts = [*weight.texts, *weight.reasoning]
        overhead = _PER_MESSAGE + sum(media_tokens(m, self._images) for m in weight.media)
        if weight.name:
            overhead += 1
            texts.append(weight.name)
        for call in weight.calls:
            overhead += _PER_CALL
            texts += [call.name, _written(call.arguments)]
        for result in weight.results:
            inner = self.message(result)
            overhead += inner.overhead
            texts += inner.texts
        texts += [jsontext(value) for value in weight.values]
        return Priced(overhead + weight.hidden // 4, texts)

    def is_exact(self, weight: Weight) -> bool:
        return weight.plain

    def system(self, weight: Weight) -> Priced:
        return self.message(weight)

    def tools(self, tools: Sequence[Tool], choice: Any = None) -> Priced:
        return weigh_functions(tools)

    def response_format(self, wanted: Any) -> Priced:
        return Priced(0, [jsontext(wanted)])


def _written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else jsontext(arguments)
