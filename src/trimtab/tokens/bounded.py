"""Exact counting that stops early: byte bounds, safe cuts, and a sum over chunks.

A tokeniser of the o200k and cl100k kind splits a text into pieces by a regular
expression without look-behind and encodes each piece alone. So a text may be cut
wherever a piece must end whatever comes next: the tokens of the two sides then add
up to the tokens of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

LONGEST_TOKEN = 128
"""Bytes of the longest token, in o200k_base and in cl100k_base alike."""

CHUNK = 4096
"""Characters after which counting pauses at the next safe cut (about 0.3 ms of work)."""

WINDOW = 256
"""Characters in which a cut is looked for, before the next look a chunk further on."""

# A piece of letters or digits goes on with a letter, a mark, a digit or, because of
# contractions, an apostrophe; so it ends before any other character. A piece that
# ends in a newline goes on with white space or, after punctuation, with a slash. No
# piece contains a blank behind something else. Python's \s covers all of Unicode's
# White_Space and a few control characters more, which only costs cuts.
_ASCII_OTHER = r"\x00-&(-/:-@\[-`{-\x7f"
_IDEOGRAPHS = "\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
_CJK_PUNCTUATION = (
    "\u3001\u3002\u3008-\u3011\u3014-\u301b\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"
)
_BEFORE_CUT = re.compile(
    rf"[A-Za-z](?=[{_ASCII_OTHER}0-9])"
    rf"|[0-9](?=[{_ASCII_OTHER}A-Za-z])"
    r"|\S(?=[ \t\u3000])"
    r"|\n(?=[^\s/])"
    rf"|[{_IDEOGRAPHS}](?=[{_ASCII_OTHER}{_CJK_PUNCTUATION}])"
)


def utf8_length(text: str) -> int:
    """Bytes of the text in UTF-8, lone surrogates repaired; constant time for ASCII."""
    if text.isascii():
        return len(text)
    try:
        return len(text.encode())
    except UnicodeEncodeError:
        return len(repaired(text).encode())


def repaired(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced by U+FFFD.

    The same repair that tiktoken makes, so that the counts agree.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def fewest_tokens(size: int) -> int:
    """The least number of tokens that ``size`` characters or bytes can have."""
    return -(-size // LONGEST_TOKEN)


def chunks(text: str, size: int = CHUNK) -> Iterator[str]:
    """Split the text at safe cuts; the tokens of the chunks add up to those of the text.

    Each chunk ends at the first safe cut at or behind ``size`` characters. Where there is
    none for ``WINDOW`` characters (unpunctuated Chinese, one letter a million times) it
    grows by another ``size``. Linear in the length of the text.
    """
    start, end, length = 0, size, len(text)
    while end < length:
        found = _BEFORE_CUT.search(text, end - 1, end + WINDOW)
        if found is None:
            end += size
            continue
        yield text[start : found.end()]
        start = found.end()
        end = start + size
    yield text[start:]


def count_up_to(
    count: Callable[[str], int], text: str, limit: int, size: int = CHUNK
) -> tuple[int, bool]:
    """Count chunk by chunk until the text is known to exceed ``limit`` tokens.

    Returns the tokens and True when the count is complete, which it may be even above
    the limit, else a lower bound above the limit and False. Tokenises at most ``limit`` tokens and
    one chunk.
    """
    total, rest = 0, len(text)
    for chunk in chunks(text, size):
        total += count(chunk)
        rest -= len(chunk)
        if rest and total + fewest_tokens(rest) > limit:
            return total + fewest_tokens(rest), False
    return total, True
