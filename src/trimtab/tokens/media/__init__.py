"""What pictures, documents, sound and film cost: estimates, by each model's own rule."""

from __future__ import annotations

import math
from typing import Final

from ...formats.weight import Media
from ..memo import Memo
from .duration import has_sound, seconds_of
from .images import UNKNOWN, Picture, grid_within, image_tokens, size_of
from .office import office_characters
from .pdf import MOST_PAGES, Pages, read_pdf
from .raw import Raw
from .rules import Rule, rule_named

_ELSEWHERE: Final = Pages(3, 6000, pictures=True)  # a document behind an id or an address
_ELSEWHERE_SECONDS: Final = 60
_PAGE_BYTES: Final = 1 << 15  # bytes of a document that cannot be read, for a page
_PAGE_CHARACTERS: Final = 2000
_PAGE_IMAGE: Final = Picture(1224, 1584, "high")  # letter paper at 144 pixels an inch
_PLAIN_TEXT: Final = 30  # tenths of a byte of a text file for a token
_SOUND_BYTES: Final = 4000  # bytes a second of sound of unknown form: 32 kbit/s
_FILM_BYTES: Final = 62_500  # and of film: 500 kbit/s
_SAMPLE: Final = 4096
_ENTRY: Final = 400


def media_tokens(media: Media, rule: str) -> int:
    """Tokens of what is no text, by the ``rule`` of a model or framing; never raises.

    An image is priced by its size in pixels; one of unknown size, which is behind an
    address or cannot be read, is taken for 1280 x 960. A document is priced by its pages
    and characters; one that is not at hand for three pages, one that cannot be read for
    a page every 32 KiB. Sound and film are priced by their seconds, from their header or
    else by 4,000 and 62,500 bytes for one; what is not at hand for a minute. A ``file``
    is an image if its data say so, else a document of which the model reads the text.

    Figures and sources: ``models.toml``. Images take constant time, the rest is linear
    in the data the first time and remembered.
    """
    prices, kind = rule_named(rule), media.kind
    data = media.data if isinstance(media.data, (str, bytes)) else ""
    if kind in ("audio", "video"):
        return _by_time(Raw(data), prices, film=kind == "video")
    if kind in ("image", "file"):
        raw = Raw(data)
        size = size_of(raw)
        if size is not None or kind == "image":
            return image_tokens(Picture(*(size or UNKNOWN), _detail(media.detail)), prices)
    return _document(_pages(data), prices, drawn=kind != "file")


def _detail(detail: str) -> str:
    """Gemini's words and OpenAI's as one."""
    return detail.lower().removeprefix("media_resolution_")


def _by_time(raw: Raw, rule: Rule, *, film: bool) -> int:
    if not raw.size:
        seconds = float(_ELSEWHERE_SECONDS)
    else:
        rate = _FILM_BYTES if film else _SOUND_BYTES
        seconds = seconds_of(raw) or raw.size / rate
    price = rule["audio"]
    if film:
        price = rule["video"] if has_sound(raw) else max(1, rule["video"] - price)
    return math.ceil(seconds * price)


def _document(pages: Pages, rule: Rule, *, drawn: bool) -> int:
    """Price a document; ``drawn`` where the model is shown its pages, not just the text."""
    price = rule.get("page", 0)
    if price in ("image", "images"):
        shown = pages.pictures or (price == "images" and drawn)
        price = image_tokens(_PAGE_IMAGE, rule) if shown else 0
    elif "page_cells" in rule:
        price = grid_within(rule["page_cells"], *pages.size)
    tenths = rule.get("text", 0)
    if not pages.number:
        tenths = min(tenths or _PLAIN_TEXT, _PLAIN_TEXT)
    written = -(-pages.characters * 10 // tenths) if tenths else 0
    return rule.get("document" if drawn else "file", 0) + pages.number * price + written


_known: Final = Memo[Pages](1 << 20)


def _pages(data: str | bytes) -> Pages:
    if not data:
        return _ELSEWHERE
    # Python remembers the hash of a text, so a large one is looked through once.
    key = (hash(data), len(data), data[-64:])
    pages = _known.get(key)
    if pages is None:
        pages = _read(Raw(data))
        _known.put(key, pages, _ENTRY)
    return pages


def _read(raw: Raw) -> Pages:
    if b"%PDF" in raw.read(0, 1024):
        pages = read_pdf(raw.read())
        if pages is not None:
            return pages
    elif _is_text(raw.read(0, _SAMPLE)):
        return Pages(0, raw.size, pictures=False)
    elif raw.read(0, 2) == b"PK" and (written := office_characters(raw.read())) is not None:
        return Pages(0, written, pictures=False)
    number = min(MOST_PAGES, raw.size // _PAGE_BYTES + 1)
    return Pages(number, number * _PAGE_CHARACTERS, pictures=True)


def _is_text(sample: bytes) -> bool:
    try:
        return "\0" not in sample[: _SAMPLE - 4].decode("utf-8", "strict")
    except UnicodeDecodeError as error:
        return bool(sample) and error.start >= len(sample) - 8
