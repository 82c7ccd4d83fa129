"""Tool calls and their results as OpenAI's models read them.

A single call is addressed to ``functions.NAME``. Several in one message become one call of
``multi_tool_use.parallel``, and their results one list of JSON. Source: published prompts
for the wrapper, 96 recorded requests for the rest (November 2026): arguments are written
without blanks; results that are JSON are written anew, with the blanks of Python's
``json.dumps``, others become JSON strings.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from ...formats.weight import Call
from ...jsontext import jsontext
from ..memo import Memo, entry_size
from .openai_types import spaced

_LONG: Final = 4096  # characters
_ARGUMENTS: Final = Memo[str](4 << 20)
_RESULTS: Final = Memo[str](4 << 20)


def single(call: Call) -> list[str]:
    """The texts of one call: its address, its arguments, and the name of its result.

    The result itself does not name its function, so the call pays for that too.
    """
    return [f"functions.{call.name}", call.name, arguments(call.arguments)]


def parallel(calls: Sequence[Call]) -> str:
    """The text of several calls in one message."""
    uses = ",".join(
        f'{{"recipient_name":"functions.{call.name}","parameters":{arguments(call.arguments)}}}'
        for call in calls
    )
    return f'{{"tool_uses":[{uses}]}}'


def arguments(given: Any) -> str:
    """Arguments without blanks; a text that is no JSON stays as it is."""
    if not isinstance(given, str):
        return jsontext(given)
    return _remembered(given, _compact, _ARGUMENTS)


def _compact(given: str) -> str:
    try:
        return jsontext(json.loads(given))
    except (ValueError, RecursionError):
        return given


def _remembered(text: str, written: Callable[[str], str], memo: Memo[str]) -> str:
    """The same calls and results come again every turn, so what they look like is kept."""
    if len(text) > _LONG:
        return written(text)
    found = memo.get(text)
    if found is None:
        found = written(text)
        memo.put(text, found, entry_size(text) + entry_size(found))
    return found


def listed(content: str) -> str:
    """A result as it stands in the list that answers several calls."""
    return _remembered(content, _in_list, _RESULTS)


def _in_list(content: str) -> str:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = content
    return spaced(value)
