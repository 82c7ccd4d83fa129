"""What a fit took out of its messages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from ..formats.base import MODEL, Format, Message
from ..handles import result_texts, words_of


class _Setup(Protocol):
    @property
    def format(self) -> Format: ...


class _Transcript(Protocol):
    messages: list[Message]


class Fit(Protocol):
    """A `Fitted`, of which the messages before and after and their format are read."""

    messages: list[Message]

    @property
    def setup(self) -> _Setup: ...

    @property
    def source(self) -> Sequence[Message]:
        """The input messages."""
        ...

    @property
    def repairs(self) -> Sequence[object]:
        """What was mended before the fit, empty if nothing."""
        ...

    @property
    def transcript(self) -> _Transcript:
        """The history that was fitted."""
        ...

    @property
    def dropped(self) -> Sequence[int]:
        """Indices of those that are not in the result."""
        ...


class Lost(NamedTuple):
    """One text that is not in the result as it was: where it stood, whose it was."""

    text: str
    role: str | None
    tool: str | None
    place: int | None


def _mended(fitted: Fit) -> Iterator[tuple[None, Message]]:
    """What a repair made of messages, of which a handle may have been made."""
    if fitted.repairs:
        own = set(map(id, fitted.source))
        history = fitted.transcript.messages
        yield from ((None, message) for message in history if id(message) not in own)


def lost(fitted: Fit) -> Iterator[Lost]:
    """The texts of all messages that were dropped or changed, one a result or message.

    Kept messages are the caller's own objects, so nothing is counted or compared. Of a
    message that stays but was changed, what it says is among them only where it calls tools.
    O(messages).
    """
    format = fitted.setup.format
    kept, gone = set(map(id, fitted.messages)), set(fitted.dropped)
    asked: dict[str, str] = {}  # names of the tools by the id of the call
    for index, message in [*enumerate(fitted.source), *_mended(fitted)]:
        facts = format.read(message)
        asked.update(zip(facts.calls, format.call_names(message), strict=False))
        if id(message) in kept:
            continue
        for at, text in enumerate(result_texts(message, format)):
            id_ = facts.answers[at] if at < len(facts.answers) else ""
            if text:
                yield Lost(text, "result", asked.get(id_), index)
        calls = facts.role == MODEL and bool(facts.calls or format.inputs(message))
        if (index in gone or calls) and (words := words_of(message, format)):
            yield Lost(words, "call" if calls else facts.role, None, index)
