"""What may be done to a history so that it fits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any, Final

from .core.depth import Depth, LowWater
from .core.whole import whole
from .errors import InvalidOptions
from .steady import ANTHROPIC, Steady, steady_for
from .summary.settings import Summary

KEEP: Final = "keep"
DROP_AFTER_EDIT: Final = "drop_after_edit"
DROP_EARLIER: Final = "drop_earlier"
REASONING: Final = (KEEP, DROP_AFTER_EDIT, DROP_EARLIER)
NOTICE = "[Earlier messages of this conversation were removed to fit the context window.]"


@dataclass(frozen=True, slots=True)
class ClearResults:
    """Old tool results give way to a line that says what they were.

    ``keep``: results of the newest units that hold some stay. ``exclude``: results of these
    tools stay. ``keep_errors``: results that say they failed stay. ``smallest``: results of
    at most so many tokens stay. ``inputs``: the arguments of the calls whose results are old
    go too, by the same rule, where that frees more than ``smallest`` tokens; an object or a
    text of JSON stays one (Gemini's signed calls keep theirs). ``batch``: they need not wait for
    room to be wanting, but go as soon as what it costs to read them on would pay for clearing
    all that are old; for a depth that knows prices (`Policy.steady`), and where old results are
    worth nothing. ``at_least``: a cut that clears
    and drops nothing must free so many tokens; None means as many as make such a cut pay (see
    ``docs/shrinking.md``), or any where the policy has no ``depth``.
    """

    keep: int = 3
    exclude: Sequence[str] = ()
    keep_errors: bool = False
    smallest: int = 50
    at_least: int | None = None
    inputs: bool = False
    batch: bool = False

    def __post_init__(self) -> None:
        whole(self.keep, "keep")
        whole(self.smallest, "smallest")
        if self.at_least is not None:
            whole(self.at_least, "at_least")
        if isinstance(self.exclude, str):
            raise InvalidOptions("exclude must be names of tools, not one text")
        for name in ("inputs", "batch"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidOptions(f"{name} must be True or False")
        object.__setattr__(self, "exclude", tuple(sorted(set(self.exclude))))


@dataclass(frozen=True, slots=True)
class Policy:
    """How `fit` makes room. The default keeps the longest run that fits, unchanged.

    ``depth``: how far an overflow cuts, as a fraction of the room that the fixed cost and
    the anchors leave; 0.6 keeps 60 % of it, so that the next cut is many messages away
    and the prompt prefix stays the same until then. None cuts no deeper than it must. A
    `Steady` finds the depth that costs least on a provider's prompt cache: `Policy.steady`.

    ``keep_first``: so many messages at the front are always kept, rounded up to units.

    ``max_result_tokens``: a tool result above this is replaced, when it first appears,
    by an excerpt of its head and tail within the cap. A fixed number, so the bytes stay
    the same on every call.

    ``compact``: a function of your own that takes a message with tool results, when it first
    appears, and gives a shorter copy (or the message itself); before ``max_result_tokens``.
    It must give equal results for equal messages and may change their content alone.

    ``clear_results``, ``media``, ``repeats``: at a cut, and only there, old tool results give
    way to a placeholder (`ClearResults`), pictures, sounds, films and files but for the newest
    ``media`` to a line that says what they were, and results of which the very same text came
    again later to a line that points there. What must go for want of room goes first in these,
    and messages only where that is not enough. Pinned messages are left as they are, but for
    reasoning that a provider would not take back.

    ``handles``: what stands for a cleared result or input, and the marker of an excerpt, name
    the handle under which an archive that keeps the fit finds the whole text.

    ``reasoning``: some models take back a thinking block only while nothing before it has
    changed. ``"keep"`` leaves it where it is, with a warning once it stands behind a change;
    ``"drop_after_edit"`` removes, at every cut, the reasoning of the messages so far (first
    that, and messages only if it is not enough), so that a provider does not refuse it;
    what comes after the cut is kept until the next one. Where the request asks for thinking
    by hand (``thinking``), a tool loop under way keeps its own, as the API demands. Formats
    whose provider drops such reasoning by itself (OpenAI Responses) keep it.
    ``"drop_earlier"`` removes, at a cut, the reasoning of earlier turns where the provider
    lets it go.

    ``notice``: True, or a text of your own: where messages were dropped, a human message
    after the system text says so. It is counted and listed in `Fitted.inserted`.

    ``summary``: a summariser, or a `Summary` with settings: what is dropped lives on in a
    summary, which stands in the place of a notice. Room for it is reserved from the first cut
    on. Anchors and pins are never summarised.

    Raises `InvalidOptions` for values out of range.
    """

    depth: float | Steady | None = None
    keep_first: int = 0
    max_result_tokens: int | None = None
    notice: bool | str = False
    reasoning: str = KEEP
    clear_results: ClearResults | None = None
    media: int | None = None
    repeats: bool = False
    handles: bool = False
    compact: Callable[[Any], Any] | None = None
    summary: Summary | None = None

    def __post_init__(self) -> None:
        whole(self.keep_first, "keep_first")
        if (
            self.max_result_tokens is not None
            and whole(self.max_result_tokens, "max_result_tokens") < 1
        ):
            raise InvalidOptions("max_result_tokens must be at least 1")
        if self.reasoning not in REASONING:
            known = ", ".join(map(repr, REASONING))
            raise InvalidOptions(f"reasoning must be one of {known}, not {self.reasoning!r}")
        if isinstance(self.clear_results, Mapping):
            made = _from_fields(ClearResults, self.clear_results, "clear_results")
            object.__setattr__(self, "clear_results", made)
        if not isinstance(self.clear_results, (ClearResults, type(None))):
            raise InvalidOptions("clear_results must be a ClearResults or None")
        if self.media is not None:
            whole(self.media, "media")
        if not isinstance(self.repeats, bool):
            raise InvalidOptions("repeats must be True or False")
        if not isinstance(self.handles, bool):
            raise InvalidOptions("handles must be True or False")
        if self.compact is not None and not callable(self.compact):
            raise InvalidOptions("compact must be a function of a message")
        if not isinstance(self.notice, (bool, str)):
            raise InvalidOptions("notice must be True, False or a text")
        if isinstance(self.notice, str) and not self.notice.strip():
            raise InvalidOptions("a notice must not be blank")
        if not isinstance(self.summary, (Summary, type(None))):
            object.__setattr__(self, "summary", Summary(self.summary))
        if isinstance(self.depth, Mapping):
            object.__setattr__(self, "depth", _from_fields(Steady, self.depth, "depth"))
        self._check_together()

    @classmethod
    def steady(
        cls, cache: str = ANTHROPIC, *, value: float = 1, floor: int | None = None, **fields: Any
    ) -> Policy:
        """Cuts that cost least on a provider's prompt cache, rare and deep.

        ``cache`` is a name of `trimtab.billing` ("anthropic-5m", "openai", ...); ``value``,
        ``floor``: see `Steady`; ``fields`` are those of a policy. Raises `InvalidOptions`.
        """
        return cls(depth=steady_for(cache, value, floor), **fields)

    @classmethod
    def agent(
        cls, cache: str = ANTHROPIC, *, value: float = 1, floor: int | None = None, **fields: Any
    ) -> Policy:
        """`Policy.steady` for agents: old tool results go before anything else does.

        They are cleared at cuts, but for those of the newest 10 units that hold some, and with a
        ``floor`` as soon as that pays (``batch``); one of more than 8,000 tokens is excerpted when
        it arrives. ``fields`` say otherwise.
        """
        clear = ClearResults(keep=10, batch=floor is not None)
        own = {"clear_results": clear, "max_result_tokens": 8_000}
        return cls.steady(cache, value=value, floor=floor, **{**own, **fields})

    def _check_together(self) -> None:
        """What a depth and the other fields ask of each other.

        A cut that is settled ahead where the last one led would be no deeper than it must.
        """
        clear = self.clear_results
        if clear is not None and clear.batch and not isinstance(self.depth, Steady):
            raise InvalidOptions("batch needs a depth that knows prices: Policy.steady")
        ahead = None if self.summary is None else self.summary.ahead
        share = self.share()
        if ahead is not None and share is not None and ahead * share[1] <= share[0]:
            raise InvalidOptions(f"ahead ({ahead}) must be above depth ({self.depth})")

    def share(self) -> tuple[int, int] | None:
        """``depth`` as an exact fraction, None where it is none."""
        if self.depth is None or isinstance(self.depth, Steady):
            return None
        if isinstance(self.depth, (bool, str)):
            raise InvalidOptions(f"depth must be a number, not {self.depth!r}")
        try:
            ratio = Fraction(str(self.depth))
        except (ValueError, ZeroDivisionError):
            raise InvalidOptions(f"depth must be a number, not {self.depth!r}") from None
        if not 0 < ratio <= 1:
            raise InvalidOptions(f"depth must be above 0 and at most 1: {self.depth}")
        return None if ratio == 1 else ratio.as_integer_ratio()

    def rule(self) -> Depth | None:
        """The rule of the core for the depth of a cut, None where there is no slack."""
        if isinstance(self.depth, Steady):
            return self.depth.rule()
        share = self.share()
        return None if share is None else LowWater(*share)

    @property
    def life(self) -> int | None:
        """Seconds after which the cache that cuts are planned for is cold."""
        return self.depth.life if isinstance(self.depth, Steady) else None

    def notice_text(self) -> str | None:
        """The text to insert where messages were dropped, or None."""
        if isinstance(self.notice, str):
            return self.notice
        return NOTICE if self.notice else None

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data. Raises `InvalidOptions` naming a field that is a function."""
        for name in ("compact", "summary"):
            if getattr(self, name) is not None:
                raise InvalidOptions(f"{name} is a function, which is no plain data")
        return self.described()

    def described(self) -> dict[str, Any]:
        """The fields as plain data, a function by its name."""
        fields = asdict(replace(self, compact=None, summary=None))
        depth = self.depth
        steady = isinstance(depth, Steady)
        fields["depth"] = depth.described() if steady else depth and float(depth)
        if self.compact is not None:
            fields["compact"] = getattr(self.compact, "__qualname__", type(self.compact).__name__)
        if self.summary is not None:
            fields["summary"] = self.summary.described()
        return fields


def _from_fields(kind: type[Any], fields: Mapping[str, Any], name: str) -> Any:
    """What `Policy.to_dict` has written."""
    try:
        return kind(**fields)
    except TypeError as error:
        if isinstance(error, InvalidOptions):
            raise
        raise InvalidOptions(f"{name} has a field that {kind.__name__} does not know") from None
