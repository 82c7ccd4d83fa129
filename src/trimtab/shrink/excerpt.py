"""Head and tail of an oversize tool result, within a cap, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..formats.base import Format, Message
from ..jsontext import jsontext
from ..tokens.meter import Meter
from .cutting import edge, line_end, line_start, longest, writable
from .fenced import Fences
from .structured import PLACE, json_cutter, json_excerpt
from .values import smaller
from .words import more

_MARK = f"\n[... {{}} characters left out{PLACE} ...]\n"


def excerpt_results(
    message: Message, cap: int, format: Format, meter: Meter, handles: Sequence[str] = ()
) -> Message:
    """The message with every tool result above ``cap`` tokens excerpted.

    The message itself if none is above it, else a shallow copy. Ids, error flags and
    all other fields stay, images too; a part of a result that would lose all its text is
    left out. Data that the provider takes as such stay data, see `smaller`.
    ``handles`` are those of the whole results, which the first marker of each part names.
    """
    for answer, texts in format.results(message):
        alone = partial(format.only_answers, message, [answer])
        if meter.texts_within(texts, cap, alone):
            continue
        whole = format.parts(message, answer)
        parts = [_Part(at, answer, message, format, meter) for at in range(len(whole))]
        handle = handles[answer] if answer < len(handles) else ""
        shorter = _excerpt_parts(whole, cap, parts, handle)
        if any(own is not made for own, made in zip(whole, shorter, strict=True)):
            message = format.with_result(message, answer, shorter)
    return message


class _Part:
    """Measures what may stand for one part of a tool result: a text, or data."""

    def __init__(
        self, at: int, answer: int, message: Message, format: Format, meter: Meter
    ) -> None:
        self._at, self._answer, self._message = at, answer, message
        self._format, self._meter = format, meter

    def within(self, part: Any, limit: int) -> int | None:
        """Tokens of ``part`` in this place if they are at most ``limit``, else None."""

        def alone() -> Message:
            return self._format.only_text(self._message, self._answer, self._at, part)

        return self._meter.text_within(_written(part), limit, alone)

    def fits(self, part: Any, limit: int) -> bool:
        """Whether ``part`` costs at most ``limit`` tokens in this place."""
        return self.within(part, limit) is not None


def _written(part: Any) -> str:
    return part if isinstance(part, str) else jsontext(part)


def _excerpt_parts(
    whole: Sequence[Any], cap: int, parts: Sequence[_Part], handle: str
) -> Sequence[Any]:
    """Share the cap out: short parts stay whole, long ones get equal shares of the rest."""
    sizes: list[int] = []
    for own, part in zip(whole, parts, strict=True):
        size = part.within(own, cap)
        sizes.append(cap + 1 if size is None else size)
    if sum(sizes) <= cap:
        return whole
    shorter = list(whole)
    left = cap
    by_size = sorted(range(len(whole)), key=lambda at: (sizes[at], at))
    for rank, at in enumerate(by_size):
        share = left // (len(by_size) - rank)
        if sizes[at] > share:
            shorter[at] = _excerpt_part(whole[at], share, parts[at].fits, handle)
        left -= min(sizes[at], share)
    return shorter


def _excerpt_part(own: Any, cap: int, fits: Callable[[Any, int], bool], handle: str) -> Any:
    if isinstance(own, str):
        return excerpt(own, cap, fits, handle)
    return smaller(own, lambda made: fits(made, cap), _Cutter().cut, more(handle))


class _Cutter:
    """Cuts texts that stand in data, each to about so many characters."""

    def __init__(self) -> None:
        self._cutters: dict[str, Callable[[int], str]] = {}

    def cut(self, text: str, room: int) -> str:
        """The text in about ``room`` characters, the marker counted."""
        if text not in self._cutters:
            self._cutters[text] = json_cutter(text) or _plain_cutter(text)
        return self._cutters[text](room)


def _plain_cutter(text: str) -> Callable[[int], str]:
    fences, marker = Fences(text), len(_MARK.format(len(text)))
    return lambda room: _head_and_tail(text, max(0, room - marker), fences)


def excerpt(text: str, cap: int, fits: Callable[[str, int], bool], handle: str = "") -> str:
    """Shorten ``text`` so that ``fits(result, cap)``; never longer than ``text``.

    Keeps as much of head and tail as fits, in equal parts of characters, cut at line
    ends where one is near, with a marker between that says how many characters are
    gone. Grapheme clusters are not split, and half a surrogate pair becomes U+FFFD. Fenced
    code keeps its fences closed. An array or object in JSON, or several on lines of their own,
    stays JSON: items from the middle of arrays go, long strings are made shorter, members go
    last, and what is gone is counted (``docs/recall.md``). With a ``handle`` the first marker
    names it.

    Where not even the smallest such text fits, a shorter head alone is kept, at worst the
    empty string. A text within the cap comes back as it is, so doing it twice changes
    nothing. O(length) characters read, O(log result) calls of ``fits``, none on a text much
    longer than the result but the first.
    """
    if fits(text, cap):
        return text

    def shorter(candidate: str) -> bool:
        return len(candidate) <= len(text) and fits(candidate, cap)

    best = json_excerpt(text, shorter, words := more(handle))
    if best is None:
        fences = Fences(text)
        best = longest(len(text), lambda size: _head_and_tail(text, size, fences, words), shorter)
        if not best and fences:
            best = longest(len(text), lambda size: _fenced_head(text, size, fences), shorter)
    return best or longest(len(text), lambda size: _head(text, size), shorter) or ""


def _head(text: str, size: int) -> str:
    """At most ``size`` characters from the head of the text."""
    return writable(text[: edge(text, size)])


def _fenced_head(text: str, size: int, fences: Fences) -> str:
    """A head whose fences are closed."""
    end = fences.before(edge(text, size))
    return writable(text[:end]) + fences.closing(end)


def _head_and_tail(text: str, size: int, fences: Fences, more: str = PLACE) -> str:
    """About ``size`` characters of the text, half from its head and half from its tail."""
    head = fences.before(line_end(text, edge(text, (size + 1) // 2)))
    tail = fences.behind(line_start(text, edge(text, len(text) - size // 2)))
    marker = fences.around(head, tail, _MARK.format(tail - head).replace(PLACE, more))
    return writable(text[:head]) + marker + writable(text[tail:])
