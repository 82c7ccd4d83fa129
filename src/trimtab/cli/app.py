"""The commands and their options; what each does is in a module of its own."""

from __future__ import annotations

from typing import Any

import click

from ..billing import rule_names
from ..errors import TrimtabError
from . import amount
from .options import (
    file_argument,
    fitting_options,
    format_option,
    json_option,
    model_option,
    system_option,
)
from .run import run as run_job
from .sink import words


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="trimtab")
def cli() -> None:
    """Fit an LLM conversation into a token budget.

    FILE is a JSON list of messages, a request body of any API, JSONL with one of these a
    line or with a message a line, or a transcript of Claude Code or Codex; "-" (the
    default) is stdin.
    Data goes to stdout, words to stderr.
    Exit codes: 0 done, 1 a fault was found or it does not fit, 2 wrong usage or input.
    """


@cli.command()
@file_argument
@fitting_options
@json_option
@click.option("--picture", is_flag=True, help="Draw what was kept and dropped on stderr.")
@click.option("--breakpoints", is_flag=True, help="Mark the prompt cache in a request body.")
@click.pass_context
def fit(ctx: click.Context, file: str, budget: int | None, **options: Any) -> None:
    """Print the part of the conversation that fits."""
    from .fitting import Fit, Options, arguments

    try:
        given = arguments(options)
    except TrimtabError as error:
        raise click.UsageError(str(error)) from None
    chosen = Options(
        budget,
        options["system"],
        given,
        options["as_json"],
        options["picture"],
        options["breakpoints"],
    )
    console = words()
    ctx.exit(run_job(file, Fit(chosen, console), console, as_json=chosen.as_json))


@cli.command()
@file_argument
@format_option
@click.option("--fix", is_flag=True, help="Print the repaired conversation.")
@json_option
@click.pass_context
def check(ctx: click.Context, file: str, **options: Any) -> None:
    """Look for broken tool calls and other faults."""
    from .checking import Check, Options

    chosen, console = Options(**options), words()
    ctx.exit(run_job(file, Check(chosen, console), console, as_json=chosen.as_json))


@cli.command()
@file_argument
@model_option
@format_option
@system_option
@click.option(
    "--top", type=click.IntRange(0), default=10, show_default=True, help="Largest messages."
)
@json_option
@click.pass_context
def count(ctx: click.Context, file: str, **options: Any) -> None:
    """Show where the tokens are: by role, by tool, by message."""
    from .counting import Counting, Options

    chosen = Options(**options)
    ctx.exit(run_job(file, Counting(chosen), words(), as_json=chosen.as_json))


@cli.command()
@file_argument
@fitting_options
@click.option(
    "--top", type=click.IntRange(0), default=10, show_default=True, help="Largest messages."
)
@click.option("--html", metavar="PATH", help="Write one page there, with a slider of budgets.")
@json_option
@click.pass_context
def show(ctx: click.Context, file: str, budget: int | None, **options: Any) -> None:
    """Draw what of a conversation is kept, cleared, excerpted, summed up and dropped."""
    from pathlib import Path

    from .fitting import arguments
    from .showing import Show, Showing, options_of

    try:
        given = arguments(options)
    except TrimtabError as error:
        raise click.UsageError(str(error)) from None
    chosen, console = options_of(budget, options, given), words()
    name = "stdin" if file == "-" else Path(file).name
    job = Show(chosen, console, Showing(name, options["top"], options["html"]))
    ctx.exit(run_job(file, job, console, as_json=chosen.as_json))


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option(
    "--budget",
    metavar="TOKENS",
    callback=amount.parse,
    help="Most tokens of a request. Default: the model's window.",
)
@model_option
@format_option
@system_option
@click.option(
    "--rule",
    type=click.Choice(rule_names()),
    metavar="NAME",
    help="The cache to bill for. Default: that of the model's own service.",
)
@click.option(
    "--policy",
    multiple=True,
    metavar="NAME",
    help="slide, steady, agent, floor, or a depth such as 0.8; again for more. Default: eight.",
)
@click.option(
    "--jobs", type=click.IntRange(0), default=0, metavar="N", help="Processes. Default: all cores."
)
@click.option("--html", metavar="PATH", help="Write one page with the charts there.")
@json_option
@click.pass_context
def replay(ctx: click.Context, files: tuple[str, ...], **options: Any) -> None:
    """Show what every policy would have cost on real conversations.

    FILES are transcripts of Claude Code or Codex, logs of requests, or conversations as the
    other commands take them.
    """
    from .replaying import Options, run

    ctx.exit(run(files, Options(**options), words()))
