"""Which summary a request is sent with: once settled for a cut, it stays.

Two records a cut: the summary of all that went up to it, and the one that was *used*, which
may be an older one. The second is put before anything is sent, and the first to put it wins;
so a summary that comes late changes no prefix that went out, and all workers send the same.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any, Final, TypeVar
from uuid import uuid4

from ..errors import SummaryError
from .asking import Ask, Said, is_blank
from .frame import bare
from .prompt_limit import within
from .settings import Summary
from .story import Act, Recap, Rest, Steps, Story

Result = TypeVar("Result")
Doing = Generator[Act | Rest | Ask, Any, Result]

_FIRST_PAUSE: Final = 0.02  # seconds between looks at what another is making
_LONGEST_PAUSE: Final = 1.0
_SPARED: Final = "what the newest cut took is not in the summary: as much as fits stays as it was"
_DROPPED: Final = "what the newest cut took is not in the summary and is dropped"


class Settling:
    """The way from the cuts of a history to the summary to send."""

    def __init__(self, story: Story, summary: Summary) -> None:
        self._story = story
        self._summary = summary
        self._shelf = summary.shelf
        self._notes: dict[str, None] = {}
        self._claimed: tuple[str, str] | None = None  # key and holder
        self._over = False

    def steps(self) -> Steps:
        """Settle what the newest cut is sent with. Raises `SummaryError` if strict."""
        try:
            recap = yield from self._settled()
        finally:
            self._let_go()
        return recap._replace(notes=tuple(self._notes))

    def ahead(self) -> Doing[None]:
        """Make the summary of the newest cut, and settle nothing. Raises `SummaryError`."""
        try:
            newest = yield from self._newest()
            if newest < len(self._story.keys) and (yield Act(self._claim)):
                yield from self._make(newest)
        finally:
            self._let_go()

    def _settled(self) -> Doing[Recap]:
        story, last = self._story, len(self._story.keys)
        chosen = self._place((yield self._read(used(story.keys[-1]))))
        if chosen is None:
            chosen = yield from self._choose(used(story.keys[-1]))
        if chosen == last or story.spares(chosen):
            return (yield from self._shown(chosen, spares=chosen < last))
        spared, again = chosen, used_again(story.keys[-1])
        chosen = self._place((yield self._read(again)))
        if chosen is None:
            chosen = yield from self._choose(again)
        return (yield from self._shown(chosen, spares=False))._replace(spared=spared)

    def _choose(self, record: str) -> Doing[int]:
        """The newest summary that can be had, put down under ``record``."""
        keys = self._story.keys
        had = yield from self._have(record)
        name = keys[had - 1] if had else ""
        winner = self._place((yield self._put(record, name)))
        if had < len(keys) and not self._story.spares(had):
            yield self._put(used_again(keys[-1]), name)
        return had if winner is None else winner

    def _have(self, record: str) -> Doing[int]:
        """How many cuts the newest summary is of, after trying to make that of all.

        Or of how many cuts another worker put it down under ``record`` meanwhile.
        """
        newest, last = (yield from self._newest()), len(self._story.keys)
        if newest == last:
            return last
        waited, pause = 0.0, _FIRST_PAUSE
        while not (yield Act(self._claim)):
            if (done := (yield from self._done(record))) is not None:
                return done
            if waited >= self._summary.lease:
                self._note("another worker did not finish the summary in time")
                return newest
            yield Rest(pause)
            waited, pause = waited + pause, min(2 * pause, _LONGEST_PAUSE)
        if (done := (yield from self._done(record))) is not None:
            return done
        try:
            yield from self._make(newest)
        except SummaryError as error:
            if error.kind == "nothing":
                return newest
            if self._summary.strict:
                raise
            self._note(f"no new summary ({error.kind}): {error}")
            return newest
        return last

    def _done(self, record: str) -> Doing[int | None]:
        """What another worker has come to, None where there is nothing yet."""
        keys = self._story.keys
        if (yield self._read(summary_of(keys[-1]))) is not None:
            return len(keys)
        return self._place((yield self._read(record)))

    def _newest(self) -> Doing[int]:
        """How many cuts the newest summary in the store is of."""
        keys = self._story.keys
        for place in range(len(keys), 0, -1):
            if (yield self._read(summary_of(keys[place - 1]))) is not None:
                return place
        return 0

    def _make(self, place: int) -> Doing[None]:
        """Have the summary of all cuts made, from that of the first ``place`` on, and keep it."""
        story, most = self._story, self._summary.max_summary_tokens
        older, said = (yield from self._text(place)), story.told(place)
        text = _joined([older or "", *story.summaries(place)])
        if text is not None and self._summary.max_input_tokens is not None:
            text = story.shortened(text, most)  # one of other settings may be as long as it likes
        for part in self._parts(said):
            text = yield from self._asked(text, part)
        text = story.shortened(text or "", most)
        if is_blank(text):
            raise SummaryError(f"{most} tokens leave no room for a summary", kind="no_room")
        yield self._put(summary_of(story.keys[-1]), text)

    def _asked(self, previous: str | None, said: tuple[Said, ...]) -> Doing[str]:
        """One summary of an older one and what was said since."""
        story, most = self._story, self._summary.max_summary_tokens
        ask = Ask(previous, said, most, count=story.count)
        if self._summary.max_input_tokens is not None and said:
            shown = within(ask, self._summary.max_input_tokens)
            if shown.said != said:
                self._note("a long message was shown to the summariser in part")
            ask = shown
        try:
            text = _said((yield ask))
            if (size := story.count(text)) > most:
                with suppress(SummaryError):  # what is too long is better than nothing
                    text = _said((yield ask.again(size)))
        except SummaryError as error:
            verbatim = _joined([previous or "", *map(_spoken, said)]) or ""
            if error.kind != "longer_than_input" or story.count(verbatim) > most:
                raise
            return verbatim
        return story.shortened(text, most)

    def _parts(self, said: tuple[Said, ...]) -> list[tuple[Said, ...]]:
        """What was said in as many requests as the summariser's own limit makes of it."""
        limit = self._summary.max_input_tokens
        if limit is None:
            return [said]
        room, left = limit - self._summary.max_summary_tokens, 0
        parts: list[list[Said]] = []
        for one in said:
            size = min(self._story.count(one.text), room)
            if size > left or not parts:
                parts.append([])
                left = room
            parts[-1].append(one)
            left -= size
        return [tuple(part) for part in parts] or [()]

    def _shown(self, place: int, *, spares: bool) -> Doing[Recap]:
        """What to send: the summary of the first cuts and summaries that stood in the rest."""
        text = yield from self._text(place)
        while place and text is None:
            self._note("a summary that was used before is no longer in the store")
            place -= 1
            text = yield from self._text(place)
        text = _joined([text or "", *self._story.summaries(place)])
        if text is not None:
            text = self._story.shortened(text, self._summary.max_summary_tokens)
        if place < len(self._story.keys):
            self._note(_SPARED if spares else _DROPPED)
        return Recap(text, place, spares)

    def _text(self, place: int) -> Doing[str | None]:
        if not place:
            return None
        return (yield self._read(summary_of(self._story.keys[place - 1])))

    def _place(self, name: str | None) -> int | None:
        """The number of cuts that a record of use stands for, None where it says nothing."""
        if not name:
            return None if name is None else 0
        keys = self._story.keys
        return keys.index(name) + 1 if name in keys else None

    def _note(self, text: str) -> None:
        self._notes[text] = None

    def _read(self, key: str) -> Act:
        return Act(lambda: self._shelf.get(key, self._note))

    def _put(self, key: str, text: str) -> Act:
        return Act(lambda: self._shelf.put(key, text, self._note))

    def _claim(self) -> bool:
        if self._claimed is not None:
            return True
        key, holder = summary_of(self._story.keys[-1]), uuid4().hex
        granted = self._shelf.claim(key, holder, self._summary.lease, self._note)
        if granted:
            self._claimed = key, holder
        if self._over:  # the caller was cancelled while a thread was at it
            self._let_go()
        return granted

    def _let_go(self) -> None:
        self._over = True
        if self._claimed is not None:
            self._shelf.release(*self._claimed, self._note)
            self._claimed = None


def summary_of(key: str) -> str:
    """Where the summary of all that went up to a cut is kept."""
    return f"summary:{key}"


def used(key: str) -> str:
    """Where it is kept which summary went out with a cut."""
    return f"used:{key}"


def used_again(key: str) -> str:
    """The same, once there was no more room for what the summary did not hold."""
    return f"again:{key}"


def _joined(texts: list[str]) -> str | None:
    return "\n\n".join(filter(None, texts)) or None


def _said(answer: str) -> str:
    """What an answer says without a frame of its own."""
    text = bare(answer)
    if is_blank(text):
        raise SummaryError("the answer is the first line of a summary alone", kind="blank")
    return text


def _spoken(said: Said) -> str:
    return f"{said.role}: {said.text}"
