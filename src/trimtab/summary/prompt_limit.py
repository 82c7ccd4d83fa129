"""A prompt within the input limit of a summariser: tool output is shortened first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from ..errors import SummaryError
from .asking import Ask, Said
from .prompt import Prompt, render

_LEFT_OUT: Final = "\n[... {number} characters left out ...]\n"
_LEAST: Final = 96  # characters that a shortened text keeps before whole messages go
_LONGEST: Final = 16  # characters of a token, more than any text has on average
_WORTH: Final = {"assistant": 1, "human": 2}  # what has none is shortened first
_TRIES: Final = 24


def render_within(ask: Ask, limit: int | None) -> Prompt:
    """The prompt of at most ``limit`` tokens, by the request's own count.

    Tool output is shortened first, then the assistant's words, the person's last; head and
    tail stay, and the longest text gives most. Where even short texts are too many, whole
    messages are left out in the same order, oldest first, and the prompt says how many.
    Raises `SummaryError` (``no_room``) where no message would be left.
    """
    if limit is None:
        return render(ask)
    said, gone = _shortened(ask, limit, lambda one, gone: _tokens(one, render(one, gone)))
    return render(replace(ask, said=said), gone)


def within(ask: Ask, limit: int) -> Ask:
    """The request with at most ``limit`` tokens of text to sum up, shortened as above."""
    if ask.is_within(limit):
        return ask
    said, _ = _shortened(ask, limit, lambda one, _: _texts(one))
    return replace(ask, said=said)


def _shortened(
    ask: Ask, limit: int, size_of: Callable[[Ask, Mapping[str, int]], int]
) -> tuple[tuple[Said, ...], Mapping[str, int]]:
    """The messages of a request that is within a limit, and how many of each role are left out."""
    fixed = size_of(replace(ask, said=()), {})
    said = tuple(_clipped(one, _LONGEST * limit) for one in ask.said)
    gone: Mapping[str, int] = {}
    room = sum(len(one.text) for one in said)
    for _ in range(_TRIES):
        if fixed >= limit or not said:
            break
        size = size_of(replace(ask, said=said), gone)
        if size <= limit:
            return said, gone
        # a little less than in proportion, so that few tries are needed
        room = room * (limit - fixed) // (size - fixed) * 31 // 32
        said, gone = _within(ask.said, room)
    raise SummaryError(f"the input limit of {limit} tokens leaves no room", kind="no_room")


def _tokens(ask: Ask, prompt: Prompt) -> int:
    return ask.count(prompt.system) + ask.count(prompt.user)


def _texts(ask: Ask) -> int:
    return sum(map(ask.count, (ask.previous or "", *(one.text for one in ask.said))))


def _within(said: Sequence[Said], room: int) -> tuple[tuple[Said, ...], Counter[str]]:
    """The messages in at most ``room`` characters, and how many of each role went whole."""
    caps = [len(one.text) for one in said]
    over = sum(caps) - room
    by_worth = sorted(range(len(said)), key=lambda i: _WORTH.get(said[i].role, 0))
    for _, group in groupby(by_worth, key=lambda i: _WORTH.get(said[i].role, 0)):
        at = list(group)
        sizes = [caps[i] for i in at]
        cap = max(_LEAST, _level(sizes, sum(sizes) - max(0, over)))
        for i in at:
            over -= max(0, caps[i] - cap)
            caps[i] = min(caps[i], cap)
    gone: Counter[str] = Counter()
    for i in by_worth:
        if over <= 0:
            break
        over -= caps[i]
        caps[i] = 0
        gone[said[i].role] += 1
    kept = (_clipped(one, cap) for one, cap in zip(said, caps, strict=True) if cap)
    return tuple(kept), gone


def _level(sizes: Sequence[int], room: int) -> int:
    """The cap at which the sizes add up to at most ``room``, the small ones whole."""
    left = max(0, room)
    ordered = sorted(sizes)
    for rank, size in enumerate(ordered):
        share = left // (len(ordered) - rank)
        if size > share:
            return share
        left -= size
    return ordered[-1] if ordered else 0


def _clipped(said: Said, size: int) -> Said:
    """Head and tail of a text in about ``size`` characters, with a note of what is between."""
    text = said.text
    if len(text) <= size:
        return said
    note = _LEFT_OUT.format(number=len(text) - size)
    half = max(0, size - len(note)) // 2
    tail = text[len(text) - half :] if half else ""
    return replace(said, text=text[: max(0, size - len(note)) - half] + note + tail)
