"""The grammar of ``expect_checks``: a table of patterns, each with what it means.

A check that no pattern matches fails its test; it never passes unread.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from cases.runs import Run

Check = Callable[..., None]
CHECKS: list[tuple[re.Pattern[str], Check]] = []


def means(pattern: str) -> Callable[[Check], Check]:
    """Register the meaning of checks of this form; the groups become arguments."""

    def register(check: Check) -> Check:
        CHECKS.append((re.compile(pattern), check))
        return check

    return register


def judge(run: Run, check: str) -> None:
    """Assert one check (without its mode) on one run."""
    for pattern, meaning in CHECKS:
        if found := pattern.fullmatch(check):
            meaning(run, *found.groups())
            return
    raise AssertionError(f"no meaning is written for the check {check!r}")


def split_mode(check: str) -> tuple[str, str]:
    """``"[strict] raises …"`` is ``("strict", "raises …")``; without a mode it is ``""``."""
    found = re.fullmatch(r"\[([^\]]+)\] (.+)", check)
    if not found:
        return "", check.removeprefix("default: ")
    mode, rest = found.groups()
    return mode, rest


def literal(text: str) -> Any:
    """A list of indices as it is written in a check."""
    return ast.literal_eval(text)
