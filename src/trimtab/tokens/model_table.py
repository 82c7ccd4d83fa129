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


_LONGEST: Final = 256
_GATEWAY: Final = re.compile(r"(?:.*[.:])?(?:(?:openai|azure)-)?")  # what may stand before a name


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
    whole: bool  #: whether nothing of another model's name stands before it


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


def find(name: str) -> Found | None:
    """The first row that matches the last part of the name, else one before; None if none.

    Parts are separated by slashes, as in ``openrouter/openai/gpt-4o``. A name of more than
    256 characters is no model's.
    """
    return _find(name) if len(name) <= _LONGEST else None


@lru_cache(maxsize=1024)
def _find(name: str) -> Found | None:
    whole = name.lower()
    for part in reversed(whole.split("/")):
        for row in rows():
            if row.via is not None and not row.via.search(whole):
                continue
            if match := row.pattern.search(part):
                before, own = part[: match.start()], part[match.start() :]
                bare = re.split("[:@]", own.removeprefix("ft:"))[0]
                return Found(row, bare, bool(_GATEWAY.fullmatch(before)))
    return None
