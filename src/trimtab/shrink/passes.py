"""Passes: what a cut may shrink of the messages that stay, and from when on.

A pass sees every message once, in order and at the latest when room is wanting, and says
which messages have just become *due*: from then on the next cut may shrink them. What it
makes of a message depends on that message alone, so it is the same bytes in every process.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol

from ..formats.base import MODEL, Facts, Format, Message
from ..formats.weight import Weight
from ..handles import handle_of, result_texts
from ..tokens.meter import Meter
from .words import gone_media, seen_again


class Arrival(NamedTuple):
    """A message that has just come: where it stands, its unit, its facts, and its calls by id.

    ``raw`` is the caller's own where ``message`` is an excerpt of it.
    """

    at: int
    unit: int
    message: Message
    facts: Facts
    names: Sequence[str]  #: of the tools whose calls it answers, empty where unknown
    pinned: bool
    raw: Message | None = None


class Pass(Protocol):
    """One way to shrink messages; ``reason`` is its code in the ledger.

    ``spares``: units with pins are left whole.
    """

    reason: str
    spares: bool

    def due(self, arrival: Arrival) -> Iterable[int]:
        """Messages that the next cut may shrink now that this one has come."""
        ...

    def shrunk(self, index: int, message: Message) -> Message:
        """A shallow copy that costs less, or the message itself."""
        ...


class Reasoning:
    """Reasoning that is bound to what stood before it, or that belongs to earlier turns.

    ``held``: what is bound goes only once its turn is over. Of an earlier turn all of it goes,
    and only where that makes the turn cost less.
    """

    reason = "reasoning_removed"
    spares = False

    def __init__(self, format: Format, meter: Meter, *, earlier: bool, held: bool = False) -> None:
        self._format = format
        self._meter = meter
        self._earlier = earlier
        self._waits = earlier or held
        self._turn: list[tuple[int, Message]] = []  # what holds some since the turn began
        self._answering = False  # whether results came since the model spoke

    def due(self, arrival: Arrival) -> Iterable[int]:
        if not self._waits:
            return (arrival.at,) if arrival.facts.thought else ()
        over: list[int] = []
        if arrival.facts.human and not self._goes_on(arrival.facts):
            over, self._turn = self._over(), []
        self._answering = self._goes_on(arrival.facts)
        if self._holds(arrival):
            self._turn.append((arrival.at, arrival.message))
        return over

    def _goes_on(self, facts: Facts) -> bool:
        """Whether a message is of a user's turn that holds results: words there end no tool loop.

        Source: the text of the Anthropic API's refusal, in public reports of 2026.
        """
        merged = self._format.merges and self._answering and facts.role != MODEL
        return bool(facts.answers) or merged

    def _holds(self, arrival: Arrival) -> bool:
        if not self._earlier:
            return arrival.facts.thought
        model = arrival.facts.role == MODEL
        return model and self.shrunk(arrival.at, arrival.message) is not arrival.message

    def _over(self) -> list[int]:
        """The messages of a turn that is over, none where its reasoning costs nothing."""
        if self._earlier:
            price = self._meter.message
            saved = (price(one) - price(self.shrunk(at, one)) for at, one in self._turn)
            if sum(saved) <= 0:
                return []
        return [at for at, _ in self._turn]

    def shrunk(self, index: int, message: Message) -> Message:
        if self._earlier:
            return self._format.without_old_reasoning(message)
        return self._format.without_reasoning(message)


class Media:
    """Pictures, sounds, films and files, but for the newest ones."""

    reason = "media_removed"
    spares = True

    def __init__(self, format: Format, meter: Meter, keep: int) -> None:
        self._format = format
        self._meter = meter
        self._keep = keep
        self._newest: deque[tuple[int, int]] = deque()  # messages that hold some, and how many
        self._count = 0

    def due(self, arrival: Arrival) -> Iterable[int]:
        found = 0 if arrival.pinned else media_in(self._format.weigh(arrival.message))
        if not found or self.shrunk(arrival.at, arrival.message) is arrival.message:
            return
        self._newest.append((arrival.at, found))
        self._count += found
        while self._newest and self._count - self._newest[0][1] >= self._keep:
            index, gone = self._newest.popleft()
            self._count -= gone
            yield index

    def shrunk(self, index: int, message: Message) -> Message:
        made = self._format.without_media(message, gone_media)
        return lesser(self._meter, made, message)


def media_in(weight: Weight) -> int:
    """How many pictures, sounds, films and files a message holds, those in its results too."""
    return len(weight.media) + sum(map(media_in, weight.results))


def lesser(meter: Meter, made: Message, message: Message) -> Message:
    """A copy if it costs less than the message, else the message itself."""
    if made is message or meter.within(made, meter.message(message) - 1) is None:
        return message
    return made


class Repeats:
    """Results of which the very same text came again later, and that hold nothing else."""

    reason = "repeated"
    spares = True

    def __init__(
        self, format: Format, meter: Meter, smallest: int = 200, *, handles: bool = False
    ) -> None:
        self._format = format
        self._meter = meter
        self._smallest = smallest  # characters
        self._handles = handles
        self._raw: dict[int, Message] = {}  # messages as they were before they were excerpted
        self._newest: dict[bytes, tuple[int, int]] = {}  # message and answer, by their digest
        self._older: dict[int, tuple[int, ...]] = {}  # answers that were repeated at first

    def due(self, arrival: Arrival) -> Iterable[int]:
        if arrival.pinned or not self._format.answered(arrival.message):
            return ()
        found: dict[int, list[int]] = {}
        for answer, texts in self._format.results(arrival.message):
            if sum(map(len, texts)) < self._smallest or self._holds_more(arrival.message, answer):
                continue
            if self._handles:
                self._raw[arrival.at] = arrival.message if arrival.raw is None else arrival.raw
            digest = _digest(texts)
            older = self._newest.get(digest)
            if older is not None and older[0] != arrival.at:
                found.setdefault(older[0], []).append(older[1])
            self._newest[digest] = arrival.at, answer
        fresh = [index for index in found if index not in self._older]
        self._older.update((index, tuple(found[index])) for index in fresh)
        return fresh

    def shrunk(self, index: int, message: Message) -> Message:
        made, texts = message, []
        if self._handles:
            texts = result_texts(self._raw[index], self._format)
        for answer in self._older[index]:
            handle = handle_of(texts[answer]) if answer < len(texts) else ""
            made = self._format.cleared(made, answer, seen_again(handle))
        return lesser(self._meter, made, message)

    def _holds_more(self, message: Message, answer: int) -> bool:
        """Whether a result is more than its texts."""
        weight = self._format.weigh(self._format.only_answers(message, [answer]))
        return any(one.media or one.hidden for one in (weight, *weight.results))


def _digest(texts: Sequence[str]) -> bytes:
    made = blake2b(digest_size=16)
    for text in texts:
        made.update(text.encode("utf-8", "surrogatepass"))
        made.update(b"\xff")
    return made.digest()
