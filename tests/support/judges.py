"""What validators of others say of a history, for every format there is.

``judge(format)`` writes the objects in a shape that a validator reads and asks it: the light
ones always, a framework's own mending where it is installed (see ``heavy_oracles``).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from support import strict_oracles
from support.agents_items import to_items
from support.heavy_excuses import TOO_MUCH
from support.heavy_oracles import oracle
from support.oracles import objections
from support.responses_oracle import objections as items_objections
from support.shapes import History, Message, blocks
from support.written import TO_CHAT

Judge = Callable[[list[Any]], list[str]]
_CALL = {"type": "function", "function": {"name": "f", "arguments": "{}"}}


def judge(format: str) -> Judge:
    """Every objection of every oracle of this format; a function that changes nothing."""
    light, heavy = _LIGHT[format], oracle(format)
    if heavy is None:
        return light
    excused = TOO_MUCH.get(format, {}).values()

    def both(messages: list[Any]) -> list[str]:
        said = heavy(messages)
        return light(messages) + ([] if said and any(e(messages) for e in excused) else said)

    return both


def _chat(messages: History) -> list[str]:
    return objections("openai-chat", messages)


def _anthropic(messages: History) -> list[str]:
    """As the API was recorded to take it: white space of the model's own, and a server tool
    that is still at work while the results of other calls of its turn are sent.
    """
    history = list(map(_without_white_space, messages))
    return objections("anthropic", _without_work_in_flight(history))


def _without_work_in_flight(history: History) -> History:
    caller = len(history) - 1
    while caller > 0 and _results_alone(history[caller]):
        caller -= 1
    if caller in (-1, len(history) - 1) or history[caller]["role"] != "assistant":
        return history
    done = {b.get("tool_use_id") for b in blocks(history[caller])}
    kept = [b for b in blocks(history[caller]) if not _served(b) or b["id"] in done]
    return [*history[:caller], {**history[caller], "content": kept}, *history[caller + 1 :]]


def _results_alone(message: Message) -> bool:
    kinds = {block.get("type") for block in blocks(message)}
    return message["role"] == "user" and kinds == {"tool_result"}


def _served(block: Any) -> bool:
    return block.get("type") in ("server_tool_use", "mcp_tool_use")


def _without_white_space(message: Message) -> Message:
    if message["role"] != "assistant" or not any(map(_white, blocks(message))):
        return message
    content = [{**b, "text": "x"} if _white(b) else b for b in blocks(message)]
    return {**message, "content": content}


def _white(block: Any) -> bool:
    return block.get("type") == "text" and bool(block["text"]) and not block["text"].strip()


def _converse(messages: History) -> list[str]:
    """System messages stand aside: none of the validators knows that they may be there."""
    said = strict_oracles.objections("bedrock-converse", messages)
    return [text for text in said if not text.startswith("own: two system messages")]


def _strict(format: str) -> Judge:
    return lambda messages: strict_oracles.objections(format, messages)


def _read_as_chat(format: str) -> Judge:
    return lambda messages: objections("openai-chat", TO_CHAT[format](messages))


def _agents(messages: list[Any]) -> list[str]:
    return items_objections(copy.deepcopy(to_items(messages)))


def _mcp(messages: History) -> list[str]:
    """As Chat, a human message set before and behind results that may have no neighbours."""
    chat: History = []
    for message in messages:
        content = message["content"] if isinstance(message["content"], list) else []
        calls = [{"id": b["id"], **_CALL} for b in content if b["type"] == "tool_use"]
        results = [b for b in content if b["type"] == "tool_result"]
        model = message["role"] == "assistant"
        if model:
            chat.append({"role": "assistant", "content": "x"})
            chat[-1] |= {"tool_calls": calls} if calls else {}
        if results if model else len(results) < max(1, len(content)):
            chat.append({"role": "user", "content": "x"})
        chat += [{"role": "tool", "tool_call_id": b["toolUseId"], "content": "x"} for b in results]
        if results:
            chat.append({"role": "user", "content": "x"})
    return _chat(chat)


def _ui(messages: History) -> list[str]:
    """As Chat: a part that has its output is a call and its answer, one that waits a call."""
    chat: History = []
    for message in messages:
        calls = [_ui_call(part) for part in message["parts"]]
        found = [(id or f"done-{n}", id is None) for n, id in enumerate(calls) if id != ""]
        asked = {"tool_calls": [{"id": id, **_CALL} for id, _ in found]} if found else {}
        chat.append({"role": message["role"], "content": "x", **asked})
        done = [id for id, answered in found if answered]
        chat += [{"role": "tool", "tool_call_id": id, "content": "x"} for id in done]
    return _chat(chat)


def _ui_call(part: Any) -> str | None:
    """The id of a call that waits for its output, None of one that has it, else nothing."""
    kind = part["type"]
    if not kind.startswith("tool-") and kind != "dynamic-tool":
        return ""
    own = part["toolInvocation"] if kind == "tool-invocation" else part
    waits = own["state"] not in ("output-available", "output-error", "output-denied", "result")
    return own["toolCallId"] if waits and not own.get("providerExecuted") else None


def _gemini(contents: History) -> list[str]:
    """As Anthropic's turns, calls and responses paired here: by id, else name, else place."""
    said: list[str] = []
    turns = list(map(_gemini_turn, contents))
    for at, (content, turn) in enumerate(zip(contents, turns, strict=True)):
        asked = turn["role"] == "user" and any(map(_called, _parts(content)))
        answered = turn["role"] == "assistant" and any(map(_answered, _parts(content)))
        if asked or answered:
            said.append(f"own: content {at} holds what only the other role may")
        if not _parts(content) and (at < len(contents) - 1 or turn["role"] == "user"):
            said.append(f"own: content {at} has no parts")
    waiting: list[Any] = []
    ids: set[Any] = set()
    before = ""
    for number, turn in enumerate(turns):
        if turn["role"] == "assistant":
            if before != "assistant":
                waiting, ids = [], set()
            waiting += [b for b in blocks(turn) if b["type"] == "tool_use"]
            ids |= {b["id"] for b in waiting if b["id"]}
            for position, block in enumerate(blocks(turn)):
                if block["type"] == "tool_use":
                    block["own"], block["id"] = block["id"], f"call-{number}-{position}"
        else:
            _pair(waiting, [b for b in blocks(turn) if b["type"] == "tool_result"], ids)
            turn["content"].sort(key=lambda block: block["type"] != "tool_result")
        before = turn["role"]
    return said + objections("anthropic", [turn for turn in turns if turn["content"]])


def _pair(waiting: list[Any], answers: list[Any], ids: set[Any]) -> None:
    """Give each answer the id of the call that it is for; ``ids`` are those of all calls."""
    left = list(answers)
    for ids_fit in (
        lambda call, answer: answer and call == answer,
        lambda call, answer: answer and not call and answer not in ids,
        lambda call, answer: not answer and not call,
        lambda call, answer: not answer,
    ):
        for answer in list(left):
            found = (call for call in waiting if ids_fit(call["own"], answer["own"]))
            known = (c for c in found if answer["own"] in ids or c["name"] == answer["name"])
            call = next(known, None)
            if call is not None:
                waiting.remove(call)
                left.remove(answer)
                answer["tool_use_id"] = call["id"]
    if len(left) == len(waiting) and not any(b["own"] for b in [*left, *waiting]):
        for answer, call in zip(left, waiting, strict=True):
            answer["tool_use_id"] = call["id"]
        waiting.clear()


def _gemini_turn(content: Message) -> Message:
    role = "assistant" if content.get("role") == "model" else "user"
    return {"role": role, "content": [_gemini_block(part, role) for part in _parts(content)]}


def _gemini_block(part: Any, role: str) -> Message:
    call, answer = _called(part), _answered(part)
    if call is not None and role == "assistant":
        named = {"name": call.get("name"), "input": {}}
        return {"type": "tool_use", "id": call.get("id"), **named}
    if answer is not None and role == "user":
        own = {"own": answer.get("id"), "name": answer.get("name"), "content": "x"}
        return {"type": "tool_result", "tool_use_id": "nobody_asked", **own}
    ran = part.get("executableCode") or {}
    if ran.get("id") and role == "assistant":
        return {"type": "server_tool_use", "id": ran["id"], "name": "code", "input": {}}
    came = part.get("codeExecutionResult") or {}
    if came.get("id") and role == "assistant":
        return {"type": "code_tool_result", "tool_use_id": came["id"], "content": []}
    return {"type": "text", "text": "x"}


def _parts(content: Message) -> list[Any]:
    parts = content.get("parts") or []
    return parts if isinstance(parts, list) else [parts]


def _called(part: Any) -> Any:
    return part.get("functionCall") or part.get("function_call")


def _answered(part: Any) -> Any:
    return part.get("functionResponse") or part.get("function_response")


_LIGHT: dict[str, Judge] = {
    "openai-chat": _chat,
    "anthropic": _anthropic,
    "openai-responses": items_objections,
    "gemini": _gemini,
    "bedrock-converse": _converse,
    **{name: _strict(name) for name in ("mistral", "strict-chat", "fine-tuning", "sharegpt")},
    **{name: _read_as_chat(name) for name in TO_CHAT},
    "openai-agents": _agents,
    "vercel-ui": _ui,
    "mcp": _mcp,
}
