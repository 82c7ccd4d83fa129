"""Histories as the transcripts that Claude Code and Codex would have written of them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from support.corpus import CORPUS
from support.shapes import History, Message

Value = dict[str, Any]
SESSION = "3f2a3f5e-0000-4000-8000-000000000001"
NOISE: list[Value] = [
    {"type": "file-history-snapshot", "messageId": "x", "snapshot": {"n": 1.10}},
    {"type": "summary", "summary": "caf\u00e9 \u2028 \\u0041", "leafUuid": "elsewhere"},
    {"type": "line_of_next_year", "payload-ish": [1e999, 12345678901234567890]},
]


def text(values: list[Value | bytes]) -> bytes:
    """Lines of JSON, written in the ways in which JSON may be written; bytes stand for themselves."""
    rng = Random(len(values))
    lines = [v if isinstance(v, bytes) else _json(v, rng).encode() for v in values]
    return b"\n".join(lines) + rng.choice([b"", b"\n"])


def _json(value: Value, rng: Random) -> str:
    separators = rng.choice([(",", ":"), (", ", ": "), (" ,\t", " : ")])
    return json.dumps(value, ensure_ascii=rng.random() < 0.5, separators=separators)


class ClaudeCode:
    """Writes a transcript line by line; every line follows the last one unless told otherwise."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self.last: str | None = None

    def add(self, kind: str, *, parent: Any = ..., **fields: Any) -> str:
        """Add a linked line and return its uuid."""
        uuid = f"00000000-0000-4000-8000-{len(self.values):012}"
        self.values.append(
            {
                "parentUuid": self.last if parent is ... else parent,
                "isSidechain": False,
                "sessionId": SESSION,
                "type": kind,
                **fields,
                "uuid": uuid,
                "timestamp": f"2026-01-01T00:00:00.{len(self.values):03}Z",
            }
        )
        self.last = uuid
        return uuid

    def user(self, content: Any, **fields: Any) -> str:
        """A line of the user's."""
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def result(self, call: str, text: str = "ok", **fields: Any) -> str:
        """A line with the result of a tool."""
        block = {"type": "tool_result", "tool_use_id": call, "content": text}
        return self.user([block], **fields)

    def assistant(self, id: str, *blocks: Any, **fields: Any) -> str:
        """A line of the assistant's; a text stands for a block of text."""
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        message = {"id": id, "model": "claude-sonnet-4-5", "role": "assistant", "content": content}
        return self.add("assistant", message=message, **fields)

    def call(self, id: str, call: str, **fields: Any) -> str:
        """A line with a tool call."""
        block = {"type": "tool_use", "id": call, "name": "look_up", "input": {"q": 1}}
        return self.assistant(id, block, **fields)

    def branch(self, kind: str, **fields: Any) -> str:
        """A line that nothing follows."""
        last = self.last
        uuid = self.add(kind, **fields)
        self.last = last
        return uuid

    @property
    def text(self) -> bytes:
        """The transcript."""
        return text(list(self.values))


def claude_code(history: History, rng: Random, *, forks: bool = True) -> bytes:
    """An Anthropic history as Claude Code writes it: a line a block, results under their calls.

    With ``forks`` results stand under their own calls, in parallel or one after the other.
    """
    out, callers = ClaudeCode(), dict[str, str]()
    for number, message in enumerate(history):
        if message["role"] == "system":
            continue
        _noise(out, rng)
        if message["role"] == "assistant":
            blocks = message["content"]
            for block in [blocks] if isinstance(blocks, str) else blocks:
                content = block if isinstance(block, str) else [block]
                line = {**message, "id": message.get("id", f"msg_of_{number}"), "content": content}
                uuid = out.add("assistant", message=line)
                if isinstance(block, dict) and block["type"] == "tool_use":
                    callers[block["id"]] = uuid
                    if rng.random() < 0.3:
                        out.branch("progress", data={"type": "hook_progress"})
        else:
            _user_lines(out, message, callers if forks else {})
    return out.text


def _user_lines(out: ClaudeCode, message: Message, callers: dict[str, str]) -> None:
    content = message["content"]
    only = isinstance(content, list) and all(b["type"] == "tool_result" for b in content)
    for part in [[block] for block in content] if only else [content]:
        block = part[0] if isinstance(part, list) and part else {}
        caller = callers.get(block.get("tool_use_id", "")) if isinstance(block, dict) else None
        out.add("user", message={**message, "content": part}, parent=caller or ...)


def _noise(out: ClaudeCode, rng: Random) -> None:
    if rng.random() < 0.2:
        out.values.append(rng.choice(NOISE))
    if out.last and rng.random() < 0.2:
        out.add(rng.choice(["attachment", "system", "progress"]), note="on the way")
    if out.last and rng.random() < 0.1:
        out.branch("user", message={"role": "user", "content": "given up"})
    if rng.random() < 0.1:
        aside = {"role": "user", "content": "of a subagent"}
        out.branch("user", parent=None, message=aside, isSidechain=True)


SHOWN = {"user": "user_message", "assistant": "agent_message"}


def codex(history: History, rng: Random) -> bytes:
    """A Responses history as Codex writes it: items among headers and what shows them."""
    values: list[Value | bytes] = [{"type": "session_meta", "payload": {"id": SESSION}}]
    values.append(event("task_started"))
    values.append({"type": "turn_context", "payload": {"model": "gpt-5.2"}})
    for item in history:
        values += _shown(item, rng)
        if rng.random() < 0.2:
            values.append(event("token_count", info={"total": 1}))
        if rng.random() < 0.1:
            values.append({"type": "world_state_of_next_year", "payload": {"x": 1.10}})
    return text(values)


def event(kind: str, **fields: Any) -> Value:
    """A line that only shows something."""
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": kind, **fields}}


def item(payload: Message) -> Value:
    """A line with an item."""
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload}


def say(role: str, words: str) -> Message:
    """A message as Codex writes it."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": words}]}


def _shown(payload: Message, rng: Random) -> list[Value]:
    role, content = payload.get("role"), payload.get("content")
    line = item(payload)
    if role in SHOWN and isinstance(content, str):
        shows = event(SHOWN[role], message=content)
        return [line, shows] if role == "user" else [shows, line]
    if isinstance(payload.get("call_id"), str) and str(payload.get("type")).endswith("_output"):
        return [event("exec_command_end", call_id=payload["call_id"]), line]
    return [line]


def recorded(kind: str) -> list[Any]:
    """The recorded transcripts of one agent."""
    return sorted(path for path in (CORPUS / kind).glob("*.jsonl") if path.name != "index.jsonl")
