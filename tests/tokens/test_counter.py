"""Counters that callers give: functions of texts or messages, and scaled estimates."""

from __future__ import annotations

import asyncio
import gc
import weakref
from functools import partial
from typing import Any
from unittest.mock import AsyncMock, Mock

import numpy
import pydantic
import pytest
from hypothesis import strategies as st
from support.forall import forall, sizes

from trimtab.errors import CounterError, InvalidOptions
from trimtab.tokens import counter as module
from trimtab.tokens.counter import (
    Counter,
    FunctionCounter,
    PerMessage,
    Scaled,
    as_counter,
    per_message,
)
from trimtab.tokens.encodings import encoding

SECRET = "the text of a message"


class Words:
    """A caller's counter with state, in the ways a caller may hold one."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, text: str) -> int:
        return self.count_words(text)

    def count_words(self, text: str) -> int:
        self.seen.append(text)
        return len(text.split())

    def count_message(self, message: Any) -> int:
        self.seen.append(message)
        return len(str(message))


def text_counter(function: Any) -> FunctionCounter:
    """`as_counter` of a function."""
    made = as_counter(function)
    assert isinstance(made, FunctionCounter)
    return made


# What may be a counter


def test_counters_are_taken_as_they_are() -> None:
    own = encoding("cl100k_base")
    messages = per_message(len)
    scaled = Scaled(own, 3, 2, "estimate")
    assert as_counter(own) is own
    assert as_counter(messages) is messages
    assert as_counter(scaled) is scaled
    assert as_counter("cl100k_base") is own
    assert all(isinstance(c, Counter) for c in (own, scaled, as_counter(len)))


@pytest.mark.parametrize("other", [None, 5, 1.5, b"o200k_base", ["o200k_base"], {}, object()])
def test_other_things_are_no_counters(other: object) -> None:
    with pytest.raises(InvalidOptions):
        as_counter(other)
    with pytest.raises(InvalidOptions):
        per_message(other)  # type: ignore[arg-type]


def test_an_unknown_encoding_is_named() -> None:
    with pytest.raises(InvalidOptions, match="p50k_base"):
        as_counter("p50k_base")


def test_classes_and_mocks_are_functions() -> None:
    """A mock has every attribute, and a class those of its instances."""
    assert text_counter(Mock(return_value=3)).count("text") == 3
    assert isinstance(as_counter(FunctionCounter), FunctionCounter)


@pytest.mark.parametrize("function", [len, Words(), Words().count_words, partial(len), str.__len__])
def test_functions_of_a_text(function: Any) -> None:
    counter = text_counter(function)
    assert counter.exact is True
    assert counter.name
    one = counter.count("one")
    assert counter.count_many(["one", "one"]) == [one, one]
    assert (counter.within("one", one), counter.within("one", one - 1)) == (one, None)
    assert (counter.fits("one", one), counter.fits("one", one - 1)) == (True, False)


# Remembering


def test_a_text_is_counted_once_per_function() -> None:
    """By all counters of one function, of one method of one object, of one callable."""
    words = Words()
    for _ in range(3):
        assert text_counter(words.count_words).count("two words") == 2
    assert words.seen == ["two words"]
    for _ in range(3):
        assert text_counter(words).count("two words") == 2
    assert words.seen == ["two words"] * 2


def test_different_functions_do_not_share() -> None:
    one, two = Words(), Words()
    text_counter(one.count_words).count("text")
    text_counter(two.count_words).count("text")
    assert one.seen == two.seen == ["text"]
    assert text_counter(lambda text: 1).count("text") == 1
    assert text_counter(lambda text: 2).count("text") == 2


def test_equal_callables_do_not_share() -> None:
    """Equality is the caller's; who is asked is a matter of identity."""

    class Alike:
        def __init__(self, answer: int) -> None:
            self.answer = answer

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

        def __call__(self, text: str) -> int:
            return self.answer

    assert [text_counter(Alike(n)).count("text") for n in (1, 2)] == [1, 2]
    kept = [Alike(3), Alike(4)]
    assert [text_counter(alike).count("text") for alike in kept] == [3, 4]


def test_a_function_that_cannot_be_referred_to_weakly_has_its_own_memo() -> None:
    class Bare:
        __slots__ = ("calls",)

        def __init__(self) -> None:
            self.calls = 0

        def __call__(self, text: str) -> int:
            self.calls += 1
            return len(text)

    bare = Bare()
    counter = text_counter(bare)
    assert (counter.count("text"), counter.count("text"), bare.calls) == (4, 4, 1)


def test_memos_die_with_their_function() -> None:
    words = Words()
    text_counter(words.count_words).count("text")
    text_counter(words).count("text")
    per_message(words.count_message).count_message({"text": "x"})
    gone, place = weakref.ref(words), id(words)
    assert len(module._memos[place]) == 3
    del words
    gc.collect()
    assert gone() is None
    assert place not in module._memos


# Bad answers


@pytest.mark.parametrize(
    "answer", [True, False, numpy.bool_(True), 1.0, "3", None, -1, numpy.int64(-1), [1], float("nan")]
)
def test_an_answer_that_is_no_count(answer: object) -> None:
    for ask in (text_counter(lambda _: answer).count, per_message(lambda _: answer).count_message):
        with pytest.raises(CounterError) as caught:
            ask(SECRET)
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("answer", [0, 3, 10**30, numpy.int64(3), numpy.uint8(3)])
def test_an_answer_that_is_a_count(answer: Any) -> None:
    tokens = text_counter(lambda _: answer).count("text")
    assert (tokens, type(tokens)) == (int(answer), int)


def test_an_exception_is_chained_and_its_text_left_out() -> None:
    def broken(text: str) -> int:
        raise LookupError(text)

    for ask in (text_counter(broken).count, per_message(broken).count_message):
        with pytest.raises(CounterError, match="broken raised LookupError") as caught:
            ask(SECRET)
        assert isinstance(caught.value.__cause__, LookupError)
        assert SECRET not in str(caught.value)


def test_a_failed_count_is_not_remembered() -> None:
    answers = iter([-1, 5])
    counter = text_counter(lambda _: next(answers))
    with pytest.raises(CounterError):
        counter.count("text")
    assert counter.count("text") == 5


def test_an_interrupt_and_our_own_errors_pass() -> None:
    for error in (KeyboardInterrupt(), CounterError("of a counter inside"), InvalidOptions("x")):
        with pytest.raises(type(error)) as caught:
            text_counter(Mock(side_effect=error)).count("text")
        assert caught.value is error


def test_asynchronous_counters_are_for_afit() -> None:
    async def later(text: str) -> int:
        return len(text)

    class Later:
        async def __call__(self, text: str) -> int:
            return len(text)

    for function in (later, partial(later), Later(), Later().__call__, AsyncMock()):
        for made in (as_counter, per_message):
            with pytest.raises(InvalidOptions, match="afit"):
                made(function)
    with pytest.raises(InvalidOptions, match="afit"):
        text_counter(lambda text: later(text)).count("text")

    async def inside() -> None:
        future = asyncio.get_running_loop().create_future()
        with pytest.raises(InvalidOptions, match="afit"):
            text_counter(lambda _: future).count("text")
        assert not future.cancelled()

    asyncio.run(inside())


# Whole messages


class Part(pydantic.BaseModel):
    text: str
    hidden: int = pydantic.Field(0, repr=False)
    secret: pydantic.SecretStr = pydantic.SecretStr("")
    skipped: int = pydantic.Field(0, exclude=True)


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    role: str
    parts: list[Part] = []


def test_a_message_is_counted_once_by_content() -> None:
    words = Words()
    for _ in range(2):
        counter = per_message(words.count_message)
        for _ in range(2):
            message = {"role": "user", "content": [{"type": "text", "text": "hel" + "lo"}]}
            assert counter.count_message(message) == len(str(message))
    assert len(words.seen) == 1


def test_an_edited_message_is_counted_again() -> None:
    counter = per_message(lambda m: len(m["content"][0]["text"]))
    message = {"role": "user", "content": [{"text": "short"}]}
    assert counter.count_message(message) == 5
    message["content"][0]["text"] = "rather longer"  # type: ignore[index]
    assert counter.count_message(message) == 13


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, True), (1, 1.0), (0.0, -0.0), ("1", 1), ("a", b"a"), ([1], (1,)), (None, False), ("é", "e\u0301")],
)
def test_values_of_different_types_are_different_content(one: object, other: object) -> None:
    words = Words()
    counter = per_message(words.count_message)
    counter.count_message({"value": one})
    counter.count_message({"value": other})
    assert len(words.seen) == 2


def test_models_are_counted_once_by_all_their_content() -> None:
    """Also by what their repr and their dump leave out."""
    words = Words()
    counter = per_message(words.count_message)

    def model() -> Any:
        return Model(role="user", parts=[Part(text="hello")], extra={"deep": [1]})

    counter.count_message(model())
    counter.count_message(model())
    assert len(words.seen) == 1
    edited = model()
    for edit in (
        lambda: setattr(edited, "role", "assistant"),
        lambda: setattr(edited.parts[0], "text", "bye"),
        lambda: setattr(edited.parts[0], "hidden", 1),
        lambda: setattr(edited.parts[0], "secret", pydantic.SecretStr("x")),
        lambda: setattr(edited.parts[0], "skipped", 1),
        lambda: edited.extra["deep"].append(2),
        lambda: edited.parts.append(Part(text="more")),
    ):
        edit()
        before = len(words.seen)
        counter.count_message(edited)
        assert len(words.seen) == before + 1


def test_the_content_of_a_model_counts_not_who_shares_it() -> None:
    """One text held twice is the same content as two equal texts."""
    words = Words()
    counter = per_message(words.count_message)
    shared, apart = "a text", ["".join(["a ", "text"]) for _ in range(2)]
    counter.count_message(Model(role="user", parts=[Part(text=shared), Part(text=shared)]))
    counter.count_message(Model(role="user", parts=[Part(text=text) for text in apart]))
    assert len(words.seen) == 1


def test_other_objects_are_counted_every_time() -> None:
    class Message:
        text = "hello"

    cycle: list[Any] = []
    cycle.append(cycle)
    closure = Model(role="user", extra=lambda: None)  # type: ignore[call-arg]
    for message in (Message(), {"content": Message()}, cycle, closure):
        words = Words()
        counter = per_message(words.count_message)
        counter.count_message(message)
        counter.count_message(message)
        assert len(words.seen) == 2


def test_per_message_says_what_it_is() -> None:
    counter = per_message(len)
    assert isinstance(counter, PerMessage)
    assert not isinstance(counter, Counter)
    assert (counter.name, counter.exact) == ("len", True)


def test_one_function_may_count_texts_and_messages() -> None:
    """A text and a message never share a key."""
    words = Words()
    text_counter(words.count_message).count("text")
    per_message(words.count_message).count_message("text")
    assert len(words.seen) == 2


# Estimates


@sizes(300, 10_000)
def test_scaled_is_the_ceiling_and_its_limits_are_exact(examples: int) -> None:
    base = text_counter(len)

    def holds(drawn: tuple[int, int, int, int]) -> None:
        length, numerator, denominator, limit = drawn
        text = "x" * length
        scaled = Scaled(base, numerator, denominator, "estimate")
        tokens = scaled.count(text)
        assert tokens * denominator >= length * numerator > (tokens - 1) * denominator
        assert scaled.count_many([text, text]) == [tokens, tokens]
        for bound in (limit, tokens - 1, tokens, tokens + 1):
            assert scaled.fits(text, bound) is (tokens <= bound)
            assert scaled.within(text, bound) == (tokens if tokens <= bound else None)

    forall(
        st.tuples(
            st.integers(0, 200), st.integers(1, 50), st.integers(1, 50), st.integers(-9, 900)
        ),
        examples,
        holds,
    )


def test_scaled_is_an_estimate() -> None:
    scaled = Scaled(encoding("o200k_base"), 13, 10, "claude")
    assert (scaled.name, scaled.exact) == ("claude", False)
    for bad in ((0, 1), (1, 0), (-1, 1)):
        with pytest.raises(InvalidOptions):
            Scaled(encoding("o200k_base"), *bad, "bad")


def test_scaled_stops_early_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the base answers from the number of bytes, so does the estimate."""
    from trimtab.tokens.encodings import EncodingCounter

    monkeypatch.setattr(EncodingCounter, "_measure", lambda *_: pytest.fail("tokenised"))
    scaled = Scaled(encoding("o200k_base"), 3, 2, "estimate")
    assert scaled.within("0" * 100_000, 1000) is None
    assert scaled.fits("short", 9)
