"""Checks on numbers (budget, counts, calls of the counter) and on errors."""

from __future__ import annotations

import ast
import copy
import json
import operator
import os
import subprocess
import sys
from typing import Any

import pytest
from cases.checks import means
from cases.loader import simple_cost
from cases.runs import Run
from support.shapes import History

from trimtab import (
    Conversation,
    DoesNotFit,
    DuplicateCall,
    DuplicateResult,
    MisplacedMessage,
    MissingResult,
    OrphanResult,
    Policy,
    count,
    fit,
    per_message,
)

_ERRORS: dict[str, type[Exception] | tuple[type[Exception], ...]] = {
    "orphan": (OrphanResult, MissingResult),  # the reports say orphan of a result and of a call
    "duplicate-result": DuplicateResult,
    "duplicate-call": DuplicateCall,
    "order": MisplacedMessage,
    "duplicate-result or order": (DuplicateResult, MisplacedMessage),
    "duplicate-call or orphan": (DuplicateCall, OrphanResult, MissingResult),
    "budget": DoesNotFit,
}


@means(r"raises ([\w -]+) error(?: naming (\w+)| or reports overflow)?")
def _raises(run: Run, kind: str, id: str | None) -> None:
    assert isinstance(run.error, _ERRORS[kind]), repr(run.error)
    assert id is None or getattr(run.error, "id", None) == id


@means(r"(?:count\(0\) )?does not raise")
def _does_not_raise(run: Run) -> None:
    assert run.output != []
    assert count(run.inputs, format=run.format).total > 0


@means(r"error names index (\d+)")
def _names_index(run: Run, index: str) -> None:
    assert isinstance(run.error, DoesNotFit) and int(index) in run.error.newest
    assert index in str(run.error)


@means(r"error mentions reserve")
def _mentions_reserve(run: Run) -> None:
    assert "reserve" in str(run.error)


@means(r"output is never \[\]|error instead of an empty list when nothing may be cut")
def _never_empty(run: Run) -> None:
    for budget in (0, 1, run.case.budget):
        bare = Run(run.case, budget=budget, policy=Policy())
        assert isinstance(bare.outcome, DoesNotFit) or bare.output != []
    assert isinstance(Run(run.case, budget=0, policy=Policy()).error, DoesNotFit)


@means(r"fit\(\[object\(\)\]\) raises type error")
def _type_error(run: Run) -> None:
    foreign: Any = [object()]
    with pytest.raises(TypeError):
        fit(foreign, run.case.budget)


@means(r"used<=budget or raises budget error")
def _within_or_refused(run: Run) -> None:
    assert isinstance(run.outcome, DoesNotFit) or run.used <= run.case.budget


@means(r"fit\(\[\]\) == \[\]")
def _nothing_in_nothing_out(run: Run) -> None:
    assert fit([], run.case.budget).messages == []
    assert fit([], run.case.budget, format=run.format).messages == []


@means(r"used<=budget with the notice included")
def _used_with_notice(run: Run) -> None:
    assert None in run.origins, "no notice was inserted"
    assert run.used <= run.case.budget


@means(r"used >= 0\.8\*budget unless dialect requires a user head")
def _well_used(run: Run) -> None:
    assert 0.8 * run.case.budget <= run.used <= run.case.budget, run.used


@means(r"counter calls <= (\d+)\*(\d+)")
def _few_calls(run: Run, times: str, messages: str) -> None:
    assert len(run.inputs) == int(messages)
    assert run.output != [] and 0 < run.calls <= int(times) * int(messages)


@means(r"work grows with the length")
def _linear(run: Run) -> None:
    half = copy.deepcopy(run.inputs[: (len(run.inputs) + 1) // 2])
    if len(run.inputs) == 1:
        half[0]["content"] = half[0]["content"][: len(half[0]["content"]) // 2]
    assert _events(run, half) > 0
    assert _events(run, run.inputs) < 2.5 * _events(run, half)


def _events(run: Run, messages: History) -> int:
    """How many functions are called to fit these messages."""
    calls = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    again = Run(run.case, run.mode)
    again.inputs = messages
    before = sys.getprofile()
    sys.setprofile(called)
    try:
        again.outcome  # noqa: B018 - reading it runs it
    finally:
        sys.setprofile(before)
    return calls


@means(r"second fit: counter calls <= (\d+)")
def _incremental(run: Run, most: str) -> None:
    calls: list[Any] = []

    def counted(message: Any) -> int:
        calls.append(message)
        return simple_cost(message)

    talk = Conversation(run.case.budget, format=run.format, counter=per_message(counted))
    talk.extend(run.inputs)
    talk.fit()
    assert len(calls) >= len(run.inputs)
    before = len(calls)
    talk.extend([{"role": "user", "content": "more"}, {"role": "assistant", "content": "done"}])
    talk.fit()
    # The result is counted again as a whole (DESIGN §4), but only new messages by the caller.
    assert len(calls) - before <= int(most)


@means(r"after editing one message: its count is the new one")
def _no_stale_count(run: Run) -> None:
    before = run.fit().used
    run.inputs[-1]["content"] += "!" * 7
    assert run.fit().used == before + 7


_OFFLINE = """
import json, socket, sys
def refuse(*asked, **options): raise OSError("no network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from trimtab import count
print(count(json.load(sys.stdin), format=sys.argv[1]).total)
"""


@means(r"counts without a network")
def _offline(run: Run) -> None:
    asked = [sys.executable, "-c", _OFFLINE, run.case.format]
    clean = {**os.environ, "TIKTOKEN_CACHE_DIR": "", "DATA_GYM_CACHE_DIR": ""}  # no old download
    done = subprocess.run(
        asked, input=json.dumps(run.inputs), capture_output=True, text=True, env=clean, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == count(run.inputs, format=run.format).total > 0


@means(r"count is an estimate")
def _estimated(run: Run) -> None:
    assert not count(run.inputs, format=run.format).exact


@means(r"count with arguments as dict is within 10 percent of count with .+ as string")
def _arguments_as_dict(run: Run) -> None:
    other = copy.deepcopy(run.inputs[0])
    function = other["tool_calls"][0]["function"]
    function["arguments"] = json.loads(function["arguments"])
    as_dict = count([other], format=run.format).total
    as_string = count([run.inputs[0]], format=run.format).total
    assert abs(as_dict - as_string) <= 0.1 * as_string


@means(r"(?!time)(?=.*(?:<|>|==))((?:[\d+*<>=() -]|abs|count|used|budget|image_cost|len|text)+)")
def _arithmetic(run: Run, formula: str) -> None:
    assert _value(ast.parse(formula, mode="eval").body, run), formula


_OPERATORS: dict[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
}


def _value(node: ast.AST, run: Run) -> Any:
    """The value of a small formula over counts, costs and lengths of texts."""
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id="used"):
            return run.used
        case ast.Name(id="budget"):
            return run.case.budget
        case ast.Name(id="image_cost"):
            return _image_cost(run)
        case ast.Call(func=ast.Name(id="count"), args=[ast.Constant(value=int() as index)]):
            return count(run.inputs, format=run.format).by_message[index]
        case ast.Call(func=ast.Name(id="text"), args=[ast.Constant(value=int() as index)]):
            return run.text(index)
        case ast.Call(func=ast.Name(id="abs" | "len" as name), args=[argument]):
            return (abs if name == "abs" else len)(_value(argument, run))
        case ast.BinOp(left=left, op=op, right=right):
            return _OPERATORS[type(op)](_value(left, run), _value(right, run))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _OPERATORS[type(op)](_value(left, run), _value(right, run))
        case _:
            raise AssertionError(f"no meaning is written for {ast.dump(node)}")


def _image_cost(run: Run) -> int:
    """What the library takes for the case's picture, whatever the length of its encoding."""
    picture = copy.deepcopy(run.inputs[0]["content"][1])
    picture["image_url"]["url"] = "data:image/png;base64,QUJD"
    alone: Any = {"role": "user", "content": [picture]}
    return count([alone], format=run.format).by_message[0]
