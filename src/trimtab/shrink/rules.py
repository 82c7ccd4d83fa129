"""Which passes a policy asks for, and what a cut must free to be worth it."""

from __future__ import annotations

from math import isqrt

from ..formats.base import Format
from ..policy import DROP_AFTER_EDIT, DROP_EARLIER, Policy
from ..tokens.meter import Meter
from .clearing import Results
from .passes import Media, Pass, Reasoning, Repeats


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
    that binds, √(2 (w - r) U g / (v - r)), with the prices of a write and a read w = 1.25 and
    r = 0.1, and a kept token worth v = 1 (see ``docs/shrinking.md``).
    """
    rule = policy.clear_results
    if rule is None or (rule.at_least is None and policy.share() is None):
        return 0
    if rule.at_least is not None:
        return rule.at_least
    return isqrt(23 * max(room, 0) * total // (9 * max(units, 1)))
