"""Text for people."""

from collections.abc import Sequence
from datetime import timedelta

from garage.gatelog import Event
from garage.invoice import Invoice
from garage.money import show
from garage.occupancy import Sample, peak

TIME = "%d %b %H:%M"


def duration(length: timedelta) -> str:
    """Days, hours and minutes: "1d 03:20" or "03:20"."""
    minutes = int(length.total_seconds()) // 60
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    clock = f"{hours:02d}:{minutes:02d}"
    return f"{days}d {clock}" if days else clock


def invoice_text(invoice: Invoice) -> str:
    """A bill to print."""
    account = invoice.account
    rows = [f"Invoice {invoice.month}  {account.number}  {account.name}", ""]
    for line in invoice.lines:
        length = duration(line.exit - line.entry)
        times = f"{line.entry.strftime(TIME)}  {line.exit.strftime(TIME)}"
        rows.append(f"{line.plate:<10} {times}  {length:>9} {show(line.cents):>9}")
    rows += ["", f"{'Sum':<50} {show(invoice.subtotal):>9}"]
    if invoice.discount:
        rows.append(f"{f'Discount {account.discount} %':<50} {show(-invoice.discount):>9}")
    rows.append(f"{'Total':<50} {show(invoice.total):>9}")
    rows += [f"  {payer:<48} {show(part):>9}" for payer, part in invoice.parts.items()]
    return "\n".join(rows)


def occupancy_text(samples: Sequence[Sample]) -> str:
    """One row a sample with a bar, then the peak."""
    rows = [f"{s.time.strftime('%H:%M')} {s.cars:>4} {'#' * max(s.cars, 0)}" for s in samples]
    top = peak(samples)
    return "\n".join([*rows, f"peak {top.cars} at {top.time.strftime('%H:%M')}"])


def inside_text(events: Sequence[Event]) -> str:
    """Cars that have not left, oldest first."""
    rows = [f"{e.plate:<10} since {e.time.strftime(TIME)} ({e.gate})" for e in events]
    return "\n".join([*rows, f"{len(events)} inside"])
