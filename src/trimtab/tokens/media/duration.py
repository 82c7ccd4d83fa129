"""How long a sound or film takes, from its header; nothing is played or unpacked."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import Final

from .raw import Raw

_HEAD: Final = 8192
_TAIL: Final = 1 << 16
_BOXES: Final = 64
_MOOV: Final = 1 << 20
_SLOWEST: Final = 250  # bytes a second that even a quiet sound takes; less is a false header
_BROKEN: Final = (struct.error, ValueError, LookupError, ArithmeticError)


def seconds_of(raw: Raw) -> float | None:
    """Seconds of a WAV, MP3, FLAC, Ogg, MP4 or WebM; None for what is none of them.

    Reads the head of the data, of Ogg also the tail, of MP4 the box that describes it.
    """
    head = raw.read(0, _HEAD)
    for mark, read in _READERS:
        if mark.match(head):
            try:
                seconds = read(raw)
            except _BROKEN:
                return None
            most = raw.size / _SLOWEST + 1
            return min(seconds, most) if seconds and seconds > 0 else None
    return None


def has_sound(raw: Raw) -> bool:
    """Whether a film has sound, as far as can be told: True unless it says it has none."""
    if not _MP4.match(raw.read(0, 16)):
        return True
    moov = _moov(raw)
    return moov is None or b"soun" in raw.read(moov[0], min(moov[1], _MOOV))


def _wav(raw: Raw) -> float | None:
    head, at, rate = raw.read(0, _HEAD), 12, 0
    while at + 8 <= len(head):
        name, size = struct.unpack_from("<4sI", head, at)
        if name == b"fmt ":
            rate = struct.unpack_from("<I", head, at + 16)[0]
        elif name == b"data" and rate:
            return min(size, raw.size - at - 8) / rate
        at += 8 + size + size % 2
    return None


_BITRATES: Final = {  # kbit/s by (MPEG 1, layer), from the standard
    (True, 1): (32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (True, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (True, 3): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (False, 1): (32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (False, 2): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (False, 3): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES: Final = (44100, 48000, 32000)
_COUNTED: Final = re.compile(rb"(?:Xing|Info)\0\0\0[\x01\x03\x05\x07\x09\x0b\x0d\x0f]")


def _mp3(raw: Raw) -> float | None:
    head, start = raw.read(0, _HEAD), 0
    if head.startswith(b"ID3"):
        a, b, c, d = head[6:10]
        start = 10 + (a << 21 | b << 14 | c << 7 | d)
        head = raw.read(start, _HEAD)
    for match in re.finditer(rb"\xff[\xe2-\xff]", head):
        if frame := _frame(head[match.start() :]):
            bits, samples, rate = frame
            if counted := _COUNTED.search(head):
                return struct.unpack_from(">I", head, counted.end())[0] * samples / rate
            return (raw.size - start - match.start()) * 8 / bits
    return None


def _frame(head: bytes) -> tuple[int, int, int] | None:
    """Bits a second, samples a frame and samples a second, from the header of a frame."""
    version, layer = head[1] >> 3 & 3, 4 - (head[1] >> 1 & 3)
    rate, bitrate = head[2] >> 2 & 3, head[2] >> 4
    if version == 1 or layer == 4 or rate == 3 or not 0 < bitrate < 15:
        return None
    first = version == 3
    halved = {3: 1, 2: 2, 0: 4}[version]
    samples = 384 if layer == 1 else 1152 if first or layer == 2 else 576
    return _BITRATES[first, layer][bitrate - 1] * 1000, samples, _RATES[rate] // halved


def _flac(raw: Raw) -> float | None:
    packed = int.from_bytes(raw.read(18, 8), "big")
    return (packed & (1 << 36) - 1) / (packed >> 44)


def _ogg(raw: Raw) -> float | None:
    head, rate = raw.read(0, _HEAD), 48000
    if (at := head.find(b"\x01vorbis")) >= 0:
        rate = struct.unpack_from("<I", head, at + 12)[0]
    tail = raw.tail(_TAIL)
    return struct.unpack_from("<Q", tail, tail.rindex(b"OggS") + 6)[0] / rate


def _mp4(raw: Raw) -> float | None:
    moov = _moov(raw)
    if moov is None:
        return None
    inside = raw.read(moov[0], min(moov[1], 256))
    at = inside.index(b"mvhd") + 4
    if inside[at]:
        scale, length = struct.unpack_from(">IQ", inside, at + 20)
    else:
        scale, length = struct.unpack_from(">II", inside, at + 12)
    return length / scale


def _moov(raw: Raw) -> tuple[int, int] | None:
    return next(((at, size) for name, at, size in _boxes(raw) if name == b"moov"), None)


def _boxes(raw: Raw) -> Iterator[tuple[bytes, int, int]]:
    """Name, start and size of the content of each box of an MP4 file."""
    at = 0
    for _ in range(_BOXES):
        header = raw.read(at, 16)
        if len(header) < 8:
            return
        size, name = struct.unpack_from(">I4s", header)
        skipped = 8
        if size == 1 and len(header) == 16:
            size, skipped = struct.unpack_from(">Q", header, 8)[0], 16
        if size < skipped:
            size = raw.size - at
        yield name, at + skipped, size - skipped
        at += size


def _webm(raw: Raw) -> float | None:
    head = raw.read(0, _HEAD)
    scale = re.search(rb"\x2a\xd7\xb1\x83(...)", head, re.DOTALL)
    nanoseconds = int.from_bytes(scale[1], "big") if scale else 1_000_000
    if short := re.search(rb"\x44\x89\x84(....)", head, re.DOTALL):
        return struct.unpack(">f", short[1])[0] * nanoseconds / 1e9
    if long := re.search(rb"\x44\x89\x88(.{8})", head, re.DOTALL):
        return struct.unpack(">d", long[1])[0] * nanoseconds / 1e9
    return None


_MP4: Final = re.compile(rb"....ftyp", re.DOTALL)
_READERS: Final[tuple[tuple[re.Pattern[bytes], Callable[[Raw], float | None]], ...]] = (
    (re.compile(rb"RIFF....WAVE", re.DOTALL), _wav),
    (re.compile(rb"fLaC"), _flac),
    (re.compile(rb"OggS"), _ogg),
    (_MP4, _mp4),
    (re.compile(rb"\x1a\x45\xdf\xa3"), _webm),
    (re.compile(rb"ID3|\xff[\xe2-\xff]"), _mp3),
)
