"""Run a case in one of its modes and look at what came out."""

from __future__ import annotations

import asyncio
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cases.later import BROKEN, EVERY_BUDGET
from cases.loader import WEIGHT, Case, room_for, simple_cost
from cases.policies import cuts_itself, policy_of, scripted, summary_of
from cases.views import View, view
from support.shapes import History, Message, blocks

from trimtab import DoesNotFit, Fitted, Policy, afit, fit, per_message, repair
from trimtab.stores import MemoryStore

# Formats whose rules are those of a dialect in the reports.
DIALECTS = {
    "openai": "openai-chat",
    "mistral": "mistral",
    "alternate": "strict-chat",
    "no-prefill": "anthropic",  # whose newest models refuse a request that ends on a reply
}
_SAME_AS_DEFAULT = ("no truncate", "default", "soft")


@dataclass
class Run:
    """One run: the messages that were handed over, and the result or the error."""

    case: Case
    mode: str = ""
    budget: int | None = None  # instead of the case's own
    policy: Policy | None = None
    dialect: str = ""
    saying: str | None = None  # what the summariser does, instead of the case's own
    strict: bool = False  # a summary that cannot be made is an error
    fed_back: bool = False  # each compaction is of what the one before left

    def __post_init__(self) -> None:
        self.inputs: History = copy.deepcopy(self.case.messages)
        self.calls = 0
        self.forget()

    @property
    def format(self) -> str | None:
        """The format that the library is told."""
        return DIALECTS[self.dialect] if self.dialect else self.case.format

    @cached_property
    def outcome(self) -> Fitted | History | Exception:
        """What ``fit`` or ``repair`` returned or raised."""
        try:
            if self.mode == "repair":
                return repair(self.inputs, format=self.format).messages
            return self.fit()
        except Exception as error:  # noqa: BLE001 - whatever it is, the check judges it
            return error

    @property
    def fitted(self) -> Fitted:
        """The result of ``fit``; there must be one."""
        assert isinstance(self.outcome, Fitted), repr(self.outcome)
        return self.outcome

    def fit(self) -> Fitted:
        """The ``fit`` that this case and mode ask for."""
        if self.case.compactions and self.budget is None:
            return self._compacted()
        own = self.case.options.get("window", self.case.budget)
        if cuts_itself(self.case, self.mode):
            own = sum(map(self.case.cost, self.inputs)) - 1
        budget = own if self.budget is None else self.budget
        while True:
            try:
                return self.fit_of(self.inputs, budget)
            except DoesNotFit:  # at least the last n: the newest unit may be more
                if not self.case.keeps_last or self.budget is not None:
                    raise
                self.forget()
                budget += WEIGHT

    def fit_of(self, messages: History, budget: int) -> Fitted:
        """The ``fit`` of some messages, with the summariser and the store of this run."""
        asked = self.asked()
        if self.summariser is not None and self.summariser.only_async:
            return asyncio.run(afit(messages, budget, **asked))
        return fit(messages, budget, **asked)

    def _compacted(self) -> Fitted:
        """The last of several fits, of all messages so far or of what the one before left."""
        before, taken = self.inputs, 0
        made: Fitted | None = None
        for step in self.case.compactions:
            new = self.inputs[taken : step["take"]]
            fed_back = self.fed_back and made is not None
            messages = [*made.messages, *new] if fed_back and made else before[: step["take"]]
            made = self.fit_of(messages, room_for(step["keep_last"]))
            taken = step["take"]
        assert made is not None
        return made

    def forget(self) -> None:
        """Begin with an empty store and a summariser that was told nothing."""
        self.store, self.summariser = MemoryStore(), scripted(self.case, self.saying)

    def asked(self) -> dict[str, Any]:
        """The options of ``fit`` that this case and mode ask for."""
        options = self.case.options
        mended = self.mode == "repaired fit" or (not self.mode and self.case.id in BROKEN)
        asked: dict[str, Any] = {"on_invalid": "repair" if mended else "raise"}
        if "window" in options:
            asked |= {"reserve": options["reserve"], "tools": options.get("overhead", 0)}
        if self.mode == "strip_thinking":  # by hand, so a tool loop under way keeps its own
            asked["thinking"] = True
        if self.mode == "option protect_user":
            asked["pin"] = lambda message: message["role"] == "user"
        if self.case.counter is not None:
            asked["counter"] = per_message(self._counted)
        return {**asked, "format": self.format, "policy": self.policy or self._policy()}

    def _counted(self, message: Message) -> int:
        self.calls += 1
        return self.case.cost(message)

    def _policy(self) -> Policy:
        summary = None
        if self.summariser is not None:
            summary = summary_of(self.case, self.summariser, self.store, strict=self.strict)
        return policy_of(self.case, self.mode, summary)

    @property
    def error(self) -> Exception:
        """The error; there must be one."""
        assert isinstance(self.outcome, Exception), f"no error, but {self.output!r:.300}"
        return self.outcome

    @property
    def output(self) -> History:
        """The resulting messages; there must be some."""
        assert not isinstance(self.outcome, Exception), f"raised {self.outcome!r}"
        return self.outcome if isinstance(self.outcome, list) else self.outcome.messages

    @property
    def views(self) -> list[View]:
        """What each resulting message says, calls and answers."""
        return list(map(view, self.output))

    @property
    def used(self) -> int:
        """Cost of the result by the case's own unit: messages, turns, or the simple counter."""
        units = self.case.rule.startswith("counter: 1") or "keep_last_turns" in self.case.options
        return sum(map(self.case.cost if units else simple_cost, self.output))

    @cached_property
    def origins(self) -> list[int | None]:
        """For each output message the input it came from; None for an inserted one."""
        return list(_origins(self.inputs, self.output))

    @property
    def kept(self) -> list[int]:
        """Positions in the input of the messages in the output, in output order."""
        return [i for i in self.origins if i is not None]

    def after(self, index: int) -> Message:
        """The output message that came from this input."""
        return self.output[self.origins.index(index)]

    def text(self, index: int) -> str:
        """The text of the output message that came from this input."""
        return view(self.after(index)).text


def runs(case: Case, mode: str) -> list[Run]:
    """The runs in which a check of this mode must hold."""
    if mode == "repair":  # asked for alone, and as a part of fit
        return [Run(case, "repair"), Run(case, "repaired fit")]
    if mode == "every budget":
        return list(_at_every_budget(case))
    if found := re.fullmatch(r"dialect ([\w-]+)(?: (strict|repair))?", mode):
        dialect, rest = found[1], found[2] or ""
        assert dialect in DIALECTS, dialect
        modes = ["repair", "repaired fit"] if rest == "repair" else [rest]
        return [Run(case, one, dialect=dialect) for one in modes]
    if mode in _SAME_AS_DEFAULT or re.fullmatch(r"max_tool_result \d+", mode):
        mode = ""
    if mode == "results thrice as long":  # so that what stands for one is shorter
        return [Run(replace(case, messages=list(map(_thrice, case.messages))))]
    if case.compactions:
        return [Run(case), Run(case, fed_back=True)]
    if not mode and case.id in EVERY_BUDGET:
        return [Run(case), *_at_every_budget(case)]
    return [Run(case, mode)]


def _thrice(message: Message) -> Message:
    """A message whose tool results say all three times."""
    tripled = [
        {**b, "content": b["content"] * 3} if b.get("type") == "tool_result" else b
        for b in blocks(message)
    ]
    return {**message, "content": tripled} if tripled else message


def _at_every_budget(case: Case) -> Iterator[Run]:
    """The run at each of up to a hundred budgets between nothing and all, where it fits."""
    whole = sum(map(case.cost, case.messages))
    some = 0
    for budget in range(0, whole + 1, whole // 100 + 1):
        run = Run(case, budget=budget)
        if not isinstance(run.outcome, DoesNotFit):
            some += len(run.output) < len(case.messages)
            yield run
    assert some, "no budget cuts anything"


def _origins(inputs: History, output: History) -> Iterator[int | None]:
    taken: set[int] = set()
    for message in output:
        same = [i for i, m in enumerate(inputs) if m is message]
        like = [i for i, m in enumerate(inputs) if _marks(m) & _marks(message)]
        free = [i for i in (same or like) if i not in taken]
        taken.update(free[:1])
        yield free[0] if free else None


def _marks(message: Message) -> set[tuple[str, Any]]:
    """What a changed copy shares with its original: its ids, its own blocks, its text."""
    seen = view(message)
    marks: set[tuple[str, Any]] = {("result", id) for id in seen.results}
    marks |= {("call", id) for id in seen.calls}
    if seen.text and not seen.results:
        marks.add((seen.role, seen.text))
    for block in blocks(message):
        if block.get("type") not in ("tool_result", "tool_use"):
            marks.add(("text", block["text"]) if block.get("text") else ("block", id(block)))
    return marks
