"""What OpenAI's models have in common: how messages, calls, tools and formats are wrapped.

One class for all of them; what differs from family to family, and from Chat Completions
to Responses, is a `Style`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...formats.weight import Weight
from ...jsontext import jsontext
from ..media import media_tokens
from ..schemas import Tool
from .base import NOTHING, Priced
from .openai_calls import listed, parallel, single
from .openai_formats import section

_RESULTS: Final = frozenset({"tool", "function"})
# Characters of encrypted reasoning to a token, learned from 6 recorded requests.
_HIDDEN_CHARS: Final = 7


@dataclass(frozen=True, slots=True)
class Style:
    """The tokens that one family and API add. ``message`` is what every message costs.

    ``said`` comes on top for what the assistant says, ``addressed`` for a single call
    beside its names and arguments, ``together`` for several in one message beside their
    JSON, less what their results cost as messages. ``silent`` is what an assistant message
    without any text costs. ``header`` stands above the declarations of tools, ``alone`` is
    for a section that has no system message to stand in, ``above`` for the words above the
    system text once a section follows, and ``shaped`` for a response format without tools.
    ``begun``: a choice of a function begins the reply with its address, which a model that
    thinks first does not let happen; ``forced``: so does ``required`` where there is one tool.
    """

    primer: int
    header: int
    addressed: int
    together: int
    alone: int = 4
    above: int = 0
    shaped: int = 0
    said: int = 0
    message: int = 4
    silent: int = 4
    begun: bool = True
    forced: bool = False


class OpenAI:
    """A framing of OpenAI's; see `Style` for the numbers.

    ``declared`` writes tools. They and response formats are written into the first system
    message, and the results of several calls into one list.
    """

    contextual = True
    thinking = 0
    name: str

    def __init__(
        self, images: str, style: Style, declared: Callable[[Sequence[Tool]], str]
    ) -> None:
        self.primer = style.primer
        self._images = images
        self._style = style
        self._declared = declared
        self._said = style.message + style.said

    def message(self, weight: Weight, batch: bool = False) -> Priced:
        if weight.role == "assistant":
            return self._assistant(weight)
        if weight.role in _RESULTS:
            return self._result(weight, batch)
        if weight.plain:
            return Priced(self._style.message, weight.texts)
        name = [f":{weight.name}"] if weight.name else []
        return self._mixed(weight, self._style.message, [*name, *weight.texts])

    def is_exact(self, weight: Weight) -> bool:
        if weight.role in _RESULTS:
            return False
        if len(weight.texts) > 1 or (weight.role == "assistant" and not any(weight.texts)):
            return False  # recorded requests differ by a token or two
        return weight.plain or not (
            weight.calls
            or weight.results
            or weight.reasoning
            or weight.values
            or weight.media
            or weight.hidden
        )

    def system(self, weight: Weight) -> Priced:
        return self.message(weight)

    def tools(self, tools: Sequence[Tool], choice: Any = None, system: str | None = None) -> Priced:
        style = self._style
        overhead, texts = self._chosen(tools, choice)
        shown = [tool for tool in tools if not _deferred(tool)]
        if not shown:
            return Priced(overhead, texts)
        overhead += style.header + self._placed(system)
        return Priced(overhead, [self._declared(shown), *texts])

    def response_format(
        self, wanted: Any, system: str | None = None, tools: bool = False
    ) -> Priced:
        text = section(wanted)
        if not text:
            return NOTHING
        return Priced(1 if tools else self._style.shaped + self._placed(system), [text])

    def _assistant(self, weight: Weight) -> Priced:
        texts = weight.texts
        if weight.plain:
            return Priced(self._said if any(texts) else self._style.silent, texts)
        if weight.name:
            texts = [f":{weight.name}", *texts]
        if not weight.calls:
            spoken = bool(texts or weight.values)
            return self._mixed(weight, self._said if spoken else 0, texts)
        overhead = self._said if self._style.said and any(texts) else 0
        overhead += self._style.message
        if len(weight.calls) == 1:
            called = single(weight.calls[0])
            overhead += self._style.addressed
        else:
            called = [parallel(weight.calls)]
            overhead += self._style.together - self._style.message * len(weight.calls)
        return self._mixed(weight, overhead, [*texts, *weight.reasoning, *called])

    def _result(self, weight: Weight, batch: bool) -> Priced:
        if not batch and not (weight.values or weight.media or weight.results):
            return Priced(self._style.message, weight.texts)
        texts = [listed("".join(weight.texts))] if batch else weight.texts
        return self._mixed(weight, self._style.message, texts)

    def _mixed(self, weight: Weight, overhead: int, texts: list[str]) -> Priced:
        """Add what any message may hold beside texts and calls.

        Reasoning of earlier turns is dropped by the provider; what is not encrypted counts
        only beside a call that it led to.
        """
        if weight.values:
            texts = [*texts, *self._values(weight)]
        overhead += sum(media_tokens(one, self._images) for one in weight.media)
        for result in weight.results:
            inner = self._result(result, False)
            overhead += inner.overhead
            texts += inner.texts
        return Priced(overhead + weight.hidden // _HIDDEN_CHARS, texts)

    def _values(self, weight: Weight) -> list[str]:
        """What the format did not know, as its JSON."""
        return [*map(jsontext, weight.values)]

    def _placed(self, system: str | None) -> int:
        """Where a section stands: below the system text, or in a message of its own.

        The blank line between them is a token, unless it goes with the punctuation or the
        white space that the text ends in. In Responses a section is no part of a message.
        """
        if system is None or not self._style.alone:
            return self._style.alone
        return self._style.above + (system[-1:].isalnum() or system.endswith("``"))

    def _chosen(self, tools: Sequence[Tool], choice: Any) -> Priced:
        """A ``tool_choice`` that names a function begins the reply with its address."""
        if choice == "none":
            return Priced(1, [])
        name = _named(choice)
        if choice == "required" and self._style.forced and len(tools) == 1:
            name = tools[0].name
        return Priced(4, [f" to=functions.{name}"]) if name and self._style.begun else NOTHING


def _deferred(tool: Tool) -> bool:
    """Whether a tool is unknown to the model until it is searched for, or that search itself.

    What a search by the provider brings in, it bills with the same request.
    """
    value: Any = tool.value
    if not isinstance(value, Mapping):
        return False
    searched = value.get("type") == "tool_search" and value.get("execution") != "client"
    return searched or value.get("defer_loading") is True


def _named(choice: Any) -> str | None:
    if not isinstance(choice, Mapping):
        return None
    inner = choice.get("function")
    name = (inner if isinstance(inner, Mapping) else choice).get("name")
    return name if isinstance(name, str) else None
