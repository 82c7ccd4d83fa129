"""``trimtab replay``: what every policy would have cost on real conversations."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from .run import DONE, FAILURES, FAULT, USAGE, as_failure, guarded, opened
from .sink import data, line, write_json
from .source import Item, Unreadable, read

if TYPE_CHECKING:
    from ..replay import Report, Story

OPEN = 8  # conversations of a log of requests that may go on side by side


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``replay``."""

    budget: int | None
    model: str | None
    format: str | None
    system: str | None
    rule: str | None
    policy: tuple[str, ...]
    jobs: int
    html: str | None
    as_json: bool


def run(files: Sequence[str], options: Options, console: Console) -> int:
    """Replay all conversations of the files; returns the exit code."""
    return guarded(lambda: _run(files, options, console), console)


def _run(files: Sequence[str], options: Options, console: Console) -> int:
    stories, unreadable = _stories(files, options, console)
    reports, failed = _replayed(stories, options, console)
    _write(reports, options)
    if options.html is not None and reports:
        from ..replay.page import page
        from .page import write_page

        path = write_page(options.html, page(reports))
        console.print(line(f"wrote {path}"))
    if reports and not failed and not unreadable:
        return DONE
    return FAULT if reports or failed else USAGE


def _write(reports: Sequence[Report], options: Options) -> None:
    from ..replay.summing import summed
    from ..replay.table import heading, table, words

    together = summed(reports)
    if options.as_json:
        made = {"conversations": [report.to_dict() for report in reports]}
        write_json(made | {"together": together and together.to_dict()}, indent=2)
        return
    out = data()
    for report in [*reports, *([together] if together else [])]:
        out.print(heading(report))
        out.print(table(report))
        for text in words(report):
            out.print(line(text))
        out.print()


def _stories(files: Sequence[str], options: Options, console: Console) -> tuple[list[Story], int]:
    found: list[Story] = []
    unreadable = 0
    for file in files:
        own: list[Story] = []
        try:
            with opened(file, console) as stream:
                for item in read(stream).items:
                    if isinstance(told := _told(item, file, options), str):
                        unreadable += 1
                        console.print(_error(told))
                    elif told is not None:
                        own.append(told)
        except (Unreadable, OSError) as error:
            unreadable += 1
            said = error.strerror if isinstance(error, OSError) else None
            console.print(_error(f"{file}: {said or error}"))
        found += _joined(own)
    return found, unreadable


def _told(item: Item, file: str, options: Options) -> Story | str | None:
    """The story of an item, why there is none, or None for a blank line."""
    at = "" if item.line is None else f" line {item.line}"
    try:
        if item.error is not None:
            raise item.error
        name = "stdin" if file == "-" else Path(file).name
        return None if item.value is None else _story(item, name + at, options)
    except FAILURES as error:
        return f"{file}{at}: {as_failure(error)}"


def _error(text: str) -> Text:
    return line(("error: ", "bold red"), text)


def _story(item: Item, name: str, options: Options) -> Story:
    from ..replay.story import Story, story_of

    model = options.model or item.model
    if item.session is not None:
        return story_of(item.session, name, model)
    if item.body is None:
        return Story(name, item.messages, options.format, model, options.system)
    asked = item.request(options.format)
    beside = asked.body.beside()
    return Story(
        name,
        list(asked.body.messages),
        asked.format,
        model,
        beside.get("system"),
        beside.get("tools"),
    )


def _joined(stories: list[Story]) -> list[Story]:
    """A log of requests repeats a conversation in every line; the longest of each is all of it."""
    made: list[Story] = []
    for story in stories:
        for at in range(len(made) - 1, max(len(made) - 1 - OPEN, -1), -1):
            if _goes_on(made[at].messages, story.messages):
                made[at] = story
                break
        else:
            made.append(story)
    return made


def _goes_on(before: list[Any], after: list[Any]) -> bool:
    """Whether a conversation begins with all of another; ends and beginnings are compared."""
    size = len(before)
    if not 0 < size <= len(after):
        return False
    return before[0] == after[0] and before[-1] == after[size - 1]


def _replayed(
    stories: Sequence[Story], options: Options, console: Console
) -> tuple[list[Report], int]:
    """The reports in the order of the stories, and how many could not be made."""
    job = partial(_one, options=options)
    found: dict[int, Report] = {}
    failed = 0
    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn())
    quiet = not sys.stderr.isatty()
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        task = progress.add_task("", total=len(stories))
        for at, result in _results(job, stories, options.jobs):
            progress.advance(task)
            if isinstance(result, str):
                failed += 1
                console.print(_error(f"{stories[at].name}: {result}"))
            else:
                found[at] = result
    return [found[at] for at in sorted(found)], failed


def _results(job: Any, stories: Sequence[Story], jobs: int) -> Iterator[tuple[int, Report | str]]:
    jobs = min(jobs or os.cpu_count() or 1, len(stories))
    if jobs <= 1:
        yield from enumerate(map(job, stories))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(job, story): at for at, story in enumerate(stories)}
        for future in as_completed(waiting):
            yield waiting[future], future.result()


def _one(story: Story, options: Options) -> Report | str:
    """The report of one conversation, or why there is none."""
    from ..billing import rules_named
    from ..replay import replay
    from ..replay.policies import DEFAULT

    rules = rules_named(options.rule) if options.rule else None
    try:
        return replay(story, options.budget, rules=rules, policies=options.policy or DEFAULT)
    except FAILURES as error:
        return str(as_failure(error))
