"""What a message of any format says, calls and answers: for the checks, not for the library.

Written from the shapes of the cases without a look at the library's own formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from support.shapes import History, Message, blocks

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system"}
_CALLS = ("function_call", "mcp_approval_request")


@dataclass(frozen=True)
class View:
    """One message: who speaks, its text, thoughts, and the ids of its calls and results.

    ``asks`` counts all its calls, those that the provider runs itself among them.
    """

    role: str
    text: str = ""
    thought: str = ""
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    asks: int = 0

    @property
    def cost(self) -> int:
        """The counter of most cases: characters of text and thinking, and 1 per tool call."""
        return len(self.text) + len(self.thought) + self.asks

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it at all."""
        return not (self.text.strip() or self.thought or self.asks or self.results)


def view(message: Message) -> View:
    """A message of any of the formats, told by its own keys."""
    if "parts" in message:
        return _gemini(message)
    if message.get("type") in _ITEMS:
        return _ITEMS[message["type"]](message)
    if any(not b.keys().isdisjoint(_CONVERSE) for b in blocks(message) if "type" not in b):
        return _converse(message)
    return _message(message)


def text_of(content: Any) -> str:
    """All text of a content: a string, text parts, and what tool results hold."""
    if isinstance(content, str):
        return content
    return "".join(_texts(content or []))


def _texts(parts: list[Any]) -> Iterator[str]:
    for part in parts:
        if part.get("type") == "tool_result":
            yield text_of(part.get("content"))
        elif part.get("type", "text") in ("text", "input_text", "output_text"):
            yield part.get("text", "")


def _message(message: Message) -> View:
    """Of OpenAI Chat, Anthropic or LangChain."""
    kinds = [b.get("type") for b in blocks(message)]
    own = [b["id"] for b in blocks(message) if b.get("type") == "tool_use"]
    calls = (*own, *(call["id"] for call in message.get("tool_calls") or []))
    results = [b["tool_use_id"] for b in blocks(message) if b.get("type") == "tool_result"]
    role = message.get("role") or message["type"]
    if role == "tool":
        results.append(message["tool_call_id"])
    return View(
        _ROLES.get(role, role),
        text_of(message.get("content")),
        "".join(b.get("thinking", "") for b in blocks(message)),
        calls,
        tuple(results),
        len(calls) + kinds.count("server_tool_use") + bool(message.get("function_call")),
    )


_CONVERSE = frozenset({"text", "toolUse", "toolResult"})


def _converse(message: Message) -> View:
    parts = message["content"]
    calls = tuple(b["toolUse"]["toolUseId"] for b in parts if "toolUse" in b)
    answers = [b["toolResult"] for b in parts if "toolResult" in b]
    said = [b["text"] for b in parts if "text" in b]
    told = [part.get("text", "") for answer in answers for part in answer["content"]]
    ids = tuple(answer["toolUseId"] for answer in answers)
    return View(message["role"], "".join([*said, *told]), "", calls, ids, len(calls))


def _gemini(message: Message) -> View:
    parts = message["parts"]
    asked = [p["functionCall"] for p in parts if "functionCall" in p]
    answered = [p["functionResponse"] for p in parts if "functionResponse" in p]
    said = [p["text"] for p in parts if "text" in p]
    told = [str(answer["response"].get("result", "")) for answer in answered]
    calls = tuple(call.get("id") or call["name"] for call in asked)
    results = tuple(answer.get("id") or answer["name"] for answer in answered)
    role = _ROLES.get(message["role"], message["role"])
    return View(role, "".join([*said, *told]), "", calls, results, len(calls))


def _called(item: Message) -> View:
    id = item.get("call_id") or item["id"]
    return View("assistant", calls=(id,), asks=1)


_ITEMS = {
    "message": lambda item: View(item["role"], text_of(item["content"])),
    "reasoning": lambda item: View(
        "assistant", thought="".join(part["text"] for part in item["summary"])
    ),
    "function_call": _called,
    "mcp_approval_request": _called,
    "mcp_approval_response": lambda item: View("tool", results=(item["approval_request_id"],)),
    "function_call_output": lambda item: View(
        "tool", text_of(item["output"]), results=(item["call_id"],)
    ),
}


def as_chat(messages: History) -> History:
    """The same calls and results as an OpenAI Chat history, which the oracles read."""
    out: History = []
    for seen in map(view, messages):
        if seen.results:
            out += [{"role": "tool", "tool_call_id": id, "content": "x"} for id in seen.results]
        elif seen.calls:
            out.append({"role": "assistant", "content": None, "tool_calls": _asked(seen)})
        else:
            out.append({"role": seen.role, "content": "x"})
    return out


def _asked(seen: View) -> list[Any]:
    function = {"name": "f", "arguments": "{}"}
    return [{"id": id, "type": "function", "function": function} for id in seen.calls]
