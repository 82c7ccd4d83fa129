"""A caller of `afit` that is cancelled while a summary is made leaves nothing half done."""

from __future__ import annotations

import asyncio
import threading

import pytest
from summary.marked import (
    BUDGET,
    FORMAT,
    Notes,
    by_fit,
    dropped,
    history,
    is_whole,
    policy,
    words,
)
from trimtab import Conversation, afit
from trimtab.stores import MemoryStore

GIVEN = history(24)
OPTIONS = {"format": FORMAT, "counter": words}


class Holding:
    """Waits in the first call for good; an asynchronous one, or one in a thread."""

    name = "holding"

    def __init__(self, notes):
        self.notes, self.asked = notes, asyncio.Event()
        self.was_cancelled = False

    async def __call__(self, ask):
        if not self.asked.is_set():
            self.asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise
        return self.notes(ask)


def stateless(chosen):
    return lambda: afit(GIVEN, BUDGET, policy=chosen, **OPTIONS)


def incremental(chosen):
    chat = Conversation(BUDGET, policy=chosen, **OPTIONS)
    chat.extend(GIVEN)
    return chat.afit


MAKES = pytest.mark.parametrize("make", [stateless, incremental])


@MAKES
def test_cancelled_in_the_middle(make):
    async def main():
        notes, store = Notes(), MemoryStore()
        holding = Holding(notes)
        fitted = make(policy(holding, store, lease=600))
        task = asyncio.create_task(fitted())
        await holding.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert holding.was_cancelled
        assert store.scan() == []
        one = await asyncio.wait_for(fitted(), 30)  # a lease of ten minutes is not in its way
        assert one.summary == "summary s1"
        assert one.warnings == []
        is_whole(one, GIVEN, notes)
        assert dropped(one) == []

    asyncio.run(main())


@MAKES
def test_another_worker_need_not_wait(make):
    async def main():
        notes, store = Notes(), MemoryStore()
        holding = Holding(notes)
        task = asyncio.create_task(make(policy(holding, store, lease=600))())
        await holding.asked.wait()
        waiting = asyncio.create_task(make(policy(holding, store, lease=600))())
        for _ in range(20):
            await asyncio.sleep(0.001)
        assert not waiting.done()
        task.cancel()
        one = await asyncio.wait_for(waiting, 30)
        assert task.cancelled()
        assert notes.calls == 1
        assert one.summary == "summary s1"

    asyncio.run(main())


@MAKES
def test_one_that_waits_is_cancelled(make):
    """The one it waits for goes on."""

    async def main():
        notes, store, may = Notes(), MemoryStore(), asyncio.Event()
        asked = asyncio.Event()

        async def slow(ask):
            asked.set()
            await may.wait()
            return notes(ask)

        slow.name = "slow"
        first = asyncio.create_task(make(policy(slow, store))())
        await asked.wait()
        second = asyncio.create_task(make(policy(slow, store))())
        for _ in range(20):
            await asyncio.sleep(0.001)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        may.set()
        one = await first
        assert one.summary == "summary s1"
        assert notes.calls == 1

    asyncio.run(main())


@MAKES
def test_a_synchronous_summariser_in_its_thread(make):
    """Its thread cannot be stopped; its answer is lost, and the next caller asks again."""

    async def main():
        notes, store, loop = Notes(), MemoryStore(), asyncio.get_running_loop()
        asked, may = asyncio.Event(), threading.Event()

        def slow(ask):
            if not asked.is_set():
                loop.call_soon_threadsafe(asked.set)
                may.wait(30)
                return "late"
            return notes(ask)

        slow.name = "slow"
        fitted = make(policy(slow, store, lease=600))
        task = asyncio.create_task(fitted())
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        one = await asyncio.wait_for(fitted(), 30)
        may.set()
        assert one.summary == "summary s1"
        assert "late" not in [record.value for record in store.scan()]

    asyncio.run(main())


class Slow:
    """A store that is slow in one of its methods, the first time."""

    def __init__(self, store, method):
        self.store, self.method = store, method
        self.inside, self.may, self.left = (threading.Event() for _ in range(3))

    def __getattr__(self, name):
        act = getattr(self.store, name)
        if name != self.method or self.inside.is_set():
            return act

        def slow(*arguments, **named):
            self.inside.set()
            assert self.may.wait(30)
            try:
                return act(*arguments, **named)
            finally:
                self.left.set()

        return slow


@MAKES
@pytest.mark.parametrize("method", ["get", "put", "claim"])
def test_cancelled_while_the_store_is_asked(make, method):
    """What a thread comes to later is let go of, too."""

    async def main():
        notes, store = Notes(), MemoryStore()
        slow = Slow(store, method)
        task = asyncio.create_task(make(policy(notes, slow, lease=600))())
        assert await asyncio.to_thread(slow.inside.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        slow.may.set()
        assert await asyncio.to_thread(slow.left.wait, 30)
        one = await asyncio.wait_for(make(policy(notes, store, lease=600))(), 30)
        assert one.summary in ("summary s1", "summary s2")
        assert one.warnings == []
        assert dropped(one) == []

    asyncio.run(main())


@MAKES
def test_a_time_limit_around_it(make):
    """`asyncio.timeout` cancels as well."""

    async def main():
        notes, store = Notes(), MemoryStore()
        holding = Holding(notes)
        fitted = make(policy(holding, store, lease=600))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await fitted()
        assert store.scan() == []
        one = await asyncio.wait_for(fitted(), 30)
        assert dropped(one) == []

    asyncio.run(main())


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_lets_go(error):
    store, notes = MemoryStore(), Notes()

    def interrupted(ask):
        raise error

    interrupted.name = Notes.name
    with pytest.raises(error):
        by_fit(policy(interrupted, store, lease=600))(GIVEN)
    assert store.scan() == []
    one = by_fit(policy(notes, store, lease=600))(GIVEN)
    assert one.summary == "summary s1"
