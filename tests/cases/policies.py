"""What a case asks for, in the words of the library's policy."""

from __future__ import annotations

import re
from typing import Any

from cases.loader import PLENTY, Case
from cases.scripted import Scripted

from trimtab import ClearResults, Policy, Summary
from trimtab.stores import MemoryStore

DIGEST = re.compile(r"step 1 clears results above (\d+) characters")


def scripted(case: Case, saying: str | None = None) -> Scripted | None:
    """The summariser of a case, None where it wants no summary."""
    if saying is not None:
        return Scripted(saying)
    if "summary" in case.options:
        return Scripted(case.options["summary"], worded=False)
    return Scripted(case.options["summariser"]) if case.summarises else None


def summary_of(case: Case, summariser: Scripted, store: MemoryStore, *, strict: bool) -> Summary:
    """The settings of a summary.

    A case that names no size gives room for what its summariser says, or a quarter of the
    budget. Where n messages may stay, summaries weigh nothing.
    """
    given = len(summariser.fixed or "") or case.budget // 4
    if case.keeps_last or case.compactions:
        given = 1
    return Summary(
        summariser,
        max_summary_tokens=case.options.get("max_summary", given),
        max_input_tokens=case.options.get("summariser_max_input"),
        store=store,
        strict=strict,
    )


def clearing_of(case: Case, mode: str) -> ClearResults | None:
    """The rule by which old results, or old arguments, are cleared.

    A batch frees what lies between the trigger and the low mark. Sizes are the case's own.
    """
    if mode == "truncate args":
        return ClearResults(keep=0, smallest=case.options.get("max_args", 0), inputs=True)
    if rule := case.options.get("clear_tool_results"):
        batch = rule.get("trigger", 0) - rule.get("low", 0)
        return ClearResults(keep=rule["keep_last"], smallest=0, at_least=batch)
    if found := DIGEST.match(case.rule):
        return ClearResults(keep=0, smallest=int(found[1]))
    return None


def policy_of(case: Case, mode: str, summary: Summary | None) -> Policy:
    """The policy that a case asks for in a mode."""
    options: dict[str, Any] = case.options
    cap = options.get("max_tool_result")
    if mode == "truncate tool":
        # The report cuts to "what fits"; by DESIGN §5 a cap is a fixed number, so that
        # the bytes stay the same every turn. Half of the budget leaves room for the rest.
        cap = case.budget // 2
    reasoning = "drop_after_edit" if mode == "strip_thinking" else "keep"
    marks = options.get("clear_tool_results", {})
    return Policy(
        depth=marks["low"] / marks["trigger"] if "low" in marks else None,
        keep_first=options.get("keep_first", 0),
        # The budgets of these cases are smaller than the default text.
        notice="Some messages left out." if options.get("gap_notice") else False,
        max_result_tokens=cap if isinstance(cap, int) else None,
        clear_results=clearing_of(case, mode),
        reasoning="drop_earlier" if "drop_reasoning" in options else reasoning,
        summary=summary,
    )


def cuts_itself(case: Case, mode: str) -> bool:
    """Whether a case without a budget is about what a cut does: one token less than all."""
    # OpenAI Responses leaves earlier reasoning out by itself, so no cut takes it.
    reasoning = "drop_reasoning" in case.options and case.format != "openai-responses"
    asked = reasoning or clearing_of(case, mode) is not None
    return mode == "strip_thinking" or (asked and case.budget == PLENTY)
