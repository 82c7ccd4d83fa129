"""What a message is remembered by: a digest of its content, never its identity."""

from __future__ import annotations

import io
import marshal
import pickle
from hashlib import blake2b
from typing import Any


def message_key(message: Any) -> bytes | None:
    """A 16-byte digest of the message's content, or None where that cannot be told.

    Two messages with one key have the same content. Equal content has one key in one
    process, except that the order of a dict's keys counts. Understood are plain data
    (dicts, lists, texts, numbers, bytes, of exactly those types) and pydantic models.
    Linear in the size of the message.
    """
    try:
        content = marshal.dumps(message, 0)  # 0: without references, so by content alone
    except ValueError:
        if not hasattr(message, "model_dump"):
            return None
        return _digest(_pickled(message), b"model")
    return _digest(content, b"data")


def _digest(content: bytes | None, kind: bytes) -> bytes | None:
    if content is None:
        return None
    return blake2b(content, digest_size=16, person=kind).digest()


def _pickled(message: Any) -> bytes | None:
    """The whole state of a model. Its repr would leave out secrets and hidden fields."""
    target = io.BytesIO()
    pickler = pickle.Pickler(target, 4)
    pickler.fast = True  # without references, as above; a cycle ends in an error
    try:
        pickler.dump(message)
    except Exception:  # noqa: BLE001 - whatever the model's own code raises
        return None
    return target.getvalue()
