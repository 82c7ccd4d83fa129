"""ShareGPT turns for tests, made of a strict OpenAI Chat history: a turn makes one call."""

from __future__ import annotations

import json
from typing import Any

from support.shapes import History, Message

_SPEAKERS = {"user": "human", "assistant": "gpt", "system": "system", "developer": "system"}


def from_chat(history: History) -> History:
    """The same conversation, parallel calls one after the other, up to the last reply."""
    made: History = []
    for at, message in enumerate(history):
        words = _words(message.get("content"))
        if calls := message.get("tool_calls"):
            results = {m["tool_call_id"]: m for m in _results(history, at + 1)}
            for number, call in enumerate(calls):
                made.append(_call(call, "" if number else words))
                answer = results.get(call["id"])
                made.append({"from": "observation", "value": _words((answer or {}).get("content"))})
        elif message["role"] in _SPEAKERS:
            made.append({"from": _SPEAKERS[message["role"]], "value": words})
    while made and made[-1]["from"] != "gpt":
        made.pop()
    return made


def _results(history: History, start: int) -> History:
    stop = start
    while stop < len(history) and history[stop]["role"] == "tool":
        stop += 1
    return history[start:stop]


def _call(call: Any, words: str) -> Message:
    asked = json.dumps(call.get("function") or call["custom"])
    if words:
        return {"from": "gpt", "value": f"{words}\n<tool_call>\n{asked}\n</tool_call>"}
    return {"from": "function_call", "value": asked}


def _words(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text") or part["type"]) for part in content)
    return content or ""
