"""The vocabularies in the package: how they are packed, checked and loaded."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from ..errors import CounterError

if TYPE_CHECKING:
    import tiktoken


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One vocabulary: its tokens by rank, and how a text is split into pieces.

    ``sha256`` is the digest of the packed tokens, printed by ``tools/pack_ranks.py``.
    ``pattern`` is the public definition of tiktoken 0.14 (MIT).
    """

    name: str
    sha256: str
    pattern: str


_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_O200K_PIECES = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_CONTRACTION}",
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_CONTRACTION}",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
)
_CL100K_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)",
    r"[^\r\n\p{L}\p{N}]?+\p{L}++",
    r"\p{N}{1,3}+",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"\s++$",
    r"\s*[\r\n]",
    r"\s+(?!\S)",
    r"\s",
)

O200K = Vocabulary(
    name="o200k_base",
    sha256="2f451f31d7403017d0b0dc6319ded23a09f33f573b1635c001fc6b91a1c21302",
    pattern="|".join(_O200K_PIECES),
)

CL100K = Vocabulary(
    name="cl100k_base",
    sha256="9ef8402c916638b4e5896df1b798958e6377ae5ee9ecce199388d117f2a44973",
    pattern="|".join(_CL100K_PIECES),
)


def pack(tokens: list[bytes]) -> bytes:
    """The tokens in the order of their ranks: how many, the length of each, all bytes."""
    return len(tokens).to_bytes(4, "big") + bytes(map(len, tokens)) + b"".join(tokens)


def unpack(packed: bytes) -> list[bytes]:
    """The inverse of `pack`."""
    start = 4 + int.from_bytes(packed[:4], "big")
    field = [f"{length}s" for length in range(256)]
    # A Struct of its own: the module's functions would keep this format in their cache.
    layout = struct.Struct("".join([field[length] for length in packed[4:start]]))
    return list(layout.unpack(packed[start:]))


def tokens_of(vocabulary: Vocabulary) -> list[bytes]:
    """The tokens in the order of their ranks; `CounterError` if the data is damaged."""
    from pkgutil import get_data  # tiktoken has it already; importlib.resources costs 20 ms

    name = vocabulary.name
    try:
        from lzma import LZMAError, decompress
    except ImportError as error:
        raise CounterError(f"{name} cannot be read: this Python was built without lzma") from error
    try:
        packed = decompress(get_data("trimtab.tokens", f"data/{name}.xz") or b"")
    except (OSError, LZMAError, EOFError) as error:
        raise CounterError(f"the vocabulary {name} cannot be read: {error}") from error
    if sha256(packed).hexdigest() != vocabulary.sha256:
        raise CounterError(f"the vocabulary {name} is damaged: its hash differs")
    return unpack(packed)


def load(vocabulary: Vocabulary) -> tiktoken.Encoding:
    """The encoding, from the package's own data; never touches the network.

    Without special tokens, since in a text there are none. About 0.3 s for o200k_base.
    """
    import tiktoken

    tokens = tokens_of(vocabulary)
    return tiktoken.Encoding(
        vocabulary.name,
        pat_str=vocabulary.pattern,
        mergeable_ranks=dict(zip(tokens, range(len(tokens)), strict=True)),
        special_tokens={},
    )
