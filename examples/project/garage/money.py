"""Amounts in whole cents."""

import re

AMOUNT = re.compile(r"(-?)(\d+)(?:\.(\d{1,2}))?")


def parse(text: str) -> int:
    """Cents of an amount such as "12.50", "12.5", "12" or "-3.20"."""
    match = AMOUNT.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not an amount: {text!r}")
    sign, whole, cents = match.groups()
    value = int(whole) * 100 + int((cents or "0").ljust(2, "0"))
    return -value if sign else value


def show(cents: int) -> str:
    """The amount with two digits after the point: 1250 is "12.50"."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02d}"


def percent(cents: int, rate: int) -> int:
    """`rate` percent of a positive amount, rounded half up."""
    return (cents * rate + 50) // 100


def split(cents: int, parts: int) -> list[int]:
    """The amount in equal parts."""
    if parts < 1:
        raise ValueError("at least one part")
    return [cents // parts] * parts
