"""How many bytes one token of a tokeniser can stand for, where that can be known."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

_KEEPS_ALL = frozenset({"ByteLevel", "Split", "Digits"})


class Bound(NamedTuple):
    """The most bytes of one token; of ASCII texts only, where others may be shortened first."""

    bytes: int
    ascii_only: bool

    def exceeds(self, text: str, limit: int) -> bool:
        """Whether the text surely has more than ``limit`` tokens; constant time."""
        return len(text) > limit * self.bytes and (not self.ascii_only or text.isascii())


def longest_token(tokenizer: Any) -> Bound | None:
    """The bound of a ``tokenizers.Tokenizer``, or None where texts may lose characters.

    Known for byte-level BPE whose vocabulary has all bytes, with no normaliser but NFC
    (which leaves ASCII alone) and no added token that swallows white space.
    """
    if type(getattr(tokenizer, "model", None)).__name__ != "BPE":
        return None
    normalizer = tokenizer.normalizer
    if normalizer is not None and _state(normalizer).get("type") != "NFC":
        return None
    if tokenizer.pre_tokenizer is None or not _keeps_all(_state(tokenizer.pre_tokenizer)):
        return None
    from tokenizers.pre_tokenizers import ByteLevel

    vocabulary = tokenizer.get_vocab(with_added_tokens=False)
    added = tokenizer.get_added_tokens_decoder().values()
    if any(token.lstrip or token.rstrip for token in added):
        return None
    if not all(byte in vocabulary for byte in ByteLevel.alphabet()):
        return None
    sizes = [*map(len, vocabulary), *(len(token.content.encode()) for token in added)]
    return Bound(max(sizes), normalizer is not None)


def _keeps_all(pre_tokenizer: dict[str, Any]) -> bool:
    parts = pre_tokenizer.get("pretokenizers") or [pre_tokenizer]
    kinds = {part.get("type") for part in parts}
    removes = any(part.get("behavior") == "Removed" for part in parts)
    return "ByteLevel" in kinds and kinds <= _KEEPS_ALL and not removes


def _state(part: Any) -> dict[str, Any]:
    try:
        return json.loads(part.__getstate__())
    except Exception:  # noqa: BLE001 - a part written in Python has no such state
        return {}
