"""A session: the lines of a transcript, and the messages that stand in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import ledger
from ..errors import InvalidOptions
from ..fitted import Fitted
from ..formats.base import Message
from ..outcome import Outcome
from .lines import Line, Path_, with_fields


class Place(NamedTuple):
    """Where a message stands: the index of its line, and the path to it in the line's object."""

    line: int
    path: Path_


@dataclass(frozen=True, slots=True)
class Step:
    """One message of a new history: the message it stands for (-1: none), and the message."""

    index: int
    message: Message


class Broken(NamedTuple):
    """Something wrong with a line itself: a code, the index of the line, and words."""

    code: str
    line: int
    message: str


class Session(ABC):
    """A transcript of an agent, read as the agent itself reads it when it resumes.

    ``kind`` names the agent; ``messages`` are the objects that are sent to the model, in
    the order in which they are sent, in ``format``; ``places`` tells where each stands in
    ``lines``. ``pins`` are the messages that must stay for the session to make sense;
    ``model`` and ``system`` are what the transcript says of the request, None if nothing.
    """

    kind: str
    format: str

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.places: list[Place] = []
        self.messages: list[Message] = []
        self.pins: set[int] = set()
        self.model: str | None = None
        self.system: str | None = None

    def line_of(self, index: int) -> int:
        """The number of the line in which a message stands, counted from 1."""
        return self.lines[self.places[index].line].number

    def fitted(self, fitted: Fitted) -> list[Line]:
        """The lines of the transcript in which a fit of ``messages`` is what is left.

        Lines that need no change are those of the input, byte for byte. Raises
        `InvalidOptions` for a fit of anything else. O(lines).
        """
        source = fitted.source
        if len(source) != len(self.messages) or any(map(_differ, source, self.messages)):
            raise InvalidOptions("this is no fit of the session's messages")
        return self.rewritten(steps_of(fitted))

    @abstractmethod
    def rewritten(self, steps: Sequence[Step]) -> list[Line]:
        """The lines of the transcript in which exactly these messages are left."""

    @abstractmethod
    def broken(self) -> list[Broken]:
        """What is wrong with the lines themselves, in their order."""

    @abstractmethod
    def mended(self) -> list[Line]:
        """The lines with everything put right that `broken` names."""

    def _unreadable(self) -> list[Broken]:
        return [
            Broken("unreadable_line", at, "a line that is no JSON object")
            for at, line in enumerate(self.lines)
            if line.value is None and not line.blank
        ]


def steps_of(fitted: Outcome) -> list[Step]:
    """The messages of a result, and which of the input each of them stands for."""
    index = ledger.kept(fitted)
    if fitted.origin is not None:
        index = [fitted.origin.index[at] for at in index]
    if fitted.insertion is not None:
        at, _, new = fitted.insertion
        index[at:at] = [-1] * len(new)
    return list(map(Step, index, fitted.messages))


class Rewrite:
    """What becomes of the lines: some go, in some a field changes, some are new."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.gone: set[int] = set()
        self._edits: dict[int, list[tuple[Path_, Any]]] = {}
        self._before: dict[int, list[Line]] = {}
        self._behind: dict[int, list[Line]] = {}

    def edit(self, line: int, path: Path_, value: Any) -> None:
        """Replace a field of a line."""
        self._edits.setdefault(line, []).append((path, value))

    def edit_message(self, step: Step) -> None:
        """Replace the fields in which a message differs from the one it stands for."""
        old = self._session.messages[step.index]
        if step.message is old:
            return
        place = self._session.places[step.index]
        for name, value in step.message.items():
            if name not in old or old[name] is not value:
                self.edit(place.line, (*place.path, name), value)

    def before(self, line: int, new: Line) -> None:
        """Put a line in front of a line."""
        self._before.setdefault(line, []).append(new)

    def behind(self, line: int, new: Line) -> None:
        """Put a line behind a line."""
        self._behind.setdefault(line, []).append(new)

    def lines(self) -> list[Line]:
        """The lines that are left."""
        out: list[Line] = []
        for at, line in enumerate(self._session.lines):
            out += self._before.get(at, ())
            if at not in self.gone:
                edits = self._edits.get(at)
                out.append(with_fields(line, edits) if edits else line)
            out += self._behind.get(at, ())
        return out


def _differ(left: object, right: object) -> bool:
    return left is not right
