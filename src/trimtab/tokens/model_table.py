"""The table of models in ``models.toml``, read once and only when a name is asked for."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

# A pattern is found where a word starts and ends: a gateway's "us.", a date behind a dash.
_WORD: Final = r"(?<![a-z0-9])(?:{})(?![a-z0-9])"


class Row(NamedTuple):
    """One kind of model; see ``models.toml`` for the fields."""

    pattern: re.Pattern[str]
    via: re.Pattern[str] | None
    provider: str
    encoding: str
    source: str
    framing: str
    media: str
    estimator: str
    window: int | None
    output: int | None
    shared: bool


class Found(NamedTuple):
    """The row of a name, and the model's own name within it, without gateway and suffix."""

    row: Row
    bare: str


@cache
def table() -> Mapping[str, Any]:
    """The data as they are written, about 20 ms the first time."""
    return tomllib.loads(files("trimtab.tokens").joinpath("models.toml").read_text("utf-8"))


@cache
def rows() -> tuple[Row, ...]:
    """All rows in their order."""
    return tuple(_rows())


def _rows() -> Iterator[Row]:
    for family in table()["families"]:
        for model in family["models"]:
            row = {**family, **model}
            yield Row(
                re.compile(_WORD.format(row["match"])),
                re.compile(row["via"]) if "via" in row else None,
                row["provider"],
                row["encoding"],
                row["source"],
                row["framing"],
                row["media"],
                row.get("estimator", ""),
                row.get("window"),
                row.get("output"),
                row.get("shared", False),
            )


@lru_cache(maxsize=1024)
def find(name: str) -> Found | None:
    """The first row that matches the last part of the name, else one before; None if none.

    Parts are separated by slashes, as in ``openrouter/openai/gpt-4o``.
    """
    whole = name.lower()
    for part in reversed(whole.split("/")):
        for row in rows():
            if row.via is not None and not row.via.search(whole):
                continue
            if match := row.pattern.search(part):
                return Found(row, re.split("[:@]", part[match.start() :].removeprefix("ft:"))[0])
    return None
