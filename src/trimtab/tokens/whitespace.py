r"""Counting around very long runs of white space, on which tiktoken panics.

Its regular expression tries ``\s+(?!\S)`` with one backtracking step a character,
and near a million of them the engine gives up with an error that is no `Exception`.
What the expression would have found there is known: after the last newline of a run,
the blanks are one piece, except that the last one belongs to what follows. So the
piece is counted without the expression, and the rest of the text as usual.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

LONG_RUN = 65_536
"""Characters of a run that is counted apart; tiktoken bears more than ten times that."""

# Unicode's White_Space, as the engine's \s has it (Python's has four more), without
# CR and LF: a run with a newline behind it is matched by `\s*[\r\n]+` in one step.
_BLANK = "[\t\v\f \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"


@cache
def _long_runs(run: int) -> re.Pattern[str]:
    # Only from the first blank of a run, else runs that are a little too short cost their square.
    return re.compile(f"(?<!{_BLANK}){_BLANK}{{{run},}}")


def count_around_runs(encoding: tiktoken.Encoding, text: str, run: int = LONG_RUN) -> int:
    r"""Tokens of the text, the same number that ``encoding`` would find.

    A run at the very end, where nothing follows, is one piece to its last blank. There
    cl100k_base takes newlines and blanks as one (by ``\s++$``), which makes no
    difference, since no token ends in a blank behind a newline. ``run``, at least 2, is
    the number of blanks that are counted apart.
    """
    total = start = 0
    for found in _long_runs(run).finditer(text):
        first, end = found.span()
        if text[end : end + 1] in ("\r", "\n"):
            continue
        last = end if end == len(text) else end - 1
        total += len(encoding.encode_ordinary(text[start:first]))
        # The one call by which tiktoken encodes without its expression.
        piece = encoding._encode_single_piece(text[first:last])  # pyright: ignore[reportPrivateUsage]
        total += len(piece)
        start = last
    return total + len(encoding.encode_ordinary(text[start:]))
