"""What an image costs by its size in pixels, and by nothing else that a sender can choose.

The formulas are the providers' own; their figures and sources are in ``models.toml``.
"""

from __future__ import annotations

import io
import math
import struct
from bisect import bisect_right
from collections.abc import Callable
from typing import Final, NamedTuple

import imagesize

from .raw import Raw
from .rules import Rule

Size = tuple[int, int]


class Picture(NamedTuple):
    """An image as far as its price goes: pixels, and the detail asked for."""

    width: int
    height: int
    detail: str = "auto"


UNKNOWN: Final = (1280, 960)
"""What an image of unknown size is taken for.

Above the providers' own examples, and above all but one of 27 recorded images that lay
behind an address; the most that Claude takes up to 4.6.
"""

_HEAD: Final = 144 * 1024  # bytes that surely hold the size, behind a camera's thumbnail
_HUGE: Final = 1 << 20
_PATCH: Final = 32
_BROKEN: Final = (
    ValueError,
    LookupError,
    ArithmeticError,
    TypeError,
    OSError,
    RuntimeError,
    SyntaxError,
    struct.error,
)


def size_of(raw: Raw) -> Size | None:
    """Width and height, read from the head of the data; None if they cannot be."""
    try:
        width, height = imagesize.get(io.BytesIO(raw.read(0, _HEAD)))
    except _BROKEN:
        return None
    # the size of a drawing may be a fraction, or beyond all numbers
    if not (0 < width < _HUGE and 0 < height < _HUGE):
        return None
    return math.ceil(width), math.ceil(height)


def image_tokens(picture: Picture, rule: Rule) -> int:
    """Tokens of an image by the rule's formula; a detail that it does not know means auto."""
    return _FORMULAS[rule["image"]](picture, rule)


def _tiles(picture: Picture, rule: Rule) -> int:
    """OpenAI until GPT-5.1 and xAI."""
    width, height, detail = picture
    if detail == "low":
        return rule["base"]
    if "long" in rule:
        width, height = _shrunk(width, height, max(width, height), rule["long"])
        width, height = _shrunk(width, height, min(width, height), rule["short"])
    tiles = -(-width // rule["side"]) * -(-height // rule["side"])
    return rule["base"] + rule["tile"] * min(tiles, rule.get("most", tiles))


def _shrunk(width: int, height: int, length: int, limit: int) -> Size:
    if length <= limit:
        return width, height
    return -(-width * limit // length), -(-height * limit // length)


def _patches(picture: Picture, rule: Rule) -> int:
    """OpenAI's small models and all from GPT-5.2 on."""
    width, height, detail = picture
    details = rule["detail"]
    edge, most = details.get(detail, details[rule["auto"]])
    if edge and max(width, height) > edge:
        scale = edge / max(width, height)
        width, height = max(1, round(width * scale)), max(1, round(height * scale))
    patches = _cells(width, height, _PATCH)
    if most and patches > most:
        patches = min(most, _fitted(width, height, most))
    return -(-patches * rule["multiplier"] // 100)


def _fitted(width: int, height: int, most: int) -> int:
    """Patches of an image shrunk to at most so many: one side becomes whole patches."""
    scale = math.sqrt(most / (width * height))  # patches a pixel
    wide, high = width * scale, height * scale
    scale *= min(max(1, int(wide)) / wide, max(1, int(high)) / high) * _PATCH
    return _cells(max(1, int(width * scale)), max(1, int(height * scale)), _PATCH)


def _grid(picture: Picture, rule: Rule) -> int:
    """Claude, Mistral, Qwen: the largest copy that is within the bounds."""
    width, height, _ = picture
    step, longest = rule["step"], max(width, height)
    edge = min(longest, rule.get("edge") or longest)

    def scaled(length: int) -> Size:
        return max(1, round(width * length / longest)), max(1, round(height * length / longest))

    if most := rule.get("most"):
        edges = range(1, edge + 1)
        edge = max(1, bisect_right(edges, most, key=lambda e: _cells(*scaled(e), step)))
    width, height = scaled(edge)
    return _cells(width, height, step) + rule.get("row", 0) * -(-height // step)


def _budget(picture: Picture, rule: Rule) -> int:
    """Gemini from 3 on: a grid of the image's own shape."""
    width, height, detail = picture
    details = rule["detail"]
    return grid_within(details.get(detail, details[rule["auto"]]), width, height)


def grid_within(most: int, width: int, height: int) -> int:
    """Cells of the largest grid of a shape with at most ``most`` of them."""
    rows = max(1, math.isqrt(most * height // width))
    columns = max(1, math.isqrt(most * width // height))
    return min(most, rows * columns)


def _crops(picture: Picture, rule: Rule) -> int:
    """Gemini 2.0: a small image whole, a larger one in squares."""
    width, height, _ = picture
    if max(width, height) <= rule["small"]:
        return rule["tile"]
    width, height = _shrunk(width, height, max(width, height), rule["long"])
    side = min(768, max(256, min(width, height) * 2 // 3))
    return rule["tile"] * _cells(width, height, side)


def _flat(picture: Picture, rule: Rule) -> int:
    """Gemini 1.5 and 2.5, and models that see all images in one size."""
    return rule.get("low", rule["tile"]) if picture.detail == "low" else rule["tile"]


def _cells(width: int, height: int, side: int) -> int:
    return -(-width // side) * -(-height // side)


_FORMULAS: Final[dict[str, Callable[[Picture, Rule], int]]] = {
    "tiles": _tiles,
    "patches": _patches,
    "grid": _grid,
    "cells": _budget,
    "crops": _crops,
    "flat": _flat,
}
