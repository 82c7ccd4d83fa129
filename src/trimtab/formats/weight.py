"""What of a message costs tokens, in words that every provider's framing understands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Media(NamedTuple):
    """Something that is no text: its data, in base64 or bytes, and the detail asked for.

    The data are empty where they are not at hand. ``kind`` is ``image``, ``document``
    (pages), ``audio``, ``video`` or ``file``.
    """

    kind: str
    data: str | bytes = ""
    detail: str = "auto"


class Call(NamedTuple):
    """A tool call: a text of arguments is tokenised as it is, any other value as its JSON."""

    name: str
    arguments: Any


@dataclass(slots=True)
class Weight:
    """The parts of a message that cost tokens; what they cost is for a framing to say.

    ``role`` is the provider's word for who speaks. ``texts`` are tokenised as they are;
    ``results`` are tool results that stand inside the message, each with parts of its own;
    ``values`` are parts of a kind that the format does not know, judged by their JSON;
    ``hidden`` counts the characters of data that only the provider can read.
    """

    role: str
    texts: list[str] = field(default_factory=list[str])
    name: str | None = None
    calls: tuple[Call, ...] = ()
    results: tuple[Weight, ...] = ()
    reasoning: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    media: tuple[Media, ...] = ()
    hidden: int = 0

    @property
    def plain(self) -> bool:
        """Whether it holds nothing but texts."""
        return not (
            self.name
            or self.calls
            or self.results
            or self.reasoning
            or self.values
            or self.media
            or self.hidden
        )
