"""Checks on what was kept, where it stands, and what it looks like."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cases.checks import judge, literal, means
from cases.loader import Case
from cases.objecting import objections
from cases.runs import Run
from cases.views import View, text_of, view
from support.shapes import blocks, calls, results

from trimtab import Fitted, Policy, fit, per_message, repair


@means(r"kept indices (==|in) (\[.+\])")
def _kept(run: Run, relation: str, wanted: str) -> None:
    assert run.kept in (literal(wanted) if relation == "in" else [literal(wanted)])
    assert run.output != [] or run.inputs == []


@means(r"kept (includes|excludes) (\[[\d, ]+\])")
def _kept_some(run: Run, relation: str, wanted: str) -> None:
    for index in literal(wanted):
        assert (index in run.kept) == (relation == "includes"), (index, run.kept)


@means(r"kept includes all of (\[.+\]) or none of them")
def _all_or_none(run: Run, wanted: str) -> None:
    assert len(set(literal(wanted)) & set(run.kept)) in (0, len(literal(wanted))), run.kept


@means(r"if (\d+) is kept then (\d+) is kept")
def _kept_together(run: Run, one: str, other: str) -> None:
    assert int(one) not in run.kept or int(other) in run.kept, run.kept


@means(r"(.+<=budget) and (kept includes .+)")
def _both(run: Run, one: str, two: str) -> None:
    judge(run, one)
    judge(run, two)


@means(r"no orphan tool (?:result|call)|results directly follow their call")
def _sound(run: Run) -> None:
    assert objections(run) == []


@means(r"order preserved")
def _ordered(run: Run) -> None:
    assert run.kept == sorted(run.kept)


@means(r"output order == (\[.+\])")
def _exact_order(run: Run, wanted: str) -> None:
    assert run.origins == literal(wanted)


@means(r"each kept result stands after its own call")
def _results_with_their_calls(run: Run) -> None:
    for result in results(run.inputs):
        caller = max(c.index for c in calls(run.inputs[: result.index]) if c.id == result.id)
        assert (result.index in run.kept) == (caller in run.kept), run.kept
    assert objections(run) == []


@means(r"last output index == (\d+)")
def _last(run: Run, index: str) -> None:
    assert run.origins[-1] == int(index)


@means(r"output == input")
def _untouched(run: Run) -> None:
    assert len(run.output) == len(run.inputs)
    assert all(a is b for a, b in zip(run.output, run.inputs, strict=True))


@means(r"budget (\d+): output == input")
def _untouched_with_room(run: Run, budget: str) -> None:
    _untouched(Run(run.case, run.mode, budget=int(budget)))


@means(r"output is not input")
def _new_list(run: Run) -> None:
    assert run.output is not run.inputs


@means(r"after input\.clear\(\): output still has 1 message")
def _independent_list(run: Run) -> None:
    output = run.output
    run.inputs.clear()
    assert len(output) == 1


@means(r"output\[0\] == input\[0\]")
def _same_head(run: Run) -> None:
    assert run.output[0] is run.inputs[0]


@means(r"output message for (\d+) is not input\[\d+\]")
def _changed_copy(run: Run, index: str) -> None:
    assert run.after(int(index)) is not run.inputs[int(index)]


@means(r"input unchanged(?: \(deep\))?")
def _input_unchanged(run: Run) -> None:
    assert run.output != []
    assert run.inputs == run.case.messages


@means(r"nothing dropped")
def _nothing_dropped(run: Run) -> None:
    assert sorted(run.kept) == list(range(len(run.inputs)))


@means(r"nothing else changed")
def _one_change(run: Run) -> None:
    originals = list(map(id, run.inputs))
    assert len(run.output) == len(run.inputs)
    assert sum(id(message) not in originals for message in run.output) == 1


@means(r"output\[(\d+)\] text == '(.+)'")
def _text_is(run: Run, index: str, text: str) -> None:
    assert text_of(run.output[int(index)]["content"]) == text


@means(r"text '(.+)' still present")
def _text_present(run: Run, text: str) -> None:
    assert any(text in seen.text for seen in run.views)


@means(r"output\[(\d+)\] has only the block for (\w+)")
def _only_block(run: Run, index: str, id: str) -> None:
    assert [b["tool_use_id"] for b in run.output[int(index)]["content"]] == [id]


@means(
    r"any tool_result block stands before text in its message"
    r"|in every user message tool_result blocks come first"
)
def _results_first(run: Run) -> None:
    for message in run.output:
        others = [b["type"] != "tool_result" for b in blocks(message)]
        assert message["role"] != "user" or others == sorted(others)


@means(r"number of tool results in output == (\d+)")
def _result_count(run: Run, number: str) -> None:
    assert sum(len(seen.results) for seen in run.views) == int(number)


@means(r"number of tool_result blocks with id (\w+) == (\d+)")
def _result_count_of(run: Run, id: str, number: str) -> None:
    assert [ref.id for ref in results(run.output)].count(id) == int(number)


@means(r"no message with only thinking blocks")
def _no_bare_thinking(run: Run) -> None:
    for message in run.output:
        kinds = {b["type"] for b in blocks(message)}
        assert not kinds or not kinds <= {"thinking", "redacted_thinking"}


@means(r"thinking blocks byte-identical where kept")
def _thinking_untouched(run: Run) -> None:
    def thoughts(index: int) -> list[str]:
        message = run.after(index) if index in run.kept else {}
        return [json.dumps(b) for b in blocks(message) if "thinking" in b["type"]]

    for index in run.kept:
        wanted = [json.dumps(b) for b in blocks(run.inputs[index]) if "thinking" in b["type"]]
        assert thoughts(index) == wanted


@means(r"field '(\w+)' (?:preserved|unchanged) on (\d+)(?: and (\d+))?")
def _field(run: Run, name: str, *indices: str | None) -> None:
    for index in (int(i) for i in indices if i is not None):
        had = list(_fields(run.case.messages[index], name))
        assert had and list(_fields(run.after(index), name)) == had


def _fields(value: Any, name: str) -> Iterator[Any]:
    """The values of all fields of a name, at any depth."""
    if isinstance(value, dict):
        yield from (part for key, part in value.items() if key == name)
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, (dict, list)):
            yield from _fields(part, name)


@means(r"units == (\[.+\])")
def _units(run: Run, wanted: str) -> None:
    outcome = run.outcome
    assert isinstance(outcome, Fitted), repr(outcome)
    found: dict[int, list[int]] = {}
    for decision in outcome.decisions:
        found.setdefault(decision.unit, []).append(decision.index)
    assert list(found.values()) == literal(wanted)


@means(r"text\((\d+)\) (startswith|endswith) '(\w+)'")
def _text_edge(run: Run, index: str, method: str, text: str) -> None:
    assert getattr(run.text(int(index)), method)(text), run.text(int(index))


@means(r"is_error\((\d+)\) == false")
def _status(run: Run, index: str) -> None:
    assert [b["is_error"] for b in run.after(int(index))["content"]] == [False]


@means(r"idempotent")
def _idempotent(run: Run) -> None:
    if run.mode == "repair":
        assert repair(run.output, format=run.format).repairs == []
    again = Run(run.case, run.mode)
    again.inputs = run.output
    assert again.output == run.output


@means(r"for cap in (\d+)\.\.(\d+): (utf8 encodable|json round trip equal)")
def _every_cap(run: Run, low: str, high: str, _property: str) -> None:
    shortened = 0
    for cap in range(int(low), int(high) + 1):
        output = Run(run.case, policy=Policy(max_result_tokens=cap)).output
        assert json.loads(json.dumps(output, ensure_ascii=False).encode("utf-8")) == output
        shortened += output != run.inputs
    assert shortened, "no cap shortened anything"


@means(r"second fit with the same counter: output == first output")
def _same_again(run: Run) -> None:
    case: Case = run.case
    assert case.counter is not None
    counter = per_message(case.counter)
    again = fit(run.output, case.budget, format=run.format, counter=counter)
    assert again.messages == run.output
