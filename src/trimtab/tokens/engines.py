"""What tokenises: tiktoken over the vocabularies in the package, or toktok where installed.

``TRIMTAB_ENGINE=tiktoken`` or ``TRIMTAB_ENGINE=toktok`` in the environment forces one;
it is read when an encoding is first asked for. Both give the same counts.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from ..errors import CounterError, InvalidOptions
from .bounded import CHUNK, chunks
from .fast import Toktok, installed
from .forking import unlocked_in_children
from .vocabulary import Vocabulary, load
from .whitespace import LONG_RUN, count_around_runs

if TYPE_CHECKING:
    import tiktoken

VARIABLE: Final = "TRIMTAB_ENGINE"


class Engine(Protocol):
    """Counts any text by one vocabulary; raises for no text and remembers nothing."""

    @property
    def name(self) -> str:
        """The package that tokenises."""
        ...

    @property
    def step(self) -> int:
        """Characters worth tokenising between two looks at a limit."""
        ...

    @property
    def shelved_from(self) -> int:
        """Characters from which a text that comes back once is worth writing to a disk."""
        ...

    def count(self, text: str) -> int:
        """Tokens of the text."""
        ...

    def count_many(self, texts: list[str]) -> list[int]:
        """Tokens of each text."""
        ...


class Tiktoken:
    """tiktoken over a vocabulary of the package, which is loaded once, at the first text.

    Its time is linear in any text; a text is tokenised in chunks, so that the memory
    does not grow with it where it can be cut. Releases the GIL while it tokenises.
    """

    name: str = "tiktoken"
    step: int = CHUNK
    shelved_from: int = 512

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._encoding: tiktoken.Encoding | None = None
        self._lock = Lock()
        unlocked_in_children(self)

    def count(self, text: str) -> int:
        """Tokens of the text; `CounterError` if the package's data is damaged."""
        if len(text) <= CHUNK:
            return self._count_chunk(text)
        return sum(map(self._count_chunk, chunks(text)))

    def count_many(self, texts: list[str]) -> list[int]:
        """Tokens of each text."""
        return list(map(self.count, texts))

    def _count_chunk(self, text: str) -> int:
        encoding = self._encoding or self._loaded()
        if len(text) <= LONG_RUN:
            return len(encoding.encode_ordinary(text))
        return count_around_runs(encoding, text)

    def _loaded(self) -> tiktoken.Encoding:
        with self._lock:
            if self._encoding is None:
                self._encoding = load(self._vocabulary)
            return self._encoding


def engine_for(vocabulary: Vocabulary) -> Engine:
    """The engine of a vocabulary: toktok if its package is there, unless one is forced.

    Raises `InvalidOptions` for a ``TRIMTAB_ENGINE`` that names no engine, and
    `CounterError` if it names toktok where no fitting version is installed.
    """
    wanted = os.environ.get(VARIABLE, "")
    exact = Tiktoken(vocabulary)
    if wanted not in ("", Tiktoken.name, Toktok.name):
        raise InvalidOptions(f"{VARIABLE} is {wanted!r}; known are tiktoken and toktok")
    if wanted == Tiktoken.name:
        return exact
    if installed():
        return Toktok(vocabulary.name, exact.count)
    if wanted == Toktok.name:
        raise CounterError(f"{VARIABLE}=toktok needs the package of trimtab[fast]")
    return exact
