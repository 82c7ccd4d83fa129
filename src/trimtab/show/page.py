"""The picture as a page: a strip, a slider of budgets, every unit with its decision and reason."""

from __future__ import annotations

from bisect import bisect_right
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from ..pages import render
from ..pages.rendering import data, quoted
from ..safe import safe
from .parts import REASONING, reasoning
from .positions import Fitting, position, positions
from .strip import COLOURS, GLYPHS

if TYPE_CHECKING:
    from .. import Fitted

_WORDS: Final = 1_200_000  # bytes that the texts of all messages take in the page
_LEAST, _MOST = 80, 1_500  # of one message


def page(fitted: Fitted, fit_at: Fitting, name: str) -> str:
    """The page of a fit. ``fit_at`` fits the same history into another budget.

    Texts of messages are cut to some characters each, the fewer the more there are.
    """
    rows = fitted.decisions
    codes: dict[tuple[str, ...], int] = {}
    shown = [position(budget, found, codes) for budget, found in positions(fit_at, fitted)]
    limit = max(_LEAST, min(_MOST, _WORDS // max(len(rows), 1)))
    content = {
        "messages": [_message(fitted, row, limit) for row in rows],
        "positions": shown,
        "codes": [list(key) for key in codes],
        "start": next(at for at, one in enumerate(shown) if one["budget"] == fitted.budget),
        "roles": [role for role in COLOURS if role != REASONING] + [REASONING],
        "states": list(GLYPHS),
    }
    script = files("trimtab.show").joinpath("templates/show.js").read_text("utf-8")
    return render(
        "trimtab.show",
        "show.html",
        script=Markup(script),  # noqa: S704 - our own file, whose hash the page's policy names
        content=Markup(data(content)),  # noqa: S704 - JSON in which no mark-up is left
        name=name,
        counter=fitted.counter,
        size=len(rows),
        roles=content["roles"],
        states=content["states"],
    )


def _message(fitted: Fitted, row: Any, limit: int) -> list[Any]:
    """Role, unit, tokens, those of reasoning, and the first words."""
    thought = reasoning(fitted, row) if row.role in ("assistant", "call") else 0
    lines = _words(fitted, row.index, limit)[:limit].splitlines()
    return [row.role, row.unit, row.before, thought, _within("\n".join(map(safe, lines)), limit)]


def _within(text: str, size: int) -> str:
    """As much of the beginning of a text as takes ``size`` bytes in the page, escapes included."""
    if _size(text) <= size:
        return text
    return text[: bisect_right(list(accumulate(map(_size, text))), size)]


def _size(text: str) -> int:
    return len(quoted(text).encode()) + text.count('"') + text.count("\\")


def _words(fitted: Fitted, index: int, limit: int) -> str:
    """The texts of a message and its calls, each cut short."""
    format, message = fitted.setup.format, fitted.source[index]
    weight = format.weigh(message)
    found = [text for one in (weight, *weight.results) for text in (*one.texts, *one.values)]
    calls = [f"{call.name}({_short(call.arguments, limit)})" for call in format.inputs(message)]
    return "\n".join([*(_short(text, limit) for text in found), *calls])


def _short(value: Any, limit: int) -> str:
    return value[:limit] if isinstance(value, str) else str(value)[:limit]
