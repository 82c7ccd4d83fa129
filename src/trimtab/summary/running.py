"""Running the steps to a summary: waiting for them, awaiting them, or beside all else."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from threading import Thread
from time import sleep
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..errors import InvalidOptions, TrimtabError
from .asking import Ask, Asked, asummarise, is_async, name_of, summarise
from .settings import Summary
from .story import Act, Beside, Rest, Step

if TYPE_CHECKING:
    from asyncio import Task

Result = TypeVar("Result")

_TASKS: Final[set[Task[None]]] = set()  # an event loop holds its tasks weakly


def run(steps: Generator[Step, Any, Result], summariser: Asked | None) -> Result:
    """The result of some steps, asked of ``summariser`` where they ask."""
    try:
        step = next(steps)
        while True:
            try:
                answer = _done(step, summariser)
            except Exception as error:  # noqa: BLE001 - the steps decide what it means
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


async def arun(steps: Generator[Step, Any, Result], summariser: Asked | None) -> Result:
    """`run`, awaited: stores are asked in a thread, and the caller may cancel."""
    try:
        step = next(steps)
        while True:
            try:
                answer = await _awaited(step, summariser)
            except Exception as error:  # noqa: BLE001 - the steps decide what it means
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return end.value
    finally:
        steps.close()


def awaits_nothing(summary: Summary | None) -> Asked | None:
    """The summariser; raises `InvalidOptions` where it can only be awaited."""
    if summary is None:
        return None
    if is_async(summary.summariser):
        raise InvalidOptions(f"{name_of(summary.summariser)} is asynchronous: use afit")
    return summary.summariser


def _done(step: Step, summariser: Any) -> Any:
    if isinstance(step, Ask):
        return summarise(summariser, step)
    if isinstance(step, Act):
        return step.act()
    if isinstance(step, Rest):
        return sleep(step.seconds)
    Thread(target=_beside, args=(step, summariser), daemon=True, name="trimtab-summary").start()
    return None


async def _awaited(step: Step, summariser: Any) -> Any:
    import asyncio

    if isinstance(step, Ask):
        return await asummarise(summariser, step)
    if isinstance(step, Act):
        return await asyncio.to_thread(step.act)
    if isinstance(step, Rest):
        return await asyncio.sleep(step.seconds)
    task = asyncio.get_running_loop().create_task(_abeside(step, summariser))
    _TASKS.add(task)
    task.add_done_callback(_TASKS.discard)
    return None


def _beside(step: Beside, summariser: Any) -> None:
    with suppress(TrimtabError):  # the cut itself tries again, and says so
        run(step.steps, summariser)


async def _abeside(step: Beside, summariser: Any) -> None:
    with suppress(TrimtabError):
        await arun(step.steps, summariser)
