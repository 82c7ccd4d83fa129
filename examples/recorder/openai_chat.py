"""A session as the body of a Chat Completions request."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from recorder.play import Acted, Event
from recorder.schemas import openai_tools

Message = dict[str, Any]


def body(system: str, events: Sequence[Event]) -> dict[str, Any]:
    """The whole request."""
    messages: list[Message] = [{"role": "system", "content": system}]
    for event in events:
        if isinstance(event, Acted):
            messages += acted(event)
        else:
            messages.append({"role": "user", "content": event.text})
    return {"model": "gpt-4.1", "tools": openai_tools(), "messages": messages}


def acted(event: Acted) -> Iterator[Message]:
    """The assistant message, then a tool message for every call."""
    if not event.calls:
        yield {"role": "assistant", "content": event.text}
        return
    calls = [
        {
            "id": identifier,
            "type": "function",
            "function": {
                "name": call.tool,
                "arguments": json.dumps(call.arguments, ensure_ascii=False, separators=(",", ":")),
            },
        }
        for identifier, call, _ in event.calls
    ]
    yield {"role": "assistant", "content": event.text or None, "tool_calls": calls}
    for identifier, _, result in event.calls:
        yield {"role": "tool", "tool_call_id": identifier, "content": result.text}
