"""The two ways in which a request marks the cache: a field of a block, or a block of its own.

Sources: platform.claude.com, prompt caching (`cache_control`; not on thinking nor on empty text; at
most four; looked back for over 20 blocks; marks of an hour before those of five minutes), and the
Amazon Bedrock user guide, prompt caching (`cachePoint` in messages, system and tools).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from ..formats.base import Message

Block = Any
HOUR: Final = "1h"


class Service(Protocol):
    """How one API is marked. ``blocks`` are the parts of a content, a text as one part."""

    def takes(self, block: Block) -> bool:
        """Whether the cache may be marked behind a block."""
        ...

    def ttl(self, block: Block) -> str | None:
        """How long a mark that stands there lasts, None where there is none."""
        ...

    def marked(self, content: Any, at: int, ttl: str | None) -> Any:
        """A new content with a mark behind its block ``at``."""
        ...


def blocks_of(content: Any) -> Sequence[Block]:
    """The blocks of a content; a text is one."""
    if isinstance(content, str):
        return [content]
    return content if isinstance(content, list) else []


class Anthropic:
    """A field of the block."""

    def takes(self, block: Block) -> bool:
        if isinstance(block, str):
            return bool(block.strip())
        if not isinstance(block, Mapping):
            return False
        kind = block.get("type")
        if kind in ("thinking", "redacted_thinking"):
            return False
        return kind != "text" or bool(str(block.get("text") or "").strip())

    def ttl(self, block: Block) -> str | None:
        own = block.get("cache_control") if isinstance(block, Mapping) else None
        if own is None:
            return None
        return own.get("ttl", "5m") if isinstance(own, Mapping) else "5m"

    def marked(self, content: Any, at: int, ttl: str | None) -> Any:
        mark = {"type": "ephemeral"} | ({"ttl": ttl} if ttl else {})
        if isinstance(content, str):
            return [{"type": "text", "text": content, "cache_control": mark}]
        return [*content[:at], {**content[at], "cache_control": mark}, *content[at + 1 :]]


class Bedrock:
    """A block of its own, behind the one that is marked."""

    def takes(self, block: Block) -> bool:
        if not isinstance(block, Mapping) or "cachePoint" in block or "reasoningContent" in block:
            return False
        return "text" not in block or bool(str(block["text"] or "").strip())

    def ttl(self, block: Block) -> str | None:
        own = block.get("cachePoint") if isinstance(block, Mapping) else None
        if own is None:
            return None
        return own.get("ttl", "5m") if isinstance(own, Mapping) else "5m"

    def marked(self, content: Any, at: int, ttl: str | None) -> Any:
        mark = {"cachePoint": {"type": "default"} | ({"ttl": ttl} if ttl else {})}
        return [*content[: at + 1], mark, *content[at + 1 :]]


SERVICES: Final[Mapping[str, Service]] = {"anthropic": Anthropic(), "bedrock-converse": Bedrock()}


def content_of(message: Message) -> Any:
    """The content of a message of either API."""
    return message.get("content") if isinstance(message, Mapping) else None
