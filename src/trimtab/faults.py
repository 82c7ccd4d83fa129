"""A broken rule as data: code, index, id, words."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import (
    DuplicateCall,
    DuplicateResult,
    InvalidHistory,
    MisplacedMessage,
    MissingResult,
    OrphanResult,
)

_ERRORS: dict[str, type[InvalidHistory]] = {
    **{
        error.code: error
        for error in (OrphanResult, MissingResult, DuplicateCall, DuplicateResult, MisplacedMessage)
    },
    "not_alternating": MisplacedMessage,
    "no_reply": MisplacedMessage,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken rule of a format.

    ``code`` is stable (see ``docs/faults.md``), ``index`` the position of the message,
    ``id`` the call id involved or None, ``message`` says it in words.
    """

    code: str
    index: int
    id: str | None
    message: str

    def error(self) -> InvalidHistory:
        """The typed error for this fault."""
        where = f"message {self.index}: {self.message}"
        if self.id is not None:
            where += f" (id {self.id[:80]!r})"
        cls = _ERRORS.get(self.code, InvalidHistory)
        return cls(where, index=self.index, id=self.id, code=self.code)
