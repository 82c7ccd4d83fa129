"""The tree of errors: what each one is, carries, says, and survives."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import pytest
import trimtab
from trimtab import (
    CounterError,
    DoesNotFit,
    DuplicateCall,
    DuplicateResult,
    Fault,
    InvalidHistory,
    InvalidOptions,
    MisplacedMessage,
    MissingResult,
    Needs,
    OrphanResult,
    Policy,
    StoreError,
    SummaryError,
    TrimtabError,
    UnknownFormat,
    fit,
    per_message,
)

TREE = {
    InvalidOptions: (TrimtabError, ValueError, TypeError),
    DoesNotFit: (TrimtabError,),
    InvalidHistory: (TrimtabError,),
    OrphanResult: (InvalidHistory,),
    MissingResult: (InvalidHistory,),
    DuplicateCall: (InvalidHistory,),
    DuplicateResult: (InvalidHistory,),
    MisplacedMessage: (InvalidHistory,),
    UnknownFormat: (TrimtabError,),
    CounterError: (TrimtabError,),
    SummaryError: (TrimtabError,),
    StoreError: (TrimtabError,),
}
HISTORY_ERRORS = [OrphanResult, MissingResult, DuplicateCall, DuplicateResult, MisplacedMessage]


def test_the_tree():
    assert {error: error.__bases__ for error in TREE} == TREE
    assert TrimtabError.__bases__ == (Exception,)


def test_every_error_of_the_package_is_in_the_tree():
    public = [getattr(trimtab, name) for name in trimtab.__all__]
    errors = {e for e in public if isinstance(e, type) and issubclass(e, BaseException)}
    assert errors == {TrimtabError, *TREE}


NEEDS = Needs(system=1, tools=2, framing=3, reserve=4, anchors=5, newest=6, inserted=7)


def made():
    """One of every kind, with all that it can carry."""
    yield InvalidOptions("budget must not be negative: -1")
    yield DoesNotFit(9, lambda: NEEDS, newest=(3, 4), anchors=(0, 2))
    yield InvalidHistory("message 2: odd", index=2, id="a", code="malformed")
    for error in HISTORY_ERRORS:
        yield error("message 2: odd", index=2, id="a")
        yield error("message 2: odd")
    for error in (UnknownFormat, CounterError, SummaryError, StoreError):
        yield error("words")


def seen(error):
    names = ("budget", "newest", "anchors", "needs", "index", "id", "code")
    return type(error), str(error), {name: getattr(error, name, None) for name in names}


@pytest.mark.parametrize("error", list(made()), ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(
    "twin",
    [
        *(
            lambda e, p=p: pickle.loads(pickle.dumps(e, p))
            for p in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
        copy.copy,
        copy.deepcopy,
    ],
)
def test_every_error_survives_pickling_and_copying(error, twin):
    assert seen(twin(error)) == seen(error)


def test_an_error_that_fit_raised_survives_pickling():
    history = [{"role": "user", "content": "x" * 90}]
    for call in (
        lambda: fit(history, 10, counter=len),
        lambda: fit([{"role": "tool", "tool_call_id": "z", "content": "x"}], 10),
        lambda: fit(history, -1),
        lambda: fit(history, 10, format="nope"),
        lambda: fit(history, 10, counter=lambda text: -1),
    ):
        with pytest.raises(TrimtabError) as caught:
            call()
        assert seen(pickle.loads(pickle.dumps(caught.value))) == seen(caught.value)


@pytest.mark.parametrize("error", HISTORY_ERRORS)
def test_a_fault_becomes_its_error(error):
    fault = Fault(error.code, 4, "call_1", "something is wrong")
    raised = fault.error()
    assert type(raised) is error
    assert (raised.index, raised.id, raised.code) == (4, "call_1", error.code)
    assert str(raised) == "message 4: something is wrong (id 'call_1')"


@pytest.mark.parametrize("code", ["blank_text", "unknown_role", "malformed", "one of next year"])
def test_a_fault_without_an_error_of_its_own(code):
    raised = Fault(code, 4, None, "something is wrong").error()
    assert type(raised) is InvalidHistory
    assert (raised.code, str(raised)) == (code, "message 4: something is wrong")


def test_an_id_in_an_error_is_escaped_and_short():
    words = str(Fault("orphan_result", 0, "\x1b[31m\n" + "x" * 999, "odd").error())
    assert "\x1b" not in words and "\n" not in words
    assert len(words) < 150


def test_codes_are_their_own():
    codes = [error.code for error in HISTORY_ERRORS]
    assert codes == [
        "orphan_result",
        "missing_result",
        "duplicate_call",
        "duplicate_result",
        "misplaced",
    ]
    assert InvalidHistory("x", code="odd").code == "odd" and InvalidHistory.code == "invalid"


# What does not fit


def test_needs_add_up():
    assert NEEDS.total == 28
    assert Needs(1, 1, 1, 1, 1, 1).total == 6


def test_the_words_have_every_number():
    error = DoesNotFit(9, lambda: NEEDS, newest=(3, 4, 5), anchors=(0,))
    for words in ("at least 28", "budget 9", "system 1", "tools 2", "framing 3", "reserve 4"):
        assert words in str(error)
    for words in ("anchors 5", "newest unit 6", "inserted 7", "messages 3 to 5"):
        assert words in str(error)


@pytest.mark.parametrize(
    ("newest", "words"),
    [((3,), "messages 3"), ((3, 4), "messages 3 to 4"), ((3, 5), "messages 3, 5")],
)
def test_the_newest_unit_is_named(newest, words):
    assert str(DoesNotFit(9, lambda: NEEDS, newest=newest)).endswith(words)
    assert "messages" not in str(DoesNotFit(9, lambda: NEEDS))


def test_parts_that_are_nothing_are_left_out():
    words = str(DoesNotFit(9, lambda: Needs(1, 0, 0, 0, 0, 12)))
    assert all(part not in words for part in ("framing", "reserve", "inserted"))
    assert "tools 0" in words


def test_needs_are_counted_when_they_are_read_and_once():
    counted = []

    def count():
        counted.append(1)
        return NEEDS

    error = DoesNotFit(9, count)
    assert (error.budget, error.args) == (9, (9,)) and not counted
    assert error.needs is error.needs is NEEDS
    assert str(error) and repr(error) and len(counted) == 1


def test_what_was_counted_is_let_go():
    """An error that is kept for a while does not keep the conversation alive."""

    def make():
        def count():
            return NEEDS

        return DoesNotFit(9, count), weakref.ref(count)

    error, counting = make()
    assert counting() is not None
    assert error.needs is NEEDS
    gc.collect()
    assert counting() is None


def test_a_giant_text_is_not_counted_before_someone_asks():
    seen = []

    def size(message):
        seen.append(message["content"])
        return len(message["content"])

    giant = "giant" * 99
    history = [{"role": "system", "content": "s" * 50}, {"role": "user", "content": giant}]
    with pytest.raises(DoesNotFit) as caught:
        fit(history, 10, counter=per_message(size))
    assert giant not in seen
    assert caught.value.needs == Needs(50, 0, 0, 0, 0, 495)
    assert giant in seen


def test_what_the_parts_are():
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}}
    history = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "u"},
        {"role": "assistant", "content": "x"},
        {"role": "assistant", "content": "y"},
        {"role": "user", "content": "v"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "r"},
    ]
    options = {"counter": per_message(lambda message: 10), "system": 3, "tools": 5, "reserve": 7}
    with pytest.raises(DoesNotFit) as caught:
        fit(history, 40, pin=[2], policy=Policy(notice=True), **options)
    error = caught.value
    assert error.needs == Needs(
        system=13, tools=5, framing=0, reserve=7, anchors=20, newest=20, inserted=10
    )
    assert (error.newest, error.anchors) == ((5, 6), (0, 2, 4))
    needed = fit(history, error.needs.total, pin=[2], policy=Policy(notice=True), **options)
    assert needed.used == error.needs.total == 75


def test_invalid_options_are_also_the_builtin_errors():
    for builtin in (ValueError, TypeError):
        with pytest.raises(builtin):
            fit([], -1)
