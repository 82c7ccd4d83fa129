"""Run a case in one of its modes and look at what came out."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cases.later import BROKEN
from cases.loader import Case, simple_cost, text_of
from support.shapes import History, Message, blocks

from trimtab import Fitted, Policy, fit, per_message, repair


@dataclass
class Run:
    """One run: the messages that were handed over, and the result or the error."""

    case: Case
    mode: str = ""
    budget: int | None = None  # instead of the case's own
    policy: Policy | None = None

    def __post_init__(self) -> None:
        self.inputs: History = copy.deepcopy(self.case.messages)
        self.calls = 0

    @cached_property
    def outcome(self) -> Fitted | History | Exception:
        """What ``fit`` or ``repair`` returned or raised."""
        try:
            if self.mode == "repair":
                return repair(self.inputs, format=self.case.format).messages
            return self.fit()
        except Exception as error:  # noqa: BLE001 - whatever it is, the check judges it
            return error

    def fit(self) -> Fitted:
        """The ``fit`` that this case and mode ask for."""
        options = self.case.options
        mended = self.mode == "repaired fit" or (not self.mode and self.case.id in BROKEN)
        asked: dict[str, Any] = {"on_invalid": "repair" if mended else "raise"}
        if "window" in options:
            budget = options["window"]
            asked |= {"reserve": options["reserve"], "tools": options.get("overhead", 0)}
        else:
            budget = self.case.budget if self.budget is None else self.budget
        if self.mode == "option protect_user":
            asked["pin"] = lambda message: message["role"] == "user"
        if self.case.counter is not None:
            asked["counter"] = per_message(self._counted)
        policy = self.policy or self._policy()
        return fit(self.inputs, budget, format=self.case.format, policy=policy, **asked)

    def _counted(self, message: Message) -> int:
        self.calls += 1
        assert self.case.counter is not None
        return self.case.counter(message)

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
    def used(self) -> int:
        """Cost of the result by the simple counter, or one a message where the case says so."""
        one = self.case.rule.startswith("counter: 1")
        return sum(1 if one else simple_cost(m) for m in self.output)

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
        return text_of(self.after(index).get("content"))


def runs(case: Case, mode: str) -> list[Run]:
    """The runs in which a check of this mode must hold."""
    if mode == "repair":  # asked for alone, and as a part of fit
        return [Run(case, "repair"), Run(case, "repaired fit")]
    same_as_default = ("no truncate", "dialect openai", "default")
    if mode in same_as_default or re.fullmatch(r"max_tool_result \d+", mode):
        return [Run(case)]
    return [Run(case, mode)]


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
    marks: set[tuple[str, Any]] = set()
    if message.get("role") == "tool":
        marks.add(("result", message.get("tool_call_id")))
    elif isinstance(message.get("content"), str):
        marks.add((message["role"], message["content"]))
    for call in message.get("tool_calls") or []:
        marks.add(("call", call.get("id")))
    for block in blocks(message):
        kind = block.get("type")
        key = {"tool_result": "tool_use_id", "tool_use": "id", "text": "text"}.get(kind)
        marks.add((kind, block.get(key) if key else id(block)))
    return marks
