"""Texts of every kind for the token tests, and tiktoken's own encodings as the reference."""

from __future__ import annotations

import random
from functools import cache
from typing import Any
from unittest.mock import patch

import tiktoken
from hypothesis import strategies as st
from tiktoken_ext import openai_public

from trimtab.tokens.vocabulary import CL100K, O200K, tokens_of

NAMES = ("o200k_base", "o200k_harmony", "cl100k_base")

# Unicode's White_Space, all 25, with the runs in which newlines and blanks meet.
SPACES = [
    *"\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009",
    *"\u200a\u2028\u2029\u202f\u205f\u3000",
    *("\r\n", "\n\n", "  ", " \t", "    "),
]
# Every class the expressions tell apart, near misses of white space, and what joins pieces.
SIGNS = [
    *"abzABZ019'/!-_.<>|#$%é\u0301中あ가\u30fc\u3001\u3002\uff01\u3005ß\u017f\u01c5\u02b0\u0660\xb2",
    *"\u2167\U0001f600\u200d\x00\x1c\x1d\x1e\x1f\u200b\u180e\ufeff\ue000\u0378\ud800\udc00",
    *("'s", "'LL", "'\u017f", "//", "/\n", "\n/", "The", "12345", "x1", "中文", "<|endoftext|>"),
]
texts = st.lists(
    st.one_of(
        st.sampled_from(SPACES),
        st.sampled_from(SIGNS),
        st.builds(str.__mul__, st.sampled_from(SPACES + SIGNS), st.integers(2, 9)),
        st.text(max_size=5),
    ),
    max_size=16,
).map("".join)


def random_texts(seed: int, number: int) -> list[str]:
    """Texts from mostly words to mostly white space; the same for the same seed."""
    chance = random.Random(seed)
    made: list[str] = []
    for _ in range(number):
        spaciousness = chance.random()
        parts: list[str] = []
        for _ in range(chance.randint(1, 14)):
            kind = SPACES if chance.random() < spaciousness else SIGNS
            parts += chance.choices(kind, k=chance.randint(1, 5))
            if chance.random() < 0.3:
                parts.append(chance.choice(kind) * chance.randint(2, 7))
        made.append("".join(parts))
    return made


@cache
def public_definition(name: str) -> tuple[dict[str, Any], str]:
    """tiktoken's definition of an encoding over the package's ranks, and the pinned digest."""
    ranks = {t: rank for rank, t in enumerate(tokens_of(CL100K if "cl100k" in name else O200K))}
    digests: list[str] = []

    def instead(_where: str, expected_hash: str) -> dict[bytes, int]:
        digests.append(expected_hash)
        return ranks

    with patch.object(openai_public, "load_tiktoken_bpe", instead):
        return openai_public.ENCODING_CONSTRUCTORS[name](), digests[0]


@cache
def reference(name: str) -> tiktoken.Encoding:
    """Plain tiktoken, special tokens and all."""
    return tiktoken.Encoding(**public_definition(name)[0])
