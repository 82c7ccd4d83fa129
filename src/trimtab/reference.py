"""The reference on plain messages: groups, and a context packed newest first.

Both functions read ``tool_calls`` and ``tool_call_id``, and also ``toolCalls`` and
``toolCallId``. They share the rules of `trimtab.units` but know no format: roles are
``system`` (and ``developer``), ``user``, ``assistant`` and ``tool``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .core.pack import pack
from .core.whole import whole
from .errors import CounterError, DoesNotFit, InvalidOptions, Needs
from .faults import Fault
from .formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts, Message, malformed
from .formats.objects import getter
from .formats.usual import Usual
from .setup import as_list
from .units import Grouper

_ROLES = {"system": SYSTEM, "developer": SYSTEM, "assistant": MODEL, "tool": RESULT}


@dataclass(frozen=True, slots=True)
class Context:
    """What `build_context` chose, and what it costs by the caller's counter."""

    messages: list[Message]
    used_tokens: int


class _Plain(Usual):
    """The rules by which `group_messages` groups."""

    merges = False
    unique_ids = False


def group_messages(messages: Sequence[Message]) -> list[list[Message]]:
    """Group messages that only make sense together.

    An assistant message with tool calls and the tool messages that follow and answer it
    are one group; every other message is a group of its own. Holds the caller's own
    objects. Unlike in `fit`, calls at the very end must be answered too.

    Raises `OrphanResult` for a tool message without its call, `DuplicateCall` for a call
    id twice in one message, `MissingResult`, `DuplicateResult` for a second result, and
    `MisplacedMessage` for a result that does not directly follow. O(messages).
    """
    source = as_list(messages)
    return [[source[at] for at in group] for group in _groups(source)]


def build_context(
    messages: Sequence[Message],
    *,
    token_budget: int,
    token_counter: Callable[[Message], int],
    compact_tool: Callable[[Message], Message] | None = None,
) -> Context:
    """Pack a context: system messages, and the newest groups that fit.

    Tool messages first go through ``compact_tool``. System messages come first, in
    order, and always count. Groups are then tried newest to oldest; one that does not
    fit is skipped and older ones are still tried; the result is in the original order.
    ``token_counter`` takes one message; it is called once for each.

    Raises `InvalidOptions` for a budget that is negative or no whole number, or a
    counter that cannot be called; `DoesNotFit` when the system messages alone exceed
    the budget; `CounterError`; and what `group_messages` raises. O(messages).
    """
    budget = whole(token_budget, "token_budget")
    if not callable(token_counter):
        raise InvalidOptions("token_counter must be callable with one message")
    if compact_tool is not None and not callable(compact_tool):
        raise InvalidOptions("compact_tool must be callable with one message")
    source = as_list(messages)
    groups = _groups(source)
    shown = [_compacted(message, compact_tool) for message in source]
    costs = [_counted(message, token_counter, at) for at, message in enumerate(shown)]
    steering = [at for at, message in enumerate(shown) if _role(message) == SYSTEM]
    system = sum(costs[at] for at in steering)
    if system > budget:
        needs = Needs(system, 0, 0, 0, 0, 0)
        raise DoesNotFit(budget, lambda: needs, anchors=tuple(steering))
    others = [group for group in groups if _role(shown[group[0]]) != SYSTEM]
    chosen = pack([sum(costs[at] for at in group) for group in others], budget - system)
    kept = [*steering, *[at for group in chosen for at in others[group]]]
    return Context([shown[at] for at in kept], sum(costs[at] for at in kept))


def _groups(messages: Sequence[Message]) -> list[list[int]]:
    grouper = Grouper(_Plain())
    for index, message in enumerate(messages):
        grouper.step(index, _facts(message))
    for fault in [*grouper.faults, *_unanswered(grouper)]:
        raise fault.error()
    if not messages:
        return []
    stops = [*grouper.starts[1:], len(messages)]
    return [list(range(a, b)) for a, b in zip(grouper.starts, stops, strict=True)]


def _unanswered(grouper: Grouper) -> list[Fault]:
    return [
        Fault("missing_result", index, id, "a call without its result")
        for id, index in grouper.pending.items()
    ]


def _role(message: Message) -> str:
    role = getter(message)("role")
    return _ROLES.get(role, HUMAN) if isinstance(role, str) else HUMAN


def _facts(message: Message) -> Facts:
    get = getter(message)
    role = _role(message)
    if role == RESULT:
        id = get("toolCallId") if get("tool_call_id") is None else get("tool_call_id")
        if id is None:
            fault = ("orphan_result", None, "a tool message without the id of its call")
            return Facts(RESULT, faults=(fault,))
        return Facts(RESULT, answers=(str(id),))
    if role == MODEL:
        calls = get("tool_calls") or get("toolCalls") or ()
        if not isinstance(calls, (list, tuple)):
            return malformed("the tool calls are no list")
        return Facts(MODEL, tuple(str(getter(call)("id")) for call in calls))
    return Facts(role)


def _compacted(message: Message, compact: Callable[[Message], Message] | None) -> Message:
    if compact is None or _role(message) != RESULT:
        return message
    return compact(message)


def _counted(message: Message, counter: Callable[[Message], int], index: int) -> int:
    try:
        return whole(counter(message), f"the count of message {index}")
    except InvalidOptions as error:
        raise CounterError(str(error)) from None
    except Exception as error:
        raise CounterError(
            f"the counter failed on message {index}: {type(error).__name__}"
        ) from error
