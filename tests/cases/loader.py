"""Read the cases from public bug reports: one JSON object a line, with two small macros."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cases.views import view
from support.corpus import CASES
from support.shapes import History, Message, blocks

from trimtab.summary.frame import HEAD, framed

PLENTY = 10**6
WEIGHT = 2  # of a message where n messages may stay, so that a summary has room beside them


@dataclass(frozen=True)
class Case:
    """One report: a small conversation, a budget, and what must hold of the result.

    ``format`` is None for plain text messages, whose format is for the library to find.
    """

    id: str
    format: str | None
    messages: History
    budget: int
    rule: str
    options: dict[str, Any]
    checks: tuple[str, ...]
    costs: list[int] | None

    @property
    def keeps_last(self) -> bool:
        """Whether the case asks for the last n messages, whatever they cost."""
        return self.rule.startswith("keep-last")

    @property
    def compactions(self) -> list[dict[str, int]]:
        """The steps of a case that is fitted at several lengths: take so many, keep so many."""
        steps = self.options.get("steps")
        listed = isinstance(steps, list) and all(isinstance(step, dict) for step in steps)
        return steps if listed else []

    @property
    def summarises(self) -> bool:
        """Whether what goes is to live on in a summary."""
        return not self.options.keys().isdisjoint({"summary", "summariser"})

    @property
    def counter(self) -> Callable[[Message], int] | None:
        """Cost of a whole message as the case counts; None asks for the real counting."""
        if self.rule.startswith("counter: 1 per message"):
            return lambda message: 1
        if "keep_last_turns" in self.options:  # a budget in turns
            return lambda message: int(view(message).role == "user")
        if self.keeps_last or self.compactions:  # messages beside the system text
            return _weight
        if self.rule.startswith("characters of tool results"):
            return lambda message: len(view(message).text) * bool(view(message).results)
        if self.rule.startswith("real counting"):
            return None
        if "AND of call arguments" in self.rule or self.options.get("truncate") == "args":
            return lambda message: simple_cost(message) + _argument_length(message)
        if picture := self.options.get("image_cost"):
            return lambda message: simple_cost(message) + picture * _pictures(message)
        if self.options.get("counter") == "2 x characters":
            return lambda message: 2 * simple_cost(message)
        return simple_cost

    def cost(self, message: Message) -> int:
        """Cost of a message as the case counts, the simple one where it asks for the real one."""
        return (self.counter or simple_cost)(message)


def load() -> list[Case]:
    """All cases, whatever their format; none where the file is absent."""
    if not CASES.is_file():
        return []
    return [_case(json.loads(row)) for row in CASES.read_text(encoding="utf-8").splitlines()]


def _case(row: dict[str, Any]) -> Case:
    options = row.get("options") or {}
    trigger = options.get("clear_tool_results", {}).get("trigger")
    limits = (row["budget"], options.get("keep_last_turns"), trigger)
    if row["budget_rule"].startswith("keep-last"):
        limits = (room_for(options["keep_last"]),)
    return Case(
        id=row["id"],
        format=None if row["format"] == "plain" else row["format"],
        messages=[_marked(message, options) for message in _expand(row["messages"])],
        budget=next((limit for limit in limits if limit is not None), PLENTY),
        rule=row["budget_rule"],
        options=options,
        checks=tuple(row["expect_checks"]),
        costs=row.get("costs"),
    )


def room_for(last: int) -> int:
    """The budget in which so many messages have room, and a summary, which weighs nothing."""
    return last * WEIGHT + 1


def _weight(message: Message) -> int:
    """Of a message where n messages may stay beside the system text and a summary."""
    seen = view(message)
    return WEIGHT * (seen.role != "system" and not seen.text.startswith(HEAD))


def _marked(message: Message, options: dict[str, Any]) -> Message:
    """A summary of the case, as the library would have put it there."""
    found = re.match(r"key '(\w+)' is true", options.get("summary_marker", ""))
    if not found or not message.get(found[1]):
        return message
    bare = {key: value for key, value in message.items() if key != found[1]}
    return {**bare, "content": framed(message["content"])}


def _expand(messages: list[Any]) -> Iterator[Message]:
    for message in messages:
        if "$repeat" in message:
            for i in range(message["$repeat"]):
                for part in _expand(message["messages"]):
                    yield _numbered(part, i)
        else:
            yield _strings(message)


def _strings(value: Any) -> Any:
    """Replace ``{"$str": [s, n], "pre": p}`` by ``p + s * n``, at any depth."""
    if isinstance(value, dict):
        if "$str" in value:
            text, times = value["$str"]
            return value.get("pre", "") + text * times
        return {key: _strings(part) for key, part in value.items()}
    return [_strings(part) for part in value] if isinstance(value, list) else value


def _numbered(value: Any, i: int) -> Any:
    if isinstance(value, dict):
        return {key: _numbered(part, i) for key, part in value.items()}
    if isinstance(value, list):
        return [_numbered(part, i) for part in value]
    return value.replace("{i}", str(i)) if isinstance(value, str) else value


def simple_cost(message: Message) -> int:
    """The counter of most cases: characters of text and thinking, and 1 per tool call."""
    return view(message).cost


def _argument_length(message: Message) -> int:
    calls = message.get("tool_calls") or []
    return sum(len(call["function"]["arguments"]) for call in calls)


def _pictures(message: Message) -> int:
    return sum(b.get("type") == "image_url" for b in blocks(message))
