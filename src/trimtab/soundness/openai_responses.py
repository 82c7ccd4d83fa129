"""OpenAI Responses: every output behind its call, every call answered, reasoning followed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .fields import field

_OUTPUTS: Final = ("function", "custom_tool", "local_shell", "shell", "apply_patch", "computer")
_STANDING: Final = ("compaction", "compaction_trigger", "configuration_update", "item_reference")


def objections(messages: list[Any]) -> Iterator[tuple[int, str]]:
    """What the API would refuse; what waits for more at the very end is let through."""
    waits = _open_end(messages)
    unread = False  # whether items stand before that only the provider can read
    asked: dict[Any, list[int]] = {}
    for at, item in enumerate(messages):
        kind = _kind(item)
        unread = unread or kind == "item_reference"
        if kind == "reasoning" and not _followed(messages, at):
            yield at, "reasoning without the item that must follow it"
        id = _id(item, kind)
        if id is None:
            continue
        if _answers(kind):
            if asked.get(id):
                asked[id].pop(0)
            elif id in asked or not unread:
                yield at, "an output without a call before it"
            else:
                asked[id] = []
        elif asked.get(id) and asked[id][-1] >= _turn_start(messages, at):
            yield at, "a call id that is used twice"
        else:
            asked.setdefault(id, []).append(at)
    for places in asked.values():
        for at in places:
            if at < waits:
                yield at, "a call without its output"


def stays(item: Any) -> bool:
    """Whether an item is kept whatever happens: what steers, and what nobody else can read."""
    return field(item, "role") in ("system", "developer") or _kind(item) in _STANDING


def _kind(item: Any) -> str:
    kind = field(item, "type")
    if kind is None and field(item, "role") is None:
        return "item_reference"
    return kind or "message"


def _answers(kind: str) -> bool:
    return kind.endswith("_output") or kind == "mcp_approval_response"


def _id(item: Any, kind: str) -> Any:
    """What links a call and its output, None for other items."""
    if kind == "mcp_approval_request":
        return "approval", field(item, "id")
    if kind == "mcp_approval_response":
        return "approval", field(item, "approval_request_id")
    if not (_answers(kind) or kind.endswith("_call") or kind == "program"):
        return None
    id = field(item, "call_id")
    return field(item, "id") if id is None and kind == "local_shell_call_output" else id


def _model(item: Any) -> bool:
    kind = _kind(item)
    if kind in _STANDING[:3]:
        return False
    if _answers(kind):
        return _id(item, kind) is None and not _client_runs(kind)
    return field(item, "role") in (None, "assistant")


def _client_runs(kind: str) -> bool:
    """Whether an output can only be one of a tool that the client runs."""
    names = {f"{name}_call_output" for name in _OUTPUTS} | {"program_output"}
    return kind in names or kind == "mcp_approval_response"


def _followed(messages: list[Any], at: int) -> bool:
    behind = at + 1
    while behind < len(messages) and _kind(messages[behind]) in _STANDING[:3]:
        behind += 1
    return behind == len(messages) or _model(messages[behind])


def _turn_start(messages: list[Any], at: int) -> int:
    while at > 0 and _model(messages[at - 1]):
        at -= 1
    return at


def _open_end(messages: list[Any]) -> int:
    """Where the newest response begins if nothing but outputs stands behind it.

    Calls of a program are answered one after the other inside its own turn.
    """
    at = len(messages)
    programs: set[Any] = set()
    while True:
        while at > 0 and _answers(_kind(messages[at - 1])):
            at -= 1
        start = _turn_start(messages, at)
        run = messages[start:at]
        programs |= {field(field(item, "caller"), "caller_id") for item in run} - {None}
        programs -= {field(item, "call_id") for item in run}
        if start == at or not programs:
            return start
        at = start
