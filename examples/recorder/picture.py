"""A bar chart as PNG. Nothing is compressed, so the bytes do not depend on the zlib at hand."""

import struct
import zlib
from collections.abc import Sequence

WHITE, BLACK, BLUE, RED = range(4)
PALETTE = bytes.fromhex("ffffff 000000 2f6fb0 c23b32")
BAR, GAP, UNIT, EDGE = 6, 3, 7, 8


def bars(values: Sequence[int]) -> bytes:
    """One bar a value, blue above the line and red below it."""
    width = 2 * EDGE + len(values) * (BAR + GAP)
    line = EDGE + UNIT * max([0, *values])
    height = line + 1 + UNIT * max([0, *(-value for value in values)]) + EDGE
    rows = [[WHITE] * width for _ in range(height)]
    rows[line][EDGE : width - EDGE] = [BLACK] * (width - 2 * EDGE)
    for place, value in enumerate(values):
        left = EDGE + place * (BAR + GAP)
        top = line - UNIT * value if value > 0 else line + 1
        for y in range(top, top + UNIT * abs(value)):
            rows[y][left : left + BAR] = [BLUE if value > 0 else RED] * BAR
    return png(rows)


def png(rows: Sequence[Sequence[int]]) -> bytes:
    """A picture of palette indices, two bits each."""
    raw = b"".join(b"\0" + packed(row) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 2, 3, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"PLTE", PALETTE), (b"IDAT", stored(raw)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, data) for name, data in chunks)


def packed(row: Sequence[int]) -> bytes:
    fours = zip(*[iter([*row, *[WHITE] * (-len(row) % 4)])] * 4, strict=True)
    return bytes(a << 6 | b << 4 | c << 2 | d for a, b, c, d in fours)


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def stored(raw: bytes) -> bytes:
    """A zlib stream of stored blocks (RFC 1950 and 1951)."""
    pieces = [raw[start : start + 65535] for start in range(0, len(raw), 65535)]
    blocks = [
        struct.pack("<BHH", piece is pieces[-1], len(piece), len(piece) ^ 0xFFFF) + piece
        for piece in pieces
    ]
    return b"\x78\x01" + b"".join(blocks) + struct.pack(">I", zlib.adler32(raw))
