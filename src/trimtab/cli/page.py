"""Writing a page: whole or not at all, and never over a file that is none of ours."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from ..pages import MARK


def write_page(path: str, text: str) -> Path:
    """Write a page and return where it is.

    Raises ``click.UsageError`` where anything that is no page of ours is in the way (a folder, a
    device, a pipe, an empty file too), or the folder is missing.
    """
    place = Path(path)
    try:
        if place.is_dir():
            raise click.UsageError(f"{path} is a folder; name the file of the page")
        if os.path.lexists(place) and not _is_ours(place):
            raise click.UsageError(f"{path} is there and no page of trimtab; name another file")
        _replace(place, text)
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from None
    return place


def _replace(place: Path, text: str) -> None:
    """Put a file in a place at once; where that fails nothing of it is left."""
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=".trimtab-", suffix=".html")
    made = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
        made.chmod(0o644)
        made.replace(place)
    finally:
        made.unlink(missing_ok=True)


def _is_ours(place: Path) -> bool:
    """Whether a path is a file that begins as our pages do; opens no device and no pipe."""
    if not place.is_file():
        return False
    with place.open("rb") as stream:
        return stream.read(len(MARK)) == MARK.encode()
