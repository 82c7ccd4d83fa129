"""Pack official rank files into the package's data: python tools/pack_ranks.py FILE...

Each FILE is named like its encoding (o200k_base.tiktoken, cl100k_base.tiktoken). It is
packed only if its SHA-256 is the one that tiktoken pins and if unpacking gives the very
same file back. Put the digest that is printed into `trimtab.tokens.vocabulary`.
"""

from __future__ import annotations

import lzma
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

from tiktoken_ext import openai_public

from trimtab.tokens.vocabulary import pack, unpack

DATA = Path(__file__).parent.parent / "src" / "trimtab" / "tokens" / "data"


def pinned_digest(name: str) -> str:
    """The SHA-256 that tiktoken expects of the rank file of an encoding."""
    digests: list[str] = []

    def record(_where: str, expected_hash: str) -> dict[bytes, int]:
        digests.append(expected_hash)
        return {}

    with patch.object(openai_public, "load_tiktoken_bpe", record):
        openai_public.ENCODING_CONSTRUCTORS[name]()
    return digests[0]


def official_text(tokens: list[bytes]) -> bytes:
    """The rank file of these tokens: one line each, the token in base64 and its rank."""
    return b"".join(b"%b %d\n" % (b64encode(t), rank) for rank, t in enumerate(tokens))


def packed_ranks(name: str, official: bytes) -> bytes:
    """The packed form of a rank file, or an exit with the reason against it."""
    if sha256(official).hexdigest() != pinned_digest(name):
        sys.exit(f"{name}: the file is not the one that tiktoken pins")
    packed = pack([b64decode(line.split()[0]) for line in official.splitlines()])
    if official_text(unpack(packed)) != official:
        sys.exit(f"{name}: unpacking does not give the file back")
    return packed


def main(paths: list[str]) -> None:
    if not paths:
        sys.exit(__doc__)
    for path in map(Path, paths):
        packed = packed_ranks(path.stem, path.read_bytes())
        small = lzma.compress(packed, preset=9 | lzma.PRESET_EXTREME)
        (DATA / f"{path.stem}.xz").write_bytes(small)
        print(f"{path.stem}: {len(small)} bytes, packed sha256 {sha256(packed).hexdigest()}")


if __name__ == "__main__":
    main(sys.argv[1:])
