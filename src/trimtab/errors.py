"""Every error Trimtab raises, as one tree; each carries its numbers.

TrimtabError
├── InvalidOptions (ValueError, TypeError)   the arguments make no sense
├── DoesNotFit                               what must stay exceeds the budget
├── InvalidHistory                           the messages break the format's rules
│   ├── OrphanResult                         a result without its call
│   ├── MissingResult                        a call without its result
│   ├── DuplicateCall                        a call id used twice where it must be unique
│   ├── DuplicateResult                      a second result for one call
│   └── MisplacedMessage                     a message where the provider forbids it
├── UnknownFormat                            no format, or more than one, reads these messages
├── CounterError                             a counter failed or contradicted itself
├── SummaryError                             a summariser failed
└── StoreError                               a store failed
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class TrimtabError(Exception):
    """Base of every error that Trimtab raises on purpose."""


class InvalidOptions(TrimtabError, ValueError, TypeError):
    """An argument is of the wrong type, out of range, or contradicts another one."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What the smallest possible result is made of, in tokens."""

    system: int
    tools: int
    framing: int
    reserve: int
    anchors: int
    newest: int
    inserted: int = 0
    calibration: int = 0

    @property
    def total(self) -> int:
        """The smallest budget that would have been enough."""
        return (
            self.system
            + self.tools
            + self.framing
            + self.reserve
            + self.anchors
            + self.newest
            + self.inserted
            + self.calibration
        )


class DoesNotFit(TrimtabError):
    """What must stay is larger than the budget.

    ``needs`` holds the smallest possible result, part by part, and is counted only
    when it is read, since counting it can mean tokenising a very long text.
    ``budget`` is what was allowed, ``newest`` the indices of the newest unit's
    messages, and ``anchors`` those of the other messages that must stay.
    """

    def __init__(
        self,
        budget: int,
        count_needs: Callable[[], Needs],
        *,
        newest: tuple[int, ...] = (),
        anchors: tuple[int, ...] = (),
    ) -> None:
        super().__init__(budget)
        self.budget = budget
        self.newest = newest
        self.anchors = anchors
        self._count_needs: Callable[[], Needs] | None = count_needs
        self._needs: Needs | None = None

    @property
    def needs(self) -> Needs:
        """The parts of the smallest possible result, in tokens (counted on first read)."""
        if self._needs is None:
            assert self._count_needs is not None
            self._needs = self._count_needs()
            self._count_needs = None
        return self._needs

    def __str__(self) -> str:
        n = self.needs
        parts = f"system {n.system}, tools {n.tools}, anchors {n.anchors}, newest unit {n.newest}"
        for name in ("framing", "reserve", "inserted", "calibration"):
            if value := getattr(n, name):
                parts += f", {name} {value}"
        where = f"; the newest unit is messages {_span(self.newest)}" if self.newest else ""
        head = f"does not fit: needs at least {n.total} tokens, of which {parts}"
        return f"{head}; budget {self.budget}{where}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_does_not_fit, (self.budget, self.needs, self.newest, self.anchors))


def _rebuild_does_not_fit(
    budget: int, needs: Needs, newest: tuple[int, ...], anchors: tuple[int, ...]
) -> DoesNotFit:
    return DoesNotFit(budget, lambda: needs, newest=newest, anchors=anchors)


def _span(indices: tuple[int, ...]) -> str:
    if len(indices) == 1:
        return str(indices[0])
    if indices == tuple(range(indices[0], indices[-1] + 1)):
        return f"{indices[0]} to {indices[-1]}"
    return ", ".join(map(str, indices))


class InvalidHistory(TrimtabError):
    """The messages break a rule of their format.

    ``index`` is the position of the offending message, ``id`` the call id involved
    (or None), ``code`` the stable fault code (see ``docs/faults.md``).
    """

    code = "invalid"

    def __init__(
        self,
        message: str,
        *,
        index: int | None = None,
        id: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.index = index
        self.id = id
        if code is not None:
            self.code = code

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_history, (type(self), self.args[0], self.index, self.id, self.code))


def _rebuild_history(
    cls: type[InvalidHistory], message: str, index: int | None, id: str | None, code: str
) -> InvalidHistory:
    return cls(message, index=index, id=id, code=code)


class OrphanResult(InvalidHistory):
    """A tool result whose call does not stand before it."""

    code = "orphan_result"


class MissingResult(InvalidHistory):
    """A tool call that is not answered although the conversation went on."""

    code = "missing_result"


class DuplicateCall(InvalidHistory):
    """A call id that is used twice where the format demands that it is unique."""

    code = "duplicate_call"


class DuplicateResult(InvalidHistory):
    """A second result for a call that has been answered."""

    code = "duplicate_result"


class MisplacedMessage(InvalidHistory):
    """A message, block or result in a place where the format forbids it."""

    code = "misplaced"


class UnknownFormat(TrimtabError):
    """The messages fit no known format, or several; the text lists what was tried."""


class CounterError(TrimtabError):
    """A counter raised, returned something that is no token count, or contradicted itself."""


class SummaryError(TrimtabError):
    """A summariser failed. Its text never holds any of the conversation.

    ``kind`` says how: ``timeout``, ``refused``, ``empty``, ``blank``, ``cut`` (the answer
    ends where it must not), ``longer_than_input``, ``provider``, ``cancelled``, or, without
    any call, ``nothing`` (no text to summarise) and ``no_room`` (the limit is too low).
    """

    def __init__(self, message: str, *, kind: str = "provider") -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_summary, (self.args[0], self.kind))


def _rebuild_summary(message: str, kind: str) -> SummaryError:
    return SummaryError(message, kind=kind)


class StoreError(TrimtabError):
    """A store failed."""
