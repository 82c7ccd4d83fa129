"""Read the cases from public bug reports: one JSON object a line, with two small macros."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from cases.views import view
from support.corpus import CASES
from support.shapes import History, Message, blocks

PLENTY = 10**6


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
    def counter(self) -> Callable[[Message], int] | None:
        """Cost of a whole message as the case counts; None asks for the real counting."""
        if self.rule.startswith("counter: 1 per message"):
            return lambda message: 1
        if "keep_last_turns" in self.options:  # a budget in turns
            return lambda message: int(view(message).role == "user")
        if self.keeps_last:  # a budget in messages beside the system text
            return lambda message: int(view(message).role != "system")
        if self.rule.startswith("real counting"):
            return None
        if "AND of call arguments" in self.rule:
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
    limits = (row["budget"], options.get("keep_last_turns"))
    if row["budget_rule"].startswith("keep-last"):
        limits = (options["keep_last"],)
    return Case(
        id=row["id"],
        format=None if row["format"] == "plain" else row["format"],
        messages=list(_expand(row["messages"])),
        budget=next((limit for limit in limits if limit is not None), PLENTY),
        rule=row["budget_rule"],
        options=options,
        checks=tuple(row["expect_checks"]),
        costs=row.get("costs"),
    )


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
