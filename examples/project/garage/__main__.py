"""Command line: python -m garage invoice | occupancy | open."""

import argparse
import sys
from datetime import date
from pathlib import Path

from garage import accounts, gatelog, invoice, occupancy, report, stays, tariff

DATA = Path(__file__).parent.parent / "data"


def parser() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    top = argparse.ArgumentParser(prog="garage", description="Bills and occupancy of a car park.")
    top.add_argument("--data", type=Path, default=DATA, help="folder with the log and the accounts")
    commands = top.add_subparsers(dest="command", required=True)
    bill = commands.add_parser("invoice", help="the bill of one account for one month")
    bill.add_argument("account")
    bill.add_argument("month", help="such as 2026-03")
    cars = commands.add_parser("occupancy", help="cars inside during one day")
    cars.add_argument("day", type=date.fromisoformat, help="such as 2026-03-14")
    cars.add_argument("--step", type=int, default=60, help="minutes between two rows")
    commands.add_parser("open", help="cars that came in and have not left")
    return top


def run(options: argparse.Namespace) -> str:
    """The answer to one command."""
    events = gatelog.load(options.data / "gate-log.csv")
    if options.command == "occupancy":
        return report.occupancy_text(occupancy.of_day(events, options.day, options.step))
    pairing = stays.pair(events)
    if options.command == "open":
        return report.inside_text(pairing.inside)
    account = accounts.find(accounts.load(options.data / "accounts.csv"), options.account)
    prices = tariff.load(options.data / "tariff.json")
    return report.invoice_text(invoice.build(account, pairing.stays, prices, options.month))


def main() -> int:
    """Exit code 0 with the answer on standard output, 1 with a reason on standard error."""
    try:
        print(run(parser().parse_args()))
    except (ValueError, accounts.UnknownAccount) as error:
        print(f"garage: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
