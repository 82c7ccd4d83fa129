"""Counters: the protocol, and the caller's own functions made into one."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from inspect import isawaitable, iscoroutine, iscoroutinefunction
from threading import Lock
from typing import Any, Protocol, TypeGuard, runtime_checkable
from weakref import finalize

from ..errors import CounterError, InvalidOptions, TrimtabError
from .encodings import EncodingCounter, encoding
from .forking import unlocked_in_children
from .memo import Memo, MemoisedCounter, entry_size
from .message_key import message_key


@runtime_checkable
class Counter(Protocol):
    """Counts the tokens of texts. All numbers are whole and at least 0."""

    @property
    def name(self) -> str:
        """What to call it in an account."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the counts are the model's own, not an estimate."""
        ...

    def count(self, text: str) -> int:
        """Tokens of the text."""
        ...

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Tokens of each text."""
        ...

    def fits(self, text: str, limit: int) -> bool:
        """Whether the text has at most ``limit`` tokens."""
        ...

    def within(self, text: str, limit: int) -> int | None:
        """Tokens of the text if they are at most ``limit``, else None."""
        ...


class FunctionCounter(MemoisedCounter):
    """The caller's ``text -> int``, taken as the truth and called once per text.

    The function must depend on the text alone. What it returned is remembered by
    content as long as the function lives, also for later counters of the same
    function. `CounterError` if it raises or returns no whole number of tokens.
    """

    __slots__ = ("_function", "name")

    exact: bool = True

    def __init__(self, function: Callable[[str], Any]) -> None:
        super().__init__(_memo_of(function))
        self.name = _name_of(function)
        self._function = function

    def __repr__(self) -> str:
        return f"<FunctionCounter {self.name}>"

    def fits(self, text: str, limit: int) -> bool:
        """Whether the text has at most ``limit`` tokens."""
        return self.count(text) <= limit

    def within(self, text: str, limit: int) -> int | None:
        """Tokens of the text if they are at most ``limit``, else None."""
        tokens = self.count(text)
        return tokens if tokens <= limit else None

    def _measure(self, text: str) -> int:
        return _called(self._function, text, self.name)


class PerMessage:
    """The caller's ``message -> int``, which counts whole messages; see `per_message`."""

    __slots__ = ("_function", "_memo", "name")

    exact: bool = True

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.name = _name_of(function)
        self._function = function
        self._memo = _memo_of(function)

    def __repr__(self) -> str:
        return f"<PerMessage {self.name}>"

    def count_message(self, message: Any) -> int:
        """Tokens of the message, remembered by its content where that can be told."""
        key = message_key(message)
        if key is None:
            return _called(self._function, message, self.name)
        tokens = self._memo.get(key)
        if tokens is None:
            tokens = _called(self._function, message, self.name)
            self._memo.put(key, tokens, entry_size(key))
        return tokens


def per_message(function: Callable[[Any], int]) -> PerMessage:
    """A counter of whole messages: nothing is added to what ``function(message)`` returns.

    Counts are remembered by the content of messages made of plain data or pydantic
    models, so an edited message is counted again; for other objects the function is
    called every time. It must depend on the message alone. The errors are those of a
    counter of texts: `InvalidOptions` for a coroutine function or what cannot be
    called, `CounterError` when the function raises or returns no number of tokens.
    """
    return PerMessage(_callable(function))


class Scaled:
    """An estimate: the counts of another counter times a ratio, rounded up."""

    __slots__ = ("_base", "_denominator", "_numerator", "name")

    exact: bool = False

    def __init__(self, base: Counter, numerator: int, denominator: int, name: str) -> None:
        if numerator <= 0 or denominator <= 0:
            raise InvalidOptions(f"a scale must be positive: {numerator}/{denominator}")
        self.name = name
        self._base = base
        self._numerator = numerator
        self._denominator = denominator

    def count(self, text: str) -> int:
        """Estimated tokens of the text."""
        return self._scaled(self._base.count(text))

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Estimated tokens of each text."""
        return [self._scaled(tokens) for tokens in self._base.count_many(texts)]

    def fits(self, text: str, limit: int) -> bool:
        """Whether the estimate is at most ``limit``."""
        return self._base.fits(text, self._base_limit(limit))

    def within(self, text: str, limit: int) -> int | None:
        """The estimate if it is at most ``limit``, else None."""
        tokens = self._base.within(text, self._base_limit(limit))
        return None if tokens is None else self._scaled(tokens)

    def _scaled(self, tokens: int) -> int:
        return -(-tokens * self._numerator // self._denominator)

    def _base_limit(self, limit: int) -> int:
        # ceil(t * n / d) <= limit  <=>  t * n <= limit * d  <=>  t <= floor(limit * d / n)
        return limit * self._denominator // self._numerator


class CheckedCounter:
    """The caller's own `Counter`, whose every answer is checked.

    `CounterError` if a method raises or returns no whole number of tokens.
    """

    __slots__ = ("_counter", "exact", "name")

    def __init__(self, counter: Counter) -> None:
        self._counter = counter
        self.name = str(counter.name)
        self.exact = counter.exact

    def count(self, text: str) -> int:
        """Tokens of the text."""
        return _called(self._counter.count, text, self.name)

    def count_many(self, texts: Iterable[str]) -> list[int]:
        """Tokens of each text."""
        return [self.count(text) for text in texts]

    def fits(self, text: str, limit: int) -> bool:
        """Whether the text has at most ``limit`` tokens."""
        return self.within(text, limit) is not None

    def within(self, text: str, limit: int) -> int | None:
        """Tokens of the text if they are at most ``limit``, else None."""
        within = self._counter.within
        over = limit + 1
        tokens = _called(
            lambda text: over if (found := within(text, limit)) is None else found, text, self.name
        )
        return tokens if tokens <= limit else None


def as_counter(counter: Any) -> Counter | PerMessage:
    """The counter that a caller meant.

    Takes a `Counter`, a `PerMessage`, the name of an encoding, or any callable from a
    text to a number; everything else, also a coroutine function, is `InvalidOptions`.
    """
    if isinstance(counter, str):
        return encoding(counter)
    if isinstance(counter, PerMessage):
        return counter
    if isinstance(counter, (EncodingCounter, FunctionCounter, Scaled, CheckedCounter)):
        return counter
    if _is_counter(counter):
        return CheckedCounter(counter)
    return FunctionCounter(_callable(counter))


def _is_counter(counter: Any) -> TypeGuard[Counter]:
    # A class has the methods of its instances, and a mock has every attribute.
    return (
        isinstance(getattr(counter, "exact", None), bool)
        and isinstance(counter, Counter)
        and not isinstance(counter, type)
    )


def _callable(function: Any) -> Callable[[Any], Any]:
    if not callable(function):
        kind = type(function).__name__
        raise InvalidOptions(f"a counter is a function, a Counter or an encoding, not {kind}")
    if iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__):
        raise _asynchronous(_name_of(function))
    return function


def _asynchronous(name: str) -> InvalidOptions:
    return InvalidOptions(f"the counter {name} is asynchronous: use afit")


def _name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def _called(function: Callable[[Any], Any], subject: Any, name: str) -> int:
    """The function's answer as a number of tokens; no text of ``subject`` in any error."""
    try:
        answer = function(subject)
    except TrimtabError:
        raise
    except BaseException as error:
        if not _is_failure(error):
            raise
        raise CounterError(f"the counter {name} raised {type(error).__name__}") from error
    if isinstance(answer, int) and not isinstance(answer, bool) and answer >= 0:
        return int(answer)
    return _checked(answer, name)


def _is_failure(error: BaseException) -> bool:
    # A panic in Rust, such as tiktoken's on a million blanks, is no Exception.
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _checked(answer: Any, name: str) -> int:
    if isawaitable(answer):
        if iscoroutine(answer):
            answer.close()
        raise _asynchronous(name)
    try:
        tokens = operator.index(answer)
    except TypeError:
        tokens = None
    if tokens is None or isinstance(answer, bool):
        kind = type(answer).__name__
        raise CounterError(f"the counter {name} returned {kind}, not a number")
    if tokens < 0:
        raise CounterError(f"the counter {name} returned a negative number: {tokens}")
    return tokens


_memos: dict[int, dict[Any, Memo[int]]] = {}
_lock = Lock()
unlocked_in_children(sys.modules[__name__])


def _memo_of(function: Any) -> Memo[int]:
    """The function's memo, shared by all counters made of it while it lives.

    A bound method is made anew at every access, so its memo lives with its object.
    Objects are told apart by identity, as equal ones may count differently.
    """
    owner = getattr(function, "__self__", None)
    part = getattr(function, "__func__", None) or getattr(function, "__name__", None)
    if owner is None or part is None:
        owner, part = function, None
    place = id(owner)
    with _lock:
        if place not in _memos:
            try:
                finalize(owner, _memos.pop, place, None).atexit = False
            except TypeError:  # no weak reference to it
                return Memo[int]()
            _memos[place] = {}
        return _memos[place].setdefault(part, Memo[int]())
