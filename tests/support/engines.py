"""The engines under test, and one that notes what it is fed."""

from __future__ import annotations

import pytest

from trimtab.tokens.encodings import EncodingCounter
from trimtab.tokens.engines import Engine, Tiktoken
from trimtab.tokens.fast import Toktok, installed
from trimtab.tokens.memo import Memo
from trimtab.tokens.vocabulary import CL100K, O200K, Vocabulary

VOCABULARIES = {"o200k_base": O200K, "cl100k_base": CL100K}
requires_toktok = pytest.mark.skipif(
    not installed(), reason="toktok is not installed (extra trimtab[fast])"
)
ENGINES = [pytest.param("tiktoken"), pytest.param("toktok", marks=requires_toktok)]
every_engine = pytest.mark.parametrize("engine", ENGINES)


class Fed:
    """An engine that notes the texts it is fed; ``characters`` is their length together."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.name, self.step = engine.name, engine.step
        self.shelved_from = engine.shelved_from
        self.texts: list[str] = []

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts))

    def count(self, text: str) -> int:
        self.texts.append(text)
        return self._engine.count(text)

    def count_many(self, texts: list[str]) -> list[int]:
        self.texts += texts
        return self._engine.count_many(texts)


_loaded = {name: Tiktoken(vocabulary) for name, vocabulary in VOCABULARIES.items()}


def engine_named(engine: str, encoding: str) -> Engine:
    """An engine; all tests share the vocabularies."""
    exact = _loaded[encoding]
    return exact if engine == "tiktoken" else Toktok(encoding, exact.count)


def fresh(encoding: str, engine: str = "tiktoken") -> EncodingCounter:
    """A counter that remembers nothing yet."""
    return EncodingCounter(encoding, engine_named(engine, encoding), Memo(), Memo())


def noting(encoding: str, engine: str = "tiktoken") -> tuple[EncodingCounter, Fed]:
    """A counter that remembers nothing yet, and its engine."""
    fed = Fed(engine_named(engine, encoding))
    return EncodingCounter(encoding, fed, Memo(), Memo()), fed


def unloaded(vocabulary: Vocabulary) -> EncodingCounter:
    """A counter of tiktoken's with nothing remembered and nothing loaded."""
    return EncodingCounter(vocabulary.name, Tiktoken(vocabulary), Memo(), Memo())
