"""A scripted session of a person and a model about screenshots, each another picture."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

WIDTH, HEIGHT = 1_280, 720


def session(pictures: int) -> list[dict[str, Any]]:
    """A conversation of so many pictures, as Chat messages."""
    made: list[dict[str, Any]] = [{"role": "system", "content": "You drive a browser."}]
    for number in range(pictures):
        shown = {"type": "image_url", "image_url": {"url": screenshot(number), "detail": "high"}}
        said = {"type": "text", "text": f"This is the page after step {number}. What next?"}
        made.append({"role": "user", "content": [said, shown]})
        made.append({"role": "assistant", "content": f"Click the button labelled {number + 1}."})
    return made


def screenshot(number: int) -> str:
    """A grey PNG as a data URL, another grey for another number."""
    rows = (b"\0" + bytes([number % 256]) * WIDTH) * HEIGHT
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + parts).decode()


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
