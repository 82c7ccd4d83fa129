"""Numbers of tokens as people write them: 8000, 8,000, 8k, 1.5k, 1m."""

from __future__ import annotations

import re

import click

_AMOUNT = re.compile(r"(\d{1,3}(?:[,_]\d{3})+|\d+)(?:\.(\d+))?([km]?)", re.ASCII | re.IGNORECASE)
_ZEROS = {"": 0, "k": 3, "m": 6}


def tokens(text: str) -> int:
    """The whole number that ``text`` names; ``k`` is 1,000 and ``m`` 1,000,000.

    Raises ``ValueError`` for anything else, a fraction of a token included.
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        raise ValueError(text)
    whole, fraction, unit = re.sub("[,_]", "", found[1]), found[2] or "", found[3].lower()
    zeros = _ZEROS[unit]
    if fraction[zeros:].strip("0"):
        raise ValueError(text)
    return int(whole + fraction[:zeros].ljust(zeros, "0"))


def parse(_ctx: click.Context, _param: click.Parameter, value: str | None) -> int | None:
    """The callback of an option that takes tokens; a bad value is wrong usage."""
    try:
        return None if value is None else tokens(value)
    except ValueError:
        raise click.BadParameter("not a number of tokens (write 8000, 8k or 1m)") from None
