"""Images by their size in pixels, and by nothing else that a sender can choose."""

from __future__ import annotations

import base64
import random
import struct
import zlib

import pytest
from trimtab import count, fit
from trimtab.formats.base import Image
from trimtab.tokens.media import image_tokens


def png(width, height):
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


def gif(width, height):
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\x00\x00\x00\x00\x00\xff\xff\xff;"


def jpeg(width, height):
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\x00"
    return b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF\x00\x01\x01\0\0\1\0\1\0\0" + frame


def webp(width, height):
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    chunk = b"VP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + sizes
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def svg(width, height):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"></svg>'.encode()
    )


KINDS = {"png": png, "gif": gif, "jpeg": jpeg, "webp": webp}
kinds = pytest.mark.parametrize("kind", KINDS)


def image(data, detail="auto"):
    return Image(base64.b64encode(data).decode(), detail)


UNKNOWN = {"openai": 765, "claude": 1399, "other": 765}  # as 1024 x 1024

# OpenAI: fitted into 2048 x 2048, its short side to 768, then 512 x 512 tiles of 170 over 85.
TILES = [
    (1, 1, 255),
    (512, 512, 255),
    (513, 512, 425),
    (640, 480, 425),
    (1024, 1024, 765),
    (768, 2048, 1445),
    (2048, 4096, 1105),
    (4096, 8192, 1105),
    (20_000, 100, 765),
    (10_000, 10_000, 765),
]
# Anthropic: an area over 750, at most 1,600.
AREAS = [
    (1, 1, 1),
    (200, 200, 54),
    (640, 480, 410),
    (1000, 1000, 1334),
    (1092, 1092, 1590),
    (1200, 1000, 1600),
    (10_000, 10_000, 1600),
]


@kinds
@pytest.mark.parametrize(("width", "height", "tokens"), TILES)
def test_openai_counts_tiles(kind, width, height, tokens):
    data = KINDS[kind](width, height)
    for detail in ("auto", "high"):
        assert image_tokens(image(data, detail), "openai") == tokens
    assert image_tokens(image(data, "low"), "openai") == 85


@kinds
@pytest.mark.parametrize(("width", "height", "tokens"), AREAS)
def test_claude_counts_the_area(kind, width, height, tokens):
    for detail in ("auto", "low"):
        assert image_tokens(image(KINDS[kind](width, height), detail), "claude") == tokens


@kinds
def test_how_long_the_data_are_does_not_matter(kind):
    head = KINDS[kind](640, 480)
    for family in UNKNOWN:
        sizes = {
            image_tokens(image(head + b"\0" * n), family) for n in (0, 1, 2, 3, 1_000, 3_000_000)
        }
        assert len(sizes) == 1


def test_a_later_size_in_a_photo_is_found():
    """A camera writes a long thumbnail before the size."""
    exif = b"\xff\xe1" + struct.pack(">H", 60_002) + b"\0" * 60_000
    photo = jpeg(640, 480)
    assert image_tokens(image(photo[:2] + exif + photo[2:]), "openai") == 425


HOSTILE = {
    "nothing": "",
    "no base64": "!" * 40,
    "one character": "A",
    "padding alone": "====",
    "padding within": "iVBO====Rw0K",
    "not ASCII": "é" * 40,
    "a lone surrogate": "\ud800" * 40,
    "an address": "https://example.org/a.png",
    "zeros": base64.b64encode(b"\0" * 400).decode(),
    "a width of 0": base64.b64encode(png(0, 480)).decode(),
    "half a header": base64.b64encode(png(640, 480)[:20]).decode(),
    "a gif without a size": base64.b64encode(b"GIF89a").decode(),
    "a jpeg without an end": base64.b64encode(b"\xff\xd8" + b"\xff" * 400).decode(),
    "a wrong tiff": base64.b64encode(b"II*\0" + b"\xff" * 60).decode(),
    "no svg": base64.b64encode(b"<svg " + b"<" * 300).decode(),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=list(HOSTILE))
def test_what_is_no_image_counts_as_one_of_unknown_size(data):
    for family, tokens in UNKNOWN.items():
        assert image_tokens(Image(data), family) == tokens


def test_damaged_headers_count_as_some_number():
    chance = random.Random(7)
    seeds = [make(640, 480) for make in KINDS.values()] + [svg(640, 480), b"II*\0\x08\0\0\0" * 9]
    for _ in range(2_000):
        data = bytearray(chance.choice(seeds)[: chance.randint(1, 90)])
        for _ in range(chance.randint(0, 5)):
            data[chance.randrange(len(data))] = chance.choice([0, 255, chance.randrange(256)])
        assert 85 <= image_tokens(image(bytes(data)), "openai") < 10_000
        assert 1 <= image_tokens(image(bytes(data)), "claude") <= 1_600


@pytest.mark.parametrize("size", [("640", "480"), ("640.5", "480"), ("10cm", "1in")])
def test_tokens_of_a_drawing_are_whole(size):
    for family in UNKNOWN:
        assert type(image_tokens(image(svg(*size)), family)) is int


def test_an_endless_drawing_does_not_pass_every_budget():
    url = "data:image/svg+xml;base64," + image(svg("9" * 400, 1)).data
    part = {"type": "image_url", "image_url": {"url": url}}
    total = count([{"role": "user", "content": [part]}]).total
    assert total > 85
    fitted = fit([{"role": "user", "content": [part]}], total)
    assert fitted.used <= fitted.budget


def test_images_in_messages_of_both_formats():
    data = image(png(640, 480)).data
    url = {"url": f"data:image/png;base64,{data}"}
    chat = [{"role": "user", "content": [{"type": "image_url", "image_url": url}]}]
    source = {"type": "base64", "media_type": "image/png", "data": data}
    claude = [{"role": "user", "content": [{"type": "image", "source": source}]}]
    for history, tokens in ((chat, 425), (claude, 410)):
        alone = count([{"role": "user", "content": ""}], format=fit(history, 999).format)
        assert count(history).total - alone.total == tokens
    assert not count(chat).exact
