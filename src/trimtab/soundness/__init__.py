"""Second opinions on validity: per format, a plain check that shares nothing with the grouping.

Each function takes the messages of a result and yields ``(index, words)`` for what a
provider would refuse. They read the messages themselves, so that a mistake in
`trimtab.formats` or `trimtab.units` does not hide itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from .anthropic import objections as anthropic
from .openai_chat import objections as openai_chat

Objections = Callable[[list[Any]], Iterator[tuple[int, str]]]

SOUNDNESS: Final[dict[str, Objections]] = {
    "openai-chat": openai_chat,
    "anthropic": anthropic,
}
