"""What each provider's prompt cache does, as data: one row a set of rules."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ..errors import InvalidOptions
from ..tokens.model_table import find

PREFIX: Final = "prefix"  #: the longest prefix in common is read, in whole steps
MARKS: Final = "marks"  #: what is read ends where an earlier request has marked the cache
WHOLE: Final = "whole"  #: what is read is a whole earlier request, or what two had in common
_BY_PROVIDER: Final = {
    "anthropic": "anthropic-5m",
    "openai": "openai",
    "google": "gemini",
    "deepseek": "deepseek",
}
_SINCE: Final = (((5, 5), "openai-gpt-5.5"), ((5, 6), "openai-gpt-5.6"))
_BEDROCK: Final = re.compile(r"bedrock|^(?:us\.|eu\.|apac\.|global\.)?anthropic\.")
_GPT: Final = re.compile(r"gpt-(\d+)(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class CacheRules:
    """The rules of one prompt cache.

    ``read`` and ``write`` are what a token costs that the cache held and that it takes in, as
    multiples of the price of an input token (a price list may know better, see `prices_for`).
    ``life`` is how many seconds an entry lasts after its last use, None where none is known.
    ``matches`` says what can be read: the longest prefix in common ("prefix"), only up to places
    that were marked ("marks"), or only whole earlier requests ("whole"); ``answers``: with what
    was answered. A prefix is read in steps of ``step`` tokens; one under ``minimum`` tokens is not
    kept (``minimums`` for models whose names begin so).

    ``calibrated``: whether the rules reproduce recorded cached tokens, see ``docs/billing.md``.
    ``source`` says where they come from.
    """

    name: str
    read: Fraction
    write: Fraction
    matches: str
    source: str
    life: int | None = None
    step: int = 1
    minimum: int = 0
    minimums: Mapping[str, int] | None = None
    answers: bool = False
    calibrated: bool = False

    def least(self, model: str | None) -> int:
        """Tokens that a prefix must have for a model, to be kept."""
        if model is None or self.minimums is None:
            return self.minimum
        bare = re.split(r"/|anthropic\.", model.lower())[-1]
        known = [name for name in self.minimums if bare.startswith(name)]
        return self.minimums[max(known, key=len)] if known else self.minimum


def rules_named(name: str) -> CacheRules:
    """The rules of that name. Raises `InvalidOptions`, which lists the known ones."""
    found = _table().get(name) if isinstance(name, str) else None
    if found is None:
        known = ", ".join(map(repr, _table()))
        raise InvalidOptions(f"no prompt cache is called {name!r}; known are {known}")
    return found


def rules_for(model: str | None) -> CacheRules:
    """The rules of the service that a model's name tells of; those called "none" where unknown.

    >>> rules_for("claude-sonnet-4-5").name, rules_for("gpt-5.6-mini").name, rules_for(None).name
    ('anthropic-5m', 'openai-gpt-5.6', 'none')
    """
    found = find(model) if model else None
    if model is None or found is None:
        return rules_named("none")
    if _BEDROCK.search(model.lower()):
        return rules_named("bedrock")
    name = _BY_PROVIDER.get(found.row.provider, "none")
    version = _GPT.search(found.bare)
    if name == "openai" and version:
        release = int(version[1]), int(version[2] or 0)
        newer = [rules for first, rules in _SINCE if release >= first]
        name = newer[-1] if newer else name
    return rules_named(name)


def rule_names() -> list[str]:
    """The names of all rules."""
    return list(_table())


@cache
def _table() -> dict[str, CacheRules]:
    rows = tomllib.loads(files("trimtab.billing").joinpath("rules.toml").read_text("utf-8"))
    minimums = rows.pop("minimums")
    return {name: _rules(name, row, minimums) for name, row in rows.items()}


def _rules(name: str, row: dict[str, Any], minimums: Mapping[str, Any]) -> CacheRules:
    read, write = Fraction(row.pop("read")), Fraction(row.pop("write"))
    least = minimums.get(row.pop("minimums", ""))
    return CacheRules(name, read, write, minimums=least, **row)
