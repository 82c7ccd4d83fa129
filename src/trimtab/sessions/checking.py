"""Faults of a transcript by line, and a transcript without them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..checking import faults_of
from ..errors import InvalidHistory
from ..faults import Fault
from ..formats.base import Format, Message
from ..formats.registry import format_named
from ..mending import mend
from ..outcome import Repair
from .lines import Line, Lines, joined
from .reading import read_session
from .session import Broken, Session, Step

_DONE = {
    "unreadable_line": ("dropped", "the line was dropped"),
    "malformed": ("dropped", "the line was dropped"),
    "broken_link": ("relinked", "the line was linked to the one before it"),
}


@dataclass(frozen=True, slots=True)
class LineFault(Fault):
    """A fault and the number of the line that has it, counted from 1.

    ``index`` is the position among the session's messages, -1 for a fault of the line
    itself: ``unreadable_line``, ``malformed`` (a line whose message is missing) or
    ``broken_link`` (everything before it is lost to the client).
    """

    line: int


@dataclass(frozen=True, slots=True)
class LineRepair(Repair):
    """One thing that was done, and the number of the line that it was done for."""

    line: int


@dataclass(frozen=True, slots=True)
class RepairedSession:
    """A mended transcript, and what was done to it, in the order of the input's lines."""

    lines: list[Line]
    repairs: list[LineRepair]

    @property
    def data(self) -> bytes:
        """The text of the mended transcript."""
        return joined(self.lines)


def check_session(source: Lines | Session) -> list[LineFault]:
    """The faults of a transcript: of its lines, and of its messages by their format's rules.

    In the order of the lines; empty when it is sound. Raises what `read_session` raises.
    """
    session = _session(source)
    faults = faults_of(session.messages, _format(session))
    found = [LineFault(f.code, f.index, f.id, f.message, session.line_of(f.index)) for f in faults]
    found += [LineFault(b.code, -1, None, b.message, _number(session, b)) for b in session.broken()]
    return sorted(found, key=lambda fault: fault.line)


def repair_session(source: Lines | Session) -> RepairedSession:
    """The transcript with every fault mended; a sound one comes back line for line.

    Lines that nobody can read are dropped, a line whose parent is missing follows the one
    before it, and the messages are mended as `repair` does. Raises `InvalidHistory` for
    what cannot be mended, and what `read_session` raises.
    """
    session = _session(source)
    session, repairs = with_sound_lines(session)
    lines = session.lines
    shape = _format(session)
    if faults_of(session.messages, shape):
        origin, mended = mend(session.messages, shape)
        if left := faults_of(mended, shape):
            raise left[0].error()
        lines = session.rewritten(list(map(Step, origin.index, mended)))
        must_be_read_as(mended, session, lines)
        repairs += [
            LineRepair(r.code, r.index, r.id, r.action, r.message, session.line_of(r.index))
            for r in origin.repairs
        ]
    return RepairedSession(lines, sorted(repairs, key=lambda repair: repair.line))


def with_sound_lines(session: Session) -> tuple[Session, list[LineRepair]]:
    """The session with its lines put right, and what was done; its messages stay broken.

    Raises `InvalidHistory` for lines that cannot be put right.
    """
    repairs = [
        LineRepair(b.code, -1, None, *_DONE[b.code], _number(session, b)) for b in session.broken()
    ]
    if repairs:
        session = type(session)(session.mended())
        for broken in session.broken():
            raise _unmendable(session, broken)
    return session, repairs


def by_line(error: InvalidHistory, session: Session) -> InvalidHistory:
    """The same error, whose words name the line of the message."""
    at, words = error.index, str(error)
    if at is None or not 0 <= at < len(session.places):
        return error
    words = words.replace(f"message {at}:", f"line {session.line_of(at)}:", 1)
    return type(error)(words, index=at, id=error.id, code=error.code)


def must_be_read_as(messages: list[Message], session: Session, lines: list[Line]) -> None:
    """Raise `InvalidHistory` for mended lines that their agent would not read as meant.

    Only a transcript that no client writes, such as one response in two places, is such.
    """
    again = type(session)(lines)
    if left := faults_of(again.messages, _format(session)):
        raise left[0].error()
    if Counter(map(repr, again.messages)) != Counter(map(repr, messages)):
        text = "the lines cannot be linked so that what is mended is read"
        raise InvalidHistory(text, index=-1, id=None, code="broken_link")


def _session(source: Lines | Session) -> Session:
    return source if isinstance(source, Session) else read_session(source)


def _format(session: Session) -> Format:
    return format_named(session.format)


def _number(session: Session, broken: Broken) -> int:
    return session.lines[broken.line].number


def _unmendable(session: Session, broken: Broken) -> InvalidHistory:
    text = f"line {_number(session, broken)}: {broken.message}"
    return InvalidHistory(text, index=-1, id=None, code=broken.code)
