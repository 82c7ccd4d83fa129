"""What a history tells about its cuts, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from .asking import Ask, Said


class Story(Protocol):
    """The cuts of one history, oldest first, as those see it who summarise them."""

    @property
    def keys(self) -> Sequence[str]:
        """For every cut a digest of all that it and the cuts before it took."""
        ...

    def summaries(self, first: int) -> list[str]:
        """The summaries that stood among what the cuts from number ``first`` on took."""
        ...

    def told(self, first: int) -> tuple[Said, ...]:
        """The rest of what they took, in words."""
        ...

    def spares(self, place: int) -> bool:
        """Whether there is room for messages after the first ``place`` cuts, as they were."""
        ...

    def count(self, text: str) -> int:
        """Tokens of a summary."""
        ...

    def shortened(self, text: str, limit: int) -> str:
        """As much of a text as has at most so many tokens."""
        ...


class Recap(NamedTuple):
    """The summary that a request is sent with: the text of the first ``place`` cuts.

    ``spares``: messages of the later cuts stay as they were, as many as fit; ``spared`` is the
    place with which that was so until they did not fit any more. ``notes``: what the caller
    should know.
    """

    text: str | None
    place: int
    spares: bool = False
    spared: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """Something to do that may wait for a store."""

    act: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Rest:
    """Some seconds to wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Beside:
    """Steps that nobody waits for."""

    steps: Generator[Act | Rest | Ask, Any, None]


Step = Act | Rest | Ask | Beside
"""Who runs such steps sends back what an act or a summariser gave, or throws what it raised."""

Steps = Generator[Step, Any, Recap]
