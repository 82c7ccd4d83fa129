"""What a message holds as plain texts, and the handle under which a text is found again.

Pure functions: the same content has the same handle in every process, so a placeholder may
name it before anything is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from .formats.base import Format, Message
from .formats.weight import Weight
from .jsontext import jsontext

HANDLE_LENGTH: Final = 16  #: characters of a handle: the first of the digest, in hexadecimal


def digest_of(text: str) -> str:
    """SHA-256 of a text in UTF-8, in hexadecimal. Half a surrogate pair counts as it is."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def handle_of(text: str) -> str:
    """The handle of a text."""
    return digest_of(text)[:HANDLE_LENGTH]


def result_texts(message: Message, format: Format) -> list[str]:
    """The tool results in a message, each as one text: its texts, and other values as JSON."""
    results = format.results(message)
    if not results:
        return []
    weight = format.weigh(message)
    weights = weight.results or (weight,)
    if len(weights) != len(results):
        return ["\n".join(filter(None, texts)) for _, texts in results]
    return ["\n".join(_contents(one)) for one in weights]


def words_of(message: Message, format: Format) -> str:
    """All that a message says beside tool results: its texts, and what it calls with what."""
    weight = format.weigh(message)
    if format.results(message) and not weight.results:
        return ""
    calls = (f"{call.name}({_written(call.arguments)})" for call in weight.calls)
    return "\n".join([*_contents(weight), *calls])


def _contents(weight: Weight) -> Iterator[str]:
    yield from filter(None, weight.texts)
    yield from map(_written, weight.values)


def _written(value: object) -> str:
    return value if isinstance(value, str) else jsontext(value)
