"""The incremental twin of `fit`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .core.whole import whole
from .fitted import Fitted
from .fitting import compose, plan
from .formats.base import Message
from .formats.registry import recognise
from .policy import Policy
from .setup import as_list, resolve
from .transcript import Transcript

_LONGEST_RUN = Policy()


class Conversation:
    """A conversation that grows, fitted again at every turn for the cost of what is new.

    Takes the arguments of `fit`, once; gives what `fit` gives for the same messages.
    Messages must not change after they were appended. An append costs the tokenising of
    one message and amortised O(1) beside it; a fit costs O(kept).

    Without ``format`` the format is judged from the messages so far; while it is open
    (plain text only), a message that settles it otherwise refolds what there is.
    """

    def __init__(
        self,
        budget: int | None = None,
        *,
        model: str | None = None,
        format: str | None = None,
        system: Any = None,
        tools: Any = None,
        response_format: Any = None,
        reserve: int = 0,
        counter: Any = None,
        policy: Policy = _LONGEST_RUN,
    ) -> None:
        self._options: dict[str, Any] = {
            "model": model,
            "format": format,
            "system": system,
            "tools": tools,
            "response_format": response_format,
            "reserve": reserve,
            "counter": counter,
            "policy": policy,
        }
        self._budget = budget
        self._refold([], [])

    @property
    def messages(self) -> list[Message]:
        """A new list of all messages so far."""
        return list(self._transcript.messages)

    def append(self, message: Message, *, pin: bool = False) -> None:
        """Take the next message. ``pin`` keeps it for good.

        Raises `InvalidHistory` when it breaks the format's rules, `InvalidOptions` when
        it is no message, `CounterError`; the conversation is then as it was before.
        """
        self.extend([message], pin=pin)

    def extend(self, messages: Iterable[Message], *, pin: bool = False) -> None:
        """Take the next messages, all or none; see `append`."""
        before, settled = self._transcript, self._settled
        size = len(before.messages)
        new = as_list(messages, size)
        pins = [pin] * len(new)
        try:
            if self._settles(new):
                self._refold([*before.messages, *new], [*before.pins, *pins])
            else:
                before.extend(new, pins)
            if self._transcript.faults:
                raise self._transcript.faults[0].error()
        except BaseException:
            self._transcript = before.first(size)
            self._settled = settled
            raise

    def truncate(self, n: int) -> None:
        """Forget all but the first ``n`` messages and fold those anew. O(n)."""
        size = whole(n, "n")
        self._refold(self._transcript.messages[:size], self._transcript.pins[:size])

    def fit(self) -> Fitted:
        """What `fit` gives for the messages so far."""
        return compose(self._transcript, plan(self._transcript), trusted=True)

    def _refold(self, messages: list[Message], pins: list[bool]) -> None:
        setup = resolve(messages, self._budget, **self._options)
        transcript = Transcript(setup, incremental=True)
        transcript.extend(messages, pins)
        self._transcript = transcript
        self._settled = self._options["format"] is not None or any(
            recognise(message, index) for index, message in enumerate(messages)
        )

    def _settles(self, new: list[Message]) -> bool:
        """Whether the format must be judged again: at first, and when new messages tell it."""
        if self._settled:
            return False
        size = len(self._transcript.messages)
        return size == 0 or any(recognise(message, size + at) for at, message in enumerate(new))
