"""An OpenAI Chat (or Responses) history written in the objects of another format.

Frameworks' own classes where they are installed, else light twins of them, which
``installed`` puts where the library looks for the framework.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from support import agents_items, langchain_messages, llama_index_messages, mcp_messages
from support import pydantic_ai_messages, vercel_messages
from support.shapes import History

Write = Callable[[History], list[Any]]
_PACKAGES: dict[str, Any] = {
    module.NAME: module
    for module in (langchain_messages, pydantic_ai_messages, llama_index_messages)
}


@contextmanager
def installed(format: str) -> Iterator[None]:
    """The framework of a format can be imported, if only as a twin."""
    module = _PACKAGES.get(format)
    if module is None:
        yield
        return
    with module.installed(_kind(module)):
        yield


def _kind(module: Any) -> str:
    return "real" if module.REAL else "twin"


def _framework(module: Any) -> Write:
    return lambda history: module.from_chat(history, module.package(_kind(module)))


def _ui(history: History) -> list[Any]:
    return vercel_messages.as_ui(vercel_messages.from_chat(history))


def _mcp(history: History) -> list[Any]:
    """One message answers all calls, so results that came in part are left out."""
    made = mcp_messages.from_chat(history)
    if len(made) > 1 and made[-1]["content"][0]["type"] == "tool_result":
        asked = [b for b in made[-2]["content"] if b["type"] == "tool_use"]
        if len(made[-1]["content"]) < len(asked):
            made.pop()
    return made


FROM_CHAT: dict[str, Write] = {
    **{name: _framework(module) for name, module in _PACKAGES.items()},
    "vercel-ai": vercel_messages.from_chat,
    "vercel-ui": _ui,
    "mcp": _mcp,
}
"""Formats whose histories are made of OpenAI Chat ones (for ``vercel-ui`` of sound ones)."""

TO_CHAT: dict[str, Callable[[list[Any]], History]] = {
    **{name: module.to_chat for name, module in _PACKAGES.items()},
    "vercel-ai": vercel_messages.to_chat,
}
"""What matters to the validators, read back without the library."""


def from_items(history: History) -> list[Any]:
    """Run items of the Agents SDK."""
    return agents_items.from_items(history, "real" if agents_items.REAL else "twin")
