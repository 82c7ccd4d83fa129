"""One loop for all commands: read, do the job for each conversation, turn errors into codes."""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from ..errors import DoesNotFit, InvalidHistory, InvalidOptions, TrimtabError, UnknownFormat
from .sink import line, write, write_json
from .source import Item, Source, Unreadable, read

DONE, FAULT, USAGE = 0, 1, 2
PIPE_CLOSED = 141  # as a shell reports SIGPIPE
MALFORMED = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError)
FAILURES = (TrimtabError, Unreadable, RecursionError, *MALFORMED)


class Job(Protocol):
    """What a command does with one conversation; returns an exit code."""

    as_lines: bool  # one line of JSON on stdout for each line of a JSONL input

    def one(self, item: Item) -> int:
        """Do the job for one conversation and write what comes of it."""
        ...

    def end(self, conversations: int, *, many: bool) -> None:
        """Say the last words, after so many conversations, the unreadable ones included."""
        ...


def run(file: str, job: Job, console: Console, *, as_json: bool) -> int:
    """Do ``job`` for everything in ``file`` (``-`` is stdin); returns the exit code."""

    def work() -> int:
        with opened(file, console) as stream:
            source = read(stream)
            with _watched(source, stream, console) as items:
                codes = Counter(_one(item, job, console, as_json) for item in items)
        sys.stdout.flush()
        job.end(codes.total() - codes[None], many=source.many)
        return max((code for code in codes if code is not None), default=DONE)

    return guarded(work, console)


def guarded(work: Callable[[], int], console: Console) -> int:
    """The exit code of some work, which may meet bad input, bad files and a closed pipe."""
    try:
        code = work()
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        return PIPE_CLOSED
    except Unreadable as error:
        console.print(line(("error: ", "bold red"), str(error)))
        return USAGE
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        console.print(line(("error: ", "bold red"), where + (error.strerror or str(error))))
        return USAGE
    return code


def _forget_output() -> None:
    """Send what is still buffered nowhere, or the interpreter would complain at its end."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _one(item: Item, job: Job, console: Console, as_json: bool) -> int | None:
    """The exit code for one item, None for a blank line."""
    if item.value is None and item.error is None:
        if job.as_lines:
            write(b"\n")
        return None
    try:
        if item.error:
            raise item.error
        return job.one(item)
    except FAILURES as error:
        failure = as_failure(error)
    prefix = "" if item.line is None else f"line {item.line}: "
    console.print(line(("error: ", "bold red"), prefix + str(failure)))
    if as_json or (item.line is not None and job.as_lines):
        write_json(error_as_data(failure), indent=None if item.line else 2)
    return FAULT if item.line is not None else code_of(failure)


def as_failure(error: Exception) -> TrimtabError | Unreadable:
    """What a person is told of an error in a conversation."""
    if isinstance(error, (TrimtabError, Unreadable)):
        return error
    if isinstance(error, RecursionError):
        return Unreadable("the messages are nested too deeply")
    return Unreadable(f"the messages have no known shape ({type(error).__name__}: {error})")


def code_of(error: Exception) -> int:
    """The exit code for an error: 2 if the command or its input makes no sense, else 1."""
    return USAGE if isinstance(error, (InvalidOptions, UnknownFormat, Unreadable)) else FAULT


def error_as_data(error: Exception) -> Mapping[str, Any]:
    """An error as JSON: its type, its text and every number that it carries."""
    fields: dict[str, Any] = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, DoesNotFit):
        needs = asdict(error.needs) | {"total": error.needs.total}
        fields |= {"budget": error.budget, "needs": needs}
        fields |= {"newest": error.newest, "anchors": error.anchors}
    if isinstance(error, InvalidHistory):
        fields |= {"code": error.code, "index": error.index, "id": error.id}
    return {"error": fields}


@contextmanager
def opened(file: str, console: Console) -> Generator[BinaryIO, None, None]:
    """The bytes of a file, or of stdin for ``-``."""
    if file != "-":
        with Path(file).open("rb") as stream:
            yield stream
        return
    if sys.stdin.isatty():
        console.print(line("reading the conversation from the terminal; Ctrl-D ends it"))
    yield sys.stdin.buffer


@contextmanager
def _watched(
    source: Source, stream: BinaryIO, console: Console
) -> Generator[Iterator[Item], None, None]:
    """The items; behind a progress bar where one can be seen and disturbs nothing."""
    if not source.many or not sys.stderr.isatty() or sys.stdout.isatty():
        yield source.items
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        yield _advance(source.items, stream, progress)


def _advance(items: Iterator[Item], stream: BinaryIO, progress: Progress) -> Iterator[Item]:
    """Pass the items on; the bar follows the bytes of a file, a pipe only shows the number."""
    status = os.fstat(stream.fileno())
    whole = status.st_size if stat.S_ISREG(status.st_mode) else None
    task = progress.add_task("reading", total=whole)
    for number, item in enumerate(items, 1):
        yield item
        done = 0 if whole is None else stream.tell()
        progress.update(task, completed=done, description=f"{number:,} conversations")
