"""Lines of Claude Code whose messages have changed their order, linked one behind the other.

The client reads what leads up to the newest line that nothing follows. So once a message
has moved, every message from there on follows the one before it, and nothing that is no
message is left on one whose line stands behind that of the new end: it would be read as
the end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from .claude_code_chain import Tree, is_turn
from .session import Step


class LineUp:
    """The messages that are left, in their new order.

    ``start`` is the first step from which on each follows the one before it; the number of
    the steps if all are in their old order. ``lines`` are the lines of the old messages.
    """

    def __init__(self, tree: Tree, lines: Sequence[int], steps: Sequence[Step]) -> None:
        self._tree = tree
        self._messages = set(lines)
        self._taken: set[int] = set()
        self.start = self._first(lines, steps)

    def _first(self, lines: Sequence[int], steps: Sequence[Step]) -> int:
        now = {lines[step.index]: at for at, step in enumerate(steps) if step.index >= 0}
        kept = sorted(step.index for step in steps if step.index >= 0)
        pairs = zip(now.items(), kept, strict=True)
        start = next((at for (line, at), index in pairs if line != lines[index]), len(steps))
        if start == len(steps):
            return start
        above, end = self._tree.nearest(now.__contains__), [*now][-1]
        for line, at in reversed(now.items()):
            up = self._tree.parent(line)
            on = None if up is None else above[up]
            if at < start and (line > end or (on is not None and now[on] >= start)):
                start = at
        return start

    def top(self, at: int, gone: Collection[int]) -> int:
        """The line to link for a message: the first of those between it and the one above.

        What stood in front of a message stays there, but for what another has taken along.
        """
        between: list[int] = []
        for up in self._tree.upwards(self._tree.parent(at)):
            if up in self._messages:
                break
            between.append(up)
        else:
            return at  # nothing but what the whole conversation begins with
        if any(up in gone or up in self._taken for up in between):
            return at
        self._taken.update(between)
        return between[-1] if between else at

    def loose(self, end: int | None) -> Iterator[int]:
        """Lines that hang on a message behind the end, and that no message follows."""
        for at, value in self._tree.values.items():
            up = self._tree.parent(at)
            if end is None or up is None or not up > end or up not in self._messages:
                continue
            if at not in self._messages and at not in self._taken and not is_turn(value):
                yield at
