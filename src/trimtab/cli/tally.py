"""Sums over the messages that ``trimtab count`` has seen: by role, by tool, the largest."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..show.layout import apportion
from .labels import Labels, first_words
from .source import Item

if TYPE_CHECKING:
    from .. import Count
    from ..formats.base import Format

PARTS = {
    "system": "system text",
    "tools": "tool schemas",
    "response_format": "response format",
    "framing": "framing",
}


@dataclass(slots=True)
class Row:
    """A role or a tool: how often it was seen, and its tokens."""

    messages: int = 0
    calls: int = 0
    results: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Large:
    """One of the largest messages. ``line`` is 0 unless the input is JSONL."""

    tokens: int
    line: int
    index: int
    role: str
    tools: tuple[str, ...]
    message: Any
    shape: Format | None = None

    @property
    def words(self) -> str:
        """How the message begins; as unsafe as the input."""
        return first_words(self.message, self.shape)


@dataclass(slots=True)
class Tally:
    """Sums over one conversation, or over all of a JSONL input.

    Its size depends on ``top`` and on how many names there are, not on the input.
    ``tools`` divides the tokens of a message that holds several calls, results or texts
    by the length of each, so the sums stay whole.
    """

    top: int
    conversations: int = 0
    total: int = 0
    exact: bool = True
    parts: Counter[str] = field(default_factory=Counter[str])
    roles: dict[str, Row] = field(default_factory=dict[str, Row])
    tools: dict[str, Row] = field(default_factory=dict[str, Row])
    _heap: list[tuple[tuple[int, int, int], Large]] = field(
        default_factory=list[tuple[tuple[int, int, int], Large]]
    )

    @property
    def messages(self) -> int:
        """How many messages were seen."""
        return sum(row.messages for row in self.roles.values())

    @property
    def largest(self) -> list[Large]:
        """The ``top`` largest messages, largest first; of equal ones the earlier."""
        return [large for _, large in sorted(self._heap, key=lambda e: e[0], reverse=True)]

    def add(self, item: Item, count: Count, shape: Format | None = None) -> None:
        """Add one conversation of the format ``shape``. O(its length + messages · log top)."""
        self.conversations += 1
        self.total += count.total
        self.exact = self.exact and count.exact
        self.parts.update({name: getattr(count, name) for name in PARTS})
        labels = Labels(shape=shape)
        pairs = zip(item.messages, count.by_message, strict=True)
        for index, (message, tokens) in enumerate(pairs):
            self._add(labels, message, tokens, item.line or 0, index)

    def _add(self, labels: Labels, message: Any, tokens: int, line: int, index: int) -> None:
        shares = labels.shares(message)
        role = labels.role(message, shares)
        row = self.roles.setdefault(role, Row())
        row.messages += 1
        row.tokens += tokens
        names = dict.fromkeys(s.tool for s in shares if s.tool is not None)
        for name in names:
            self.tools.setdefault(name, Row()).messages += 1
        for share, part in zip(shares, apportion(tokens, [s.size for s in shares]), strict=True):
            if share.tool is not None:
                row = self.tools[share.tool]
                row.calls += share.kind == "call"
                row.results += share.kind == "result"
                row.tokens += part
        self._push(Large(tokens, line, index, role, tuple(names), message, labels.shape))

    def _push(self, large: Large) -> None:
        entry = ((large.tokens, -large.line, -large.index), large)
        if len(self._heap) < self.top:
            heapq.heappush(self._heap, entry)
        elif self._heap and entry[0] > self._heap[0][0]:
            heapq.heapreplace(self._heap, entry)
