"""Trying a model's own rules on small conversations, to know where prices add up.

Prices of single messages add up to the price of a list only as far as a template treats
every message by itself. That is tried, never assumed: conversations of awkward texts
are counted whole and compared with the sum of their parts. A sum that is too small is
raised; a sum that differs at all is not called exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from .chat_gauge import ChatGauge
from .gauge import Kind, Piece, Refused
from .prices import Prices

_TEXTS: Final = (
    "x",
    "",
    " led by a space",
    "ended by a line\n",
    "\n\n12 lines 34\n\n",
    "naïve 日本語 🙂",
    "<think>\nfirst thought\n</think>\n\nsaid",
    "a, b; c. 'd' \"e\" (f)",
)
_SPOKEN: Final[tuple[Kind, ...]] = ("user", "assistant", "calls", "result")
_KINDS: Final[tuple[Kind, ...]] = (*_SPOKEN, "system")


class Sums(NamedTuple):
    """For which conversations the prices add up to the whole, as far as was tried."""

    plain: bool
    system: bool
    calls: bool


NOTHING_SURE: Final = Sums(plain=False, system=False, calls=False)


def settle(prices: Prices, gauge: ChatGauge, *, own_system: bool | None) -> Sums:
    """Choose where each kind is priced, and see where the sums are exact.

    ``own_system``: every conversation has a system text, so the primer leaves out what
    the template says in its place; or, if False, none has, so no user's text stands
    behind one. Some 300 small requests.
    """
    if own_system is False:
        prices.places["user"] = prices.without_system("user")
    for kind in _KINDS:
        prices.places[kind] = _dearest(prices, _samples(gauge, kind))
    turns = _turns(gauge)
    plain = _checked(prices, gauge, turns, _SPOKEN)
    loops = _loops(gauge)
    calls = _checked(prices, gauge, loops, ("calls",))
    if own_system:
        prices.slack = -_stand_in(prices, gauge)
    system = _checked(prices, gauge, _led(gauge, [*turns[:16], *loops[:4]]), ("system",))
    heard = gauge.hears("calls") and gauge.hears("result")
    return Sums(plain, plain and system, plain and calls and heard)


def _checked(
    prices: Prices, gauge: ChatGauge, lists: Sequence[list[Piece]], raised: Sequence[Kind]
) -> bool:
    """Whether the conversations cost the sum of their parts; where they cost more, raise it.

    The excess goes on every message of some kinds, since what one list shows may come
    again in a longer one.
    """
    gaps = [gap for parts in lists if (gap := _gap(prices, gauge, parts)) is not None]
    worst = max(gaps, default=0)
    if worst > 0:
        for kind in raised:
            prices.margins[kind] = prices.margins.get(kind, 0) + worst
        prices.forget()
    return bool(gaps) and not any(gaps)


def _samples(gauge: ChatGauge, kind: Kind) -> list[Piece]:
    """Messages of a kind, with every text and every way to hold reasoning."""
    found = [_piece(gauge, kind, text) for text in _TEXTS]
    if kind in ("assistant", "calls"):
        for piece in found[:3]:
            thought = dict.fromkeys(("reasoning_content", "reasoning", "thinking"), "a thought")
            found.append(piece._replace(messages=[{**piece.messages[0], **thought}]))
    return found


def _piece(gauge: ChatGauge, kind: Kind, text: str, calls: int = 1) -> Piece:
    ids = gauge.ids(calls) if kind in ("calls", "result") else ()
    return Piece(kind, gauge.say(kind, text, ids), ids)


def _dearest(prices: Prices, samples: Sequence[Piece]) -> list[int]:
    """The places to price a kind in, so that no other one is ever dearer.

    One is left out where another always costs more, or on every sample the same.
    """
    found: dict[int, dict[int, int]] = {}
    for at, sample in enumerate(samples):
        for number, tokens in prices.in_places(sample):
            found.setdefault(number, {})[at] = tokens
    chosen: list[int] = []
    for number in sorted(found, key=lambda number: -sum(found[number].values())):
        if not any(_covers(found[other], found[number]) for other in chosen):
            chosen.append(number)
    return chosen


def _covers(dear: dict[int, int], cheap: dict[int, int]) -> bool:
    gaps = {dear[at] - tokens if at in dear else -1 for at, tokens in cheap.items()}
    return min(gaps) > 0 or gaps == {0}


def _stand_in(prices: Prices, gauge: ChatGauge) -> int:
    """Tokens of the system text that a template gives where the caller gives none."""
    piece = _piece(gauge, "system", "x")
    try:
        whole = gauge.total([*piece.messages, *gauge.say("user")])
    except Refused:
        return 0
    return prices.base.primer + prices.base.user + prices.price(piece) - whole


def _turns(gauge: ChatGauge) -> list[list[Piece]]:
    """Plain conversations of three to five messages, with every pair of texts."""
    turns: list[list[Piece]] = []
    for one, other in product(_TEXTS, _TEXTS):
        turn = [_piece(gauge, "user", one), _piece(gauge, "assistant", other)]
        turns.append([*(turns[-1][:2] if turns else []), *turn, _piece(gauge, "user", other)])
    return [turns[-1][-1:], *turns]


def _loops(gauge: ChatGauge) -> list[list[Piece]]:
    """Conversations with calls: one and two at a time, answered, and left behind."""
    reply, question = _piece(gauge, "assistant", "x"), _piece(gauge, "user", "x")
    found: list[list[Piece]] = []
    for text in _TEXTS:
        one = [_piece(gauge, "user", text), *_loop(gauge, text, 1)]
        two = [*one, *_loop(gauge, text, 2)]
        again = [*one, *_loop(gauge, text, 1)]
        for parts in (one, again, two):
            found += [parts, [*parts, reply, question], [*parts, question]]
    return found


def _led(gauge: ChatGauge, lists: Sequence[list[Piece]]) -> list[list[Piece]]:
    """Conversations with each a system text in front."""
    return [
        [_piece(gauge, "system", _TEXTS[at % len(_TEXTS)]), *parts]
        for at, parts in enumerate(lists)
    ]


def _loop(gauge: ChatGauge, text: str, calls: int) -> list[Piece]:
    """A message of calls and a result for each."""
    asked = _piece(gauge, "calls", text, calls)
    answers = (Piece("result", gauge.say("result", text, [id]), (id,)) for id in asked.ids)
    return [asked, *answers]


def _gap(prices: Prices, gauge: ChatGauge, parts: Sequence[Piece]) -> int | None:
    """By how much the whole is above the sum of its parts; None where it is refused."""
    messages: list[Any] = [message for piece in parts for message in piece.messages]
    try:
        whole = gauge.total(messages)
    except Refused:
        return None
    return whole - prices.primer - sum(map(prices.price, parts))
