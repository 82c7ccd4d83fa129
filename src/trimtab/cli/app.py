"""The commands and their options. What they do is in ``fitting``, ``checking``, ``counting``."""

from __future__ import annotations

from typing import Any

import click

from ..errors import TrimtabError
from ..formats.registry import FORMATS
from ..policy import REASONING
from . import amount
from .run import run
from .sink import words

file_argument = click.argument("file", default="-", type=click.Path(allow_dash=True))
format_option = click.option("--format", metavar="NAME", help=f"One of {', '.join(FORMATS)}.")
model_option = click.option("--model", metavar="NAME", help="Count as this model does.")
system_option = click.option("--system", metavar="TEXT", help="System text given beside a list.")
json_option = click.option("--json", "as_json", is_flag=True, help="Everything as JSON on stdout.")


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
@click.option(
    "--budget",
    metavar="TOKENS",
    callback=amount.parse,
    help="Most tokens: 8000, 8k, 1m. Default: the model's window.",
)
@model_option
@format_option
@system_option
@click.option(
    "--reserve",
    metavar="TOKENS",
    callback=amount.parse,
    help="Tokens to leave free for the answer.",
)
@click.option(
    "--low",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="RATIO",
    help="Cut down to this part of the budget (0 to 1).",
)
@click.option(
    "--keep-first", type=click.IntRange(0), metavar="N", help="Always keep the first N messages."
)
@click.option(
    "--max-result-tokens",
    metavar="TOKENS",
    callback=amount.parse,
    help="Shorten longer tool results.",
)
@click.option(
    "--clear-results",
    type=click.IntRange(0),
    metavar="N",
    help="A cut clears tool results but for the newest N units of them, before it drops.",
)
@click.option(
    "--media",
    type=click.IntRange(0),
    metavar="N",
    help="A cut removes pictures, sounds and files but for the newest N.",
)
@click.option(
    "--repeats", is_flag=True, help="A cut removes results whose very text came again later."
)
@click.option(
    "--reasoning",
    type=click.Choice(REASONING),
    help="What a cut does to reasoning that some models take only behind what they saw.",
)
@click.option(
    "--summary",
    metavar="WHO",
    help="Sum up what is dropped: extractive (no model), openai:MODEL, anthropic:MODEL.",
)
@click.option(
    "--summary-tokens",
    metavar="TOKENS",
    callback=amount.parse,
    help="Most tokens of the summary. Default: 1,000.",
)
@click.option(
    "--summary-store",
    metavar="PATH",
    help="The file that keeps summaries, or :memory:. Default: one in your home.",
)
@click.option("--notice", is_flag=True, help="Put a note where messages were left out.")
@click.option("--repair", is_flag=True, help="Repair a broken history instead of refusing it.")
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
