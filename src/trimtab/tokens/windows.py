"""A model's limits: what it reads, from the data of genai-prices, and what it writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ..errors import InvalidOptions
from .model_table import find

if TYPE_CHECKING:
    from genai_prices.types import Provider

# A model's maker knows its window; resellers may offer less.
_MAKERS: Final = frozenset({"openai", "anthropic", "google", "mistral", "deepseek", "x-ai", "meta"})


def input_window(model: str | None) -> int:
    """Tokens that a model takes as input.

    The figure is that of the installed ``genai-prices`` (extra ``trimtab[models]``), less
    the room for output where the provider keeps that free; our own for a few models of
    which the package has none, or one that is too high. Raises `InvalidOptions` without
    a model, for a model that nobody knows, and where the package is needed and missing.
    """
    if model is None:
        raise InvalidOptions("budget=None needs a model whose input window is known")
    row = found.row if (found := find(model)) else None
    providers = _providers()
    windows = [row.window if row else None, _window(model, providers or ())]
    known = [window for window in windows if window]
    if known:
        reserved = row.output or 0 if row and row.shared else 0
        return max(1, min(known) - reserved)
    if providers is None:
        raise InvalidOptions(
            "budget=None needs the model windows of trimtab[models]; or give budget= in tokens"
        )
    raise InvalidOptions(f"the input window of {model!r} is not known; give budget= in tokens")


def output_limit(model: str | None) -> int | None:
    """The most tokens that a model writes, reasoning included; None where it is not known.

    >>> output_limit("openai/gpt-4o-2024-08-06")
    16384
    """
    found = find(model) if model else None
    return found.row.output if found else None


def _window(model: str, providers: Sequence[Provider]) -> int | None:
    makers_first = sorted(providers, key=lambda provider: provider.id not in _MAKERS)
    for name in _spellings(model):
        for provider in makers_first:
            found = provider.find_model(name)
            if found is not None and found.context_window:
                return found.context_window
    return None


def _spellings(model: str) -> Iterator[str]:
    """The name without what gateways put before it, then the model's own alone."""
    yield model.rpartition("/")[2]
    if (found := find(model)) is not None:
        yield found.bare


def _providers() -> Sequence[Provider] | None:
    try:
        from genai_prices.data import providers
    except ImportError:
        return None
    return providers
