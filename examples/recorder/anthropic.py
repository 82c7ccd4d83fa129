"""A session as the body of a Messages request."""

from collections.abc import Iterator, Sequence
from typing import Any

from recorder.play import Acted, Event, Spoke
from recorder.schemas import anthropic_tools

Block = dict[str, Any]


def body(system: str, events: Sequence[Event]) -> dict[str, Any]:
    """The whole request; the first human message ends with a cache marker."""
    messages: list[dict[str, Any]] = []
    for event in events:
        if isinstance(event, Spoke):
            add(messages, "user", list(spoke(event)))
            continue
        add(messages, "assistant", list(acted(event)))
        if event.calls:
            add(messages, "user", list(results(event)))
    messages[0]["content"][-1]["cache_control"] = {"type": "ephemeral"}
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 4096,
        "system": system,
        "tools": anthropic_tools(),
        "messages": messages,
    }


def add(messages: list[dict[str, Any]], role: str, content: list[Block]) -> None:
    """A message, or, if the last one has the same role, more blocks in that."""
    if messages and messages[-1]["role"] == role:
        messages[-1]["content"] += content
    else:
        messages.append({"role": role, "content": content})


def spoke(event: Spoke) -> Iterator[Block]:
    if event.png:
        source = {"type": "base64", "media_type": "image/png", "data": event.png}
        yield {"type": "image", "source": source}
    yield {"type": "text", "text": event.text}


def acted(event: Acted) -> Iterator[Block]:
    if event.text:
        yield {"type": "text", "text": event.text}
    for identifier, call, _ in event.calls:
        yield {"type": "tool_use", "id": identifier, "name": call.tool, "input": call.arguments}


def results(event: Acted) -> Iterator[Block]:
    """One result a call; the content of a file is a list of blocks, all else a string."""
    for identifier, call, result in event.calls:
        text = result.text
        content = [{"type": "text", "text": text}] if call.tool == "read_file" else text
        block = {"type": "tool_result", "tool_use_id": identifier, "content": content}
        yield block | ({"is_error": True} if result.failed else {})
