"""The command line: ``trimtab fit | check | count | show | replay``."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

INTERRUPTED = 130  # as a shell reports SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; bad input never shows a traceback."""
    import click

    from .app import cli

    _prepare_streams()
    try:
        return cli.main(arguments, prog_name="trimtab", standalone_mode=False) or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED


def _prepare_streams() -> None:
    """Where a stream is closed use the null device; where it is narrow escape, never fail."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper) and name != "stdin":
            stream.reconfigure(errors="backslashreplace")
