"""A summariser without a model: lines and names picked by rule, ranked by BM25."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import log1p
from typing import Final

from ..errors import SummaryError
from .asking import Ask
from .extractive_facts import names, numbers, says, words
from .extractive_lines import OLDER, Line, is_listing, lines_of, lines_of_summary
from .extractive_page import Name, Page, Pick

_VERSION: Final = "1"
_HEARD: Final = {"human": 3.0, "assistant": 1.5, OLDER: 2.0, "call": 1.0, "result": 0.5}
_HEARS: Final = {  # the sections that a line of each role may be for; the last if none fits
    "human": ("constraints", "open", "errors", "goal"),
    "assistant": ("errors", "open", "decisions"),
    OLDER: ("errors", "open", "decisions"),
    "call": ("names",),
    "result": ("errors", "names"),
}
_POOL: Final = 2_000  # lines that are ranked against each other
_QUERY: Final = 200  # words of the person that lines are ranked by
_SHORT: Final = 40  # characters below which a line says little
_LENGTH: Final = 0.4  # how much a long line must say more than a short one


@dataclass(slots=True)
class _Use:
    """How a name was used: its kind, by whom, in how many messages, in which one last."""

    kind: float
    heard: float
    messages: int
    last: int


class ExtractiveSummariser:
    """Extracts instead of a summary: offline, deterministic, in linear time.

    Lines are sorted into the sections of the prompt by who said them and by what they sound
    like (errors, rules, decisions, questions, in some languages), ranked by BM25 against the
    person's own words, by the names and numbers in them and by age, and taken while they
    fit, by the request's own count. Paths, addresses and identifiers are listed by how often
    and by whom they were used. The older summary's lines are ranked with the new ones, so
    that it neither nests nor grows. The first line says what it is. BM25 is that of SQLite's
    FTS5, which Python brings.
    """

    name = f"extractive/{_VERSION}"

    def __repr__(self) -> str:
        return "<ExtractiveSummariser>"

    def __call__(self, ask: Ask, /) -> str:
        """The extracts, of at most ``max_tokens``. Raises `SummaryError` where none has room."""
        limit = ask.max_tokens
        if ask.retry and ask.too_long > limit:
            limit = limit * limit // ask.too_long
        if ask.is_within(limit):  # extracts are no longer than what they are from
            limit = sum(
                ask.count(text) for text in (ask.previous or "", *(s.text for s in ask.said))
            )
        older, listed = lines_of_summary(ask.previous or "")
        lines = [*older, *lines_of(ask.said)]
        if not lines and not listed:
            raise SummaryError("there is nothing to extract", kind="nothing")
        known = _names(lines, listed, len(ask.said))
        page = Page(ask, limit)
        page.fill(_picks(lines, len(ask.said)), _ranked(known))
        return page.text()


def _names(lines: Sequence[Line], listed: Iterable[str], messages: int) -> dict[str, Name]:
    """Every name with its worth: more in more messages, in later ones, and by whom it was used."""
    found: dict[str, _Use] = {}
    for name in listed:
        for own, kind in names(name):
            found[own] = _Use(kind, _HEARD[OLDER], 2, -1)
    for line in lines:
        heard = _HEARD[line.role]
        for name, kind in names(line.text):
            use = found.get(name)
            if use is None:
                found[name] = _Use(kind, heard, 1, line.at)
                continue
            use.heard = max(use.heard, heard)
            use.messages += line.at != use.last
            use.last = line.at
    known: dict[str, Name] = {}
    for first, (name, use) in enumerate(found.items()):
        worth = use.kind * (1 + use.heard) * log1p(use.messages) * _late(use.last, messages)
        known[name] = Name(name, worth, first)
    return known


def _late(at: int, messages: int) -> float:
    """Newer counts more; an older summary counts as the middle."""
    return 0.4 + (0.5 if at < 0 else (at + 1) / (messages + 1))


def _ranked(known: dict[str, Name]) -> list[Name]:
    return sorted(known.values(), key=lambda n: (-n.worth / (12 + len(n.text)), n.first))


def _picks(lines: Sequence[Line], messages: int) -> list[Pick]:
    """The best lines of every section, each text once (where it stood last)."""
    last = {line.text: at for at, line in enumerate(lines)}
    first_human = next((i for i, line in enumerate(lines) if line.role == "human"), -1)
    picks: list[Pick] = []
    for order in sorted(last.values()):
        line = lines[order]
        section = line.section if line.section is not None else _section(line)
        if order == first_human and not lines[0].section:
            section = "goal"
        if is_listing(line) or (section == "names" and not numbers(line.text)):
            continue  # its names are listed anyway
        own = tuple(dict.fromkeys(name for name, _ in names(line.text)))
        picks.append(Pick(line, section, _worth(line, section, own, messages), own, order))
    pool = heapq.nlargest(_POOL, picks, key=lambda pick: (pick.worth, pick.order))
    relevance = _relevance([pick.line.text for pick in pool], _query(lines))
    return [p._replace(worth=p.worth * (1 + r)) for p, r in zip(pool, relevance, strict=True)]


def _section(line: Line) -> str:
    own = _HEARS[line.role]
    return next((key for key in own if says(line.text, key)), own[-1])


def _worth(line: Line, section: str, own: Sequence[str], messages: int) -> float:
    text, size = line.text, len(line.text)
    worth = _HEARD[line.role] + 0.5 * min(len(own), 4) + 0.25 * min(numbers(text), 4)
    if section == "errors" and line.role == "result":
        worth += 1.5
    if section in ("decisions", "open") and says(text, section):
        worth += 1.0
    if size < _SHORT:
        worth *= size / _SHORT
    if text.endswith((":", "\uff1a")):
        worth *= 0.25  # it announces what the next line says
    return worth * _late(line.at, messages) / (_SHORT + size) ** _LENGTH


def _query(lines: Sequence[Line]) -> list[str]:
    """What the person talks about: their first and their latest words, each once."""
    human = [line.text for line in lines if line.role == "human"]
    spoken = (word for text in (*human[-1:-9:-1], *human[:8]) for word in words(text))
    return list(dict.fromkeys(spoken))[:_QUERY]


def _relevance(texts: Sequence[str], query: Sequence[str]) -> list[float]:
    """How well each text answers the query, from 0 to 1: BM25, rounded to be the same anywhere."""
    import sqlite3

    ids: dict[str, int] = {}
    corpus = [" ".join(str(ids.setdefault(w, len(ids))) for w in words(text)) for text in texts]
    asked = " OR ".join(str(ids[word]) for word in query if word in ids)
    scores = [0.0] * len(texts)
    if not asked:
        return scores
    try:
        with closing(sqlite3.connect(":memory:")) as index:
            index.execute("CREATE VIRTUAL TABLE lines USING fts5(ids, tokenize='ascii')")
            index.executemany("INSERT INTO lines(rowid, ids) VALUES (?, ?)", enumerate(corpus))
            found = index.execute("SELECT rowid, -rank FROM lines WHERE lines MATCH ?", (asked,))
            for at, score in found:
                scores[at] = score
    except sqlite3.Error as error:
        raise SummaryError(f"SQLite cannot rank the lines: {error}") from error
    top = max(scores)
    return [round(score / top, 3) if top > 0 else 0.0 for score in scores]
