"""A new command: all bills of a month as CSV."""

from recorder.script import Human, Step, create, do, edit, read, say, search, shell, tests

EXPORT_TEST = """\
import unittest
from datetime import datetime

from garage.accounts import Account
from garage.export import bills_csv
from garage.invoice import Invoice, Line

NINE = datetime(2026, 3, 2, 9)


def invoice(cents: int, name: str = "Test", payers: tuple[str, ...] = ()) -> Invoice:
    account = Account("A-1", name, frozenset({"A1"}), 0, payers)
    return Invoice(account, "2026-03", (Line("A1", NINE, NINE, cents),), 0)


class BillsCsv(unittest.TestCase):
    def rows(self, *invoices: Invoice) -> list[str]:
        header, *rows = bills_csv(invoices).splitlines()
        self.assertEqual(header, "account,name,payer,amount")
        return rows

    def test_one_payer(self) -> None:
        self.assertEqual(self.rows(invoice(1250)), ["A-1,Test,Test,12.50"])

    def test_shared(self) -> None:
        shared = invoice(1001, payers=("Deck", "Engine"))
        self.assertEqual(self.rows(shared), ["A-1,Test,Deck,5.01", "A-1,Test,Engine,5.00"])

    def test_nothing_to_pay(self) -> None:
        self.assertEqual(self.rows(invoice(0)), [])

    def test_a_comma_in_a_name(self) -> None:
        self.assertEqual(self.rows(invoice(100, "Teo, Ana")), ['A-1,"Teo, Ana","Teo, Ana",1.00'])
"""
EXPORT = '''\
"""Bills for the accountant."""

import csv
import io
from collections.abc import Iterable, Iterator

from garage.invoice import Invoice
from garage.money import show

FIELDS = ["account", "name", "payer", "amount"]


def bills_csv(invoices: Iterable[Invoice]) -> str:
    """One row for every payer; bills over nothing are left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\\n")
    writer.writerow(FIELDS)
    for invoice in invoices:
        if invoice.total:
            writer.writerows(rows(invoice))
    return out.getvalue().rstrip("\\n")


def rows(invoice: Invoice) -> Iterator[list[str]]:
    """Account, name, payer and amount."""
    account = invoice.account
    for payer, cents in invoice.parts.items():
        yield [account.number, account.name, payer, show(cents)]
'''
OLD_RUN = """\
    account = accounts.find(accounts.load(options.data / "accounts.csv"), options.account)
    prices = tariff.load(options.data / "tariff.json")
    return report.invoice_text(invoice.build(account, pairing.stays, prices, options.month))
"""
NEW_RUN = """\
    customers = accounts.load(options.data / "accounts.csv")
    prices = tariff.load(options.data / "tariff.json")
    if options.command == "bills":
        chosen = list(customers.values())
    else:
        chosen = [accounts.find(customers, options.account)]
    made = [invoice.build(account, pairing.stays, prices, options.month) for account in chosen]
    return export.bills_csv(made) if options.command == "bills" else report.invoice_text(made[0])
"""
CHECK_SUM = """\
python - <<'END'
import csv, subprocess
from pathlib import Path
from garage import accounts, gatelog, invoice, stays, tariff
from garage.money import parse, show
data = Path("data")
pairing = stays.pair(gatelog.load(data / "gate-log.csv"))
prices = tariff.load(data / "tariff.json")
customers = accounts.load(data / "accounts.csv").values()
for month in ("2026-02", "2026-03", "2026-04"):
    made = [invoice.build(a, pairing.stays, prices, month) for a in customers]
    printed = subprocess.run(
        ["python", "-m", "garage", "bills", month], capture_output=True, text=True, check=True
    ).stdout
    rows = list(csv.DictReader(printed.splitlines()))
    total = sum(parse(row["amount"]) for row in rows)
    print(month, len(rows), "rows", show(total), show(sum(i.total for i in made)))
END"""

STEPS: list[Step] = [
    Human(
        "Thanks. Now something new. Our accountant types the bills into her program by hand. I "
        "want a command that gives all bills of a month as CSV: account, name, payer, amount. One "
        "row for each payer; if an account has no payers listed, the customer is the payer. "
        "Nothing to pay, no row. And a test, please."
    ),
    do(
        "I'll look at what it has to read and where it plugs in; `__main__.py` I know already.",
        read("data/accounts.csv"),
        read("garage/accounts.py"),
        read("garage/report.py"),
        search("report", "garage"),
    ),
    do(
        "`report.py` is text for people, so the CSV gets a module of its own, `export.py`. The "
        "tests first: one payer, shared, nothing to pay, and a comma in a name.",
        create("tests/test_export.py", EXPORT_TEST),
        create("garage/export.py", EXPORT),
    ),
    do("", tests("tests.test_export")),
    do(
        "Two failures, both for accounts without payers: `parts` is empty for them, so they "
        "got no row at all. A good thing the tests came first. The customer pays the whole then.",
        edit(
            "garage/export.py",
            "    for payer, cents in invoice.parts.items():\n",
            "    parts = invoice.parts or {account.name: invoice.total}\n"
            "    for payer, cents in parts.items():\n",
        ),
        tests("tests.test_export"),
    ),
    do(
        "Now the command.",
        edit(
            "garage/__main__.py",
            '    commands.add_parser("open",',
            '    month = commands.add_parser("bills", help="all bills of one month as CSV")\n'
            '    month.add_argument("month", help="such as 2026-03")\n'
            '    commands.add_parser("open",',
        ),
        edit("garage/__main__.py", OLD_RUN, NEW_RUN),
        shell("python -m garage bills 2026-03"),
    ),
    do(
        "I used `export` without importing it.",
        edit(
            "garage/__main__.py", "import accounts, gatelog,", "import accounts, export, gatelog,"
        ),
        edit(
            "garage/__main__.py",
            '"""Command line: python -m garage invoice | occupancy | open."""',
            '"""Command line: python -m garage invoice | bills | occupancy | open."""',
        ),
        shell("python -m garage bills 2026-03"),
    ),
    do(
        "And a month that is none, and the help.",
        shell("python -m garage bills 2026-3"),
        shell("python -m garage bills --help"),
    ),
    do(
        "The output is right by eye, the wrong month is refused. But `run` now asks twice "
        "which command it is. I'll make that plainer while it is small.",
        read("garage/__main__.py", 30, 25),
    ),
    do(
        "",
        edit(
            "garage/__main__.py",
            NEW_RUN,
            """\
    customers = accounts.load(options.data / "accounts.csv")
    prices = tariff.load(options.data / "tariff.json")

    def bill(account: accounts.Account) -> invoice.Invoice:
        return invoice.build(account, pairing.stays, prices, options.month)

    if options.command == "bills":
        return export.bills_csv(map(bill, customers.values()))
    return report.invoice_text(bill(accounts.find(customers, options.account)))
""",
        ),
        shell("python -m garage bills 2026-03 | head -n 3"),
        shell("python -m garage invoice A-110 2026-03 | tail -n 5"),
        shell("python -m garage invoice A-999 2026-03"),
    ),
    do(
        "Last check: do the amounts in the CSV add up to the totals of the bills, month by month?",
        shell(CHECK_SUM),
        tests(),
    ),
    do(
        "",
        shell(
            "git add -A && git commit -qm 'Add bills: a month as CSV' && git show --stat "
            "--format=%s"
        ),
    ),
    say(
        "`python -m garage bills 2026-03` prints the CSV. The code is `garage/export.py`, four "
        "tests are in `tests/test_export.py`, and for all three months in the log the amounts add "
        "up to the totals of the bills to the cent.\n\nTwo things to know. Names are UTF-8 (Café "
        "Żurek, Zoë), so her program has to read UTF-8. And a customer without payers is written "
        "twice, as name and as payer, as you asked."
    ),
]
