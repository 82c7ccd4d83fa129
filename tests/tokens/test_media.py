"""Pictures by their size in pixels, documents by their pages, sound and film by seconds."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import zipfile
import zlib

import pytest
from trimtab import count, fit
from trimtab.formats.weight import Media
from trimtab.tokens.media import media_tokens
from trimtab.tokens.media.duration import has_sound, seconds_of
from trimtab.tokens.media.images import Picture, image_tokens
from trimtab.tokens.media.office import office_characters
from trimtab.tokens.media.pdf import Pages, read_pdf
from trimtab.tokens.media.raw import Raw
from trimtab.tokens.media.rules import rule_named
from trimtab.tokens.model_table import table

RULES = sorted(table()["media"])
rules = pytest.mark.parametrize("rule", RULES)


def encoded(data):
    return base64.b64encode(data).decode()


# Pictures


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
    return Media("image", encoded(data), detail)


# Of the providers' documentation, or of published measurements of what was billed.
PRICES = {
    "gpt-4o": [
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
    ],
    "gpt-4o-mini": [(1, 1, 8500), (1024, 1024, 25_501)],
    "gpt-5": [(512, 512, 210), (1024, 1024, 630)],
    "o1": [(1024, 1024, 675)],
    "gpt-4.1-mini": [(1024, 1024, 1659), (1800, 2400, 2353)],
    "gpt-5-mini": [(256, 256, 77), (768, 1024, 922), (1280, 720, 1104), (2048, 768, 1844)],
    "gpt-5-nano": [(512, 512, 384)],
    "gpt-5.5": [(1920, 1080, 2448), (3840, 2160, 9792), (4032, 3024, 11_868)],
    "gpt-5.6": [(256, 256, 77), (1024, 1024, 1229), (3840, 2160, 9792), (4032, 3024, 14_364)],
    "claude-3": [
        (1, 1, 1),
        (200, 200, 64),
        (1000, 1000, 1296),
        (1092, 1092, 1521),
        (1280, 720, 1196),
        (1920, 1080, 1560),
        (3840, 2160, 1560),
        (784, 1568, 1568),
        (951, 1268, 1564),
    ],
    "claude-4.7": [(1000, 1000, 1296), (1920, 1080, 2691), (2000, 1500, 3888)],
    "gemini-1.5": [(3000, 2000, 258)],
    "gemini-2.0": [(384, 384, 258), (960, 540, 1548)],
    "gemini-2.5": [(3000, 2000, 258)],
    "gemini-3": [(8, 8, 1089), (512, 512, 1089), (1280, 720, 1100), (4032, 3024, 1064)],
    "mistral": [(28, 28, 2), (400, 301, 176), (1540, 1540, 3080)],
    "pixtral": [(1024, 1024, 4160)],
    "qwen": [(1092, 1092, 1521)],
    "grok": [(448, 448, 512), (2000, 2000, 1792)],
    "gemma": [(3000, 10, 260)],
}


@pytest.mark.parametrize(
    ("rule", "width", "height", "tokens"),
    [(rule, *price) for rule, prices in PRICES.items() for price in prices],
)
def test_images_by_their_size(rule, width, height, tokens):
    assert media_tokens(image(png(width, height)), rule) == tokens


@pytest.mark.parametrize(
    ("rule", "detail", "tokens"),
    [
        ("gpt-4o", "low", 85),
        ("gpt-4o-mini", "low", 2833),
        ("gpt-5", "low", 70),
        ("gpt-4o", "high", 765),
        ("gpt-4o", "original", 765),
        ("gpt-5-mini", "low", 1826),  # the small models know one detail
        ("gpt-5.4", "auto", 3000),
        ("gpt-5.4", "high", 3000),
        ("gpt-5.4", "original", 4916),
        ("gpt-5.5", "auto", 4916),
        ("gpt-5.5", "low", 308),
        ("gpt-5.6", "high", 2942),
        ("gemini-2.5", "low", 66),
        ("gemini-3", "low", 256),
        ("gemini-3", "MEDIA_RESOLUTION_MEDIUM", 529),
        ("gemini-3", "media_resolution_ultra_high", 2209),
        ("claude-4.7", "low", 4761),  # has none
    ],
)
def test_images_by_their_detail(rule, detail, tokens):
    size = (1024, 1024) if rule in ("gpt-4o", "gpt-4o-mini", "gpt-5") else (2048, 2048)
    if rule == "gpt-5.6":
        size = (4032, 3024)
    assert media_tokens(image(png(*size), detail), rule) == tokens


@rules
def test_a_strange_detail_means_auto(rule):
    whole = media_tokens(image(png(700, 500)), rule)
    for detail in ("", "AUTO", "tile", "audio", "base", "é", "x" * 99):
        assert media_tokens(image(png(700, 500), detail), rule) == whole


@rules
def test_an_image_stays_within_bounds_whatever_its_size(rule):
    chance = random.Random(rule)
    sizes = [1, 2, 31, 32, 33, 511, 512, 513, 767, 1567, 1568, 2048, 6001, 65_535, (1 << 20) - 1]
    most = {
        "gpt-4o-mini": 50_000,
        "gpt-5.6": 36_000,
        "gpt-5.5": 12_000,
        "gpt-5.4": 12_000,
        "qwen": 16_384,
    }
    for _ in range(300):
        picture = Picture(chance.choice(sizes), chance.choice(sizes), "original")
        tokens = image_tokens(picture, rule_named(rule))
        assert type(tokens) is int and 0 < tokens <= most.get(rule, 7000)
        turned = Picture(picture.height, picture.width, "original")
        if rule not in ("mistral", "pixtral"):  # they pay for rows
            assert image_tokens(turned, rule_named(rule)) == tokens


@rules
def test_a_larger_budget_of_patches_is_never_exceeded(rule):
    figures = rule_named(rule)
    if figures["image"] != "patches":
        return
    chance = random.Random(3)
    for _ in range(300):
        width, height = chance.randint(1, 9000), chance.randint(1, 9000)
        for detail, (edge, most) in figures["detail"].items():
            tokens = image_tokens(Picture(width, height, detail), figures)
            bound = most or (-(-edge // 32)) ** 2
            assert tokens <= -(-bound * figures["multiplier"] // 100)


@kinds
def test_a_size_is_read_from_every_kind(kind):
    assert media_tokens(image(KINDS[kind](640, 480)), "gpt-4o") == 425
    assert media_tokens(image(KINDS[kind](640, 480)), "claude-3") == 414


@kinds
def test_how_long_the_data_are_does_not_matter(kind):
    head = KINDS[kind](640, 480)
    for rule in RULES:
        sizes = {media_tokens(image(head + b"\0" * n), rule) for n in (0, 1, 2, 3, 1_000, 300_000)}
        assert len(sizes) == 1


def test_a_later_size_in_a_photo_is_found():
    """A camera writes a long thumbnail before the size."""
    exif = b"\xff\xe1" + struct.pack(">H", 60_002) + b"\0" * 60_000
    photo = jpeg(640, 480)
    assert media_tokens(image(photo[:2] + exif + photo[2:]), "gpt-4o") == 425


def test_base64_in_every_spelling():
    photo = jpeg(640, 480) + bytes(range(256)) * 40
    safe = base64.urlsafe_b64encode(photo).decode()
    lines = base64.encodebytes(photo).decode()
    bare = encoded(photo).rstrip("=")
    for data in (safe, lines, bare, photo, "\n" + bare, bare.rstrip("=") + "\n"):
        assert media_tokens(Media("image", data), "gpt-4o") == 425
        assert Raw(data).read() == photo
        assert Raw(data).read(700, 11) == photo[700:711]
        assert Raw(data).tail(5) == photo[-5:]


@pytest.mark.parametrize("size", [-1, 0, 1, 2, 3, 4, 255, 256])
@pytest.mark.parametrize("start", [-1, 0, 1, 2, 3, 254, 255, 256, 999])
def test_bytes_are_read_from_anywhere(start, size):
    data = bytes(range(256))
    expected = data[start : start + size] if start >= 0 and size > 0 else b""
    assert Raw(encoded(data)).read(start, size) == expected


HOSTILE = {
    "nothing": "",
    "no base64": "!" * 40,
    "one character": "A",
    "padding alone": "====",
    "padding within": "iVBO====Rw0K",
    "not ASCII": "é" * 40,
    "a lone surrogate": "\ud800" * 40,
    "an address": "https://example.org/a.png",
    "blanks": " " * 4000,
    "zeros": encoded(b"\0" * 400),
    "a width of 0": encoded(png(0, 480)),
    "half a header": encoded(png(640, 480)[:20]),
    "a gif without a size": encoded(b"GIF89a"),
    "a jpeg without an end": encoded(b"\xff\xd8" + b"\xff" * 400),
    "a wrong tiff": encoded(b"II*\0" + b"\xff" * 60),
    "no svg": encoded(b"<svg " + b"<" * 300),
    "an endless svg": encoded(svg("9" * 400, 1)),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=list(HOSTILE))
@rules
def test_what_is_no_image_counts_as_one_of_unknown_size(data, rule):
    unknown = image_tokens(Picture(1280, 960), rule_named(rule))
    assert media_tokens(Media("image", data), rule) == unknown


def test_an_image_of_unknown_size_in_tokens():
    prices = {rule: media_tokens(Media("image"), rule) for rule in ("gpt-4o", "claude-3")}
    assert prices == {"gpt-4o": 765, "claude-3": 1564}


@pytest.mark.parametrize("kind", ["image", "document", "audio", "video", "file", "source"])
def test_damaged_data_count_as_some_number(kind):
    chance = random.Random(7)
    seeds = [make(640, 480) for make in KINDS.values()]
    seeds += [svg(640, 480), b"II*\0\x08\0\0\0" * 9, pdf(3), wav(1), MP3, mp4(5), WEBM, OGG, FLAC]
    seeds += [office(word__document="text " * 99)]
    for _ in range(1_000):
        data = bytearray(chance.choice(seeds)[: chance.randint(1, 900)])
        for _ in range(chance.randint(0, 5)):
            data[chance.randrange(len(data))] = chance.choice([0, 255, chance.randrange(256)])
        for rule in ("gpt-4o", "gpt-5.6", "claude-3", "gemini-2.0", "gemini-3", "mistral"):
            tokens = media_tokens(Media(kind, encoded(bytes(data))), rule)
            assert type(tokens) is int and 0 <= tokens < 200_000


@pytest.mark.parametrize("size", [("640", "480"), ("640.5", "480"), ("10cm", "1in")])
@rules
def test_tokens_of_a_drawing_are_whole(size, rule):
    assert type(media_tokens(image(svg(*size)), rule)) is int


def test_an_unknown_rule_is_that_of_the_others():
    photo = image(png(640, 480))
    assert media_tokens(photo, "nobody's") == media_tokens(photo, "other")
    assert media_tokens(photo, "") == media_tokens(photo, "other")
    assert media_tokens(photo, "chatml") == media_tokens(photo, "gpt-4o")
    assert media_tokens(photo, "gemini") == media_tokens(photo, "gemini-3")


# Documents


def stream(content, described=b"", *, packed=True):
    filtered = b"/Filter/FlateDecode" if packed else b""
    content = zlib.compress(content) if packed else content
    length = b"/Length %d" % len(content)
    return (
        b"9 0 obj <<"
        + length
        + filtered
        + described
        + b">>\nstream\n"
        + content
        + b"\nendstream endobj\n"
    )


def pdf(number, text=b"", *, hidden=False, picture=False, box=b"0 0 612 792"):
    """A PDF of so many pages with a text on the first; ``hidden`` in an object stream."""
    page = b"<</Type /Page/Parent 2 0 R/MediaBox[%s]/Contents 9 0 R>>" % box
    tree = b"2 0 obj <</Type /Pages/Count %d>> endobj\n" % number
    pages = b"".join(page + b"\n" for _ in range(number))
    pages = stream(pages, b"/Type/ObjStm/N 3") if hidden else pages
    shown = stream(b"BT /F1 12 Tf (%s) Tj ET" % text) if text else b""
    drawn = stream(b"\x01\x02 (BT) ", b"/Subtype/Image/Width 9") if picture else b""
    return b"%PDF-1.7\n" + tree + pages + shown + drawn + b"%%EOF"


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("number", [1, 2, 100])
def test_pages_are_counted(number, hidden):
    assert read_pdf(pdf(number, hidden=hidden)) == Pages(number, 0, pictures=False)


@pytest.mark.parametrize(
    ("content", "characters"),
    [
        (b"BT (Hello) Tj ET", 5),
        (b"BT [(He) -20 (llo)] TJ ET", 5),
        (rb"BT (a\)b\\) Tj ET", 6),
        (b"BT <48656C6C6F> Tj ET", 5),
        (b"BT <48 65 6C\n6C> Tj ET", 5),
        (b"BT (\0H\0i) Tj ET", 2),
        (b"(no text is shown) q Q", 0),
    ],
)
def test_characters_are_counted(content, characters):
    for packed in (True, False):
        data = pdf(1) + stream(content, packed=packed)
        assert read_pdf(data).characters == characters


def test_a_wide_font_takes_two_bytes_a_character():
    data = pdf(1) + b"5 0 obj <</Encoding/Identity-H>> endobj " + stream(b"BT <00480069> Tj ET")
    assert read_pdf(data).characters == 2


def test_pictures_and_the_size_of_a_page_are_seen():
    assert read_pdf(pdf(1, picture=True)).pictures
    assert read_pdf(pdf(1, box=b"0 0 595.3 841.9")).size == (595, 842)
    for box in (b"0 0 0 0", b"a b c d", b"1.2.3 0 0 1", b""):
        assert read_pdf(pdf(1, box=box)).size == (612, 792)


def test_fonts_and_profiles_are_no_text():
    font = stream(b"BT (abcdefgh) Tj ET", b"/Length1 99")
    assert read_pdf(pdf(1) + font).characters == 0


BOMB = stream(b"BT (" + b"a" * 50_000_000 + b") Tj ET")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"%PDF-1.7",
        b"no pdf",
        b"%PDF-1.7 /Type/Page " + b"stream\n" * 100_000,
        b"%PDF-1.7 /Type/Page " + b"stream\nendstream" * 9_000,
        b"%PDF-1.7 /Type/Page stream\n" + b"(" * 300_000 + b"BT endstream",
        b"%PDF-1.7 /Type/Page stream\nBT " + b"\\(" * 100_000 + b"<" * 100_000 + b" endstream",
        b"%PDF-1.7" + b"/Type/Page" * 50_000,
        b"%PDF-1.7" + b"/MediaBox [" * 50_000,
        pdf(1) + BOMB,
    ],
)
def test_a_hostile_document_is_some_number(data):
    tokens = media_tokens(Media("document", encoded(data)), "claude-3")
    assert 0 <= tokens < 5_000_000
    pages = read_pdf(data)
    assert pages is None or pages.number <= 1000


def test_no_more_than_8_mib_are_unpacked():
    assert read_pdf(pdf(1) + BOMB * 9).characters <= 8 << 20


TEXT = b"word " * 800


@pytest.mark.parametrize(
    ("rule", "one", "more", "scanned"),
    [
        # fixed, for a page and its text; and for a page that is a picture
        ("gpt-4o", 220 + 1143, 0, 220 + 765),
        ("gpt-5.4", 220 + 2340 + 1143, 2340, 220 + 2340),  # pages are shown as well
        ("claude-3", 1650 + 1429, 1650, 1650),
        ("claude-4.7", 1650 + 1740, 1650, 1650),
        ("gemini-1.5", 258, 258, 258),
        ("gemini-2.5", 258, 258, 258),
        ("gemini-3", 520, 520, 520),
        ("mistral", 1334, 0, 2420),
    ],
)
def test_documents_by_their_pages(rule, one, more, scanned):
    def tokens(data):
        return media_tokens(Media("document", encoded(data)), rule)

    assert tokens(pdf(1, TEXT)) == one
    assert tokens(pdf(5, TEXT)) == one + 4 * more
    assert tokens(pdf(1, picture=True)) == scanned


def test_a_blank_page_and_what_was_billed():
    """One page of letter paper without a word: 1,630 for Claude 3.5, 30 in Responses."""
    blank = encoded(pdf(1))
    assert media_tokens(Media("document", blank), "claude-3") == 1650
    assert media_tokens(Media("file", blank), "gpt-4o") == 30
    assert media_tokens(Media("file", blank), "gemini-3") == 520


def test_colours_are_no_text():
    """A profile of colours may hold any letters."""
    profile = stream(b"mntrRGB BT (abcdefghijklm)" * 40, b"/N 3")
    assert read_pdf(pdf(1) + profile).characters == 0


def office(**parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types>no text</Types>")
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/") + ".xml", content)
    return buffer.getvalue()


def test_office_files_by_their_text():
    word = office(word__document="<w:p><w:t>twelve words</w:t></w:p>", word__styles="x" * 9999)
    assert office_characters(word) == 16
    slides = {f"ppt__slides__slide{n}": "<a:t>" + "abc " * 100 + "</a:t>" for n in range(3)}
    assert office_characters(office(**slides)) == 1206
    assert media_tokens(Media("document", encoded(office(**slides))), "claude-3") == 431
    assert media_tokens(Media("file", encoded(office(**slides))), "gpt-5.4") == 432


def test_an_archive_of_other_things_is_no_office_file():
    assert office_characters(office(readme="text")) is None
    broken = office(word__document="text " * 999)
    for size in range(0, len(broken), 7):
        assert office_characters(broken[:size]) is None
    assert office_characters(office(word__document="x" * 30_000_000)) == 8 << 20
    assert office_characters(office(word__document="<" * 2_000_000)) == 2_000_000


def test_other_documents():
    words = Media("document", encoded(b"plain words " * 100))
    assert media_tokens(words, "claude-3") == 429
    assert media_tokens(words, "gemini-3") == 400
    packed = random.Random(1).randbytes(100_000)
    assert media_tokens(Media("document", encoded(packed)), "claude-3") == 4 * 1650 + 2858
    assert media_tokens(Media("document", encoded(b"%PDF" + packed)), "gemini-2.5") == 4 * 258


def test_a_document_that_is_elsewhere_is_taken_for_three_pages():
    assert media_tokens(Media("document"), "claude-3") == 3 * 1650 + 2143
    assert media_tokens(Media("document"), "gemini-2.5") == 3 * 258


def test_a_file_is_what_its_data_say():
    assert media_tokens(Media("file", encoded(png(640, 480))), "gpt-4o") == 425
    assert media_tokens(Media("file", encoded(pdf(2))), "gemini-2.5") == 2 * 258


def test_a_document_is_read_once(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "trimtab.tokens.media.read_pdf", lambda data: seen.append(len(data)) or read_pdf(data)
    )
    media = Media("document", encoded(pdf(3, b"never seen before")))
    prices = {media_tokens(media, "claude-3") for _ in range(5)}
    media_tokens(media, "gpt-4o")
    assert len(seen) == len(prices) == 1


# Sound and film


def wav(seconds, rate=16_000):
    form = struct.pack("<HHIIHH", 1, 1, rate, rate * 2, 2, 16)
    data = b"\0" * int(seconds * rate * 2)
    parts = b"WAVEfmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data))
    return b"RIFF" + struct.pack("<I", len(parts) + len(data)) + parts + data


MP3 = b"\xff\xfb\x90\x00" + b"\0" * (16_000 * 3 - 4)  # MPEG 1 layer 3, 128 kbit/s: 3 s
VBR = b"\xff\xfb\x90\x00" + b"\0" * 32 + b"Xing\0\0\0\x01" + struct.pack(">I", 383) + b"\0" * 5000
TAGGED = b"ID3\x04\0\0" + bytes([0, 0, 78, 16]) + b"\xff\xfb" * 5000 + MP3
FLAC = b"fLaC\0\0\0\x22" + b"\0" * 10 + ((44_100 << 44) + 441_000).to_bytes(8, "big") + b"\0" * 9000
OGG = (
    b"OggS"
    + b"\0" * 24
    + b"OpusHead"
    + b"\0" * 9000
    + b"OggS\0\0"
    + struct.pack("<Q", 480_000)
    + b"\0" * 99
)
VORBIS = OGG.replace(
    b"OpusHead" + b"\0" * 9000, b"\x01vorbis" + b"\0" * 5 + struct.pack("<I", 44_100) + b"\0" * 9000
)
WEBM = (
    b"\x1a\x45\xdf\xa3"
    + b"\0" * 40
    + b"\x2a\xd7\xb1\x83\x0f\x42\x40\x44\x89\x88"
    + struct.pack(">d", 6500.0)
    + b"\0" * 9000
)


def box(name, content):
    return struct.pack(">I4s", 8 + len(content), name) + content


def mp4(seconds, *, sound=False, late=True, long=False):
    if long:
        head = b"\1\0\0\0" + b"\0" * 16 + struct.pack(">IQ", 1000, int(seconds * 1000))
    else:
        head = b"\0\0\0\0" + b"\0" * 8 + struct.pack(">II", 1000, int(seconds * 1000))
    moov = box(b"moov", box(b"mvhd", head) + box(b"hdlr", b"soun" if sound else b"vide"))
    data = box(b"mdat", b"\0" * 9000)
    return box(b"ftyp", b"isom") + (data + moov if late else moov + data)


@pytest.mark.parametrize(
    ("data", "seconds"),
    [
        (wav(2.5), 2.5),
        (wav(0.5, 44_100), 0.5),
        (MP3, 3.0),
        (TAGGED, 3.0),
        (VBR, 10.005),
        (FLAC, 10.0),
        (OGG, 10.0),
        (VORBIS, 10.884),
        (mp4(5), 5.0),
        (mp4(5, late=False), 5.0),
        (mp4(7.25, long=True), 7.25),
        (WEBM, 6.5),
    ],
)
def test_seconds_are_read_from_the_header(data, seconds):
    assert seconds_of(Raw(encoded(data))) == pytest.approx(seconds, abs=0.01)


def test_a_header_cannot_claim_more_than_the_data_hold():
    assert seconds_of(Raw(encoded(mp4(4_000_000)))) < 60
    huge = wav(0.1)[:40] + b"\xff\xff\xff\xff" + b"\0" * 320
    assert seconds_of(Raw(encoded(huge))) == pytest.approx(0.01)


@pytest.mark.parametrize(
    "data", [b"", b"RIFF", b"nothing at all", b"ID3", b"\xff\xfb", b"fLaC", b"OggS"]
)
def test_what_has_no_header_has_no_length(data):
    assert seconds_of(Raw(encoded(data))) is None


def test_a_box_that_does_not_end():
    assert seconds_of(Raw(encoded(box(b"ftyp", b"isom") + b"\0\0\0\1moov" + b"\0" * 8))) is None
    assert seconds_of(Raw(encoded(box(b"ftyp", b"isom") + b"\0\0\0\0free" * 999))) is None


@pytest.mark.parametrize(
    ("rule", "sound", "film", "silent"),
    [
        ("gpt-4o", 100, 1500, 1450),
        ("gemini-2.0", 320, 1450, 1290),
        ("gemini-2.5", 320, 1475, 1315),
        ("gemini-3", 250, 475, 350),
    ],
)
def test_sound_and_film_by_the_second(rule, sound, film, silent):
    assert media_tokens(Media("audio", encoded(wav(10))), rule) == sound
    assert media_tokens(Media("video", encoded(mp4(5, sound=True))), rule) == film
    assert media_tokens(Media("video", encoded(mp4(5))), rule) == silent


def test_whether_a_film_has_sound():
    assert has_sound(Raw(encoded(mp4(5, sound=True))))
    assert not has_sound(Raw(encoded(mp4(5))))
    assert has_sound(Raw(encoded(WEBM))) and has_sound(Raw("")) and has_sound(Raw("!"))


def test_sound_and_film_of_unknown_form_by_their_bytes():
    noise = random.Random(1).randbytes(125_000)
    assert media_tokens(Media("audio", encoded(noise)), "gemini-2.5") == 1000
    assert media_tokens(Media("video", encoded(noise)), "gemini-2.5") == 590


def test_sound_and_film_that_are_elsewhere_last_a_minute():
    assert media_tokens(Media("audio"), "gemini-2.5") == 60 * 32
    assert media_tokens(Media("video"), "gemini-3") == 60 * 95


def test_no_more_is_decoded_than_is_read(monkeypatch):
    decoded = []
    real = Raw.read

    def read(self, start=0, size=None):
        data = real(self, start, size)
        decoded.append(len(data))
        return data

    monkeypatch.setattr(Raw, "read", read)
    long = mp4(5).replace(b"\0" * 9000, b"\0" * 9000)
    film = long[:12] + box(b"mdat", b"\0" * 3_000_000) + long[12:]
    media_tokens(Media("video", encoded(film)), "gemini-3")
    media_tokens(Media("image", encoded(png(9, 9) + b"\0" * 3_000_000)), "gpt-4o")
    assert sum(decoded) < 200_000


# In messages


def test_an_endless_drawing_does_not_pass_every_budget():
    url = "data:image/svg+xml;base64," + encoded(svg("9" * 400, 1))
    part = {"type": "image_url", "image_url": {"url": url}}
    total = count([{"role": "user", "content": [part]}]).total
    assert total > 85
    fitted = fit([{"role": "user", "content": [part]}], total)
    assert fitted.used <= fitted.budget


@pytest.mark.parametrize(
    ("model", "tokens"), [("gpt-4o", 425), ("gpt-4o-mini", 14_167), ("gpt-5-mini", 360)]
)
def test_images_in_chat_messages(model, tokens):
    url = {"url": f"data:image/png;base64,{encoded(png(640, 480))}"}
    chat = [{"role": "user", "content": [{"type": "image_url", "image_url": url}]}]
    alone = count([{"role": "user", "content": []}], model=model, format="openai-chat")
    counted = count(chat, model=model)
    assert counted.total - alone.total == tokens and not counted.exact


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-opus-4-8"])
def test_images_in_claude_messages(model):
    source = {"type": "base64", "media_type": "image/png", "data": encoded(png(640, 480))}
    claude = [{"role": "user", "content": [{"type": "image", "source": source}]}]
    alone = count([{"role": "user", "content": []}], model=model, format="anthropic")
    assert count(claude, model=model).total - alone.total == 414


def test_media_can_be_told_apart_from_json():
    """The data are no text: they cost nothing by their length."""
    long = {"url": "data:image/png;base64," + encoded(png(640, 480) + b"\0" * 90_000)}
    chat = [{"role": "user", "content": [{"type": "image_url", "image_url": long}]}]
    assert count(chat).total < len(json.dumps(chat)) / 50
