"""The text of a tool result as the library shortens it, counted in characters."""

from __future__ import annotations

from support.shapes import History

from trimtab import InvalidOptions, Policy, fit

_CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}


def shortened(text: str, cap: int) -> str | None:
    """The text within a cap; None where the library refuses the cap."""
    history: History = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [_CALL]},
        {"role": "tool", "tool_call_id": "c", "content": text},
    ]
    try:
        policy = Policy(max_result_tokens=cap)
    except InvalidOptions:
        return None
    fitted = fit(history, 10**6, format="openai-chat", counter=len, policy=policy)
    return fitted.messages[2]["content"]


def fits_whole(text: str) -> bool:
    """Whether a text that is as long as the cap comes back as it is."""
    return shortened(text, len(text)) == text
