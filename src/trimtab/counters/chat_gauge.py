"""Requests that are counted here, by a renderer of chat messages and a tokeniser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from ..formats.base import Format, Message
from ..tokens.schemas import Tool
from .chat import chat_tool, pieces, say
from .gauge import FILLER, Kind, Piece, Refused

_LONG: Final = "the long words of a longer message with 123 numbers " * 4
_STYLES: Final = (
    "call_{:02d}Zk8vTq2LwXn5Rb7Yc4JmHs",
    "k7Rz2Qw{:02d}",
    "a{:08d}",
    "position{:01d}",
)
"""Call ids as OpenAI writes them, as Mistral's rules allow them, and cheaper ones of those."""

Count = Callable[[Sequence[Any], Sequence[Any] | None, int | None], int]
"""Tokens of chat messages with tools; above the last argument, any number above it.
Raises `Refused`."""


class ChatGauge:
    """A `trimtab.counters.gauge.Gauge` of chat messages. Counting must be quick."""

    thorough = True

    def __init__(self, name: str, count: Count, text: Callable[[str], int]) -> None:
        self.name = name
        self._count = count
        self._count_text = text
        self._heard: dict[str, bool] = {}

    def total(
        self,
        messages: Sequence[Any],
        tools: Sequence[Any] = (),
        choice: Any = None,
        most: int | None = None,
    ) -> int:
        return self._count(messages, tools or None, most)

    def ids(self, calls: int) -> tuple[str, ...]:
        return tuple(self._style.format(at) for at in range(calls))

    def say(self, kind: Kind, text: str = FILLER, ids: Sequence[str] = ()) -> list[Any]:
        return say(kind, text, ids or (self.ids(1) if kind in ("calls", "result") else ()))

    def read(self, message: Message, format: Format) -> list[Piece]:
        weight = format.weigh(message)
        ids = self.ids(max(1, len(weight.calls)))
        found = pieces(weight, self.hears, ids)
        if not self.shows_ids:
            return found
        return [piece._replace(sure=piece.sure and not piece.ids) for piece in found]

    def read_system(self, system: Any, format: Format) -> list[Piece]:
        weight = format.weigh_system(system)
        weight.role = "system"
        return pieces(weight, self.hears, ())

    def tool(self, tool: Tool) -> Any:
        return chat_tool(tool)

    def text(self, text: str) -> int:
        return self._count_text(text)

    def hears(self, role: str) -> bool:
        """Whether the model reads messages of a role, or calls: the longer, the dearer."""
        if role not in self._heard:
            self._heard[role] = self._reads(role, _LONG) > self._reads(role, FILLER) >= 0
        return self._heard[role]

    @cached_property
    def shows_ids(self) -> bool:
        """Whether the model sees call ids, which a weight does not have."""
        return len({self._loop(style) for style in _STYLES} - {-1}) > 1

    @cached_property
    def _style(self) -> str:
        takes_long = self._loop(_STYLES[0]) >= 0 or self._loop(_STYLES[1]) < 0
        return _STYLES[0] if takes_long else _STYLES[1]

    def _loop(self, style: str) -> int:
        ids = [style.format(0)]
        said = [say(kind, FILLER, ids) for kind in ("user", "calls", "result")]
        return self._try([message for messages in said for message in messages])

    def _reads(self, role: str, text: str) -> int:
        user = say("user", FILLER, ())
        if role not in ("calls", "result"):
            return self._try([{"role": role, "content": text}, *user])
        asked, answered = (text, FILLER) if role == "calls" else (FILLER, text)
        ids = self.ids(1)
        return self._try([*user, *say("calls", asked, ids), *say("result", answered, ids)])

    def _try(self, messages: Sequence[Any]) -> int:
        try:
            return self._count(messages, None, None)
        except Refused:
            return -1
