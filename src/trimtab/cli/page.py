"""Writing a page: whole or not at all, and never over a file that is none of ours."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from ..pages import MARK


def write_page(path: str, text: str) -> Path:
    """Write a page and return where it is.

    Raises ``click.UsageError`` where another kind of file or a folder is in the way, or the
    folder is missing.
    """
    place = Path(path)
    if place.is_dir():
        raise click.UsageError(f"{path} is a folder; name the file of the page")
    if place.exists() and not _is_ours(place):
        raise click.UsageError(f"{path} is there and no page of trimtab; name another file")
    try:
        handle, made = tempfile.mkstemp(dir=place.parent, prefix=".trimtab-", suffix=".html")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        Path(made).chmod(0o644)
        Path(made).replace(place)
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    return place


def _is_ours(place: Path) -> bool:
    with place.open("rb") as stream:
        start = stream.read(len(MARK))
    return not start or start == MARK.encode()
