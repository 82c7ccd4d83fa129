"""The commands and their options. What they do is in ``fitting``, ``checking``, ``counting``."""

from __future__ import annotations

from typing import Any

import click

from ..errors import TrimtabError
from .options import (
    file_argument,
    fitting_options,
    format_option,
    json_option,
    model_option,
    system_option,
)
from .run import run
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
@click.pass_context
def fit(ctx: click.Context, file: str, budget: int | None, **options: Any) -> None:
    """Print the part of the conversation that fits."""
    from .fitting import Fit, Options, arguments

    try:
        given = arguments(options)
    except TrimtabError as error:
        raise click.UsageError(str(error)) from None
    chosen = Options(budget, options["system"], given, options["as_json"], options["picture"])
    console = words()
    ctx.exit(run(file, Fit(chosen, console), console, as_json=chosen.as_json))


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
    ctx.exit(run(file, Check(chosen, console), console, as_json=chosen.as_json))


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
    ctx.exit(run(file, Counting(chosen), words(), as_json=chosen.as_json))
