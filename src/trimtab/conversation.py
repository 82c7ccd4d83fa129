"""The incremental twin of `fit`."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

from .calibrating import anchored, calibrated, tally
from .composing import fitted_steps
from .core.whole import whole
from .errors import InvalidOptions
from .fitted import Fitted
from .formats.base import Format, Message
from .formats.registry import Told
from .policy import Policy
from .setup import as_list, resolve
from .summary.running import arun, awaits_nothing, run
from .summary.story import Step
from .timing import Seconds, Time, timed
from .tokens.calibration import Calibration, Evidence, Ratio
from .tokens.usage import prompt_tokens
from .transcript import Transcript

_STEADY = Policy.steady()


class Conversation:
    """A conversation that grows, fitted again at every turn for the cost of what is new.

    Takes the arguments of `fit`, once; gives what `fit` gives for the same messages and the
    same policy, which is `Policy.steady` unless another is given.
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
        format: str | Format | None = None,
        system: Any = None,
        tools: Any = None,
        response_format: Any = None,
        tool_choice: Any = None,
        thinking: bool = False,
        reserve: int = 0,
        counter: Any = None,
        policy: Policy = _STEADY,
    ) -> None:
        self._options: dict[str, Any] = {
            "model": model,
            "format": format,
            "system": system,
            "tools": tools,
            "response_format": response_format,
            "tool_choice": tool_choice,
            "thinking": thinking,
            "reserve": reserve,
            "counter": counter,
            "policy": policy,
        }
        self._budget = budget
        self._evidence = Evidence()
        self._calibration: Calibration | None = None
        self._sent: Fitted | None = None
        self._report: tuple[Fitted, int] | None = None  # the last request reported, its tokens
        self._refold([], [], [])

    @property
    def messages(self) -> list[Message]:
        """A new list of all messages so far."""
        return list(self._transcript.messages)

    @property
    def calibration(self) -> Calibration | None:
        """What the counts are corrected by, None where nothing was reported."""
        return self._calibration

    def append(self, message: Message, *, pin: bool = False, time: Time = None) -> None:
        """Take the next message. ``pin`` keeps it for good; ``time``: see ``times`` of `fit`.

        Raises `InvalidHistory` when it breaks the format's rules (how a history must end is
        judged when it is fitted), `InvalidOptions` when it is no message, `CounterError`; the
        conversation is then as it was before.
        """
        self.extend([message], pin=pin, times=[time])

    def extend(
        self,
        messages: Iterable[Message],
        *,
        pin: bool = False,
        times: Sequence[Time] | None = None,
    ) -> None:
        """Take the next messages, all or none; see `append`."""
        before, state = self._transcript, self._transcript.state
        told, calibration = self._told, self._calibration
        size = len(before.messages)
        new = as_list(messages, size)
        pins, when = [pin] * len(new), timed(times, len(new), size) or [None] * len(new)
        try:
            if self._settles(new):
                everything = [*before.messages, *new]
                self._refold(everything, [*before.pins, *pins], [*before.times, *when])
            else:
                before.extend(new, pins, when)
            if broken := self._transcript.broken:
                raise broken[0].error()
            if self._transcript.cuts != state.cuts:
                self._loosen()
                if self._transcript.telling is None:  # other ratios would move what was told
                    self._renew()
        except BaseException:
            self._transcript = before.back(size, state)
            self._told, self._calibration = told, calibration
            raise

    def truncate(self, n: int) -> None:
        """Forget all but the first ``n`` messages and fold those anew. O(n)."""
        size = whole(n, "n")
        now = self._transcript
        self._refold(now.messages[:size], now.pins[:size], now.times[:size])

    def fit(self) -> Fitted:
        """What `fit` gives for the messages so far.

        Raises `DoesNotFit`, `InvalidHistory` where the format demands another end,
        `SummaryError` where the policy wants that, and `InvalidOptions` for a summariser
        that can only be awaited.
        """
        summary = self._transcript.setup.policy.summary
        return run(self._steps(), awaits_nothing(summary))

    async def afit(self) -> Fitted:
        """`fit`, awaiting the summariser and the store; messages that come meanwhile are in it."""
        summary = self._transcript.setup.policy.summary
        return await arun(self._steps(), summary and summary.summariser)

    def _steps(self) -> Generator[Step, Any, Fitted]:
        if faults := self._transcript.faults:
            raise faults[0].error()
        self._sent = yield from fitted_steps(self._transcript, trusted=True)
        return self._sent

    def record_usage(self, usage: Any, *, renew: bool = False) -> Calibration:
        """Take what the provider reported for the request of the last `fit`.

        ``usage`` is the usage object of the response, or its number of input tokens,
        cached ones included. What was sent counts from now on what was reported for it,
        and what is appended is counted beside it. The ratios by which estimates are
        corrected are renewed while nothing has been cut, then only at the next cut, or at
        once if ``renew`` says so: a ratio that drifts would move every cut. With a summary
        they are not renewed at cuts, since then what was told would be told again. Returns
        the calibration now in force.

        Raises `InvalidOptions` before the first fit, and for what states no input tokens.
        O(kept), and O(messages) where ratios are renewed.
        """
        if self._sent is None:
            raise InvalidOptions("no fit was made that the usage could be of")
        sent, reported = self._sent, prompt_tokens(usage)
        state = self._transcript, self._evidence, self._report, self._calibration
        try:
            grown = self._report is not None and _extends(sent, self._report[0])
            counted = tally(sent.setup, sent.messages)
            self._evidence = self._evidence.with_report(reported, counted, grown=grown)
            self._report = sent, reported
            if renew or self._calibration is None or self._transcript.mark == 0:
                self._renew()
            return self._anchor()
        except BaseException:
            self._transcript, self._evidence, self._report, self._calibration = state
            raise

    def _anchor(self) -> Calibration:
        """Let what was sent last count what was reported for it."""
        if self._report is None or self._calibration is None:
            return Calibration()
        sent, reported = self._report
        setup = self._transcript.setup
        made = anchored(self._calibration.ratios, setup, sent.messages, reported)
        self._calibration = made
        self._transcript.refix(calibrated(setup, made, whole=self._holds(sent)))
        self._loosen()
        return made

    def _holds(self, sent: Fitted) -> bool:
        """Whether all that a request held is still kept: nothing was cut or truncated since."""
        messages, size = self._transcript.messages, sent.size
        here = sent.plan.cuts, sent.plan.mark
        if here != (self._transcript.cuts, self._transcript.mark) or len(messages) < size:
            return False
        return size == 0 or messages[size - 1] is sent.transcript.messages[size - 1]

    def _loosen(self) -> None:
        """Unless all that was reported is kept, count without what may have gone with it."""
        if self._report is None or self._calibration is None or self._holds(self._report[0]):
            return
        self._transcript.refix(calibrated(self._transcript.setup, self._calibration))

    def _renew(self) -> None:
        """Correct by the newest ratios, where they differ by more than a fiftieth."""
        ratios, before = self._evidence.ratios(), self._calibration
        if self._report is None or (before is not None and _near(ratios, before.ratios)):
            return
        sent, reported = self._report
        self._calibration = anchored(ratios, sent.setup, sent.messages, reported)
        transcript = self._transcript
        self._refold(transcript.messages, transcript.pins, transcript.times)
        if self._transcript.mark > 0:
            self._transcript.moved_at = len(transcript.messages) - 1

    def _refold(self, messages: list[Message], pins: list[bool], times: list[Seconds]) -> None:
        self._told = self._heard(Told(), messages, 0)
        setup = resolve(messages, self._budget, **self._options)
        if self._calibration is not None:
            setup = calibrated(setup, self._calibration, whole=True)
        transcript = Transcript(setup, incremental=True)
        transcript.extend(messages, pins, times)
        self._transcript = transcript
        self._loosen()

    def _heard(self, told: Told, new: list[Message], first: int) -> Told:
        """What is told of the format with new messages; nothing where it is given."""
        if self._options["format"] is None:
            for index, message in enumerate(new, first):
                told = told.after(message, index)
        return told

    def _settles(self, new: list[Message]) -> bool:
        """Whether the setup must be made again: at first, and when new messages tell the format."""
        size = len(self._transcript.messages)
        self._told = self._heard(self._told, new, size)
        if size == 0 or not self._told.left:
            return size == 0
        return self._told.settled()[0] != self._transcript.setup.format.name


def _extends(sent: Fitted, last: Fitted) -> bool:
    """Whether a request begins with all that an earlier one held."""
    size = len(last.messages)
    if len(sent.messages) < size:
        return False
    return all(new is old for new, old in zip(sent.messages[:size], last.messages, strict=True))


def _near(ratios: Mapping[str, Ratio], others: Mapping[str, Ratio]) -> bool:
    """Whether all ratios are within a fiftieth of the others."""
    for kind, (over, under) in ratios.items():
        other, parts = others.get(kind, (1, 1))
        if 50 * abs(over * parts - other * under) > other * under:
            return False
    return True
