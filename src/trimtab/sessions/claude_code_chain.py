"""Which lines of a Claude Code transcript make up the conversation, and in which order.

Lines with a ``uuid`` form a tree over ``parentUuid``; the conversation is the branch that
ends at the newest line, whatever the order of the file. Claude Code writes one line for
every content block of a response, all with its ``message.id``; the result of a tool is a
child of its own call's line, so that calls in parallel fork the tree and the walk passes
by the calls and results of other forks. ``logicalParentUuid`` is not followed: a
compaction starts a new tree, whose summary stands for all before. Source: the reader of
transcripts in Anthropic's claude-agent-sdk, with which a test compares.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any, Final

from ..formats.content import kind_of
from .lines import Line

_LINKED: Final = frozenset({"user", "assistant", "progress", "system", "attachment"})
_SPOKEN: Final = frozenset({"user", "assistant"})


class Tree:
    """The linked lines of a transcript by index; of two with one ``uuid`` the last counts."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.values: dict[int, dict[str, Any]] = {}  #: by index of the line, in file order
        self.at: dict[str, int] = {}  #: index of the line of a uuid
        self.shadowed: dict[int, int] = {}  #: lines whose uuid a later one has, and that one
        linked = {
            at: line.value for at, line in enumerate(lines) if line.value and is_linked(line.value)
        }
        for at, value in linked.items():
            self.at[value["uuid"]] = at
        for at, value in linked.items():
            if (newest := self.at[value["uuid"]]) == at:
                self.values[at] = value
            else:
                self.shadowed[at] = newest

    def parent(self, at: int) -> int | None:
        """The line that a line follows, None for a root or where there is no such line."""
        return self.at.get(parent_of(self.values[at]) or "")

    def upwards(self, at: int | None) -> Iterator[int]:
        """A line and those that it follows, newest first; a circle ends where it closes."""
        seen: set[int] = set()
        while at is not None and at not in seen:
            seen.add(at)
            yield at
            at = self.parent(at)

    def nearest(self, wanted: Callable[[int], bool]) -> dict[int, int | None]:
        """For every line the first one on the way up, itself included, that is wanted. O(lines)."""
        found: dict[int, int | None] = {}
        for at in self.values:
            way: list[int] = []
            hit: int | None = None
            for up in self.upwards(at):
                if up in found:
                    hit = found[up]
                    break
                way.append(up)
                if wanted(up):
                    hit = up
                    break
            found.update(dict.fromkeys(way, hit))
        return found

    def chain(self) -> list[int]:
        """The lines of the conversation, oldest first, with what runs of tools in parallel left."""
        leaf = self._leaf()
        return [] if leaf is None else self._whole([*self.upwards(leaf)][::-1])

    def _leaf(self) -> int | None:
        """The newest line that nothing follows, or the spoken line before it.

        What a subagent, a teammate or the client itself said comes after all others.
        """
        followed = {parent_of(value) for value in self.values.values()}
        spoken = self.nearest(lambda at: is_turn(self.values[at]))
        ends = (spoken[at] for at, value in self.values.items() if value["uuid"] not in followed)
        leaves = [at for at in ends if at is not None]
        own = (at for at in leaves if not is_aside(self.values[at]))
        return max(own, default=max(leaves, default=None))

    def _whole(self, chain: list[int]) -> list[int]:
        """The chain with the calls and results of its responses that the walk passed by."""
        missed = self._missed(chain)
        out: list[int] = []
        for at in chain:
            out += [at, *missed.get(at, ())]
        return out

    def _missed(self, chain: list[int]) -> dict[int, list[int]]:
        """Lines to put back, by the last line of their response that is on the chain.

        Results that hang on their response are its own; one that hangs elsewhere is taken
        where it answers a call that has no other result.
        """
        last = {id: at for at in chain if (id := response_of(self.values[at]))}
        parts = self._parts(last)
        owner = self._owners(parts)
        own, strays = self._results(parts, owner)
        on_chain = {id for at in chain for id in answers_of(self.values[at])}
        seen = set(chain)
        out: dict[int, list[int]] = {}
        for id, end in last.items():
            results = [at for at in own[id] if at not in seen]
            taken = {i for at in results for i in answers_of(self.values[at])}
            for at in strays[id]:
                ids = answers_of(self.values[at])
                waiting = (i for i in ids if i not in on_chain and i not in taken)
                open_ = (i for i in waiting if owner.get(i) in parts[id])
                if at not in seen and next(open_, None) is not None:
                    results.append(at)
                    taken.update(ids)
            calls = [at for at in parts[id] if at not in seen]
            out[end] = [*self._by_time(calls), *self._by_time(results)]
            seen.update(out[end])
        return out

    def _parts(self, responses: Container[str]) -> dict[str, dict[int, None]]:
        """The lines of each response."""
        parts: dict[str, dict[int, None]] = {}
        for at, value in self.values.items():
            if (id := response_of(value)) is not None and id in responses:
                parts.setdefault(id, {})[at] = None
        return parts

    def _results(
        self, parts: Mapping[str, Container[int]], owner: Mapping[str, int]
    ) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """The results that hang on each response, and those that answer it from elsewhere."""
        own: dict[str, list[int]] = {id: [] for id in parts}
        strays: dict[str, list[int]] = {id: [] for id in parts}
        for at, value in self.values.items():
            ids = answers_of(value)
            if not ids or parent_of(value) is None:
                continue
            up = self.parent(at)
            above = response_of(self.values[up]) if up is not None else None
            if above in own:
                own[above].append(at)
            callers = (owner[i] for i in ids if i in owner)
            theirs = (c for c in callers if _side(self.values[c]) == _side(value))
            for id in dict.fromkeys(response_of(self.values[c]) or "" for c in theirs):
                if id != above:
                    strays[id].append(at)
        return own, strays

    def _owners(self, parts: Mapping[str, Container[int]]) -> dict[str, int]:
        """The line of a call by its id; a call of two responses is nobody's."""
        owner: dict[str, int] = {}
        shared: set[str] = set()
        for at, value in self.values.items():
            response = response_of(value)
            for id in calls_of(value) if response else ():
                if id in owner and response_of(self.values[owner[id]]) != response:
                    shared.add(id)
                owner[id] = at
        return {
            id: at
            for id, at in owner.items()
            if id not in shared and response_of(self.values[at]) in parts
        }

    def _by_time(self, found: list[int]) -> list[int]:
        return sorted(found, key=lambda at: str(self.values[at].get("timestamp") or ""))


def as_sent(tree: Tree, spoken: Sequence[int]) -> list[int]:
    """The spoken lines of a chain in the order in which the model sees them.

    The lines of one response stand together, also where results were written between them.
    """
    out: list[int] = []
    groups: list[list[int]] = []
    by_response: dict[str, list[int]] = {}
    for at in spoken:
        value = tree.values[at]
        id = response_of(value)
        if id is not None and id in by_response:
            by_response[id].append(at)
            continue
        groups.append([at])
        if id is not None:
            by_response[id] = groups[-1]
        elif not answers_of(value):
            out += [line for group in groups for line in group]
            groups.clear()
            by_response.clear()
    return out + [line for group in groups for line in group]


def is_linked(value: dict[str, Any]) -> bool:
    """Whether a line is one of the tree."""
    return kind_of(value) in _LINKED and isinstance(value.get("uuid"), str)


def is_turn(value: dict[str, Any]) -> bool:
    """Whether a line is one of the user's or the assistant's."""
    return kind_of(value) in _SPOKEN


def is_spoken(value: dict[str, Any]) -> bool:
    """Whether a line holds a message to or of the model."""
    return is_turn(value) and isinstance(value.get("message"), dict)


def parent_of(value: dict[str, Any]) -> str | None:
    """The ``uuid`` of the line that a line follows."""
    uuid = value.get("parentUuid")
    return uuid if isinstance(uuid, str) and uuid else None


def response_of(value: dict[str, Any]) -> str | None:
    """The id of the response that a line is a part of."""
    message = value.get("message")
    if value.get("type") != "assistant" or not isinstance(message, dict):
        return None
    id = message.get("id")
    return id if isinstance(id, str) and id else None


def calls_of(value: dict[str, Any]) -> list[str]:
    """Ids of the tool calls in a line."""
    return _ids(value, "tool_use", "id")


def answers_of(value: dict[str, Any]) -> list[str]:
    """Ids of the calls that a line holds results of."""
    return _ids(value, "tool_result", "tool_use_id") if value.get("type") == "user" else []


def _ids(value: dict[str, Any], kind: str, name: str) -> list[str]:
    message = value.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
    found = [block.get(name) for block in blocks if block.get("type") == kind]
    return [id for id in found if isinstance(id, str)]


def is_aside(value: dict[str, Any]) -> bool:
    """Whether a subagent, a teammate or the client itself said it."""
    return bool(value.get("isSidechain") or value.get("teamName") or value.get("isMeta"))


def _side(value: dict[str, Any]) -> tuple[bool, Any]:
    return bool(value.get("isSidechain")), value.get("agentId")
