"""What is made of a message when it first appears, and never changes again."""

from __future__ import annotations

from ..errors import InvalidOptions
from ..formats.base import Facts, Format, Message
from ..handles import handle_of, result_texts, words_of
from ..policy import Policy
from ..tokens.meter import Meter
from .excerpt import excerpt_results
from .passes import lesser


def reshapes(policy: Policy) -> bool:
    """Whether a policy may change a message when it appears."""
    return policy.compact is not None or policy.max_result_tokens is not None


def arrived(index: int, message: Message, policy: Policy, format: Format, meter: Meter) -> Message:
    """What stands for a message from the start: itself, or a copy with shorter results.

    First the caller's own function, then the excerpt, whose markers name the handles of what
    was there before both, if the policy asks for them. Raises `InvalidOptions`, with the
    index, where that function fails, changes the message itself, or changes more than the content
    of its results. What costs no less is not taken.
    """
    handles: list[str] = []
    if policy.handles and policy.max_result_tokens is not None:
        handles = [handle_of(text) if text else "" for text in result_texts(message, format)]
    if policy.compact is not None and format.read(message).answers:
        message = _compacted(index, message, policy.compact, format, meter)
    if policy.max_result_tokens is None:
        return message
    return excerpt_results(message, policy.max_result_tokens, format, meter, handles)


def _compacted(
    index: int, message: Message, compact: object, format: Format, meter: Meter
) -> Message:
    before, texts = _around(message, format), result_texts(message, format)
    try:
        made = compact(message)  # type: ignore[operator]
        same = before == _around(made, format)
        touched = result_texts(message, format) != texts
    except Exception as error:
        kind = type(error).__name__
        raise InvalidOptions(f"compact failed on message {index}: {kind}") from error
    if touched:
        raise InvalidOptions(f"compact changed message {index} itself instead of a copy")
    if not same:
        raise InvalidOptions(f"compact changed more than the results of message {index}")
    return lesser(meter, made, message)


def _around(message: Message, format: Format) -> tuple[Facts, list[bool], str]:
    """What a message is and says beside the content of its results."""
    answers = [format.failed(message, answer) for answer, _ in format.results(message)]
    return format.read(message), answers, words_of(message, format)
