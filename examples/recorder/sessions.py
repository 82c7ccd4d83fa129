"""The two sessions and the files they are recorded into."""

import json
from typing import Any

from recorder import anthropic, billing, occupancy, openai_chat
from recorder.play import play


def record_openai_chat() -> dict[str, Any]:
    """Play the billing session; the body of a Chat Completions request."""
    return openai_chat.body(billing.SYSTEM, play(billing.SCRIPT, "call_"))


def record_anthropic() -> dict[str, Any]:
    """Play the occupancy session; the body of a Messages request."""
    return anthropic.body(occupancy.SYSTEM, play(occupancy.SCRIPT, "toolu_01"))


SESSIONS = {"openai-chat.json": record_openai_chat, "anthropic.json": record_anthropic}


def record(name: str) -> str:
    """The text of the file `name`, recorded anew. The same text every time."""
    return json.dumps(SESSIONS[name](), indent=1, ensure_ascii=False) + "\n"
