"""Every format as a subject of the harnesses: its recorded conversations, its validators.

A format that has no recordings of its own gets those of another, written in its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from support import converse_messages, sharegpt_turns
from support.corpus import conversations, gemini_cli, plain, requests
from support.shapes import History
from support.written import FROM_CHAT, from_items

from trimtab import repair
from trimtab.formats.registry import FORMATS

Rows = Callable[[], Iterator[dict[str, Any]]]
_BESIDE = ("system", "instructions", "systemInstruction", "tools")
_KEYS = {"openai-responses": "input", "gemini": "contents", "sharegpt": "conversations"}


@dataclass(frozen=True)
class Recorded:
    """One conversation; ``beside`` holds what stood beside the messages in its body."""

    id: str
    messages: list[Any]
    beside: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """Where the conversations of a format come from; ``write`` if they are another format's.

    ``data`` says that messages are plain data, which the command reads: as a request body
    with ``messages``, else as a JSON list.
    """

    format: str
    sources: tuple[Rows, ...]
    write: Callable[[History], list[Any]] | None = None
    data: bool = True

    @property
    def key(self) -> str:
        """The key of the messages in a request body."""
        return _KEYS.get(self.format, "messages")

    def body(self, row: Recorded, messages: list[Any]) -> dict[str, Any]:
        """A request body."""
        return {**row.beside, self.key: messages}

    def recorded(self, step: int = 1, start: int = 0) -> Iterator[Recorded]:
        """Every ``step``-th conversation."""
        rows = (row for source in self.sources for row in source())
        for at, row in enumerate(rows):
            if at % step == start:
                yield self._recorded(row)

    def _recorded(self, row: dict[str, Any]) -> Recorded:
        if self.write is not None:
            try:
                return Recorded(row["id"], self.write(row["messages"]))
            except ValueError:  # a class of the framework cannot hold what is broken
                return Recorded(row["id"], self.write(repair(row["messages"]).messages))
        return Recorded(row["id"], row["messages"], {k: row[k] for k in _BESIDE if row.get(k)})


def _mended(format: str, write: Callable[[History], list[Any]]) -> Callable[[History], list[Any]]:
    """Of the history without its faults, for shapes that cannot hold these."""
    return lambda history: write(repair(history, format=format).messages)


def _rows(format: str) -> tuple[Rows, ...]:
    return partial(conversations, format), partial(requests, format)


_CHATS = (partial(conversations, "openai-chat"),)
_TALK = (partial(plain, "role"),)
_TURNS = (partial(plain, "from"),)


def _of_chats(format: str) -> Subject:
    write = FROM_CHAT[format]
    write = _mended("openai-chat", write) if format == "vercel-ui" else write
    return Subject(format, _CHATS, write, data=format in ("vercel-ai", "vercel-ui", "mcp"))


def _converted(row: dict[str, Any]) -> dict[str, Any]:
    messages = repair(row["messages"], format="strict-chat").messages
    return {"id": row["id"], "messages": sharegpt_turns.from_chat(messages)}


def _chats_as_turns() -> Iterator[dict[str, Any]]:
    rows = map(_converted, conversations("openai-chat"))
    return (row for row in rows if row["messages"])


_LIST = (
    Subject("openai-chat", (*_rows("openai-chat"), *_TALK)),
    Subject("anthropic", _rows("anthropic")),
    Subject("openai-responses", _rows("openai-responses")),
    Subject("gemini", (*_rows("gemini"), gemini_cli)),
    Subject("bedrock-converse", _rows("anthropic"), converse_messages.from_anthropic),
    Subject("mistral", _CHATS),
    Subject("strict-chat", (*_TALK, *_CHATS)),
    Subject("fine-tuning", (*_TALK, *_CHATS)),
    Subject("sharegpt", (*_TURNS, _chats_as_turns)),
    *map(_of_chats, ("langchain", "pydantic-ai", "llama-index", "vercel-ai", "vercel-ui", "mcp")),
    Subject("openai-agents", (partial(conversations, "openai-responses"),), from_items, data=False),
)
SUBJECTS: dict[str, Subject] = {subject.format: subject for subject in _LIST}
assert SUBJECTS.keys() == FORMATS.keys(), SUBJECTS.keys() ^ FORMATS.keys()
