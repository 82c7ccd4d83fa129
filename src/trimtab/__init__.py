"""Trimtab: fit an LLM conversation into a token budget.

Never over budget, never invalid for the provider, never mutated, or one typed error
that says what is needed. Importing this package imports nothing that works; each public
name loads its module when it is first used. No module is called like a public function, since
an import of the module would then hide the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .lazy import loader

if TYPE_CHECKING:
    from .checking import Repaired, check, repair
    from .conversation import Conversation
    from .core.history import trim_history
    from .core.window import Window
    from .counting import Count, count
    from .errors import (
        CounterError,
        DoesNotFit,
        DuplicateCall,
        DuplicateResult,
        InvalidHistory,
        InvalidOptions,
        MisplacedMessage,
        MissingResult,
        Needs,
        OrphanResult,
        StoreError,
        SummaryError,
        TrimtabError,
        UnknownFormat,
    )
    from .faults import Fault
    from .fitted import Fitted
    from .fitting import afit, fit
    from .outcome import Cut, Decision, Inserted, Repair
    from .overflow import limit_from_error
    from .policy import ClearResults, Policy
    from .reference import Context, build_context, group_messages
    from .request import afit_request, fit_request
    from .steady import Steady
    from .summary.settings import Summary
    from .tokens.calibration import Calibration
    from .tokens.counter import Counter, PerMessage, per_message
    from .tokens.encodings import MemoStats, limit_memo, memo_stats
    from .tokens.persist import remember
    from .verifying import Violation, verify

_HOMES = {
    "checking": ("Repaired", "check", "repair"),
    "conversation": ("Conversation",),
    "core.history": ("trim_history",),
    "core.window": ("Window",),
    "counting": ("Count", "count"),
    "errors": (
        "CounterError",
        "DoesNotFit",
        "DuplicateCall",
        "DuplicateResult",
        "InvalidHistory",
        "InvalidOptions",
        "MisplacedMessage",
        "MissingResult",
        "Needs",
        "OrphanResult",
        "StoreError",
        "SummaryError",
        "TrimtabError",
        "UnknownFormat",
    ),
    "faults": ("Fault",),
    "fitting": ("afit", "fit"),
    "fitted": ("Fitted",),
    "outcome": ("Cut", "Decision", "Inserted", "Repair"),
    "overflow": ("limit_from_error",),
    "policy": ("ClearResults", "Policy"),
    "reference": ("Context", "build_context", "group_messages"),
    "request": ("afit_request", "fit_request"),
    "steady": ("Steady",),
    "summary.settings": ("Summary",),
    "tokens.calibration": ("Calibration",),
    "tokens.encodings": ("MemoStats", "limit_memo", "memo_stats"),
    "tokens.persist": ("remember",),
    "tokens.counter": ("Counter", "PerMessage", "per_message"),
    "verifying": ("Violation", "verify"),
}
_load = loader(__name__, _HOMES)

__all__ = [
    "Calibration",
    "Context",
    "Conversation",
    "Count",
    "Counter",
    "CounterError",
    "Cut",
    "Decision",
    "DoesNotFit",
    "DuplicateCall",
    "DuplicateResult",
    "Fault",
    "Fitted",
    "Inserted",
    "InvalidHistory",
    "InvalidOptions",
    "MemoStats",
    "MisplacedMessage",
    "MissingResult",
    "Needs",
    "OrphanResult",
    "PerMessage",
    "ClearResults",
    "Policy",
    "Repair",
    "Repaired",
    "Steady",
    "StoreError",
    "Summary",
    "SummaryError",
    "TrimtabError",
    "UnknownFormat",
    "Violation",
    "Window",
    "afit",
    "afit_request",
    "build_context",
    "check",
    "count",
    "fit",
    "fit_request",
    "group_messages",
    "limit_from_error",
    "limit_memo",
    "memo_stats",
    "per_message",
    "remember",
    "repair",
    "trim_history",
    "verify",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    value = globals()[name] = _load(name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
