"""``trimtab check``: coded faults on stdout, or with ``--fix`` the repaired conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .run import DONE, FAULT
from .sink import data, line, write_document, write_json, write_text
from .source import Item

if TYPE_CHECKING:
    from .. import Fault, Repair
    from ..sessions import Session


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``check``."""

    format: str | None
    fix: bool = False
    as_json: bool = False


class Check:
    """The job of ``trimtab check``."""

    def __init__(self, options: Options, console: Console) -> None:
        self.as_lines = options.fix or options.as_json
        self.options = options
        self.console = console
        self.found = 0
        self.read = 0  # conversations that could be read

    def one(self, item: Item) -> int:
        """Check or repair one conversation."""
        code = self._fix(item) if self.options.fix else self._report(item)
        self.read += 1
        return code

    def end(self, conversations: int, *, many: bool) -> None:
        """Say the sum."""
        if not self.read:
            return
        what = "repair" if self.options.fix else "fault"
        text = f"{self.found:,} {what}{'' if self.found == 1 else 's'}"
        if many:
            text += f" in {conversations:,} conversations"
        self.console.print(line(text))

    def _report(self, item: Item) -> int:
        faults = self._faults(item)
        self.found += len(faults)
        if self.options.as_json:
            rows = [_row(fault, item) for fault in faults]
            write_json({"faults": rows}, indent=_indent(item))
            return FAULT if faults else DONE
        console = data()
        for fault in faults:
            console.print(line(_where(item) + _words(fault, item)), soft_wrap=True)
        return FAULT if faults else DONE

    def _faults(self, item: Item) -> Sequence[Fault]:
        from .. import check

        if item.session is None:
            messages, name = item.read(self.options.format)
            return check(messages, format=name)
        from ..sessions import check_session

        return check_session(item.session)

    def _fix_session(self, session: Session) -> int:
        from ..sessions import repair_session

        repaired = repair_session(session)
        self.found += len(repaired.repairs)
        if self.options.as_json:
            rows = [_row(done) | {"action": done.action} for done in repaired.repairs]
            text = repaired.data.decode("utf-8", "replace")
            write_json({"result": text, "repairs": rows}, indent=2)
        else:
            write_text(repaired.data)
        for done in repaired.repairs:
            self.console.print(line(_words(done)))
        return DONE

    def _fix(self, item: Item) -> int:
        from .. import repair

        if item.session is not None:
            return self._fix_session(item.session)

        messages, name = item.read(self.options.format)
        repaired = repair(messages, format=name)
        self.found += len(repaired.repairs)
        result = item.with_messages(repaired.messages, self.options.format)
        if self.options.as_json:
            rows = [_row(done, item) | {"action": done.action} for done in repaired.repairs]
            write_json({"result": result, "repairs": rows}, indent=_indent(item))
        else:
            write_document(result, item)
        for done in repaired.repairs:
            self.console.print(line(f"{_where(item)}{_words(done, item)}"))
        return DONE


def _row(found: Fault | Repair, item: Item | None = None) -> dict[str, Any]:
    row = {"code": found.code, "index": found.index, "id": found.id, "message": found.message}
    number = _line_of(found, item)
    return row if number is None else {"line": number, **row}


def _words(found: Fault | Repair, item: Item | None = None) -> str:
    named = "" if found.id is None else f" id {found.id[:80]}"
    number = _line_of(found, item)
    place = f"message {found.index}" if number is None else f"line {number}"
    return f"{place}: {found.code}{named}: {found.message}"


def _line_of(found: Fault | Repair, item: Item | None) -> int | None:
    """The line of a fault where each message has one: in a transcript, or one of its own."""
    if item is not None and 0 <= found.index < len(item.lines):
        return item.lines[found.index]
    return getattr(found, "line", None)


def _where(item: Item) -> str:
    return "" if item.line is None else f"line {item.line}, "


def _indent(item: Item) -> int | None:
    return 2 if item.line is None else None
