"""Bytes behind base64, of which only what is read is decoded."""

from __future__ import annotations

import binascii
from typing import Final

_URL_SAFE: Final = str.maketrans("-_", "+/")
_LINE: Final = 1000  # a line of base64 that is broken into lines is shorter


class Raw:
    """The bytes of a base64 text, standard or URL-safe, in one line or many; or bytes.

    Reading decodes no more than what is asked for. What is no base64 reads as some
    bytes or none, never as an error.
    """

    __slots__ = ("_data", "size")

    def __init__(self, data: str | bytes) -> None:
        if isinstance(data, str):
            data = data.strip()
            if len(data[:_LINE].split(maxsplit=1)) > 1:
                data = "".join(data.split())
            self.size = (len(data) - data[-2:].count("=")) * 3 // 4
        else:
            self.size = len(data)
        self._data = data

    def read(self, start: int = 0, size: int | None = None) -> bytes:
        """At most ``size`` bytes from ``start``; linear in what is read."""
        end = self.size if size is None else min(self.size, start + size)
        if not 0 <= start < end:
            return b""
        if isinstance(self._data, bytes):
            return self._data[start:end]
        first = start // 3 * 4
        text = self._data[first : -(-end // 3) * 4].translate(_URL_SAFE).rstrip("=")
        try:
            whole = binascii.a2b_base64(text + "=" * (-len(text) % 4))
        except ValueError:
            return b""
        skipped = start % 3
        return whole[skipped : skipped + end - start]

    def tail(self, size: int) -> bytes:
        """The last ``size`` bytes."""
        return self.read(max(0, self.size - size))
