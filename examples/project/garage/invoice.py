"""The bill of one account for one month."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from garage import money
from garage.accounts import Account
from garage.stays import Stay
from garage.tariff import Tariff, price

MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@dataclass(frozen=True)
class Line:
    """One stay on a bill."""

    plate: str
    entry: datetime
    exit: datetime
    cents: int


@dataclass(frozen=True)
class Invoice:
    """What an account owes for a month, in cents."""

    account: Account
    month: str
    lines: tuple[Line, ...]
    discount: int

    @property
    def subtotal(self) -> int:
        return sum(line.cents for line in self.lines)

    @property
    def total(self) -> int:
        return self.subtotal - self.discount

    @property
    def parts(self) -> dict[str, int]:
        """What each payer of a shared account pays."""
        payers = self.account.payers
        if not payers:
            return {}
        return dict(zip(payers, money.split(self.total, len(payers)), strict=True))


def build(account: Account, stays: Iterable[Stay], tariff: Tariff, month: str) -> Invoice:
    """The bill for a month such as "2026-03"; its lines are in order of entry."""
    if not MONTH.fullmatch(month):
        raise ValueError(f"not a month: {month!r}")
    mine = [stay for stay in stays if stay.plate in account.plates and in_month(stay, month)]
    lines = tuple(
        Line(stay.plate, stay.entry, stay.exit, price(tariff, stay.entry, stay.exit))
        for stay in sorted(mine, key=lambda stay: stay.entry)
    )
    subtotal = sum(line.cents for line in lines)
    return Invoice(account, month, lines, money.percent(subtotal, account.discount))


def in_month(stay: Stay, month: str) -> bool:
    """Whether a stay is billed in this month."""
    return stay.entry.strftime("%Y-%m") == month
