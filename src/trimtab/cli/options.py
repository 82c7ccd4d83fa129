"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click

from ..formats.registry import FORMATS
from ..policy import REASONING
from . import amount

POLICIES: Final = ("longest", "steady", "agent")

file_argument = click.argument("file", default="-", type=click.Path(allow_dash=True))
format_option = click.option("--format", metavar="NAME", help=f"One of {', '.join(FORMATS)}.")
model_option = click.option("--model", metavar="NAME", help="Count as this model does.")
system_option = click.option("--system", metavar="TEXT", help="System text given beside a list.")
json_option = click.option("--json", "as_json", is_flag=True, help="Everything as JSON on stdout.")

_FITTING: Final = [
    click.option(
        "--budget",
        metavar="TOKENS",
        callback=amount.parse,
        help="Most tokens: 8000, 8k, 1m. Default: the model's window.",
    ),
    model_option,
    format_option,
    system_option,
    click.option(
        "--reserve",
        metavar="TOKENS",
        callback=amount.parse,
        help="Tokens to leave free for the answer.",
    ),
    click.option(
        "--low",
        type=click.FloatRange(0, 1, min_open=True),
        metavar="RATIO",
        help="Cut down to this part of the budget (0 to 1).",
    ),
    click.option(
        "--policy",
        type=click.Choice(POLICIES),
        help="How to cut: the longest run, or for a prompt cache. Default: longest.",
    ),
    click.option(
        "--cache",
        metavar="NAME",
        help="The prompt cache that --policy plans for. Default: anthropic-5m.",
    ),
    click.option(
        "--floor",
        metavar="TOKENS",
        callback=amount.parse,
        help="So many of the newest tokens are enough: --policy cuts to them when that pays.",
    ),
    click.option(
        "--keep-first",
        type=click.IntRange(0),
        metavar="N",
        help="Always keep the first N messages.",
    ),
    click.option(
        "--max-result-tokens",
        metavar="TOKENS",
        callback=amount.parse,
        help="Shorten longer tool results.",
    ),
    click.option(
        "--clear-results",
        type=click.IntRange(0),
        metavar="N",
        help="A cut clears tool results but for the newest N units of them, before it drops.",
    ),
    click.option(
        "--media",
        type=click.IntRange(0),
        metavar="N",
        help="A cut removes pictures, sounds and files but for the newest N.",
    ),
    click.option(
        "--repeats", is_flag=True, help="A cut removes results whose very text came again later."
    ),
    click.option(
        "--reasoning",
        type=click.Choice(REASONING),
        help="What a cut does to reasoning that some models take only behind what they saw.",
    ),
    click.option(
        "--summary",
        metavar="WHO",
        help="Sum up what is dropped: extractive (no model), openai:MODEL, anthropic:MODEL.",
    ),
    click.option(
        "--summary-tokens",
        metavar="TOKENS",
        callback=amount.parse,
        help="Most tokens of the summary. Default: 1,000.",
    ),
    click.option(
        "--summary-store",
        metavar="PATH",
        help="The file that keeps summaries, or :memory:. Default: one in your home.",
    ),
    click.option("--notice", is_flag=True, help="Put a note where messages were left out."),
    click.option("--repair", is_flag=True, help="Repair a broken history instead of refusing it."),
]


def fitting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all that says how a conversation is fitted."""
    for option in reversed(_FITTING):
        command = option(command)
    return command
