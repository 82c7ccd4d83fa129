"""Who pays for which plate."""

import csv
from dataclasses import dataclass
from pathlib import Path

from garage.plates import normalise


class UnknownAccount(KeyError):
    """No account has this number."""

    def __str__(self) -> str:
        return f"no account {self.args[0]}"


@dataclass(frozen=True)
class Account:
    """A customer with one or more cars."""

    number: str
    name: str
    plates: frozenset[str]
    discount: int
    payers: tuple[str, ...]


def load(path: Path) -> dict[str, Account]:
    """Accounts by number. Plates and payers are separated by semicolons."""
    accounts: dict[str, Account] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            accounts[row["number"]] = Account(
                number=row["number"],
                name=row["name"],
                plates=frozenset(normalise(plate) for plate in row["plates"].split(";")),
                discount=int(row["discount"] or 0),
                payers=tuple(filter(None, row["payers"].split(";"))),
            )
    return accounts


def find(accounts: dict[str, Account], number: str) -> Account:
    """The account with this number, or UnknownAccount."""
    if number not in accounts:
        raise UnknownAccount(number)
    return accounts[number]
