"""``trimtab check``: coded faults on stdout, or with ``--fix`` the repaired conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .run import DONE, FAULT
from .sink import data, line, write_json, write_text
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

    def one(self, item: Item) -> int:
        """Check or repair one conversation."""
        return self._fix(item) if self.options.fix else self._report(item)

    def end(self, conversations: int, *, many: bool) -> None:
        """Say the sum."""
        what = "repair" if self.options.fix else "fault"
        text = f"{self.found:,} {what}{'' if self.found == 1 else 's'}"
        if many:
            text += f" in {conversations:,} conversations"
        self.console.print(line(text))

    def _report(self, item: Item) -> int:
        faults = self._faults(item)
        self.found += len(faults)
        if self.options.as_json:
            write_json({"faults": [_row(fault) for fault in faults]}, indent=_indent(item))
            return FAULT if faults else DONE
        console = data()
        for fault in faults:
            console.print(line(_where(item) + _words(fault)), soft_wrap=True)
        return FAULT if faults else DONE

    def _faults(self, item: Item) -> Sequence[Fault]:
        from .. import check

        if item.session is None:
            return check(item.messages, format=self.options.format or item.format)
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

        repaired = repair(item.messages, format=self.options.format or item.format)
        self.found += len(repaired.repairs)
        result: Any = repaired.messages
        if item.body is not None:
            result = {**item.body, "messages": result}
        if self.options.as_json:
            rows = [_row(done) | {"action": done.action} for done in repaired.repairs]
            result = {"result": result, "repairs": rows}
        write_json(result, indent=_indent(item))
        for done in repaired.repairs:
            self.console.print(line(f"{_where(item)}{_words(done)}"))
        return DONE


def _row(found: Fault | Repair) -> dict[str, Any]:
    row = {"code": found.code, "index": found.index, "id": found.id, "message": found.message}
    number = _line_of(found)
    return row if number is None else {"line": number, **row}


def _words(found: Fault | Repair) -> str:
    named = "" if found.id is None else f" id {found.id[:80]}"
    number = _line_of(found)
    place = f"message {found.index}" if number is None else f"line {number}"
    return f"{place}: {found.code}{named}: {found.message}"


def _line_of(found: Fault | Repair) -> int | None:
    """The line of a fault in a transcript, which its messages have none of elsewhere."""
    return getattr(found, "line", None)


def _where(item: Item) -> str:
    return "" if item.line is None else f"line {item.line}, "


def _indent(item: Item) -> int | None:
    return 2 if item.line is None else None
