"""The story of what a transcript's cuts took: keys by content, and words for a summariser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from hashlib import blake2b
from typing import Any

from .core.cover import Cover, Cut
from .core.plan import plan_at
from .folded import Folded
from .formats.base import MODEL, Format, Message
from .formats.weight import Media, Weight
from .handles import result_texts, words_of
from .jsontext import jsontext
from .setup import Setup
from .shrink.excerpt import excerpt
from .summary.asking import Said
from .summary.settings import Summary


class Telling:
    """A `Story`: the cuts of a transcript, and the one that its fold has settled ahead.

    A key digests all that went, as it was last shown, and not what a provider is not told
    (cache markers, ids); every message is digested once.
    """

    def __init__(self, transcript: Folded, summary: Summary, cover: Cover) -> None:
        self._transcript = transcript
        self._cover = cover
        self._digests = [blake2b(summary.key().encode("utf-8", "replace"), digest_size=20)]
        self._ahead: Telling | None = None
        self._spared: dict[tuple[int, int, int], int] = {}
        self._full: dict[tuple[int, int], int] = {}
        self.cuts: list[Cut] = []
        self.keys: list[str] = []

    @property
    def _setup(self) -> Setup:
        return self._transcript.setup

    def follow(self) -> None:
        """Take note of the cuts so far; those that were noted before are not read again."""
        self._follow(self._cover.cuts[len(self.cuts) :])

    def _follow(self, cuts: Iterable[Cut]) -> None:
        for cut in cuts:
            digest = self._digests[-1].copy()
            for index in self._messages([cut]):
                _feed(digest, self._shown(index, cut), self._setup.format)
            self._digests.append(digest)
            self.keys.append(digest.hexdigest())
            self.cuts.append(cut)

    def settled_ahead(self) -> Telling | None:
        """The story as it will be after the cut that the fold has settled, if it has."""
        fold, leads = self._transcript.fold, self._transcript.leads
        if fold is None or fold.planned < 0:
            return None
        units = self._cover.taken(fold.planned, plan_at(fold.planned, leads, 0).anchors)
        ahead = self._ahead
        if units and (ahead is None or ahead.cuts[-1].units != units):
            newest = len(self._transcript.messages) - 1
            self._ahead = None
            ahead = self._ahead = copy(self)
            ahead._digests, ahead.cuts, ahead.keys = [*self._digests], [*self.cuts], [*self.keys]
            cut = Cut(fold.planned, newest, fold.cuts + 1, units, max(self._setup.room, 0))
            ahead._follow([cut])
        return ahead if units else None

    def summaries(self, first: int) -> list[str]:
        recaps = self._transcript.recaps
        return [recaps[at] for at in sorted(self._recaps(first))]

    def told(self, first: int) -> tuple[Said, ...]:
        taken = {at: cut for cut in self.cuts[first:] for at in self._messages([cut])}
        return tuple(said for at in sorted(taken) for said in self._said(at, taken[at]))

    def spares(self, place: int) -> bool:
        """Whether the messages of later cuts still fit, as many as fitted when the newest came.

        Once they did not, they are gone until the next cut.
        """
        newest, mark = self.cuts[-1], self.spared(place)
        if mark == newest.mark or (place, newest.number) in self._full:
            return False
        if self._kept(mark) <= min(newest.room, max(self._setup.room, 0)):
            return True
        self._full[place, newest.number] = self._first_over(newest, mark)
        return False

    def spared(self, place: int) -> int:
        """Where the run starts if only the first ``place`` cuts are summed up.

        The first unit after those cuts, and after summaries that stood among the messages, with
        which all fits that was there at the newest cut.
        """
        newest, key = self.cuts[-1], (place, len(self.cuts), self._transcript.cuts)
        if key not in self._spared:
            unit_of, standing = self._transcript.unit_of, self._transcript.leads.standing
            behind = max((unit_of(at) + 1 for at in self._recaps(place)), default=0)
            floor = max((unit for unit in standing if unit <= newest.mark), default=0)
            first = max(self.cuts[place - 1].mark if place else 0, floor, behind)
            room = newest.room + self._since(newest)
            fits = (mark for mark in range(first, newest.mark) if self._kept(mark) <= room)
            self._spared[key] = next(fits, newest.mark)
        return self._spared[key]

    def full_at(self, place: int) -> int:
        """The message with which what `spared` leaves became too much."""
        return self._full.get((place, self.cuts[-1].number), self.cuts[-1].at)

    def _first_over(self, newest: Cut, mark: int) -> int:
        left = newest.room + self._since(newest) - self._kept(mark)
        for index in range(newest.at + 1, len(self._transcript.messages)):
            left -= self._transcript.cost(index, self._transcript.cuts)
            if left < 0:
                return index
        return len(self._transcript.messages) - 1

    def count(self, text: str) -> int:
        price = self._setup.meter.message
        return sum(map(price, self._setup.recap(text))) - sum(map(price, self._setup.recap("")))

    def shortened(self, text: str, limit: int) -> str:
        return excerpt(text, limit, lambda one, most: self.count(one) <= most)

    def covered(self, place: int, cuts: int) -> set[int]:
        """The messages that a summary of the first ``place`` of so many cuts stands for."""
        return {*self._messages(self.cuts[:place]), *self._recaps(place, cuts)}

    def _recaps(self, first: int, stop: int | None = None) -> set[int]:
        """The messages among those that some cuts took that are summaries."""
        units = {unit for cut in self.cuts[first:stop] for unit in cut.units}
        return {at for at in self._transcript.recaps if self._transcript.unit_of(at) in units}

    def _messages(self, cuts: Iterable[Cut]) -> Iterator[int]:
        for cut in cuts:
            for unit in cut.units:
                yield from self._transcript.span(unit)

    def _shown(self, index: int, cut: Cut) -> Message:
        """A message as it was before a cut."""
        return self._transcript.shown(index, cut.number - 1)

    def _said(self, index: int, cut: Cut) -> Iterator[Said]:
        format = self._setup.format
        if index in self._transcript.recaps:
            return
        message = self._shown(index, cut)
        facts, media = format.read(message), format.weigh(message).media
        words = [words_of(message, format), *(f"[{one.kind}]" for one in media)]
        role = "call" if facts.role == MODEL and facts.calls else facts.role
        if told := "\n".join(filter(None, words)):
            yield Said(role, told)
        yield from (Said("result", text) for text in result_texts(message, format) if text)

    def _kept(self, mark: int) -> int:
        fold = self._transcript.fold
        return 0 if fold is None else fold.total_at(mark)

    def _since(self, cut: Cut) -> int:
        """Tokens of what came after a cut."""
        transcript = self._transcript
        later = range(cut.at + 1, len(transcript.messages))
        return sum(transcript.cost(index, transcript.cuts) for index in later)


def _feed(digest: Any, message: Message, format: Format) -> None:
    """Add to a digest all of a message that is told to somebody."""
    role = format.read(message).role
    digest.update(jsontext([role, _parts(format.weigh(message))]).encode("utf-8", "replace"))
    digest.update(b"\n")


def _parts(weight: Weight) -> list[Any]:
    calls = [[call.name, _written(call.arguments)] for call in weight.calls]
    media = [_media(one) for one in weight.media]
    results = list(map(_parts, weight.results))
    values = list(map(_written, weight.values))
    said = [weight.role, weight.name, weight.texts, list(weight.reasoning), weight.hidden]
    return [*said, calls, media, results, values]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else jsontext(value)


def _media(media: Media) -> list[str]:
    data = media.data
    data = data.encode("utf-8", "replace") if isinstance(data, str) else bytes(data)
    return [media.kind, media.detail, blake2b(data, digest_size=16).hexdigest()]
