"""``trimtab check``: coded faults on stdout, or with ``--fix`` the repaired conversation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .run import DONE, FAULT
from .sink import data, line, write_json
from .source import Item

if TYPE_CHECKING:
    from .. import Fault, Repair


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
        from .. import check

        faults = check(item.messages, format=self.options.format or item.format)
        self.found += len(faults)
        if self.options.as_json:
            write_json({"faults": [_row(fault) for fault in faults]}, indent=_indent(item))
            return FAULT if faults else DONE
        console = data()
        for fault in faults:
            console.print(line(_where(item) + _words(fault)), soft_wrap=True)
        return FAULT if faults else DONE

    def _fix(self, item: Item) -> int:
        from .. import repair

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
    return {"code": found.code, "index": found.index, "id": found.id, "message": found.message}


def _words(found: Fault | Repair) -> str:
    named = "" if found.id is None else f" id {found.id[:80]}"
    return f"message {found.index}: {found.code}{named}: {found.message}"


def _where(item: Item) -> str:
    return "" if item.line is None else f"line {item.line}, "


def _indent(item: Item) -> int | None:
    return 2 if item.line is None else None
