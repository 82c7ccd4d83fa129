"""What summarisers may answer, and what becomes of each failure."""

from __future__ import annotations

import asyncio
import pickle
import threading
from concurrent import futures

import pytest
from summary.conversation import SAID, SECRET, asked
from trimtab import CounterError, InvalidOptions, StoreError, SummaryError
from trimtab.summary import Ask, Said, asummarise, name_of, summarise


def says(answer):
    def summariser(ask):
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return summariser


def awaited(summariser):
    async def later(ask):
        return summariser(ask)

    return later


BOTH = [
    pytest.param(lambda s, a: summarise(s, a), id="called"),
    pytest.param(lambda s, a: asyncio.run(asummarise(s, a)), id="in a thread"),
    pytest.param(lambda s, a: asyncio.run(asummarise(awaited(s), a)), id="awaited"),
]

FAULTS = [
    ("", "empty"),
    (" \n\t ", "blank"),
    ("\u200b\ufeff\u00a0", "blank"),
    ("word " * 500, "longer_than_input"),
    (None, "provider"),
    (b"Brief.", "provider"),
    (ValueError(SECRET), "provider"),
    (TimeoutError(SECRET), "timeout"),
    (asyncio.CancelledError(SECRET), "cancelled"),
    (futures.CancelledError(SECRET), "cancelled"),
]


@pytest.mark.parametrize("ask", BOTH)
@pytest.mark.parametrize(("answer", "kind"), FAULTS)
def test_each_fault_has_its_kind_and_no_content(ask, answer, kind):
    with pytest.raises(SummaryError) as caught:
        ask(says(answer), asked())
    assert caught.value.kind == kind
    assert SECRET not in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).kind == kind


@pytest.mark.parametrize("ask", BOTH)
def test_a_brief_answer_is_fine_and_comes_without_white_space(ask):
    assert ask(says("\n Brief. \n"), asked()) == "Brief."


@pytest.mark.parametrize("ask", BOTH)
def test_an_answer_may_be_as_long_as_its_input_and_no_longer(ask):
    short = asked((Said("human", "one two three"),), previous="four five")
    assert ask(says("a b c d e"), short) == "a b c d e"
    with pytest.raises(SummaryError, match="6 tokens"):
        ask(says("a b c d e f"), short)


def test_without_a_counter_bytes_are_compared():
    ask = Ask(None, (Said("human", "日本"),), 9)
    assert summarise(says("abcdef"), ask) == "abcdef"
    with pytest.raises(SummaryError) as caught:
        summarise(says("abcdefg"), ask)
    assert caught.value.kind == "longer_than_input"


def test_a_huge_input_is_not_counted_to_its_end():
    counted = []
    huge = "x y " * 1_000_000
    ask = Ask(None, (Said("result", huge),), 9, count=lambda text: counted.append(len(text)) or 1)
    assert summarise(says("Brief."), ask) == "Brief."
    assert sum(counted) < 100


@pytest.mark.parametrize("ask", BOTH)
def test_it_is_never_asked_about_nothing(ask):
    asked_for = []
    blank = (Said("human", " "), Said("result", ""), Said("result", "\u200b"))
    with pytest.raises(SummaryError) as caught:
        ask(asked_for.append, asked(blank))
    assert caught.value.kind == "nothing"
    assert ask(asked_for.append, asked(blank, previous="Old.")) == "Old."
    assert asked_for == []


def test_blank_messages_are_not_shown_to_it():
    seen = []
    summarise(lambda ask: seen.append(ask) or "Brief.", asked((*SAID, Said("result", " ")), previous=" "))
    assert seen[0].said == SAID
    assert seen[0].previous is None


@pytest.mark.parametrize("error", [CounterError("x"), InvalidOptions("y"), StoreError("z")])
def test_other_errors_of_the_package_are_failures_of_the_summariser(error):
    """It may fit its own prompt; the numbers of that are of another conversation."""
    with pytest.raises(SummaryError) as raised:
        summarise(says(error), asked())
    assert raised.value.kind == "provider"


def test_a_call_refuses_what_can_only_be_awaited():
    async def later(ask):
        return "Brief."

    class Later:
        async def __call__(self, ask):
            return "Brief."

    for summariser in (later, Later(), lambda ask: later(ask)):
        with pytest.raises(InvalidOptions, match="awaited"):
            summarise(summariser, asked())
        assert asyncio.run(asummarise(summariser, asked())) == "Brief."


def test_a_cancelled_caller_is_cancelled():
    async def run():
        started = asyncio.Event()

        async def slow(ask):
            started.set()
            await asyncio.sleep(60)

        task = asyncio.create_task(asummarise(slow, asked()))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())


def test_a_call_does_not_hold_the_event_loop_up():
    release = threading.Event()

    async def run():
        task = asyncio.create_task(asummarise(lambda ask: release.wait(5) and "Brief.", asked()))
        await asyncio.sleep(0)
        release.set()
        return await task

    assert asyncio.run(run()) == "Brief."


def test_names_are_the_same_in_every_process():
    class Named:
        name = "mine/1"

        def __call__(self, ask):
            return "Brief."

    assert name_of(Named()) == "mine/1"
    assert name_of(says).endswith("test_asking.says")
    assert " at 0x" not in name_of(says("x"))


def test_a_request_shows_no_content_and_must_leave_room():
    assert SECRET not in repr(asked(previous=SECRET))
    assert (asked().again(300).retry, asked().again(300).too_long) == (1, 300)
    with pytest.raises(InvalidOptions):
        asked(max_tokens=0)
