"""What requests cost beside their contents: the fixed part and one filler of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .gauge import Gauge, Refused


class BaseCosts(NamedTuple):
    """Tokens of a request without messages, and of messages that say one filler.

    Chosen so that ``primer + user`` is a request of one message and ``user + assistant``
    one more turn; ``result`` is about half of a call with its result.
    """

    primer: int
    user: int
    assistant: int
    result: int


def base_costs(gauge: Gauge) -> BaseCosts:
    """Solve for the costs with four to seven requests; raises `Refused` without plain turns.

    Two messages of one role in a row tell what each costs. Where that is refused, or the
    two are merged into one, the shares of a turn are upper bounds or a guess; then the
    sum over a turn is still right.
    """
    u, a = gauge.say("user"), gauge.say("assistant")
    one, three = gauge.total(u), gauge.total(u + a + u)
    turn = three - one
    if gauge.thorough:
        turn = max(turn, gauge.total(u + a + u + a + u) - three)
    second_user = _total(gauge, u + a + u + u)
    second_reply = _total(gauge, u + a + a + u)
    reply = None if second_reply is None else min(second_reply - three, turn)
    if reply is None and second_user is None:
        ended = _total(gauge, u + a)
        reply = turn // 2 if ended is None else max(0, min(ended - one, turn))
    user = 0 if second_user is None else second_user - three
    if reply is not None:
        user = max(user, turn - reply)
    user = min(user, one)
    loop = loop_cost(gauge, gauge.ids(1), one, turn)
    return BaseCosts(one - user, user, max(0, turn - user), max(0, loop or 0) // 2)


def loop_cost(gauge: Gauge, ids: Sequence[str], one: int, turn: int) -> int | None:
    """Tokens of a message of filler calls together with their results, None where refused.

    The dearer of two places: at the end, and with a reply and another question behind.
    ``one`` is a request of one message and ``turn`` what a reply and a question add.
    """
    loop = gauge.say("user") + gauge.say("calls", ids=ids) + gauge.say("result", ids=ids)
    ended = _total(gauge, loop)
    costs = [] if ended is None else [ended - one]
    if not gauge.thorough:
        return max(costs, default=None)
    inside = _total(gauge, loop + gauge.say("assistant") + gauge.say("user"))
    costs += [] if inside is None else [inside - one - turn]
    return max(costs, default=None)


def _total(gauge: Gauge, messages: Sequence[Any]) -> int | None:
    try:
        return gauge.total(messages)
    except Refused:
        return None
