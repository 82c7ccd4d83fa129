"""pydantic-ai messages for tests: real ones, or a light twin where the package is absent.

``from_chat`` makes them of an OpenAI Chat history; ``to_chat`` reads them back for the
oracles, without the library.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, make_dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any

from support.twins import Package
from support.shapes import History, Message

NAME = "pydantic-ai"
PACKAGE = "pydantic_ai.messages"
REAL = find_spec("pydantic_ai") is not None
HARMLESS = {"swap_neighbours"}
_TOGETHER = {("tool", "tool"), ("tool", "user"), ("system", "user"), ("user", "user")}
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def _twin() -> ModuleType:
    module = ModuleType(PACKAGE)

    def made(name: str, *fields: Any) -> None:
        cls = make_dataclass(name, fields, namespace={"__module__": PACKAGE})
        cls.__module__ = PACKAGE
        setattr(module, name, cls)

    def part(name: str, kind: str, *fields: Any) -> None:
        made(name, *fields, ("part_kind", str, field(default=kind)))

    def maybe(*names: str) -> list[Any]:
        return [(name, Any, field(default=None)) for name in names]

    content, call = ("content", Any), [("tool_name", Any), ("args", Any, field(default=None))]
    part("SystemPromptPart", "system-prompt", content, *maybe("timestamp"))
    part("UserPromptPart", "user-prompt", content, *maybe("timestamp"))
    part("TextPart", "text", content)
    part("ThinkingPart", "thinking", content, *maybe("id", "signature", "provider_name"))
    part("CompactionPart", "compaction", *maybe("content", "id", "provider_name"))
    part("ToolCallPart", "tool-call", *call, *maybe("tool_call_id"))
    part("NativeToolCallPart", "builtin-tool-call", *call, *maybe("tool_call_id"))
    returns = [("tool_name", Any), content, *maybe("tool_call_id", "metadata", "timestamp")]
    returns.append(("outcome", str, field(default="success")))
    part("ToolReturnPart", "tool-return", *returns)
    part("NativeToolReturnPart", "builtin-tool-return", *returns)
    part("RetryPromptPart", "retry-prompt", content, *maybe("tool_name", "tool_call_id"))
    for name, kind in (("ModelRequest", "request"), ("ModelResponse", "response")):
        made(name, ("parts", Any), *maybe("timestamp", "instructions"), ("kind", str, kind))
    return module


TWIN = _twin()
_OWN = Package(PACKAGE, TWIN)
package, installed = _OWN.of, _OWN.installed


def from_chat(history: History, ai: Any) -> list[Any]:
    """An OpenAI Chat history as pydantic-ai messages; legacy calls become calls with ids.

    Neighbours that are no response are put into one request here and there.
    """
    made: list[Any] = []
    before = ""
    for at, message in enumerate(history):
        one, rng = _made(message, ai, Random(at)), Random(-1 - at)
        if (before, message["role"]) in _TOGETHER and rng.random() < 0.5:
            made[-1].parts.extend(one.parts)
        else:
            made.append(one)
        before = message["role"]
    return made


def _made(message: Message, ai: Any, rng: Random) -> Any:
    role, content = message["role"], _text(message.get("content"))
    if role == "assistant":
        return ai.ModelResponse(_response(message, content, ai, rng), timestamp=WHEN)
    if role == "user":
        part = ai.UserPromptPart(content, timestamp=WHEN)
    elif role in ("system", "developer"):
        part = ai.SystemPromptPart(content, timestamp=WHEN)
    elif rng.random() < 0.2 and not isinstance(content, list):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # old histories hold them
            id = _answered(message)
            part = ai.RetryPromptPart(content, tool_name="look_up", tool_call_id=id)
    else:
        id = _answered(message)
        part = ai.ToolReturnPart("look_up", content, tool_call_id=id, timestamp=WHEN)
    return ai.ModelRequest([part], timestamp=WHEN)


def _response(message: Message, content: Any, ai: Any, rng: Random) -> list[Any]:
    parts = [ai.ThinkingPart("hm", signature="c2ln")] if message.get("reasoning_content") else []
    parts += [ai.TextPart(text) for text in [content, message.get("refusal")] if text]
    for call in message.get("tool_calls") or []:
        inner = call.get("function") or call["custom"]
        args = inner.get("arguments") or {"input": inner["input"]}
        parts.append(ai.ToolCallPart(inner["name"], args, tool_call_id=call["id"]))
    if legacy := message.get("function_call"):
        id = f"function:{legacy['name']}"
        parts.append(ai.ToolCallPart(legacy["name"], legacy["arguments"], tool_call_id=id))
    return parts or [ai.TextPart("")]


def _answered(message: Message) -> Any:
    return message.get("tool_call_id") or f"function:{message.get('name')}"


def _text(content: Any) -> str:
    if isinstance(content, list):
        return " ".join(str(part.get("text") or part["type"]) for part in content)
    return content or ""


def to_chat(messages: list[Any]) -> History:
    """What matters to the oracles, as an OpenAI Chat history: a message for every part."""
    return [made for message in messages for made in _read(message)]


def _read(message: Any) -> Iterator[Message]:
    if message.kind == "response":
        ids = [part.tool_call_id for part in message.parts if part.part_kind == "tool-call"]
        call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
        calls = {"tool_calls": [{"id": id, **call} for id in ids]} if ids else {}
        yield {"role": "assistant", "content": "x", **calls}
        return
    roles = {"user-prompt": "user", "system-prompt": "system"}
    for part in message.parts:
        made = {"role": roles.get(part.part_kind, "tool"), "content": "x"}
        yield made if made["role"] != "tool" else {**made, "tool_call_id": part.tool_call_id}
