"""The frame of a summary, by which it is known again."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

HEAD: Final = "[Summary of earlier messages"
_LINE: Final = re.compile(re.escape(HEAD) + r"(?: \d{4})?\]\s*")


def framed(summary: str) -> str:
    """The text of the message that a summary stands in.

    Its first line holds a check of the summary, so that nothing is taken for one that only
    begins like it. That is no signature: who knows how it is made can make one.
    """
    digest = blake2b(summary.encode("utf-8", "replace"), digest_size=8).digest()
    return f"{HEAD} {int.from_bytes(digest, 'big') % 10_000:04}]\n{summary}"


def unframed(text: str) -> str | None:
    """The summary that was framed to this very text, None where it is none."""
    summary = text.partition("\n")[2]
    return summary if text.startswith(HEAD) and text == framed(summary) else None


def bare(answer: str) -> str:
    """An answer without the first lines that a model may have copied."""
    while match := _LINE.match(answer):
        answer = answer[match.end() :]
    return answer
