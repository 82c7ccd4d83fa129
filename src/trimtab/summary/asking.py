"""What a summariser is asked, and what it may answer."""

from __future__ import annotations

import inspect
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from ..errors import InvalidOptions, SummaryError

_LONGEST: Final = 16  # characters of a token, more than any text has on average
_BLANK: Final = frozenset("ZC")  # Unicode's separators, controls and unassigned


def utf8_bytes(text: str) -> int:
    """Bytes of a text: no byte-level tokenizer makes more tokens of it."""
    return len(text.encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True)
class Said:
    """One newly dropped message in words.

    ``role`` is ``human``, ``assistant``, ``call`` (a tool call) or ``result``.
    """

    role: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to a summariser: make one summary of the older one and what was said since.

    ``said`` are the newly dropped messages in their order. ``max_tokens`` is told to the
    summariser and enforced by who asks; ``retry`` is 1 when it is asked again because its
    answer had ``too_long`` tokens. ``count`` counts the tokens of a text as the budget does.
    """

    previous: str | None = field(repr=False)
    said: tuple[Said, ...]
    max_tokens: int
    retry: int = 0
    too_long: int = 0
    count: Callable[[str], int] = field(default=utf8_bytes, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise InvalidOptions(f"max_tokens of a summary must be at least 1: {self.max_tokens}")

    def again(self, too_long: int) -> Ask:
        """The same request after an answer that had too many tokens."""
        return replace(self, retry=self.retry + 1, too_long=too_long)

    def spoken(self) -> Ask:
        """The request without what holds no visible character."""
        previous = None if self.previous is None or is_blank(self.previous) else self.previous
        return replace(
            self, previous=previous, said=tuple(s for s in self.said if not is_blank(s.text))
        )

    def is_within(self, tokens: int) -> bool:
        """Whether all that is to be summarised costs at most so many tokens.

        Tokenises little more than that much: a far longer text is taken to cost more.
        """
        left = tokens
        for text in (self.previous or "", *(said.text for said in self.said)):
            if len(text) > _LONGEST * (left + 64):
                return False
            left -= self.count(text)
            if left < 0:
                return False
        return True


class Summariser(Protocol):
    """Anything that answers an `Ask` with a text, or with an awaitable of one.

    ``name`` goes into the key of a stored summary: model, version of the prompt, settings.
    A function without one is known by its qualified name. One with a coroutine method
    ``acall`` can be asked both ways.
    """

    @property
    def name(self) -> str: ...

    def __call__(self, ask: Ask, /) -> str | Awaitable[str]: ...


Asked = Summariser | Callable[[Ask], str] | Callable[[Ask], Awaitable[str]]
"""What may be given as a summariser."""


def name_of(summariser: Asked) -> str:
    """The name of a summariser, the same in every process."""
    name = getattr(summariser, "name", None)
    if isinstance(name, str) and name:
        return name
    home = summariser if hasattr(summariser, "__qualname__") else type(summariser)
    return f"{home.__module__}.{home.__qualname__}"  # type: ignore[union-attr]


def is_async(summariser: Asked) -> bool:
    """Whether it can only be awaited."""
    if getattr(summariser, "only_async", False):
        return True
    call = getattr(type(summariser), "__call__", None)  # noqa: B004 - not whether, but what
    return inspect.iscoroutinefunction(summariser) or inspect.iscoroutinefunction(call)


def summarise(summariser: Asked, ask: Ask) -> str:
    """Ask once; the answer without white space around it.

    Where nothing was said, the older summary comes back without any call. Raises
    `SummaryError` for every failure (its ``kind`` says which), `InvalidOptions` for an
    asynchronous summariser.
    """
    name, ask = name_of(summariser), ask.spoken()
    if is_async(summariser):
        raise _only_awaited(name)
    if not ask.said:
        return _unchanged(ask)
    try:
        answer: Any = summariser(ask)
    except SummaryError:
        raise
    except _cancellations():
        raise _cancelled(name) from None
    except Exception as error:
        raise _failed(name, error) from error
    if inspect.isawaitable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        raise _only_awaited(name)
    return accepted(answer, ask, name)


async def asummarise(summariser: Asked, ask: Ask) -> str:
    """`summarise`, awaited; a synchronous summariser runs in a thread.

    A cancelled caller is cancelled as usual: only a cancellation inside the summariser is a
    `SummaryError`. (A thread cannot be stopped: its answer is then lost.)
    """
    name, ask = name_of(summariser), ask.spoken()
    if not ask.said:
        return _unchanged(ask)
    try:
        answer = await _answer(summariser, ask)
    except SummaryError:
        raise
    except _cancellations():
        if _is_cancelled():
            raise
        raise _cancelled(name) from None
    except Exception as error:
        raise _failed(name, error) from error
    return accepted(answer, ask, name)


async def _answer(summariser: Any, ask: Ask) -> Any:
    if (acall := getattr(summariser, "acall", None)) is not None:
        return await acall(ask)
    if is_async(summariser):
        return await summariser(ask)
    import asyncio

    answer = await asyncio.to_thread(summariser, ask)
    return await answer if inspect.isawaitable(answer) else answer


def accepted(answer: object, ask: Ask, name: str) -> str:
    """The answer, if it is a summary: visible text that is no longer than what it sums up."""
    if not isinstance(answer, str):
        raise SummaryError(f"{name} answered with {type(answer).__name__}, not with a text")
    if not answer:
        raise SummaryError(f"{name} answered with nothing", kind="empty")
    if is_blank(answer):
        raise SummaryError(f"{name} answered with white space alone", kind="blank")
    text = writable(answer).strip()
    tokens = ask.count(text)
    if ask.is_within(tokens - 1):
        shown = f"{tokens} tokens, more than what it sums up"
        raise SummaryError(f"{name} answered with {shown}", kind="longer_than_input")
    return text


def is_blank(text: str) -> bool:
    """Whether a text has no visible character."""
    return not any(unicodedata.category(char)[0] not in _BLANK for char in text)


def writable(text: str) -> str:
    """The text with every lone surrogate replaced, since UTF-8 cannot hold one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unchanged(ask: Ask) -> str:
    if ask.previous is None:
        raise SummaryError("there is nothing to summarise", kind="nothing")
    return ask.previous


def _only_awaited(name: str) -> InvalidOptions:
    return InvalidOptions(f"{name} is asynchronous: it can only be awaited")


def _cancelled(name: str) -> SummaryError:
    return SummaryError(f"{name} was cancelled", kind="cancelled")


def _failed(name: str, error: Exception) -> SummaryError:
    kind = "timeout" if isinstance(error, TimeoutError) else "provider"
    return SummaryError(f"{name} raised {type(error).__name__}", kind=kind)


def _cancellations() -> tuple[type[BaseException], ...]:
    """How a cancelled call ends; imported where something was raised, not before."""
    import asyncio
    from concurrent import futures

    return asyncio.CancelledError, futures.CancelledError


def _is_cancelled() -> bool:
    """Whether the task that asks is itself being cancelled."""
    import asyncio

    task = asyncio.current_task()
    return task is not None and bool(task.cancelling())
