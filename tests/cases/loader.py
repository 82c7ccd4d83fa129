"""Read the cases from public bug reports: one JSON object a line, with two small macros."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from support.corpus import CASES
from support.shapes import History, Message, blocks

FORMATS = ("openai-chat", "anthropic")
KINDS = "grouping ids system oversize validity mutation unicode count perf"
PLENTY = 10**6


@dataclass(frozen=True)
class Case:
    """One report: a small conversation, a budget, and what must hold of the result."""

    id: str
    format: str
    messages: History
    budget: int
    rule: str
    options: dict[str, Any]
    checks: tuple[str, ...]
    costs: list[int] | None

    @property
    def counter(self) -> Callable[[Message], int] | None:
        """Cost of a whole message as the case counts; None asks for the real counting."""
        if self.rule.startswith("counter: 1 per message"):
            return lambda message: 1
        if self.rule.startswith("real counting"):
            return None
        if "AND of call arguments" in self.rule:
            return lambda message: simple_cost(message) + _argument_length(message)
        if picture := self.options.get("image_cost"):
            return lambda message: simple_cost(message) + picture * _pictures(message)
        if self.options.get("counter") == "2 x characters":
            return lambda message: 2 * simple_cost(message)
        return simple_cost


def load() -> list[Case]:
    """The cases of the formats and kinds that this module runs; none where the file is absent."""
    if not CASES.is_file():
        return []
    rows = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [_case(r) for r in rows if r["format"] in FORMATS and r["kind"] in KINDS.split()]


def _case(row: dict[str, Any]) -> Case:
    budget = row["budget"]
    return Case(
        id=row["id"],
        format=row["format"],
        messages=list(_expand(row["messages"])),
        budget=PLENTY if budget is None else budget,
        rule=row["budget_rule"],
        options=row.get("options") or {},
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


def text_of(content: Any) -> str:
    """All text of a content: a string, text parts, and what tool results hold."""
    if isinstance(content, str):
        return content
    found = ""
    for part in content or []:
        if part.get("type") == "text":
            found += part["text"]
        elif part.get("type") == "tool_result":
            found += text_of(part.get("content"))
    return found


def simple_cost(message: Message) -> int:
    """The counter of most cases: characters of text and thinking, and 1 per tool call."""
    calls = len(message.get("tool_calls") or []) + bool(message.get("function_call"))
    calls += sum(b.get("type") in ("tool_use", "server_tool_use") for b in blocks(message))
    thoughts = sum(len(b.get("thinking", "")) for b in blocks(message))
    return len(text_of(message.get("content"))) + thoughts + calls


def _argument_length(message: Message) -> int:
    calls = message.get("tool_calls") or []
    return sum(len(call["function"]["arguments"]) for call in calls)


def _pictures(message: Message) -> int:
    return sum(b.get("type") == "image_url" for b in blocks(message))
