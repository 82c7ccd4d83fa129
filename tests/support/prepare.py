"""Bring a history into the form that the independent validators understand.

Everything here works on deep copies. Each step removes one known blind spot or
one strictness that is a validator's own and not the provider's.
"""

from __future__ import annotations

import copy
from collections import defaultdict, deque
from typing import Any

from support.shapes import History, Message, Ref, blocks, calls, results


def chat(messages: History) -> History:
    """An OpenAI Chat history: legacy calls as tool calls, the open tail answered."""
    history = _legacy_as_tools(copy.deepcopy(messages))
    return _answer_chat_tail(history)


def turns(messages: History) -> History:
    """An Anthropic history as that API sees it: merged turns, the open tail answered.

    System messages are taken out: no validator knows them (one takes any message between
    a call and its result for a break, another only minds the first place); their placement
    is checked by ``own_rules`` instead.
    """
    merged: History = []
    for message in copy.deepcopy(messages):
        if message.get("role") == "system":
            continue
        message["content"] = _as_blocks(message.get("content"))
        if merged and merged[-1].get("role") == message.get("role"):
            merged[-1]["content"] += message["content"]
        else:
            merged.append(message)
    return _answer_turn_tail(merged)


def mistral(prepared: History) -> History:
    """A prepared Chat history reduced to what mistral-common's pairing rules read.

    Its models forbid unknown keys, police function names, reserve the id "null", allow
    few content kinds per role and no system message after an assistant: all of that is
    Mistral's and not OpenAI's. So content becomes a word, names become ``f``, ids get a
    prefix and system messages become user messages, which may stand between any two
    units but, like system messages, not between a call and its result.
    """
    reduced: History = [{"role": "system", "content": "s"}]  # its pairing check skips message 0
    for message in prepared:
        role = message.get("role")
        out: Message = {"role": "user" if role in ("system", "developer") else role, "content": "x"}
        if message.get("tool_calls"):
            out["tool_calls"] = [_mistral_call(call) for call in message["tool_calls"]]
        if role == "tool":
            out["tool_call_id"] = f"id-{message.get('tool_call_id')}"
        reduced.append(out)
    if reduced[-1]["role"] == "assistant":  # a served request may not end on a reply
        reduced.append({"role": "user", "content": "go"})
    return reduced


def _mistral_call(call: dict[str, Any]) -> dict[str, Any]:
    return {"id": f"id-{call.get('id')}", "function": {"name": "f", "arguments": "{}"}}


def _as_blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [] if content is None else [{"type": "text", "text": content}]


def _legacy_as_tools(history: History) -> History:
    """``function_call`` has no id and is invisible to all three: give each pair one."""
    waiting: defaultdict[Any, deque[str]] = defaultdict(deque)
    for index, message in enumerate(history):
        legacy = message.pop("function_call", None)
        if legacy:
            id = f"legacy-{index}"
            waiting[legacy.get("name")].append(id)
            message["tool_calls"] = [{"id": id, "type": "function", "function": legacy}]
        elif message.get("role") == "function":
            ids = waiting[message.get("name")]
            message["role"] = "tool"
            message["tool_call_id"] = ids.popleft() if ids else f"legacy-orphan-{index}"
    return history


def _answer_chat_tail(history: History) -> History:
    """Calls still waiting at the very end are sound for Trimtab; validators reject them."""
    start = len(history)
    while start and history[start - 1].get("role") == "tool":
        start -= 1
    for ref in _unanswered(history, start - 1):
        history.append({"role": "tool", "tool_call_id": ref.id, "content": "done"})
    return history


def _answer_turn_tail(merged: History) -> History:
    """The same for Anthropic; once the tail holds anything but results, the wait is over."""
    tail = merged[-1] if merged and merged[-1].get("role") == "user" else None
    if tail is not None and any(b.get("type") != "tool_result" for b in blocks(tail)):
        return merged
    waiting = _unanswered(merged, len(merged) - (1 if tail is None else 2))
    if not waiting:
        return merged
    if tail is None:
        tail = {"role": "user", "content": []}
        merged.append(tail)
    blocks(tail).extend(
        {"type": "tool_result", "tool_use_id": ref.id, "content": "done"} for ref in waiting
    )
    return merged


def _unanswered(history: History, caller: int) -> list[Ref]:
    """The calls of message ``caller`` that no later message answers, each id once."""
    answered = {ref.id for ref in results(history) if ref.index > caller}
    waiting = {r.id: r for r in calls(history) if r.index == caller and r.id not in answered}
    return list(waiting.values())
