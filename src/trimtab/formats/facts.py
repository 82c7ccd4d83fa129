"""Facts that are alike in several formats."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from .base import HUMAN, MODEL, RESULT, SYSTEM, Facts, malformed
from .content import is_id

SYSTEM_WORDS: Final = Facts(SYSTEM)
HUMAN_WORDS: Final = Facts(HUMAN, human=True, leads_human=True)
MODEL_WORDS: Final = Facts(MODEL)
_NO_ID: Final = malformed("a tool call without an id")
_NO_CALL: Final = Facts(
    RESULT, faults=(("orphan_result", None, "a tool message without tool_call_id"),)
)


def calling(ids: Iterable[Any]) -> Facts:
    """The facts of an assistant message that makes these calls and holds no more to know."""
    try:
        return _calling(tuple(ids))
    except TypeError:  # an id that cannot be hashed is none
        return _NO_ID


def answering(id: Any) -> Facts:
    """The facts of a message that is the answer to one call."""
    return _answering(id) if is_id(id) else _NO_CALL


def legacy_id(name: Any) -> str | None:
    """What stands for the id of a legacy call, which has none: its function's name."""
    return f"function:{name}" if is_id(name) else None


# A stateless caller sends the same ids again every turn, so their facts are kept.
@lru_cache(maxsize=1 << 14)
def _calling(ids: tuple[Any, ...]) -> Facts:
    if not all(map(is_id, ids)):
        return _NO_ID
    return Facts(MODEL, ids) if ids else MODEL_WORDS


@lru_cache(maxsize=1 << 14)
def _answering(id: str) -> Facts:
    return Facts(RESULT, answers=(id,))
