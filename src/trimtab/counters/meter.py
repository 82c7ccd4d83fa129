"""The meter of a gauge: whole messages, priced by the difference they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.whole import whole
from ..errors import InvalidOptions
from ..formats.base import Format, Message
from ..jsontext import jsontext
from ..tokens.counter import Counter
from ..tokens.schemas import plain_data, read_tools
from .gauge import Piece
from .prices import Prices
from .probes import NOTHING_SURE, Sums


class GaugeMeter:
    """A `trimtab.tokens.meter.Meter` that takes nothing from a framing.

    ``sums`` says which prices are exact, ``texts`` counts bare texts; without it they
    are counted as messages.
    """

    def __init__(
        self,
        prices: Prices,
        format: Format,
        sums: Sums = NOTHING_SURE,
        texts: Counter | None = None,
    ) -> None:
        self._prices = prices
        self._format = format
        self._sums = sums
        self._texts = texts
        self.exact = sums.plain
        self.label = prices.gauge.name
        self.primer = prices.primer
        self.warnings = ()
        self.thinking = 0
        self.contextual = False

    def message(self, message: Message, batch: bool = False) -> int:
        price = self._prices.price
        return sum([price(piece) for piece in self._read(message)])

    def within(self, message: Message, limit: int, batch: bool = False) -> int | None:
        left = limit
        for piece in self._read(message):
            if left < 0:
                return None
            left -= self._prices.price(piece, left)
        return None if left < 0 else limit - left

    def is_exact(self, message: Message) -> bool:
        return all(map(self._is_sure, self._read(message)))

    def system(self, system: Any) -> int:
        if system is None:
            return 0
        if not isinstance(system, (str, list)):
            return whole(system, "system")
        return sum(map(self._prices.price, self._read_system(system)))

    def tools(self, tools: Any, choice: Any = None, system: str | None = None) -> int:
        if tools is None:
            return 0
        if not isinstance(tools, (list, tuple)):
            return whole(tools, "tools")
        return self._tools(tools, choice)[0]

    def response_format(
        self, response_format: Any, system: str | None = None, tools: bool = False
    ) -> int:
        if response_format is None:
            return 0
        if isinstance(response_format, type):
            raise InvalidOptions("response_format is a schema, not a class; give its JSON schema")
        wanted = plain_data(response_format)
        if isinstance(wanted, Mapping):
            return self._prices.gauge.text(jsontext(wanted))
        return whole(response_format, "response_format")

    def parts_exact(self, system: Any, tools: Any, response_format: Any) -> bool:
        if response_format and not isinstance(response_format, int):
            return False
        if isinstance(system, (str, list)):
            if not all(map(self._is_sure, self._read_system(system))):
                return False
        if isinstance(tools, (list, tuple)):
            return not tools or (self._sums.plain and self._tools(tools, None)[1])
        return True

    def texts_within(self, texts: Sequence[str], limit: int, alone: Callable[[], Message]) -> bool:
        if self._texts is None:
            return self.within(alone(), limit) is not None
        for text in texts:
            count = self._texts.within(text, limit)
            if count is None:
                return False
            limit -= count
        return True

    def text_within(self, text: str, limit: int, message: Callable[[], Message]) -> int | None:
        if self._texts is None:
            return self.within(message(), limit)
        return self._texts.within(text, limit)

    def _read(self, message: Message) -> list[Piece]:
        return self._prices.gauge.read(message, self._format)

    def _read_system(self, system: Any) -> list[Piece]:
        return self._prices.gauge.read_system(system, self._format)

    def _tools(self, tools: Sequence[Any], choice: Any) -> tuple[int, bool]:
        gauge = self._prices.gauge
        read = read_tools(tools)
        if not read:
            return 0, True
        tokens, agreed = self._prices.tools([gauge.tool(tool) for tool in read], choice)
        return tokens, agreed and all(tool.kind == "function" for tool in read)

    def _is_sure(self, piece: Piece) -> bool:
        if not piece.sure:
            return False
        if piece.kind == "system":
            return self._sums.system
        return self._sums.calls if piece.ids else self._sums.plain
