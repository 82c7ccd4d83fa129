"""Sound conversations in OpenAI's shape for chat, which end where a model would reply."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = (
    "trim tab",
    " rudder",
    "\n",
    "\n\n",
    " ",
    "  ",
    "12",
    "345",
    "user",
    "assistant",
    "a,b;",
    "'s",
    "日本語",
    "🙂",
    "é",
    "{}",
    '"',
    "\\",
    "#",
    "system",
    "def f(x):\n    return x",
    "\t",
    "-" * 9,
)
texts = st.lists(st.sampled_from(_PIECES), max_size=6).map("".join) | st.text(max_size=12)
arguments = st.dictionaries(
    st.sampled_from(["path", "x", "n"]), texts | st.integers(0, 999) | st.booleans(), max_size=3
)


def say(role, text):
    return {"role": role, "content": text}


@st.composite
def loops(draw, most_calls=2):
    """An assistant message with calls, and its results."""
    ids = [f"call_{n}" for n in range(draw(st.integers(1, most_calls)))]
    calls = [
        {"id": id, "type": "function", "function": {"name": "find", "arguments": given}}
        for id in ids
        for given in [draw(arguments.map(written))]
    ]
    asked = {"role": "assistant", "content": draw(st.just("") | texts), "tool_calls": calls}
    results = [{"role": "tool", "tool_call_id": id, "content": draw(texts)} for id in ids]
    return [asked, *results]


def written(value):
    import json

    return json.dumps(value)


@st.composite
def conversations(draw, *, system=True, calls=2, reasoning=False):
    """Turns of a user and an assistant, with tool calls between; the last is left open.

    ``calls`` is how many at most a message makes, 0 for none.
    """
    made = [say("system", draw(texts))] if system and draw(st.booleans()) else []
    turns = draw(st.integers(1, 3))
    for turn in range(turns):
        made.append(say("user", draw(texts)))
        for _ in range(draw(st.integers(0, 2)) if calls else 0):
            made += draw(loops(most_calls=calls))
        if turn < turns - 1:
            made.append(say("assistant", draw(texts)))
    if reasoning:
        for message in made:
            if message["role"] == "assistant" and draw(st.booleans()):
                message["reasoning_content"] = draw(texts)
    return made
