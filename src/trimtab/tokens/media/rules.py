"""What media cost by the name of a rule, from ``models.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ..model_table import table

Rule = Mapping[str, Any]


@cache
def rule_named(name: str) -> Rule:
    """The figures of a rule, or of a framing's rule; those of ``other`` for any other name."""
    known = table()["media"]
    if name not in known:
        name = table()["framings"].get(name, "other")
    rule = known[name]
    return {**rule_named(rule["like"]), **rule} if "like" in rule else rule
