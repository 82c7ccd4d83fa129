"""Old tool results, and the inputs of their calls, give way to lines that say what they were."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final

from ..formats.base import Format, Input, Message
from ..handles import handle_of, result_texts, words_of
from ..jsontext import jsontext
from ..policy import ClearResults
from ..tokens.meter import Meter
from .passes import Arrival
from .words import gone_input, placeholder

CLEARED: Final = "cleared"
_SMALLEST_INPUT: Final = 36  # characters: what stands for an input has no fewer


class _Unit:
    """The calls and the results of one unit."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.results: list[int] = []
        self.calls: dict[int, Sequence[Input]] = {}
        self.answered: set[str] = set()
        self.spared: set[str] = set()  # of calls whose results must stay


class Results:
    """Old tool results, and the inputs of their calls, by the rule of `ClearResults`."""

    reason = CLEARED
    spares = True

    def __init__(
        self, format: Format, meter: Meter, rule: ClearResults, *, handles: bool = False
    ) -> None:
        self._format = format
        self._meter = meter
        self._rule = rule
        self._handles = handles
        self._unit = _Unit(-1)
        self._newest: deque[_Unit] = deque()  # units that hold results
        self._names: dict[int, Sequence[str]] = {}  # of tools, by message
        self._inputs: dict[int, list[int]] = {}  # calls whose inputs may go, by message
        self._raw: dict[int, Message] = {}  # messages as they were before they were excerpted

    def due(self, arrival: Arrival) -> Iterable[int]:
        if arrival.unit != self._unit.number:
            self._unit = _Unit(arrival.unit)
        if not arrival.pinned:
            self._take(arrival)
        old: list[int] = []
        while len(self._newest) > self._rule.keep and self._newest[0] is not self._unit:
            old += self._gone(self._newest.popleft())
        return old

    def _take(self, arrival: Arrival) -> None:
        """Note what the unit under way holds."""
        if self._rule.inputs and (asked := self._format.inputs(arrival.message)):
            self._unit.calls[arrival.at] = asked
            self._know(arrival)
        found = self._format.answered(arrival.message)
        if not found or not self._format.results(arrival.message):
            return
        self._know(arrival)
        self._answer(arrival, found)
        if not self._unit.results:
            self._newest.append(self._unit)
        self._unit.results.append(arrival.at)

    def _know(self, arrival: Arrival) -> None:
        if self._handles:
            self._raw[arrival.at] = arrival.message if arrival.raw is None else arrival.raw

    def _answer(self, arrival: Arrival, found: Sequence[tuple[str, str]]) -> None:
        names = [name or own for (_, own), name in zip_longest(found, arrival.names, fillvalue="")]
        self._names[arrival.at] = names
        for at, (id, _) in enumerate(found):
            failed = self._rule.keep_errors and self._format.failed(arrival.message, at)
            (self._unit.spared if failed else self._unit.answered).add(id)

    def _gone(self, unit: _Unit) -> list[int]:
        """The messages of a unit that is old now."""
        for index, asked in unit.calls.items():
            self._inputs[index] = [
                at
                for at, call in enumerate(asked)
                if call.id in unit.answered - unit.spared and call.name not in self._rule.exclude
            ]
        alone = [index for index in unit.calls if self._inputs[index]]
        return list(dict.fromkeys([*alone, *unit.results]))

    def shrunk(self, index: int, message: Message) -> Message:
        made = self._without_results(index, message)
        for call in self._inputs.get(index, ()):
            made = self._without_input(index, made, call)
        return made

    def _without_results(self, index: int, message: Message) -> Message:
        names = self._names.get(index)
        if names is None:
            return message
        made, handles = message, self._result_handles(index)
        sizes = list(map(len, result_texts(message, self._format)))
        for answer, texts in self._format.results(message):
            name = names[answer] if answer < len(names) else ""
            if name in self._rule.exclude or self._stays(message, answer, texts):
                continue
            handle = handles[answer] if answer < len(handles) else ""
            size = sizes[answer] if answer < len(sizes) else sum(map(len, texts))
            text = placeholder(name, size, handle)
            if self._pays(message, answer, text):
                made = self._format.cleared(made, answer, text)
        return made

    def _stays(self, message: Message, answer: int, texts: Sequence[str]) -> bool:
        """Whether a result is an error that must stay, or tiny."""
        if self._rule.keep_errors and self._format.failed(message, answer):
            return True
        alone = partial(self._format.only_answers, message, [answer])
        if not self._meter.texts_within(texts, self._rule.smallest, alone):
            return False
        weight = self._format.weigh(alone())
        if not any(one.values or one.media for one in (weight, *weight.results)):
            return True
        return self._meter.within(alone(), self._rule.smallest) is not None

    def _pays(self, message: Message, answer: int, text: str) -> bool:
        alone = self._format.only_answers(message, [answer])
        places = self._format.results(alone)
        cleared = self._format.cleared(alone, places[0][0], text) if len(places) == 1 else alone
        return self._meter.within(cleared, self._meter.message(alone) - 1) is not None

    def _without_input(self, index: int, message: Message, call: int) -> Message:
        given = self._format.inputs(message)[call].arguments
        size = len(given if isinstance(given, str) else jsontext(given))
        if size < _SMALLEST_INPUT:
            return message
        handle = ""
        if self._handles:
            handle = handle_of(words_of(self._raw[index], self._format))
        made = self._format.cleared_input(message, call, gone_input(size, handle))
        if made is message:
            return message
        most = self._meter.message(message) - max(1, self._rule.smallest + 1)
        return message if self._meter.within(made, most) is None else made

    def _result_handles(self, index: int) -> list[str]:
        if not self._handles:
            return []
        texts = result_texts(self._raw[index], self._format)
        return [handle_of(text) if text else "" for text in texts]
