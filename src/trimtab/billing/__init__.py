"""What a sequence of requests costs under a provider's cache rules; see ``docs/billing.md``."""

from .bill import Bill, bill
from .cache import Cache, Charge, Sent
from .prices import Prices, prices_for
from .rules import CacheRules, rule_names, rules_for, rules_named

__all__ = [
    "Bill",
    "Cache",
    "CacheRules",
    "Charge",
    "Prices",
    "Sent",
    "bill",
    "prices_for",
    "rule_names",
    "rules_for",
    "rules_named",
]
