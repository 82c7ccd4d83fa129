"""Which passes a policy asks for, and what a cut must free to be worth it."""

from __future__ import annotations

from math import isqrt
from typing import Final

from ..core.depth import Ledger, Prices, Renewal
from ..formats.base import Format
from ..policy import DROP_AFTER_EDIT, DROP_EARLIER, Policy
from ..tokens.meter import Meter
from .clearing import Results
from .passes import Media, Pass, Reasoning, Repeats

_ANTHROPIC: Final = Prices(read=10, write=125, value=100)


def passes_of(policy: Policy, format: Format, meter: Meter, manual: bool) -> list[Pass]:
    """The passes of a policy, in the order in which they are applied to a message.

    ``manual``: the request asks for thinking by hand, so that a tool loop under way must
    begin with its own.
    """
    passes: list[Pass] = []
    if policy.clear_results is not None:
        passes.append(Results(format, meter, policy.clear_results, handles=policy.handles))
    if policy.repeats:
        passes.append(Repeats(format, meter, handles=policy.handles))
    if policy.media is not None:
        passes.append(Media(format, meter, policy.media))
    if policy.reasoning == DROP_AFTER_EDIT:
        passes.append(Reasoning(format, meter, earlier=False, held=manual))
    elif policy.reasoning == DROP_EARLIER:
        passes.append(Reasoning(format, meter, earlier=True))
    return passes


def at_least(policy: Policy, room: int, total: int, units: int) -> int:
    """Tokens that a cut which drops nothing must free.

    ``total`` tokens came in so many units. Without ``at_least`` and without ``depth`` any;
    with ``depth`` as many as the best depth of a cut frees: the square root law for a budget
    that binds, √(2 (w - r) U g / (v - r)), or for a floor of L tokens that are enough,
    √(2 (w - r) g (L - g) / r) (see ``docs/cuts.md``). Where the depth is a plain share the prices
    are those of Anthropic's cache: w = 1.25, r = 0.1, and a kept token is worth v = 1.
    """
    clear, rule = policy.clear_results, policy.rule()
    if clear is None:
        return 0
    if clear.at_least is not None or rule is None:
        return clear.at_least or 0
    share = max(units, 1)
    if isinstance(rule, Ledger):
        grown = total // share
        over = 2 * (rule.prices.write - rule.prices.read) * grown * max(rule.floor - grown, 0)
        return isqrt(over // max(rule.prices.read, 1))
    read, write, value = rule.prices if isinstance(rule, Renewal) else _ANTHROPIC
    return isqrt(2 * (write - read) * max(room, 0) * total // ((value - read) * share))
