"""Checks on how often a summariser is called, and on what happens when it fails."""

from __future__ import annotations

import ast
import asyncio
import copy
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from cases.checks import means
from cases.runs import Run
from cases.summary_checks import summaries, summariser

from trimtab import Conversation, DoesNotFit, Fitted, SummaryError, afit, fit


@means(r"summariser never called with \[\]")
def _never_for_nothing(run: Run) -> None:
    whole = sum(map(run.case.cost, run.inputs))
    for budget in range(0, whole + 1, whole // 50 + 1):
        at = Run(run.case, budget=budget)
        if not isinstance(at.outcome, DoesNotFit):
            assert all(ask.said for ask in summariser(at).asks)
    assert summariser(run).asks


@means(r"summariser calls(?: per fit)? (<=|==) (\d+)|summariser (?:is )?(?:never|not) called")
def _calls(run: Run, relation: str | None, most: str | None) -> None:
    calls = len(summariser(run).asks)
    assert calls <= int(most or 0) and (relation == "<=" or calls == int(most or 0))


@means(r"second fit of the output: summariser calls == (\d+)")
def _calls_again(run: Run, number: str) -> None:
    calls = len(summariser(run).asks)
    assert calls and summaries(run)
    again = run.fit_of(run.output, run.case.budget)
    assert again.messages == run.output
    assert len(summariser(run).asks) == calls + int(number)


@means(r"second fit of the same history calls the summariser (\d+) more times or makes progress")
def _calls_for_the_same(run: Run, number: str) -> None:
    calls = len(summariser(run).asks)
    assert calls
    again = run.fit_of(run.inputs, run.case.budget)
    assert again.messages == run.output
    assert len(summariser(run).asks) == calls + int(number)


@means(r"summariser returns ('.*?') -> output == input or raises")
def _refused(run: Run, answer: str) -> None:
    """If strict; by default what must go is dropped, which the result says, without a summary."""
    saying = f"returns {answer}"
    strict = Run(run.case, saying=saying, strict=True)
    assert isinstance(strict.error, SummaryError) and strict.error.kind in ("empty", "blank")
    lenient = Run(run.case, saying=saying)
    assert summaries(lenient) == [] and lenient.fitted.inserted == []
    assert lenient.fitted.dropped and any("summary" in w for w in lenient.fitted.warnings)
    assert {d.action for d in lenient.fitted.decisions} == {"kept", "dropped"}
    assert strict.inputs == lenient.inputs == run.case.messages
    assert [*ast.literal_eval(answer).strip()] == [] and summariser(lenient).asks


@means(r"after the failure len\(history\) == (\d+)")
def _history_stays(run: Run, size: str) -> None:
    """And all that went is told to a summariser that has recovered, at the next cut."""
    talk = Conversation(run.case.budget, **_asked(run))
    talk.extend(run.inputs)
    failed = asyncio.run(talk.afit())
    assert len(talk.messages) == int(size) and failed.summary is None and failed.dropped
    told = _told(run)
    told.recovered = True
    told.asks.clear()
    talk.extend(copy.deepcopy(run.inputs[:2]))
    fitted = asyncio.run(talk.afit())
    gone = [row.index for row in fitted.decisions if row.action == "summarised"]
    assert fitted.summary == "so far" and set(failed.dropped) < set(gone) == set(fitted.dropped)
    assert len([one for ask in told.asks for one in ask.said]) == len(gone)


@means(r"the summariser's exception is raised or reported, never swallowed")
def _failure_is_reported(run: Run) -> None:
    assert any(_error(run) in warning for warning in run.fitted.warnings), run.fitted.warnings
    assert run.used <= run.case.budget and summaries(run) == []
    strict = Run(run.case, strict=True)
    assert isinstance(strict.error, SummaryError) and _error(run) in str(strict.error)
    assert strict.inputs == run.inputs == run.case.messages


@means(r"same for an async summariser and for cancellation")
def _failures_alike(run: Run) -> None:
    for how in ("raises", "async, raises"):
        for error in (_error(run), "CancelledError"):
            for strict in (False, True):
                one = Run(run.case, saying=f"{how} {error}", strict=strict)
                kind = "cancelled" if error == "CancelledError" else "provider"
                if strict:
                    assert isinstance(one.error, SummaryError) and one.error.kind == kind
                else:
                    assert any(kind in warning for warning in one.fitted.warnings)
                assert one.inputs == run.case.messages
    asyncio.run(_cancelled(Run(run.case, saying="async, raises RuntimeError")))


async def _cancelled(run: Run) -> None:
    """A caller that gives up is cancelled, and what it left behind does not hinder the next."""
    told, started = _told(run), asyncio.Event()

    async def waits(ask: Any) -> str:
        started.set()
        await asyncio.sleep(3600)
        return "never"

    asked = _asked(run)
    told._awaited = waits  # type: ignore[method-assign]
    task = asyncio.create_task(afit(run.inputs, run.case.budget, **asked))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert run.inputs == run.case.messages
    del told._awaited
    told.recovered = True
    done = await afit(run.inputs, run.case.budget, **asked)
    assert done.summary == "so far" and not done.warnings


@means(r"two concurrent calls: summaries in stored history == (\d+)")
def _at_once(run: Run, number: str) -> None:
    """Both wait for one summary, and send the same."""
    run.fit()  # finds the budget
    asked, budget = _asked(Run(run.case)), run.fitted.budget
    told, together = asked["policy"].summary.summariser, Barrier(2)

    def call(_: int) -> Fitted:
        together.wait()
        return fit(run.inputs, budget, **asked)

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(call, range(2))
    assert one.messages == other.messages and len(told.asks) == int(number)
    assert [row.kind for row in one.inserted] == ["summary"] * int(number)


def _asked(run: Run) -> dict[str, Any]:
    """Options that a conversation takes as well."""
    asked = run.asked()
    del asked["on_invalid"]
    return asked


def _told(run: Run) -> Any:
    assert run.summariser is not None
    return run.summariser


def _error(run: Run) -> str:
    """The name of the error that the case's summariser raises."""
    return str(_told(run).saying.split()[-1])
