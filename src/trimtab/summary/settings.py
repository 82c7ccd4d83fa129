"""How the summaries of a policy are made and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from ..errors import InvalidOptions
from ..stores.base import Store
from .asking import Asked, name_of
from .shelf import Shelf

_RULES: Final = "1"  # how a conversation is told and keyed; part of every key


@dataclass(frozen=True, slots=True)
class Summary:
    """What is dropped lives on in a summary, made once for every message and kept in a store.

    ``summariser``: anything that answers an `Ask` with a text, sync or async (async ones need
    `afit`). ``max_summary_tokens``: what is reserved for the summary; it is told so, asked once
    again if it says more, and then cut. ``max_input_tokens``: the most that the summariser is
    shown at once, more than ``max_summary_tokens``; what is more is told in several requests,
    each with the summary so far, and only a message that is too long alone is shortened.

    ``store``: where summaries are kept; None is the default store (SQLite, see
    ``docs/stores.md``). Workers that share a store send the same bytes.

    ``ahead``: a fraction of the room, above ``Policy.depth``. Where the messages pass it, the
    next cut is settled and its summary is made in the background, so that it is there when the
    cut comes. None: it is made when the cut comes.

    ``lease``: seconds that one worker may take for a summary, and that others wait for it.

    ``strict``: a summary that cannot be made is a `SummaryError`. Otherwise the older summary
    stays, with as many of the messages after it as fit, and `Fitted.warnings` says so; the next
    cut tries again.

    Raises `InvalidOptions` for values out of range.
    """

    summariser: Asked
    max_summary_tokens: int = 1_000
    max_input_tokens: int | None = None
    store: Store | None = None
    ahead: float | None = None
    lease: float = 120.0
    strict: bool = False
    shelf: Shelf = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not callable(self.summariser) and not callable(getattr(self.summariser, "acall", None)):
            raise InvalidOptions("a summariser must be a function of an Ask")
        for name in ("max_summary_tokens", "max_input_tokens"):
            _positive(getattr(self, name), name, none=name == "max_input_tokens")
        if self.max_input_tokens is not None and self.max_input_tokens <= self.max_summary_tokens:
            raise InvalidOptions(
                f"max_input_tokens ({self.max_input_tokens}) must be more than "
                f"max_summary_tokens ({self.max_summary_tokens})"
            )
        if isinstance(self.lease, bool) or not isinstance(self.lease, int | float):
            raise InvalidOptions("lease must be a number of seconds")
        if not 0 < self.lease < float("inf"):
            raise InvalidOptions(f"lease must be more than 0 seconds: {self.lease}")
        if not isinstance(self.strict, bool):
            raise InvalidOptions("strict must be True or False")
        self.threshold()
        object.__setattr__(self, "shelf", Shelf(self.store))

    def threshold(self) -> tuple[int, int] | None:
        """``ahead`` as an exact fraction."""
        if self.ahead is None:
            return None
        if isinstance(self.ahead, bool) or not isinstance(self.ahead, int | float):
            raise InvalidOptions("ahead must be a number")
        if not 0 < self.ahead < 1:
            raise InvalidOptions(f"ahead must be above 0 and below 1: {self.ahead}")
        return Fraction(str(self.ahead)).as_integer_ratio()

    def key(self) -> str:
        """All that makes a summary differ beside the messages."""
        limits = f"{self.max_summary_tokens}/{self.max_input_tokens}"
        return f"{_RULES}/{name_of(self.summariser)}/{limits}"

    def described(self) -> dict[str, Any]:
        """The settings as plain data, with names in place of objects."""
        return {
            "summariser": name_of(self.summariser),
            "max_summary_tokens": self.max_summary_tokens,
            "max_input_tokens": self.max_input_tokens,
            "store": None if self.store is None else type(self.store).__name__,
            "ahead": self.ahead,
            "lease": self.lease,
            "strict": self.strict,
        }


def _positive(value: Any, name: str, *, none: bool) -> None:
    if none and value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidOptions(f"{name} must be a whole number of at least 1")
