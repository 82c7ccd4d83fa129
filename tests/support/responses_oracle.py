"""What validators of others say of an OpenAI Responses history, and the rules none has.

Three authors check the pairing once the items are written as Chat messages: ``turnsafe``,
``tool-call-repair`` and ``mistral-common``. Where the OpenAI Agents SDK is installed, its
own pruning of stored items must find nothing to prune. What none of them knows (reasoning
needs the item behind it) is written out here, from the API's error text.
"""

from __future__ import annotations

import copy
import importlib.util
from typing import Any

from support.oracles import objections as chat_objections
from support.shapes import History, Message

_APPROVAL = {"mcp_approval_request": "id", "mcp_approval_response": "approval_request_id"}


def objections(items: History) -> list[str]:
    """Every objection of every oracle; what waits at the very end is let through."""
    history = adjacent(copy.deepcopy(items))
    said = reasoning_objections(items)
    said += chat_objections("openai-chat", as_chat(history))
    return said + agents(answered(history))


def reasoning_objections(items: History) -> list[str]:
    """Reasoning must be followed by another item of its response, unless that is yet to come."""
    said: list[str] = []
    for index, item in enumerate(items):
        after = [i for i in items[index + 1 :] if not _standing(i)][:1]
        if item.get("type") == "reasoning" and not all(map(is_output, after)):
            said.append(f"own: reasoning {index} is not followed")
    return said


def link(item: Message) -> Any:
    """The id that a call and its output share, None for other items."""
    kind = item.get("type")
    if kind in _APPROVAL:
        return f"approval {item[_APPROVAL[kind]]}"
    if kind == "local_shell_call_output":
        return item.get("call_id") or item["id"]
    return item.get("call_id")


def is_result(item: Message) -> bool:
    """Whether an item answers a call."""
    kind = str(item.get("type"))
    return link(item) is not None and (kind.endswith("_output") or kind == "mcp_approval_response")


def is_call(item: Message) -> bool:
    """Whether an item asks for an answer."""
    return link(item) is not None and not is_result(item)


def is_output(item: Message) -> bool:
    """Whether the model said it."""
    return (
        not is_result(item)
        and not _standing(item)
        and item.get("role", "assistant") in ("assistant",)
    )


def _standing(item: Message) -> bool:
    return item.get("type") in ("compaction", "configuration_update")


def adjacent(items: History) -> History:
    """Outputs directly behind the response that called; the API does not ask for that.

    Calls of a program and all in between go with the program's response. What the model
    said carries the number of its ``_turn``.
    """
    moved: dict[int, History] = {}
    rest: list[Message] = []
    open_: dict[Any, list[int]] = {}
    turn, run = -1, False
    for item in items:
        caller = (item.get("caller") or {}).get("caller_id")
        if is_result(item) and open_.get(link(item)):
            moved.setdefault(open_[link(item)].pop(0), []).append(item)
            run = False
            continue
        if is_result(item) and caller is not None:
            item["call_id"] += ", not asked for yet"  # its call is about to be put before it
        nested = open_.get(caller) if is_call(item) else None
        if is_output(item):
            turn = nested[0] if nested else turn if run else len(rest)
        if is_call(item):
            open_.setdefault(link(item), []).append(turn)
        run = is_output(item)
        item["_turn"] = turn if run else None
        rest.append(item)
    return _written(rest, moved)


def _written(rest: History, moved: dict[int, History]) -> History:
    made: History = []
    done: set[int] = set()
    for place, item in enumerate(rest):
        turn = item.get("_turn")
        if turn is None:
            made.append(item)
        elif turn not in done:
            done.add(turn)
            made += [other for other in rest[place:] if other.get("_turn") == turn]
            made += moved.get(turn, [])
    return made


def as_chat(history: History) -> History:
    """The model's items of one turn as one assistant message, outputs as tool messages."""
    messages: History = []
    run: Any = None
    for item in history:
        if is_result(item):
            messages.append({"role": "tool", "tool_call_id": link(item), "content": "x"})
        elif is_output(item):
            if run is None or run != item["_turn"]:
                messages.append({"role": "assistant", "content": "x"})
            if is_call(item):
                call = {"id": link(item), "type": "function"}
                call["function"] = {"name": "f", "arguments": "{}"}
                messages[-1].setdefault("tool_calls", []).append(call)
        else:
            role = item.get("role")
            messages.append({"role": "user" if role == "user" else "system", "content": "x"})
        run = item.get("_turn")
    return messages


def answered(history: History) -> History:
    """The same with the calls answered that wait at the very end."""
    end = len(history)
    while end and is_result(history[end - 1]):
        end -= 1
    start = end
    turn = history[end - 1].get("_turn") if end else None
    while start and is_output(history[start - 1]) and history[start - 1].get("_turn") == turn:
        start -= 1
    have = {link(item) for item in history[end:]}
    waiting = [item for item in history[start:end] if is_call(item) and link(item) not in have]
    kinds = {"local_shell_call": "id"}
    made: History = []
    for call in waiting:
        kind = str(call["type"])
        if kind != "mcp_approval_request":
            made.append({"type": f"{kind}_output".replace("_search_call", "_search")})
            made[-1][kinds.get(kind, "call_id")] = call["call_id"]
    return history + made


def agents(history: History) -> list[str]:
    """Whether the Agents SDK would prune an answered history, where it is installed."""
    if importlib.util.find_spec("agents") is None:
        return []
    from agents.run_internal.items import drop_orphan_function_calls

    for item in history:
        item.pop("_turn", None)
        if item.get("type") == "local_shell_call_output":
            item.setdefault("call_id", item["id"])  # it knows no other link
    everything = set(range(len(history)))
    kept = drop_orphan_function_calls(history, output_pruning_indexes=everything)
    return [] if len(kept) == len(history) else [f"agents: drops {len(history) - len(kept)}"]
