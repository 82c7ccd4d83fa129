"""Fitting a transcript."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidHistory, InvalidOptions
from ..fitted import Fitted
from ..fitting import fit
from ..setup import Pin, pinning
from .checking import LineRepair, by_line, must_be_read_as, with_sound_lines
from .lines import Line, Lines, joined
from .reading import read_session
from .session import Session
from .usage import times_of


@dataclass(frozen=True)
class FittedSession:
    """A fitted transcript: the session, the fit of its messages, and the lines that are left.

    Lines that need no change are those of the input, byte for byte. ``mended`` are the
    lines that were put right first, as ``on_invalid="repair"`` wants it.
    """

    session: Session
    fitted: Fitted
    lines: list[Line]
    mended: Sequence[LineRepair] = ()

    @property
    def data(self) -> bytes:
        """The text of the new transcript."""
        return joined(self.lines)

    @property
    def warnings(self) -> list[str]:
        """What the caller should know, broken lines included."""
        lines = self.session.lines
        broken = [f"line {lines[b.line].number}: {b.message}" for b in self.session.broken()]
        done = [f"line {repair.line}: {repair.code}: {repair.message}" for repair in self.mended]
        return [*broken, *done, *self.fitted.warnings]

    def to_dict(self) -> dict[str, Any]:
        """The account of the fit as plain data, with the kind and the numbers of lines."""
        size = {"before": len(self.session.lines), "after": len(self.lines)}
        account = {**self.fitted.to_dict(), "warnings": self.warnings}
        return {"session": self.session.kind, "lines": size, **account}


def fit_session(
    source: Lines | Session, budget: int | None = None, *, pin: Pin = (), **options: Any
) -> FittedSession:
    """Fit a transcript so that its agent can resume it.

    ``options`` are those of `fit`, except ``format``. The model is the one that the
    transcript names last, what a Codex transcript tells of its instructions is the system
    text, and the times of its lines are those of the messages, unless given. What the client
    adds to a request of its own is not in a transcript: leave room for it with ``reserve``.
    Pinned are the summary of a compaction and the instructions that stand in the transcript,
    besides ``pin``. With ``on_invalid="repair"`` lines are mended too, as `repair_session`
    does. Raises what `fit` and `read_session` raise; an `InvalidHistory` names the line.
    """
    if "format" in options:
        raise InvalidOptions("a transcript has its own format")
    session = source if isinstance(source, Session) else read_session(source)
    mended: Sequence[LineRepair] = ()
    if options.get("on_invalid") == "repair":
        session, mended = with_sound_lines(session)
    told = {"model": session.model, "system": session.system, "times": times_of(session)}
    options = told | _given(options)
    chosen = pinning(pin, len(session.messages))
    pins = session.pins
    if chosen is not None:
        pins = pins | {at for at, m in enumerate(session.messages) if chosen(at, m)}
    try:
        fitted = fit(session.messages, budget, format=session.format, pin=sorted(pins), **options)
    except InvalidHistory as error:
        raise by_line(error, session) from None
    lines = session.fitted(fitted)
    if fitted.repairs:
        must_be_read_as(fitted.messages, session, lines)
    return FittedSession(session, fitted, lines, mended)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
