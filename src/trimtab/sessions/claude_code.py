"""Transcripts of Claude Code: Anthropic messages in lines that a tree holds together.

Every line of the conversation that holds a message is a message of its own, since the API
takes neighbours of one role as one turn. What hangs on a dropped line (progress, hooks,
attachments, abandoned branches) goes with it; a kept line whose parent is gone follows the
next line up that is left, for the client reads nothing before a line without a parent.
Lines that are no part of the tree, subagents and what was before a compaction stay as
they are. A compaction's summary stands for all before it, so it is pinned.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from .claude_code_chain import (
    Tree,
    as_sent,
    is_aside,
    is_linked,
    is_spoken,
    is_turn,
    parent_of,
    response_of,
)
from .claude_code_line_up import LineUp
from .lines import Line, new_line, with_fields
from .session import Broken, Place, Rewrite, Session, Step

_SHARED: Final = ("userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug")
_OURS: Final = uuid.UUID("6d0f5fb3-5a5c-5d0c-9a37-6f6f1f0b8d11")
_PARENT: Final = ("parentUuid",)


class ClaudeCodeSession(Session):
    """See the module."""

    kind = "claude-code"
    format = "anthropic"

    def __init__(self, lines: list[Line]) -> None:
        super().__init__(lines)
        self._tree = Tree(lines)
        self.chain = self._tree.chain()  #: the conversation's lines, oldest first
        values = self._tree.values
        side = bool(self.chain and values[self.chain[-1]].get("isSidechain"))
        spoken = [at for at in self.chain if is_spoken(values[at])]
        spoken = [at for at in spoken if bool(values[at].get("isSidechain")) == side]
        for at in as_sent(self._tree, spoken):
            message = values[at]["message"]
            if values[at].get("isCompactSummary"):
                self.pins.add(len(self.messages))
            self.places.append(Place(at, ("message",)))
            self.messages.append(message)
            if response_of(values[at]) and _is_model(message.get("model")):
                self.model = message["model"]

    def rewritten(self, steps: Sequence[Step]) -> list[Line]:
        rewrite = Rewrite(self)
        kept = {self.places[step.index].line for step in steps if step.index >= 0}
        rewrite.gone |= self._hanging({place.line for place in self.places} - kept)
        rewrite.gone |= {at for at, newer in self._tree.shadowed.items() if newer in rewrite.gone}
        for step in steps:
            if step.index >= 0:
                rewrite.edit_message(step)
        end = self._link(steps, rewrite)
        if end is None and self.chain and self.chain[-1] in rewrite.gone:
            end = next((at for at in reversed(self.chain) if at in kept), None)
        if end is not None:
            rewrite.gone |= self._rivals(end)
        return rewrite.lines()

    def broken(self) -> list[Broken]:
        found = self._unreadable()
        for at in self.chain:
            value = self._tree.values[at]
            if is_turn(value) and not is_spoken(value):
                found.append(Broken("malformed", at, "a line without a message"))
        if self._cut_off() is not None:
            text = "its parentUuid names no line, so that all before it is lost"
            found.append(Broken("broken_link", self.chain[0], text))
        return sorted(found, key=lambda fault: fault.line)

    def mended(self) -> list[Line]:
        """The lines without those that nobody can read, all linked to what was before them."""
        bad = {fault.line for fault in self.broken() if fault.code != "broken_link"}
        lines, before = list(self.lines), self._cut_off()
        left = self._tree.nearest(lambda at: at not in bad)
        for at in self._tree.values:
            parent = self._parent_left(at, left)
            if before is not None and at == self.chain[0]:
                parent = self._tree.values[before]["uuid"]
            if parent != self._tree.values[at].get("parentUuid"):
                lines[at] = with_fields(lines[at], [(_PARENT, parent)])
        return [line for at, line in enumerate(lines) if at not in bad]

    def _cut_off(self) -> int | None:
        """The line before the first one of the conversation, if that has lost its parent."""
        values = self._tree.values
        if not self.chain or parent_of(values[self.chain[0]]) is None:
            return None
        root = self.chain[0]
        if self._tree.parent(root) is not None:
            return None  # a circle
        side = values[root].get("isSidechain")
        under = self._tree.nearest(root.__eq__)
        earlier = (at for at in reversed(values) if at < root and under[at] is None)
        return next((at for at in earlier if values[at].get("isSidechain") == side), None)

    def _hanging(self, dropped: set[int]) -> set[int]:
        """Dropped lines and all that hang on them and are no message of the conversation."""
        messages = {place.line for place in self.places}
        on = self._tree.nearest(messages.__contains__)
        return {at for at, message in on.items() if message in dropped}

    def _rivals(self, end: int) -> set[int]:
        """Abandoned branches that would be read in place of a conversation with a new end."""
        values, on = self._tree.values, set(self.chain)
        hangs_on = self._tree.nearest(on.__contains__)
        spoken = self._tree.nearest(lambda at: is_turn(values[at]))
        rivals = {
            at
            for at, value in values.items()
            if at not in on and is_turn(value)
            if hangs_on[at] == end or (at > end and not is_aside(value))
        }
        return {at for at, turn in spoken.items() if turn in rivals}

    def _link(self, steps: Sequence[Step], rewrite: Rewrite) -> int | None:
        """Let every message that is left follow one that is left.

        Returns the line of the last one if they are not in their old order, else None.
        """
        line_up = LineUp(self._tree, [place.line for place in self.places], steps)
        left = self._tree.nearest(lambda at: at not in rewrite.gone)
        last: int | None = None
        new: list[Step] = []
        for number, step in enumerate(steps):
            if step.index < 0:
                new.append(step)
                continue
            at = top = self.places[step.index].line
            if number < line_up.start:
                parent = self._parent_left(at, left)
            else:
                top = line_up.top(at, rewrite.gone)
                parent = self._head(left) if last is None else self._tree.values[last]["uuid"]
            for line in self._new_lines(new, at, parent):
                rewrite.before(at, line)
                parent = line.value["uuid"] if line.value else parent
            new = []
            self._follow(top, parent, rewrite)
            last = at
        end: str | None = None
        if last is not None:
            end = self._tree.values[last]["uuid"]
            for line in self._new_lines(new, last, end):
                rewrite.behind(last, line)
                end = line.value["uuid"] if line.value else end
        if line_up.start == len(steps):
            return None
        for at in line_up.loose(last):
            self._follow(at, end, rewrite)
        return last

    def _head(self, left: Mapping[int, int | None]) -> str | None:
        """What the very first message followed, which is no message itself."""
        first = self.places[0].line
        return self._parent_left(first, left)

    def _follow(self, at: int, parent: str | None, rewrite: Rewrite) -> None:
        if self._tree.values[at].get("parentUuid") != parent:
            rewrite.edit(at, _PARENT, parent)

    def _parent_left(self, at: int, left: Mapping[int, int | None]) -> str | None:
        """The ``uuid`` of the nearest line up that is left; what stands there if there is none."""
        parent = self._tree.parent(at)
        if parent is None:
            return self._tree.values[at].get("parentUuid")
        up = left[parent]
        return None if up is None else self._tree.values[up]["uuid"]

    def _new_lines(self, steps: Sequence[Step], at: int, parent: str | None) -> list[Line]:
        """Lines for new messages, one following the other, made up like the line ``at``."""
        near, lines = self._tree.values[at], list[Line]()
        for number, step in enumerate(steps):
            name = f"{near.get('sessionId')}/{near['uuid']}/{number}/{step.message!r}"
            own = str(uuid.uuid5(_OURS, name))
            lines.append(new_line(_envelope(near, step.message, own, parent)))
            parent = own
        return lines


def recognises(value: dict[str, Any]) -> bool:
    """Whether a line can only be one of Claude Code."""
    return is_linked(value) and "parentUuid" in value


def _envelope(near: dict[str, Any], message: Any, own: str, parent: str | None) -> dict[str, Any]:
    """A line for a new message; a text is not the user's, so it is not shown as theirs."""
    told = isinstance(message.get("content"), str)
    return {
        "parentUuid": parent,
        "isSidechain": bool(near.get("isSidechain")),
        **{name: near[name] for name in _SHARED if name in near},
        "type": message.get("role"),
        "message": message,
        **({"isMeta": True} if told else {}),
        "uuid": own,
        "timestamp": near.get("timestamp"),
    }


def _is_model(name: Any) -> bool:
    return isinstance(name, str) and name != "<synthetic>"
