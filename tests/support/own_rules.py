"""Provider rules that none of the independent validators checks, written out here.

Sources: Anthropic's documentation of server tools and of ``role: "system"`` messages.
"""

from __future__ import annotations

from support.shapes import History, blocks

_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")


def server_pair_objections(turns: History) -> list[str]:
    """Server tools of merged turns: each result after its call, each call answered.

    The last turn may end on an open call (``pause_turn``). A code execution that itself
    calls client tools is answered in a later assistant turn, so "later" is all that is asked.
    """
    found: list[str] = []
    open_ids: set[object] = set()
    for index, turn in enumerate(turns):
        for block in blocks(turn):
            kind = str(block.get("type"))
            if kind in _SERVER_CALLS:
                open_ids.add(block.get("id"))
            elif kind.endswith("_tool_result"):
                if block.get("tool_use_id") not in open_ids:
                    found.append(f"own: turn {index}: {kind} without its call before it")
                open_ids.discard(block.get("tool_use_id"))
    last = {block.get("id") for block in blocks(turns[-1])} if turns else set()
    if stale := sorted(map(str, open_ids - last)):
        found.append(f"own: server calls {', '.join(stale)} were never answered")
    return found


def system_placement_objections(messages: History) -> list[str]:
    """A system message stands after a user turn and before an assistant turn or the end."""
    found: list[str] = []
    for index, message in enumerate(messages):
        if message.get("role") != "system":
            continue
        before = [m["role"] for m in messages[:index] if m["role"] != "system"][-1:]
        after = [m["role"] for m in messages[index:] if m["role"] != "system"][:1]
        if before != ["user"] or after == ["user"]:
            found.append(f"own: message {index}: system between {before} and {after}")
    return found


def head_objections(format: str, messages: History, before: History) -> list[str]:
    """What a *cut* must lead with: for Anthropic, a human turn, not a tool result.

    ``before`` is the uncut history. Rules for the head bind cuts, not inputs: where no turn
    before the kept head was begun by a human, there is none to lead.
    """
    if format != "anthropic" or not messages:
        return []
    places = [index for index, message in enumerate(before) if message is messages[0]]
    if not places:  # an inserted notice leads
        return [] if messages[0].get("role") == "user" else ["own: an insertion leads"]
    at = places[0]
    led = [_begins_human_turn(before, index) for index in range(at + 1)]
    if led[at] or not any(led):
        return []
    return [f"own: the cut is led by message {at} ({messages[0].get('role')})"]


def _begins_human_turn(history: History, index: int) -> bool:
    """Whether a user message without results stands here and opens its (merged) turn."""
    before = [m for m in history[:index] if m.get("role") != "system"][-1:]
    if history[index].get("role") != "user" or (before and before[0].get("role") == "user"):
        return False
    return all(block.get("type") != "tool_result" for block in blocks(history[index]))
