"""The summary that the options of ``fit`` ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import InvalidOptions

if TYPE_CHECKING:
    from ..stores import Store
    from ..summary import Summariser, Summary

EXTRACTIVE = "extractive"
IN_MEMORY = ":memory:"


def summary_of(who: str | None, tokens: int | None, path: str | None) -> Summary | None:
    """The settings of a summary by ``who``, None where there is to be none.

    Raises `InvalidOptions` for a summariser that is not known or not installed.
    """
    if who is None:
        if tokens is not None or path is not None:
            raise InvalidOptions("--summary-tokens and --summary-store want --summary")
        return None
    from ..summary import Summary

    summariser, store = _summariser(who), _store(path)
    if tokens is None:
        return Summary(summariser, store=store)
    return Summary(summariser, max_summary_tokens=tokens, store=store)


def _summariser(who: str) -> Summariser:
    from ..summary import AnthropicSummariser, ExtractiveSummariser, OpenAISummariser

    if who == EXTRACTIVE:
        return ExtractiveSummariser()
    provider, colon, model = who.partition(":")
    if colon and model and provider == "openai":
        return OpenAISummariser(model)
    if colon and model and provider == "anthropic":
        return AnthropicSummariser(model)
    raise InvalidOptions("--summary must be extractive, openai:MODEL or anthropic:MODEL")


def _store(path: str | None) -> Store | None:
    """The store in a file; None for the default one."""
    from ..stores import MemoryStore, SQLiteStore

    if path is None:
        return None
    if "://" in path:
        raise InvalidOptions("--summary-store must be the path of a file, or :memory:")
    return MemoryStore() if path == IN_MEMORY else SQLiteStore(path)
