"""The replay of one conversation under every policy, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

from ..billing import Cache, CacheRules, Prices, Sent, prices_for, rules_for, rules_named
from ..errors import InvalidOptions
from ..policy import Policy
from ..sessions.usage import Recorded
from ..setup import Setup, resolve
from ..transcript import Transcript
from .judging import Dear, Row, Terms, front, judged, yardstick
from .policies import DEFAULT, policy_named
from .story import Story
from .walking import requests, walk

_WITHIN: Final = Fraction(2, 100)


class Agreement(NamedTuple):
    """On how many of the recorded turns the rules read from the cache what was recorded.

    ``said`` and ``told`` are the tokens read by the rules and by the record, on all these turns.
    """

    turns: int
    agree: int
    said: int = 0
    told: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What every policy would have cost on one conversation.

    ``unit`` is that of all money: "USD", or "tokens" for multiples of the price of an input
    token where no price is known. ``front`` are the policies than which none is cheaper and keeps
    more, ``choice`` the one to take: the cheapest, with what it lets go at the price of an input
    token, that never went over the budget. ``answers`` is the cost of the output, the same for all.
    """

    name: str
    model: str | None
    rules: CacheRules
    unit: str
    budget: int
    requests: int
    tokens: int
    rows: list[Row]
    front: list[str]
    choice: str | None
    agreement: Agreement | None
    answers: Fraction | None
    remarks: list[str]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, without any text of the conversation."""
        return {
            "name": self.name,
            "model": self.model,
            "rules": self.rules.name,
            "calibrated": self.rules.calibrated,
            "unit": self.unit,
            "budget": self.budget,
            "requests": self.requests,
            "tokens": self.tokens,
            "policies": [_plain(row) for row in self.rows],
            "front": self.front,
            "choice": self.choice,
            "recorded": self.agreement and self.agreement._asdict(),
            "answers": None if self.answers is None else float(self.answers),
            "remarks": self.remarks,
        }


def replay(
    story: Story,
    budget: int | None = None,
    *,
    rules: CacheRules | None = None,
    policies: Sequence[str] = DEFAULT,
    reserve: int = 0,
    counter: Any = None,
) -> Report:
    """Replay a conversation request by request under each policy and bill it.

    ``budget`` is what a request may cost in tokens, by default the model's input window;
    ``rules`` are those of the cache, by default `rules_of` the conversation. Raises
    `InvalidOptions` for a conversation without requests, for options that make no sense, and what
    `fit` raises. O(messages x policies), and the optimum.
    """
    known = rules or rules_of(story)
    prices = prices_for(story.model, known) or Prices.of(known)
    asked: dict[str, Any] = {
        "model": story.model,
        "format": story.format,
        "system": story.system,
        "tools": story.tools,
        "response_format": None,
        "tool_choice": None,
        "thinking": False,
        "reserve": reserve,
        "counter": counter,
    }
    setup = resolve(story.messages, budget, policy=Policy(), **asked)
    counted = Transcript(setup)
    counted.extend(story.messages, None)
    if counted.faults:
        raise counted.faults[0].error()
    for at in range(len(story.messages)):
        counted.cost(at)
    asks = requests(counted)
    if not asks:
        raise InvalidOptions("no request was made in this conversation")
    names = list(dict.fromkeys(policies))
    return _report(story, counted, asks, rules=known, prices=prices, names=names)


def _report(
    story: Story,
    counted: Transcript,
    asks: Sequence[int],
    *,
    rules: CacheRules,
    prices: Prices,
    names: Sequence[str],
) -> Report:
    setup = counted.setup
    longest = walk(story, setup, counted, asks)
    best = yardstick(longest, asks, max(setup.room, 0), prices)
    rows: list[Row] = []
    for name in names:
        policy = policy_named(name, rules, prices, max(setup.room, 0))
        walked = longest
        if policy != setup.policy:
            walked = walk(story, _with(setup, policy), counted, asks)
        whole = policy.clear_results is None and policy.max_result_tokens is None
        least = best if whole else None  # the optimum drops units, and shortens none
        terms = Terms(rules, prices, story.model, least)
        rows.append(judged(name, walked, longest, terms))
    fit = [row for row in rows if row.over == 0]
    output = sum(row.output for row in story.recorded)
    return Report(
        name=story.name,
        model=story.model,
        rules=rules,
        unit=prices.unit,
        budget=setup.budget,
        requests=len(asks),
        tokens=setup.fixed.total + sum(map(counted.cost, range(len(story.messages)))),
        rows=rows,
        front=front(rows),
        choice=min(fit, key=lambda row: row.worth).policy if fit else None,
        agreement=held_against(story.recorded, rules, story.model) if story.recorded else None,
        answers=prices.output * output if output else None,
        remarks=_remarks(story, rules, rows),
    )


def held_against(
    recorded: Sequence[Recorded], rules: CacheRules, model: str | None = None
) -> Agreement:
    """How often the rules read what was recorded, within a step and 2 % of the prompt.

    A prompt that grew is taken to begin with all of the one before. First requests, whose cache
    others have filled, and prompts that did not grow are not judged.
    """
    cache, before, found = Cache(rules, model), 0, Agreement(0, 0)
    for at, row in enumerate(recorded):
        same = min(before, row.prompt)
        read = cache.request(Sent(row.prompt, same, row.time, (), row.output)).read
        if at and row.prompt >= before:
            agree = abs(read - row.read) <= max(rules.step, _WITHIN * row.prompt)
            turn = Agreement(1, agree, read, row.read)
            found = Agreement(*map(sum, zip(found, turn, strict=True)))
        before = row.prompt
    return found


def rules_of(story: Story) -> CacheRules:
    """The rules by which a conversation was billed: of its model, for an hour if so recorded."""
    written = sum(row.written for row in story.recorded)
    if sum(row.lasting for row in story.recorded) * 2 > written > 0:
        return rules_named("anthropic-1h")
    return rules_for(story.model)


def _with(setup: Setup, policy: Policy) -> Setup:
    return replace(setup, policy=policy)


def _remarks(story: Story, rules: CacheRules, rows: Sequence[Row]) -> list[str]:
    found = list(story.remarks)
    if not rules.calibrated:
        found.append(f"not calibrated for {rules.name}: recorded usage has not confirmed its rules")
    if all(row.cuts == 0 for row in rows):
        found.append("all of it fits the budget, so that no policy cuts anything")
    if any(row.over for row in rows):
        found.append("where a request is over the budget, what must stay is too much for it")
    return found


def _plain(row: Row) -> dict[str, Any]:
    return {
        "policy": row.policy,
        "money": float(row.money),
        "cached": float(row.cached),
        "kept": round(float(row.kept), 1),
        "least": row.least,
        "cuts": row.cuts,
        "over": row.over,
        "worth": round(float(row.worth), 1),
        "ratio": None if row.ratio is None else round(float(row.ratio), 4),
        "dearest": _plain_cut(row.dearest),
        "costs": [float(cost) for cost in row.costs],
    }


def _plain_cut(cut: Dear | None) -> dict[str, Any] | None:
    if cut is None:
        return None
    return {
        "request": cut.request,
        "message": cut.message,
        "cause": cut.cause,
        "before": cut.before,
        "after": cut.after,
        "extra": float(cut.extra),
    }
