"""Models behind an OpenAI-shaped API: what their makers' chat templates add.

Source: the public templates of Llama 3.3, Qwen 3 and 3-Coder, DeepSeek V3.1 and V4, GLM
4.6, Kimi K2, Mistral Small 3.2 and Gemma 3, with each maker's own vocabulary. Of 76
recorded requests 31, of five makers, agree to two tokens; the others show a host's own
prompt, reasoning that is left out again, or media (November 2026). So the numbers are
chosen to err high by a few tokens. Grok's are those of 80 recorded requests: xAI says that
its service adds tokens of its own, and for models that reason it is some 150 to 190.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ...formats.weight import Weight
from ...jsontext import jsontext
from ..media import media_tokens
from ..schemas import Tool
from .base import NOTHING, Priced

_SPACED: Final = json.JSONEncoder(ensure_ascii=False)
_INDENTED: Final = json.JSONEncoder(ensure_ascii=False, indent=4)
_HIDDEN_CHARS: Final = 4


class Template(NamedTuple):
    """What a chat template adds, in tokens.

    ``primer`` is what a request begins and ends with; ``message``, ``call`` and ``result``
    stand around each of their kind; ``prompt`` comes with tools, ``tool`` is around each
    tool's JSON, which has the ``type`` outside its function where ``typed``, and is
    ``indented`` in some. ``schema``: a response format is read too.
    """

    primer: int
    message: int
    prompt: int = 0
    tool: int = 1
    call: int = 0
    result: int = 0
    typed: bool = True
    indented: bool = False
    schema: bool = False


TEMPLATES: Final = MappingProxyType(
    {
        "plain": Template(6, 5, prompt=120, tool=2, call=12, result=6, schema=True),
        "llama": Template(30, 5, prompt=62, tool=2, call=8, result=4, indented=True),
        "llama-3": Template(5, 5, prompt=62, tool=2, call=8, result=4, indented=True),
        "llama-4": Template(5, 5, prompt=650, tool=2, call=20, result=24),
        "qwen": Template(3, 5, prompt=82, call=10, result=5),
        "qwen-coder": Template(3, 5, prompt=202, tool=4, call=13, result=6),
        "deepseek": Template(4, 2, prompt=224, call=27, result=10, typed=False),
        "deepseek-responses": Template(82, 2, prompt=224, call=27, result=10, typed=False),
        "glm": Template(4, 3, prompt=100, call=8, result=3),
        "glm-5": Template(11, 3, prompt=100, call=8, result=3),
        "kimi": Template(12, 4, prompt=8, call=10, result=6),
        "mistral": Template(1, 2, prompt=4, tool=7, call=2, result=2),
        "mistral-reasoning": Template(13, 2, prompt=4, tool=7, call=2, result=2),
        "gemma": Template(5, 5, prompt=30, tool=2, call=12, result=6),
        "grok": Template(190, 1, prompt=80, tool=4, call=14, result=10, schema=True),
        "grok-non-reasoning": Template(1, 1, prompt=116, tool=4, call=12, result=10, schema=True),
        "sonar": Template(0, 0),
    }
)
"""The templates by the name of their framing."""


class Plain:
    """See the module."""

    contextual = False
    thinking = 0

    def __init__(self, name: str, images: str) -> None:
        self.name = name
        self._template = TEMPLATES[name]
        self._images = images
        self.primer = self._template.primer

    def message(self, weight: Weight, batch: bool = False) -> Priced:
        overhead, texts = self._parts(weight)
        return Priced(overhead + self._template.message, texts)

    def _parts(self, weight: Weight) -> Priced:
        template = self._template
        overhead = template.result if weight.role in ("tool", "function") else 0
        if weight.plain:
            return Priced(overhead, weight.texts)
        texts = [*weight.texts, *map(jsontext, weight.values)]
        if weight.calls:  # reasoning that led to an answer, not to calls, is left out again
            texts += weight.reasoning
        overhead += weight.hidden // _HIDDEN_CHARS
        overhead += sum(media_tokens(media, self._images) for media in weight.media)
        if weight.name:
            texts.append(weight.name)
        for call in weight.calls:
            overhead += template.call
            texts += [call.name, _written(call.arguments)]
        for result in weight.results:
            inner = self._parts(result)
            overhead += template.message + inner.overhead
            texts += inner.texts
        return Priced(overhead, texts)

    def is_exact(self, weight: Weight) -> bool:
        return False

    def system(self, weight: Weight) -> Priced:
        return self.message(weight)

    def tools(self, tools: Sequence[Tool], choice: Any = None, system: str | None = None) -> Priced:
        template = self._template
        encoder = _INDENTED if template.indented else _SPACED
        texts = [_encoded(_shape(tool, template.typed), encoder) for tool in tools]
        return Priced(template.prompt + template.tool * len(tools), texts)

    def response_format(
        self, wanted: Any, system: str | None = None, tools: bool = False
    ) -> Priced:
        # Servers hold the answer to the schema; the model does not get to read it.
        return Priced(0, [jsontext(wanted)]) if self._template.schema else NOTHING


def _shape(tool: Tool, typed: bool) -> Any:
    """A tool as templates read it."""
    if tool.kind != "function" or not tool.name:
        return tool.value
    function: Mapping[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.schema is not None:
        function = {**function, "parameters": tool.schema}
    return {"type": "function", "function": function} if typed else function


def _encoded(value: Any, encoder: json.JSONEncoder) -> str:
    try:
        return encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        return jsontext(value)


def _written(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else jsontext(arguments)
