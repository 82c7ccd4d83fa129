"""What may be done to a history so that it fits."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Final

from .core.whole import whole
from .errors import InvalidOptions

KEEP: Final = "keep"
DROP_AFTER_EDIT: Final = "drop_after_edit"
REASONING: Final = (KEEP, DROP_AFTER_EDIT)
NOTICE = "[Earlier messages of this conversation were removed to fit the context window.]"


@dataclass(frozen=True, slots=True)
class Policy:
    """How `fit` makes room. The default keeps the longest run that fits, unchanged.

    ``depth``: how far an overflow cuts, as a fraction of the room that the fixed cost and
    the anchors leave; 0.6 keeps 60 % of it, so that the next cut is many messages away
    and the prompt prefix stays the same until then. None cuts no deeper than it must.

    ``keep_first``: so many messages at the front are always kept, rounded up to units.

    ``max_result_tokens``: a tool result above this is replaced, when it first appears,
    by an excerpt of its head and tail within the cap. A fixed number, so the bytes stay
    the same on every call.

    ``reasoning``: some models take back a thinking block only while nothing before it has
    changed. ``"keep"`` leaves it where it is, with a warning once it stands behind a change;
    ``"drop_after_edit"`` removes, at every cut, the reasoning of the messages so far (first
    that, and messages only if it is not enough), so that a provider does not refuse it;
    what comes after the cut is kept until the next one. Where the request asks for thinking
    by hand (``thinking``), a tool loop under way keeps its own, as the API demands. Formats
    whose provider drops such reasoning by itself (OpenAI Responses) keep it.

    ``notice``: True, or a text of your own: where messages were dropped, a human message
    after the system text says so. It is counted and listed in `Fitted.inserted`.

    Raises `InvalidOptions` for values out of range.
    """

    depth: float | None = None
    keep_first: int = 0
    max_result_tokens: int | None = None
    notice: bool | str = False
    reasoning: str = KEEP

    def __post_init__(self) -> None:
        whole(self.keep_first, "keep_first")
        if (
            self.max_result_tokens is not None
            and whole(self.max_result_tokens, "max_result_tokens") < 1
        ):
            raise InvalidOptions("max_result_tokens must be at least 1")
        if self.reasoning not in REASONING:
            known = " or ".join(map(repr, REASONING))
            raise InvalidOptions(f"reasoning must be {known}, not {self.reasoning!r}")
        if not isinstance(self.notice, (bool, str)):
            raise InvalidOptions("notice must be True, False or a text")
        if isinstance(self.notice, str) and not self.notice.strip():
            raise InvalidOptions("a notice must not be blank")
        self.share()

    def share(self) -> tuple[int, int] | None:
        """``depth`` as an exact fraction, None where there is no slack."""
        if self.depth is None:
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

    def notice_text(self) -> str | None:
        """The text to insert where messages were dropped, or None."""
        if isinstance(self.notice, str):
            return self.notice
        return NOTICE if self.notice else None

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain data."""
        depth = None if self.depth is None else float(self.depth)
        return {**asdict(self), "depth": depth}
