"""What images cost, by their size in pixels and never by the length of their data."""

from __future__ import annotations

import base64
import binascii
import io
import math
from typing import Final

import imagesize

from ..formats.weight import Media

_HEAD: Final = 4 * 48 * 1024  # base64 characters that surely hold the size
_HUGE: Final = 1 << 20
_UNKNOWN: Final = (1024, 1024)
_PAGES: Final = 3000  # tokens of a document whose pages are not known
_AUDIO_CHARS: Final = 3200  # base64 characters of 16 kHz mono audio that cost about one token


def media_tokens(media: Media, images: str) -> int:
    """Tokens of what is no text; an estimate by the rule ``images`` of a model.

    ``tiles``: fitted into 2048x2048 with a short side of 768, 85 tokens and 170 for
    every 512x512 tile; 85 alone at low detail (GPT-4o's published rule). ``pixels``:
    width x height / 750, at most 1,600 (Anthropic's published rule). An image whose size
    is not at hand is taken for 1024x1024.
    """
    if media.kind == "audio":
        return len(media.data) // _AUDIO_CHARS + 1
    if media.kind != "image":
        return _PAGES
    if media.detail == "low" and images == "tiles":
        return 85
    width, height = _size(media.data)
    if images == "pixels":
        return min(1600, -(-width * height // 750))
    return _tiles(width, height)


def _tiles(width: int, height: int) -> int:
    longest = max(width, height)
    if longest > 2048:
        width, height = -(-width * 2048 // longest), -(-height * 2048 // longest)
    shortest = min(width, height)
    if shortest > 768:
        width, height = -(-width * 768 // shortest), -(-height * 768 // shortest)
    return 85 + 170 * (-(-width // 512) * -(-height // 512))


def _size(data: str) -> tuple[int, int]:
    head = data[:_HEAD]
    try:
        raw = base64.b64decode(head[: len(head) // 4 * 4])
        width, height = imagesize.get(io.BytesIO(raw))
    except (binascii.Error, ValueError, OSError, LookupError):
        return _UNKNOWN
    # the size of a drawing may be a fraction, or beyond all numbers
    if not (0 < width < _HUGE and 0 < height < _HUGE):
        return _UNKNOWN
    return math.ceil(width), math.ceil(height)
