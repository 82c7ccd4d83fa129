"""Text from outside, made harmless before it reaches a terminal.

A tool name, an id or a quoted line of a message can hold escape sequences that move
the cursor, forge a link or reverse the reading order. Everything the command line
and the pictures print from a message goes through ``safe``.
"""

from __future__ import annotations

import re

_C0 = "\x00-\x1f"  # ESC and with it every escape sequence
_C1 = "\x7f-\x9f"  # DEL, and the 8-bit forms of CSI and OSC
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_LINES = "\u2028\u2029"
_INVISIBLE = (  # zero-width and default-ignorable characters, tags and variation selectors
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_SURROGATES = "\ud800-\udfff"

_UNSAFE = re.compile(f"[{_C0}{_C1}{_BIDI}{_LINES}{_INVISIBLE}{_SURROGATES}]")
_UNSAFE_IN_JSON = re.compile(f"[{_C1}{_BIDI}{_LINES}]")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def safe(text: str, limit: int | None = None) -> str:
    """``text`` on one line, with every unsafe or invisible character shown escaped.

    Escaped are control characters (so no escape sequence survives), bidirectional
    controls, line separators, zero-width characters and lone surrogates. With
    ``limit`` the result has at most that many characters, the last of them ``…``
    if anything was left out; time is then O(limit), however long the text is.
    """
    if limit is None:
        return _UNSAFE.sub(_escape, text)
    shown = _UNSAFE.sub(_escape, text[: limit + 1])
    return shown if len(shown) <= limit else _cut(text, limit)


def safe_json(text: str) -> str:
    r"""JSON ``text`` with the characters that could steer a terminal as ``\u`` escapes.

    The JSON means the same. ``json.dumps`` itself escapes only what lies below U+0020.
    """
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _cut(text: str, limit: int) -> str:
    """The longest run of whole characters and escapes that leaves room for the ellipsis."""
    shown = ""
    for char in text[:limit]:
        piece = _UNSAFE.sub(_escape, char)
        if len(shown) + len(piece) > limit - 1:
            break
        shown += piece
    return (shown + "…")[: max(limit, 0)]
