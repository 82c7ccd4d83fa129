"""A conversation whose every text tries to break out: of HTML, of a script, of a terminal."""

from __future__ import annotations

EVIL = (
    "</script><script>document.title='owned';alert(1)</script><img src=x onerror=alert(2)>"
    "<!-- \x1b[31mred\x1b]0;title\x07 \x9b2J \u202eevil\u2066 \u2028 \ud800 {{ 7*7 }} {% raw %} &amp; \x00"
)


def wild(turns: int = 6):
    """Chat messages with it in texts, names, ids and arguments."""
    messages = [{"role": "system", "content": EVIL}]
    for n in range(turns):
        call = {"id": f"c{n}{EVIL}", "type": "function", "function": {"name": "look", "arguments": '{"a": "<b>"}'}}
        messages += [
            {"role": "user", "content": f"{n} {EVIL}"},
            {"role": "assistant", "content": EVIL, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}{EVIL}", "content": EVIL * 3},
            {"role": "assistant", "content": f"done {EVIL}"},
        ]
    return messages
