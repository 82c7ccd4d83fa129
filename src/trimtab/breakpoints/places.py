"""Which places of a request are worth one of its four marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..formats.base import MODEL, Message
from ..outcome import Outcome
from .services import HOUR, SERVICES, Service, blocks_of, content_of

MOST: Final = 4  # marks that a request may have
LOOKBACK: Final = 20  # blocks before a mark in which an earlier one is looked for


class Breakpoint(NamedTuple):
    """A place behind which the cache is marked.

    ``where`` is "tools", "system" or "messages"; ``message`` the index in the result, ``block``
    that in its content. ``reason`` is ``head`` (what no cut moves), ``frontier`` (what the next cut
    leaves), ``step`` (where the request before ended, more than 20 blocks back), ``end``, or
    ``own`` for a mark of the caller's. ``tokens`` are those up to it, in a fit that counts whole
    messages the ones before its message. ``ttl`` is "1h", or None for five minutes.
    """

    where: str
    message: int | None
    block: int
    reason: str
    tokens: int
    ttl: str | None = None


class Place(NamedTuple):
    """A block of a request, in order: 0 for tools, 1 for system, 2 for messages, and where."""

    part: int
    message: int
    block: int


PARTS: Final = ("tools", "system", "messages")


def breakpoints(
    fitted: Outcome, tools: Sequence[Any] = (), ttl: str | None = None, *, full: bool = False
) -> list[Breakpoint]:
    """The marks of a request, in order, the caller's own among them; none for other providers.

    The caller's own stay and count; of ours are set, as far as four allow, in this order: at the
    end, behind the head, where the next cut would leave the prefix, and where the request before
    this one ended if that is more than 20 blocks back. ``full`` says that one mark is spoken for
    beside all blocks, as by a provider's automatic mode, which marks the end. O(blocks).
    """
    service = SERVICES.get(fitted.setup.format.name)
    if service is None:
        return []
    layout = _Layout(service, tools, fitted.setup.system, fitted.messages)
    own = layout.own()
    room = MOST - len(own) - full
    made: dict[Place, str] = {}
    for place, reason in _wanted(fitted, layout, full=full):
        if place is not None and len(made) < room and place not in own:
            made.setdefault(place, reason)
    sums = _sums(fitted)
    rows: list[Breakpoint] = []
    for place in sorted({*own, *made}):
        lasts = own[place] if place in own else _lasting(place, own, ttl)
        rows.append(
            Breakpoint(
                PARTS[place.part],
                place.message if place.part == 2 else None,
                place.block,
                made.get(place, "own"),
                sums[place.message + 1] if place.part == 2 else sums[0],
                HOUR if lasts == HOUR else None,
            )
        )
    return rows


class _Layout:
    """All blocks of a request."""

    def __init__(
        self, service: Service, tools: Sequence[Any], system: Any, messages: Sequence[Message]
    ) -> None:
        self.service = service
        self.messages = messages
        self.parts = [list(tools) if isinstance(tools, (list, tuple)) else [], blocks_of(system)]

    def blocks(self, message: int) -> Sequence[Any]:
        return blocks_of(content_of(self.messages[message]))

    def own(self) -> dict[Place, str]:
        """The marks that stand there already, and how long they last."""
        found: dict[Place, str] = {}
        for part, blocks in enumerate(self.parts):
            found |= self._own(blocks, part, 0)
        for at in range(len(self.messages)):
            found |= self._own(self.blocks(at), 2, at)
        return found

    def _own(self, blocks: Sequence[Any], part: int, at: int) -> dict[Place, str]:
        marks = ((Place(part, at, n), self.service.ttl(block)) for n, block in enumerate(blocks))
        return {place: ttl for place, ttl in marks if ttl is not None}

    def head(self) -> Place | None:
        """The last block of the system text, else of the tools."""
        for part in (1, 0):
            blocks = self.parts[part]
            for at in range(len(blocks) - 1, -1, -1):
                if part == 0 or self.service.takes(blocks[at]):
                    return Place(part, 0, at)
        return None

    def before(self, stop: int) -> Place | None:
        """The last block before a message that can be marked."""
        for at in range(stop - 1, -1, -1):
            blocks = self.blocks(at)
            for block in range(len(blocks) - 1, -1, -1):
                if self.service.takes(blocks[block]):
                    return Place(2, at, block)
        return None

    def size(self, start: int, stop: int) -> int:
        return sum(len(self.blocks(at)) for at in range(start, stop))


def _wanted(fitted: Outcome, layout: _Layout, *, full: bool) -> Iterator[tuple[Place | None, str]]:
    """The places that are worth a mark, the most useful first."""
    size = len(layout.messages)
    if not full:
        yield layout.before(size), "end"
    frontier = _frontier(fitted)
    yield layout.head() or layout.before(_pinned(fitted)), "head"
    yield layout.before(frontier), "frontier"
    turn = _newest_reply(fitted, size)
    if layout.size(turn, size) >= LOOKBACK:
        yield layout.before(turn), "step"


def _frontier(fitted: Outcome) -> int:
    """The first message of the result that the next cut may change or drop."""
    plan, transcript = fitted.plan, fitted.transcript
    first = transcript.starts[plan.mark] if plan.mark < len(transcript.starts) else fitted.size
    kept = transcript.kept(plan, fitted.size)
    shift = len(fitted.insertion.messages) if fitted.insertion else 0
    at = sum(index < first for index in kept) + shift
    if fitted.setup.policy.summary is not None and fitted.insertion is not None:
        return min(at, fitted.insertion.position)  # a cut makes another summary
    if fitted.setup.policy.clear_results is None:
        return at
    # a clear goes on from the first result that is still whole
    shown = fitted.messages
    while at < len(shown):
        index = kept[at - shift]
        if transcript.facts(index).answers and not transcript.shrunk_by(index, plan.cuts):
            break
        at += 1
    return at


def _pinned(fitted: Outcome) -> int:
    """How many messages at the front of the result no cut moves; what is inserted ends them."""
    transcript = fitted.transcript
    kept, pinned = transcript.kept(fitted.plan, fitted.size), transcript.leads.pinned
    moves = (at for at, index in enumerate(kept) if transcript.unit_of(index) not in pinned)
    stop = fitted.insertion.position if fitted.insertion is not None else len(kept)
    return min(next(moves, len(kept)), stop)


def _newest_reply(fitted: Outcome, size: int) -> int:
    """Where the newest turn of the model begins: there the request before this one ended."""
    read, at = fitted.setup.format.read, size
    while at > 0 and read(fitted.messages[at - 1]).role != MODEL:
        at -= 1
    while at > 0 and read(fitted.messages[at - 1]).role == MODEL:
        at -= 1
    return at


def _lasting(place: Place, own: Mapping[Place, str], asked: str | None) -> str | None:
    """How long a mark lasts: marks of an hour stand before those of five minutes."""
    if any(other < place and ttl != HOUR for other, ttl in own.items()):
        return None
    if any(other > place and ttl == HOUR for other, ttl in own.items()):
        return HOUR
    return asked


def _sums(fitted: Outcome) -> list[int]:
    """Tokens up to each message of the result, the fixed ones without the reserve first."""
    sums = [fitted.fixed - fitted.setup.fixed.reserve]
    for message in fitted.messages:
        sums.append(sums[-1] + fitted.setup.meter.message(message))
    return sums
