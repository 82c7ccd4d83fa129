"""Run a case in one of its modes and look at what came out."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cases.later import BROKEN, EVERY_BUDGET
from cases.loader import Case, simple_cost
from cases.views import View, view
from support.shapes import History, Message, blocks

from trimtab import DoesNotFit, Fitted, Policy, fit, per_message, repair

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

    def __post_init__(self) -> None:
        self.inputs: History = copy.deepcopy(self.case.messages)
        self.calls = 0

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

    def fit(self) -> Fitted:
        """The ``fit`` that this case and mode ask for."""
        own = self.case.options.get("window", self.case.budget)
        budget = own if self.budget is None else self.budget
        while True:
            try:
                return fit(self.inputs, budget, **self.asked())
            except DoesNotFit:  # at least the last n: the newest unit may be more
                if not self.case.keeps_last or self.budget is not None:
                    raise
                budget += 1

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
        options = self.case.options
        cap = options.get("max_tool_result")
        if self.mode == "truncate tool":
            # The report cuts to "what fits"; by DESIGN §5 a cap is a fixed number, so that
            # the bytes stay the same every turn. Half of the budget leaves room for the rest.
            cap = self.case.budget // 2
        return Policy(
            keep_first=options.get("keep_first", 0),
            # The budgets of these cases are smaller than the default text.
            notice="Some messages left out." if options.get("gap_notice") else False,
            max_result_tokens=cap if isinstance(cap, int) else None,
            reasoning="drop_after_edit" if self.mode == "strip_thinking" else "keep",
        )

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
    if mode == "strip_thinking":  # at a cut, of which it is a part
        return [Run(case, mode, budget=sum(map(case.cost, case.messages)) - 1)]
    if mode == "every budget":
        return list(_at_every_budget(case))
    if found := re.fullmatch(r"dialect ([\w-]+)(?: (strict|repair))?", mode):
        dialect, rest = found[1], found[2] or ""
        assert dialect in DIALECTS, dialect
        modes = ["repair", "repaired fit"] if rest == "repair" else [rest]
        return [Run(case, one, dialect=dialect) for one in modes]
    if mode in _SAME_AS_DEFAULT or re.fullmatch(r"max_tool_result \d+", mode):
        mode = ""
    if not mode and case.id in EVERY_BUDGET:
        return [Run(case), *_at_every_budget(case)]
    return [Run(case, mode)]


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
