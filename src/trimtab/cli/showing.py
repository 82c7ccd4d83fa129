"""``trimtab show``: the picture of a fit, in the terminal or as a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from .fitting import Fit, Options
from .run import DONE
from .sink import drawing, line, write_json
from .source import Item

if TYPE_CHECKING:
    from .. import Fitted


@dataclass(frozen=True, slots=True)
class Showing:
    """What ``show`` is asked for beside a fit."""

    name: str
    top: int
    html: str | None


class Show(Fit):
    """The job of ``trimtab show``: `Fit` does the fitting."""

    def __init__(self, options: Options, console: Console, showing: Showing) -> None:
        super().__init__(options, console)
        if showing.html is not None:
            _no_model(options)
        self.as_lines = options.as_json
        self.showing = showing
        self.shown = 0

    def one(self, item: Item) -> int:
        """Fit one conversation and draw it."""
        from ..show.largest import largest, table
        from ..show.strip import strip

        fitted = self._fitted(item, self.options)
        self.totals.add(item, fitted)
        self.shown += 1
        if self.showing.html is not None:
            self._page(item, fitted)
        rows = largest(fitted, self.showing.top)
        if self.options.as_json:
            made = fitted.to_dict() | {"largest": [row._asdict() for row in rows]}
            write_json(made, indent=None if item.line else 2)
            return DONE
        out = drawing()
        if item.line is not None:
            out.print(line(f"line {item.line}"))
        out.print(strip(fitted))
        if rows:
            out.print(Text(), table(rows), sep="\n")
        return DONE

    def end(self, conversations: int, *, many: bool) -> None:
        """Nothing more is to be said: the picture has the account."""

    def _fitted(self, item: Item, options: Options) -> Fitted:
        self.options, before = options, self.options
        try:
            return self._fit(item) if item.session is None else self._fit_session(item).fitted
        finally:
            self.options = before

    def _page(self, item: Item, fitted: Fitted) -> None:
        from ..show.page import page
        from .page import write_page

        if self.shown > 1:
            raise click.UsageError("a page shows one conversation; the input holds many")

        def fit_at(budget: int) -> Fitted:
            return self._fitted(item, replace(self.options, budget=budget))

        assert self.showing.html is not None
        path = write_page(self.showing.html, page(fitted, fit_at, self.showing.name))
        self.console.print(line(f"wrote {path}"))


def _no_model(options: Options) -> None:
    """Refuse a summary by a model: every place of the slider is a fit, and would ask it again."""
    from ..summary import ExtractiveSummariser

    summary = options.arguments["policy"].summary
    if summary is not None and not isinstance(summary.summariser, ExtractiveSummariser):
        raise click.UsageError("--html would ask the model for every budget; --summary extractive")


def options_of(budget: int | None, options: dict[str, Any], given: dict[str, Any]) -> Options:
    """The options of the fit behind a picture."""
    return Options(budget, options["system"], given, options["as_json"])
