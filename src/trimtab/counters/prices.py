"""What one message costs: the difference that it makes to a whole request.

A chat template, and what a provider does with a request, prices lists of messages. But
a list can only be cut if its messages have prices of their own. So a message is put
into a small valid request, the request is counted, and what is known of the rest is
taken off. Where a message may cost more in one place than in another (reasoning that is
left out of earlier turns, a system text in front), it is counted in several places and
the highest price stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import CounterError
from ..jsontext import jsontext
from ..tokens.memo import Memo, entry_size
from ..tokens.message_key import message_key
from .base_costs import BaseCosts, base_costs, loop_cost
from .gauge import Gauge, Kind, Piece, Refused


class Place(NamedTuple):
    """What stands before and after a message, and what that costs with the primer."""

    before: list[Any]
    after: list[Any]
    known: int


class Prices:
    """Prices of single messages by a gauge, remembered by content.

    ``places`` restricts the places in which a kind is counted, ``margins`` are added to
    the prices of a kind. Both, and ``slack`` on the primer, are found by
    `trimtab.counters.probes`.
    """

    def __init__(self, gauge: Gauge) -> None:
        self.gauge = gauge
        self.places: dict[Kind, list[int]] = {}
        self.margins: dict[Kind, int] = {}
        self.slack = 0
        self._memo = Memo[int](16 << 20)
        self._tool_memo = Memo[tuple[int, bool]](1 << 20)
        self._loops: dict[int, int] = {}

    @cached_property
    def base(self) -> BaseCosts:
        """The costs that everything else is measured against; counted at the first use."""
        try:
            return base_costs(self.gauge)
        except Refused as error:
            raise CounterError(f"{self.gauge.name} refuses a plain conversation") from error

    @property
    def primer(self) -> int:
        """Tokens of a request beside its messages."""
        return max(0, self.base.primer + self.slack)

    def price(self, piece: Piece, most: int | None = None) -> int:
        """Tokens that a piece adds to a request; above ``most``, any number above it."""
        key = self._key(piece)
        known = None if key is None else self._memo.get(key)
        if known is not None:
            return known
        tokens = piece.plus + self.margins.get(piece.kind, 0) + self._measured(piece, most)
        if key is not None and (most is None or tokens <= most):
            self._memo.put(key, tokens, entry_size(key))
        return tokens

    def forget(self) -> None:
        """Forget all prices, for a change of what is added to them."""
        self._memo = Memo[int](16 << 20)

    def in_places(self, piece: Piece, most: int | None = None) -> Iterator[tuple[int, int]]:
        """The number of each place that takes the piece, and its price there."""
        ids = piece.ids or self.gauge.ids(1)
        for number in self.places.get(piece.kind) or self._usual(piece.kind):
            try:
                place = self._place(_PLACES[piece.kind][number], ids)
                messages = [*place.before, *piece.messages, *place.after]
                limit = None if most is None else most + place.known
                yield number, self.gauge.total(messages, most=limit) - place.known
            except Refused:
                continue

    def without_system(self, kind: Kind) -> list[int]:
        """The numbers of the places for a kind that have no system text in them."""
        return [at for at, place in enumerate(_PLACES[kind]) if "s" not in place]

    def tools(self, tools: Sequence[Any], choice: Any = None) -> tuple[int, bool]:
        """Tokens that tools add to a request, and whether every place agrees on it."""
        key = message_key([tools, choice])
        known = None if key is None else self._tool_memo.get(key)
        if known is None:
            known = self._measured_tools(tools, choice)
            if key is not None:
                self._tool_memo.put(key, known, entry_size(key))
        return known

    def _measured_tools(self, tools: Sequence[Any], choice: Any) -> tuple[int, bool]:
        gauge = self.gauge
        u, a = gauge.say("user"), gauge.say("assistant")
        requests = [u]
        if gauge.thorough:
            requests += [gauge.say("system") + u, u + a + u]
            requests += [u + gauge.say("calls") + gauge.say("result")]
        costs: list[int] = []
        for request in requests:
            try:
                costs.append(gauge.total(request, tools, choice) - gauge.total(request))
            except Refused:
                continue
        if not costs:
            return gauge.text(jsontext(list(tools))), False
        return max(0, *costs), len(costs) > 1 and len(set(costs)) == 1

    def _measured(self, piece: Piece, most: int | None) -> int:
        if most is not None:
            most -= piece.plus + self.margins.get(piece.kind, 0)
        found = [tokens for _, tokens in self.in_places(piece, most)]
        return max(0, *found) if found else self._guess(piece)

    def _guess(self, piece: Piece) -> int:
        """A price for what no place takes: a filler's, and all that stands in it."""
        filler = Piece(piece.kind, self.gauge.say(piece.kind, ids=piece.ids), piece.ids)
        framing = max([0, self.base.user, *(tokens for _, tokens in self.in_places(filler))])
        return framing + self.gauge.text(jsontext(piece.messages))

    def _usual(self, kind: Kind) -> Sequence[int]:
        return range(len(_PLACES[kind])) if self.gauge.thorough else (0,)

    def _key(self, piece: Piece) -> bytes | None:
        return message_key([piece.kind, piece.messages, piece.plus])

    def _place(self, pattern: str, ids: tuple[str, ...]) -> Place:
        """A place written as letters, one a filler, with a dot for the message itself."""
        say, base = self.gauge.say, self.base
        sides: tuple[list[Any], list[Any]] = [], []
        side, known = 0, base.primer
        for letter in pattern:
            if letter == ".":
                side = 1
                continue
            kind = _LETTERS[letter]
            sides[side].extend(say(kind, ids=ids) if kind in _PAIRED else say(kind))
            known += self._filler(kind, len(ids))
        return Place(*sides, known)

    def _filler(self, kind: Kind, calls: int) -> int:
        if kind == "calls":
            return self._loop(calls) - calls * self.base.result
        if kind == "result":
            return calls * self.base.result
        if kind == "system":
            return self._system_filler
        return self.base.user if kind == "user" else self.base.assistant

    @cached_property
    def _system_filler(self) -> int:
        """Tokens of a filling system text in front; below 0 where it replaces a longer one."""
        led = self.gauge.total(self.gauge.say("system") + self.gauge.say("user"))
        return led - self.base.primer - self.base.user

    def _loop(self, calls: int) -> int:
        """Tokens of a message of so many filler calls together with their results."""
        known = self._loops.get(calls)
        if known is None:
            base = self.base
            one, turn = base.primer + base.user, base.user + base.assistant
            known = loop_cost(self.gauge, self.gauge.ids(calls), one, turn)
            if known is None:
                raise Refused
            self._loops[calls] = known
        return known


_LETTERS: dict[str, Kind] = {
    "s": "system",
    "u": "user",
    "a": "assistant",
    "c": "calls",
    "r": "result",
}
_PAIRED = ("calls", "result")
_PLACES: dict[Kind, tuple[str, ...]] = {
    "user": (".", "ua.", ".au", "s."),
    "assistant": ("u.u", "ucr.u"),
    "calls": ("u.r", "u.rau"),
    "result": ("uc.", "uc.au"),
    "system": (".u", "ua.u"),
}
