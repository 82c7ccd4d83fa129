"""What an item of Codex says, and whether the user said it or the client in their name."""

from __future__ import annotations

from typing import Any, Final

# What Codex sends in the role of the user is told by its first words.
_INSTRUCTIONS: Final = ("# AGENTS.md instructions", "<user_instructions>", "<environment_context>")
_MARKERS: Final = ("<skill>", "<user_shell_command>", "<turn_aborted>", "<subagent_notification>")


def text_of(item: Any) -> str:
    """The text of a message or of the summary of a reasoning item."""
    if not isinstance(item, dict):
        return ""
    parts = item.get("summary" if item.get("type") == "reasoning" else "content")
    if isinstance(parts, str):
        return parts
    texts = [p.get("text") for p in parts if isinstance(p, dict)] if isinstance(parts, list) else []
    return "\n".join(text for text in texts if isinstance(text, str))


def is_instructions(item: Any) -> bool:
    """Whether it is what the client told of itself, the project and the machine."""
    return _is_user(item) and _opening(item).startswith(_INSTRUCTIONS)


def is_user_turn(item: Any) -> bool:
    """Whether the user said it, so that a turn begins with it."""
    return _is_user(item) and not _opening(item).startswith(_INSTRUCTIONS + _MARKERS)


def is_voiced(item: Any) -> bool:
    """Whether a compaction without a replacement keeps it: what was said in the user's turn."""
    return is_user_turn(item) or (_is_user(item) and _opening(item).startswith("<turn_aborted>"))


def _is_user(item: Any) -> bool:
    if not isinstance(item, dict) or item.get("type", "message") != "message":
        return False
    return item.get("role") == "user"


def _opening(item: Any) -> str:
    return text_of(item)[:200].lstrip()
