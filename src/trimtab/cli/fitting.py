"""``trimtab fit``: the fitted conversation on stdout, one line of account on stderr."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from ..errors import InvalidHistory
from .run import DONE
from .sink import line, write_document, write_json, write_text
from .source import Item

if TYPE_CHECKING:
    from .. import Fitted, Policy
    from ..sessions import FittedSession

MOST_WARNINGS = 100  # different ones, printed once each
AS_THEY_ARE = ("keep_first", "max_result_tokens", "media", "repeats", "reasoning")
HINT = "trimtab check lists all faults; --repair mends them"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``fit``; ``arguments`` are handed to the library as they are."""

    budget: int | None
    system: str | None
    arguments: Mapping[str, Any]
    as_json: bool = False
    picture: bool = False
    breakpoints: bool = False


def arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """The library's arguments for the options that were given.

    Raises `InvalidOptions` if the policy makes no sense, or its summariser is not installed.
    """
    from .. import ClearResults
    from .summaries import summary_of

    fields = {name: options[name] for name in AS_THEY_ARE}
    fields |= {"notice": options["notice"] or None}
    if options["clear_results"] is not None:
        fields["clear_results"] = ClearResults(keep=options["clear_results"])
    summary = (options[name] for name in ("summary", "summary_tokens", "summary_store"))
    fields["summary"] = summary_of(*summary)
    given = {name: options[name] for name in ("model", "format", "reserve")}
    given["policy"] = _policy(options, _not_none(fields))
    given["on_invalid"] = "repair" if options["repair"] else None
    return _not_none(given)


def _policy(options: Mapping[str, Any], fields: dict[str, Any]) -> Policy:
    """The policy by its name, with the fields that were asked for."""
    from .. import Policy

    name, low = options["policy"], options["low"]
    planned = _not_none({"cache": options["cache"], "floor": options["floor"]})
    if name in ("steady", "agent"):
        if low is not None:
            raise click.UsageError(f"--policy {name} finds how deep to cut; leave out --low")
        return (Policy.steady if name == "steady" else Policy.agent)(**planned, **fields)
    if planned:
        raise click.UsageError(f"--{next(iter(planned))} needs --policy steady or agent")
    return Policy(depth=low, **fields)


def _not_none(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


@dataclass(slots=True)
class Totals:
    """What all conversations of an input came to."""

    fitted: int = 0
    kept: int = 0
    messages: int = 0
    summarised: int = 0
    used: int = 0
    budget: int = 0
    repairs: int = 0
    exact: bool = True
    counters: set[str] = field(default_factory=set[str])

    def add(self, item: Item, fitted: Fitted) -> None:
        """Add one result. Does not read the decisions, so nothing that was dropped is counted."""
        from ..ledger import summarised

        self.fitted += 1
        self.messages += len(item.messages)
        self.kept += len(item.messages) - len(fitted.dropped)
        self.summarised += len(summarised(fitted))
        self.used += fitted.used
        self.budget += fitted.budget
        self.repairs += len(fitted.repairs)
        self.exact = self.exact and fitted.exact
        self.counters.add(fitted.counter)

    def account(self) -> str:
        """The one line on stderr."""
        how = ", ".join([*sorted(self.counters), "exact" if self.exact else "estimated"])
        text = f"kept {self.kept:,} of {self.messages:,} messages, "
        if self.summarised:
            text += f"summed up {self.summarised:,}, "
        text += f"{self.used:,} of {self.budget:,} tokens ({how})"
        if self.repairs:
            text += f", {self.repairs:,} repair{'' if self.repairs == 1 else 's'}"
        return text


class Fit:
    """The job of ``trimtab fit``."""

    as_lines = True

    def __init__(self, options: Options, console: Console) -> None:
        self.options = options
        self.console = console
        self.totals = Totals()
        self.warned: set[str] = set()
        self.broken = 0

    def one(self, item: Item) -> int:
        """Fit one conversation and write it, or its account."""
        try:
            whole = self._fit_session(item) if item.session is not None else None
            fitted = self._fit(item) if whole is None else whole.fitted
        except InvalidHistory:
            self.broken += 1
            raise
        self.totals.add(item, fitted)
        self._write(fitted, item, whole)
        where = "" if item.line is None else f"line {item.line}: "
        if self.options.picture:
            self._draw(fitted, where)
        else:
            self._warn((whole or fitted).warnings, where)
        return DONE

    def end(self, conversations: int, *, many: bool) -> None:
        """Print the account, and what helps against broken histories."""
        if self.broken and "on_invalid" not in self.options.arguments:
            self.console.print(line(HINT))
        if many:
            of = f"{self.totals.fitted:,} of {conversations:,} conversations fit: "
            self.console.print(line(of + self.totals.account()))
        elif self.totals.fitted:
            self.console.print(line(self.totals.account()))

    def _fit(self, item: Item) -> Fitted:
        from .. import fit, fit_request

        options = self.options
        if item.body is not None:
            if options.system is not None:
                raise click.UsageError("a request body has its own system text; leave out --system")
            marks: dict[str, Any] = {"breakpoints": True} if options.breakpoints else {}
            return fit_request(item.body, options.budget, **options.arguments, **marks)
        if options.breakpoints:
            raise click.UsageError("only a request body can be marked; leave out --breakpoints")
        if options.budget is None and options.arguments.get("model") is None:
            raise click.UsageError("say how many tokens there are: --budget 8k, or --model NAME")
        return fit(item.messages, options.budget, system=options.system, **options.arguments)

    def _fit_session(self, item: Item) -> FittedSession:
        from ..sessions import fit_session

        assert item.session is not None
        options = self.options
        if "format" in options.arguments:
            raise click.UsageError("a transcript has its own format; leave out --format")
        return fit_session(item.session, options.budget, system=options.system, **options.arguments)

    def _write(self, fitted: Fitted, item: Item, whole: FittedSession | None) -> None:
        if whole is not None and not self.options.as_json:
            write_text(whole.data)
            return
        if self.options.as_json:
            write_json((whole or fitted).to_dict(), indent=None if item.line else 2)
        else:
            found = fitted.messages if item.body is None else item.written(fitted.request)
            write_document(found, item)

    def _warn(self, warnings: list[str], where: str) -> None:
        """Print what is new among the warnings; thousands of lines may share one."""
        for warning in warnings:
            if warning not in self.warned and len(self.warned) < MOST_WARNINGS:
                self.warned.add(warning)
                self.console.print(line(("warning: ", "bold yellow"), where + warning))

    def _draw(self, fitted: Fitted, where: str) -> None:
        from ..show.strip import strip

        if where:
            self.console.print(line(where))
        self.console.print(strip(fitted), soft_wrap=False)
