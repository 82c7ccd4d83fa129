"""What a sequence of requests costs under a provider's cache rules."""

from .rules import CacheRules, rule_names, rules_named

__all__ = ["CacheRules", "rule_names", "rules_named"]
