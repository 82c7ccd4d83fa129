"""A model's input window, from the data of the genai-prices package."""

from __future__ import annotations

from typing import Final

from ..errors import InvalidOptions

# A model's maker knows its window; resellers may offer less.
_MAKERS: Final = frozenset({"openai", "anthropic", "google", "mistral", "deepseek", "xai", "meta"})


def input_window(model: str | None) -> int:
    """Tokens that a model takes as input.

    The figure is that of the installed ``genai-prices`` (extra ``trimtab[models]``).
    Raises `InvalidOptions` without a model, for a model it does not know, and where the
    package is not installed.
    """
    if model is None:
        raise InvalidOptions("budget=None needs a model whose input window is known")
    try:
        from genai_prices.data import providers
    except ImportError:
        raise InvalidOptions(
            "budget=None needs the model windows of trimtab[models]; or give budget= in tokens"
        ) from None
    bare = model.rpartition("/")[2]
    makers_first = sorted(providers, key=lambda provider: provider.id not in _MAKERS)
    for provider in makers_first:
        found = provider.find_model(bare)
        if found is not None and found.context_window:
            return found.context_window
    raise InvalidOptions(f"the input window of {model!r} is not known; give budget= in tokens")
