"""Head and tail of an oversize tool result, within a cap, the same bytes every time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import regex

from ..formats.base import Format, Message
from ..tokens.meter import Meter

_MARK = "\n[... {} characters left out ...]\n"
_CLUSTER = regex.compile(r"\X")
_LONE = regex.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_SEARCH = 1_000  # characters in which a place is looked for where a cluster surely begins


def excerpt_results(message: Message, cap: int, format: Format, meter: Meter) -> Message:
    """The message with every tool result above ``cap`` tokens excerpted.

    The message itself if none is above it, else a shallow copy. Ids, error flags and
    all other fields stay, images too; a part of a result that would lose all its text is
    left out.
    """
    for answer, texts in format.results(message):
        alone = partial(format.only_answers, message, [answer])
        if meter.texts_within(texts, cap, alone):
            continue
        parts = [_Part(at, answer, message, format, meter) for at in range(len(texts))]
        shorter = _excerpt_texts(texts, cap, parts)
        if shorter != texts:
            message = format.with_result(message, answer, shorter)
    return message


class _Part:
    """Measures what may stand for one text of a tool result."""

    def __init__(
        self, at: int, answer: int, message: Message, format: Format, meter: Meter
    ) -> None:
        self._at, self._answer, self._message = at, answer, message
        self._format, self._meter = format, meter

    def within(self, text: str, limit: int) -> int | None:
        """Tokens of ``text`` in this place if they are at most ``limit``, else None."""

        def alone() -> Message:
            return self._format.only_text(self._message, self._answer, self._at, text)

        return self._meter.text_within(text, limit, alone)

    def fits(self, text: str, limit: int) -> bool:
        """Whether ``text`` costs at most ``limit`` tokens in this place."""
        return self.within(text, limit) is not None


def _excerpt_texts(texts: list[str], cap: int, parts: list[_Part]) -> list[str]:
    """Share the cap out: short texts stay whole, long ones get equal shares of the rest."""
    sizes: list[int] = []
    for text, part in zip(texts, parts, strict=True):
        size = part.within(text, cap)
        sizes.append(cap + 1 if size is None else size)
    if sum(sizes) <= cap:
        return texts
    shorter = list(texts)
    left = cap
    by_size = sorted(range(len(texts)), key=lambda at: (sizes[at], at))
    for rank, at in enumerate(by_size):
        share = left // (len(by_size) - rank)
        if sizes[at] > share:
            shorter[at] = excerpt(texts[at], share, parts[at].fits)
        left -= min(sizes[at], share)
    return shorter


def excerpt(text: str, cap: int, fits: Callable[[str, int], bool]) -> str:
    """Shorten ``text`` so that ``fits(result, cap)``.

    Keeps as much of head and tail as fits, in equal parts of characters, cut at line
    ends where one is near, with a marker between that says how many characters are
    gone. Grapheme clusters are not split, and half a surrogate pair becomes U+FFFD. Where
    not even the marker fits, a shorter head alone is kept, at worst the empty string. A text
    within the cap comes back as it is, so doing it twice changes nothing. O(log n) calls
    of ``fits``, none on a text much longer than the result but the first.
    """
    if fits(text, cap):
        return text
    for cut in (_head_and_tail, _head):
        best = _longest(text, cut, lambda candidate: fits(candidate, cap))
        if best:
            return best
    return ""


def _longest(text: str, cut: Callable[[str, int], str], fits: Callable[[str], bool]) -> str | None:
    """The longest cut of the text that fits: doubling, then bisection."""
    best, low, high = None, 0, 1
    while high < len(text) and fits(candidate := cut(text, high)):
        best, low, high = candidate, high, 2 * high
    high = min(high, len(text)) - 1
    if best is None:
        high, low = 0, -1
    while low < high:
        middle = (low + high + 1) // 2
        candidate = cut(text, middle)
        if fits(candidate):
            best, low = candidate, middle
        else:
            high = middle - 1
    return best


def _head(text: str, size: int) -> str:
    """At most ``size`` characters from the head of the text."""
    return _writable(text[: _edge(text, size)])


def _head_and_tail(text: str, size: int) -> str:
    """About ``size`` characters of the text, half from its head and half from its tail."""
    head = _line_end(text, _edge(text, (size + 1) // 2))
    tail = _line_start(text, _edge(text, len(text) - size // 2))
    return _writable(text[:head]) + _MARK.format(tail - head) + _writable(text[tail:])


def _writable(text: str) -> str:
    """The text with every surrogate that stands alone replaced, since UTF-8 cannot hold one."""
    return text if text.isascii() else _LONE.sub("\ufffd", text)


def _line_end(text: str, at: int) -> int:
    """The end of the last whole line before ``at``, if it costs less than a quarter of the head."""
    end = text.rfind("\n", 0, at)
    return end if end >= at - at // 4 and end > 0 else at


def _line_start(text: str, at: int) -> int:
    """The start of the next line after ``at``, if it costs less than a quarter of the tail."""
    start = text.find("\n", at)
    return start + 1 if 0 <= start < at + (len(text) - at) // 4 else at


def _edge(text: str, at: int) -> int:
    """The last place at or before ``at`` where no grapheme cluster is split."""
    if not 0 < at < len(text):
        return at
    start = at
    while start and at - start < _SEARCH and not text[start].isascii():
        start -= 1
    end = start
    for cluster in _CLUSTER.finditer(text, start):
        if cluster.end() > at:
            break
        end = cluster.end()
    halves = "\ud800" <= text[end - 1] <= "\udbff" and "\udc00" <= text[end] <= "\udfff"
    return end - 1 if halves else end
