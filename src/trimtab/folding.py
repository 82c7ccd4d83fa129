"""The fold of a history, as a policy wants it."""

from __future__ import annotations

from .core.batch import Batch
from .core.fold import Fold
from .core.lead import Leads
from .freeing import Freeing
from .setup import Setup
from .steady import Steady


def fold_of(
    setup: Setup, leads: Leads, insert: int, freeing: Freeing | None, *, rests: bool
) -> Fold:
    """An empty fold; ``rests`` is for one that is to stand where another did."""
    policy = setup.policy
    return Fold(
        max(setup.room, 0),
        leads,
        rule=policy.rule(),
        insert=insert,
        free=freeing,
        ahead=None if policy.summary is None else policy.summary.threshold(),
        batch=_batch(setup, freeing),
        rests=rests,
    )


def _batch(setup: Setup, freeing: Freeing | None) -> Batch | None:
    """What clears results before room is wanting, where the policy wants that."""
    rule, depth = setup.policy.clear_results, setup.policy.depth
    if rule is None or not rule.batch or freeing is None:
        return None
    assert isinstance(depth, Steady), "a policy with batch has prices"
    return Batch(depth.prices, freeing.waits)
