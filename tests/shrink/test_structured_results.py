"""Results that are data, in every format that has some: small enough, and still data."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import pydantic_ai_messages
from support.judges import judge
from support.written import installed
from trimtab import Policy, check, fit, verify
from trimtab.formats.registry import format_named
from trimtab.jsontext import jsontext
from trimtab.tokens.encodings import encoding

TOKENS = encoding("o200k_base")


def gemini(data, failed=False):
    response = data if isinstance(data, dict) else {"output": data}
    response = {"error": "it broke", **response} if failed else response
    call = {"functionCall": {"id": "a", "name": "f", "args": {}}}
    answer = {"functionResponse": {"id": "a", "name": "f", "response": response}}
    return [
        {"role": "user", "parts": [{"text": "q"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [answer]},
    ]


def bedrock(data, failed=False):
    result = {"toolUseId": "a", "content": [{"json": data}]}
    result |= {"status": "error"} if failed else {}
    return [
        {"role": "user", "content": [{"text": "q"}]},
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}],
        },
        {"role": "user", "content": [{"toolResult": result}]},
    ]


def vercel(data, failed=False):
    output = {"type": "error-json" if failed else "json", "value": data}
    about = {"toolCallId": "a", "toolName": "f"}
    return [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool-call", **about, "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", **about, "output": output}]},
    ]


def vercel_4(data, failed=False):
    history = vercel(None)
    (result,) = history[2]["content"]
    del result["output"]
    result |= {"result": data} | ({"isError": True} if failed else {})
    return history


def ui(data, failed=False):
    part = {"type": "tool-f", "toolCallId": "a", "state": "output-available", "input": {}}
    part = part | {"output": data}
    return [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
        {"id": "2", "role": "assistant", "parts": [part]},
    ]


def ui_4(data, failed=False):
    inner = {"state": "result", "toolCallId": "a", "toolName": "f", "args": {}, "result": data}
    history = ui(None)
    history[1]["parts"] = [{"type": "tool-invocation", "toolInvocation": inner}]
    return history


def pydantic_ai(data, failed=False):
    ai = pydantic_ai_messages.package("real" if pydantic_ai_messages.REAL else "twin")
    call = ai.ToolCallPart("f", {}, tool_call_id="a")
    back = ai.ToolReturnPart("f", data, tool_call_id="a", metadata={"own": 1})
    return [
        ai.ModelRequest([ai.UserPromptPart("q")]),
        ai.ModelResponse([call], timestamp=pydantic_ai_messages.WHEN),
        ai.ModelRequest([back]),
    ]


def mcp(data, failed=False):
    data = data if isinstance(data, dict) else {"result": data}
    result = {"type": "tool_result", "toolUseId": "a", "structuredContent": data}
    result |= {"content": [{"type": "text", "text": jsontext(data)}]}
    result |= {"isError": True} if failed else {}
    return [
        {"role": "user", "content": {"type": "text", "text": "q"}},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
        },
        {"role": "user", "content": [result]},
    ]


FORMATS = {
    "gemini": ("gemini", gemini, lambda m: m["parts"][0]["functionResponse"]["response"]),
    "bedrock": ("bedrock-converse", bedrock, lambda m: m["content"][0]["toolResult"]["content"]),
    "vercel": ("vercel-ai", vercel, lambda m: m["content"][0]["output"]["value"]),
    "vercel 4": ("vercel-ai", vercel_4, lambda m: m["content"][0]["result"]),
    "ui": ("vercel-ui", ui, lambda m: m["parts"][0]["output"]),
    "ui 4": ("vercel-ui", ui_4, lambda m: m["parts"][0]["toolInvocation"]["result"]),
    "pydantic-ai": ("pydantic-ai", pydantic_ai, lambda m: m.parts[0].content),
    "mcp": ("mcp", mcp, lambda m: m["content"][0]),
}
FAILING = ["gemini", "bedrock", "vercel", "vercel 4", "mcp"]


def inside(name, message):
    """The data of a result."""
    held = FORMATS[name][2](message)
    if name == "bedrock":
        (part,) = held
        return part["json"]
    return held["structuredContent"] if name == "mcp" else held


def size(name, message):
    """Real tokens of all that a result says."""
    data = inside(name, message)
    texts = isinstance(data, list) and all(isinstance(item, str) for item in data)
    if not (name == "pydantic-ai" and texts):  # such a list is as many texts
        data = [data if isinstance(data, str) else jsontext(data)]
    said = list(data)
    if name == "mcp":
        said += [part["text"] for part in message["content"][0]["content"]]
    return sum(map(TOKENS.count, said))


leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12) | st.sampled_from(["e\u0301" * 40, "line\n" * 60, "👩\u200d👧" * 20])
    | st.sampled_from([json.dumps([{"n": n} for n in range(40)]), "```py\nx = 1\n" * 20])
)
keys = st.text(max_size=6) | st.sampled_from(["error", "...", "is_error", "a long key of words"])
data = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=8)
    | st.lists(inner, max_size=3).map(lambda items: items * 15)
    | st.dictionaries(keys, inner, max_size=8),
    max_leaves=40,
)


def capped(name, history, cap):
    format, _, _ = FORMATS[name]
    before = copy.deepcopy(history)
    fitted = fit(history, 10**8, format=format, policy=Policy(max_result_tokens=cap))
    assert history == before
    assert all(a is b for a, b in zip(fitted.messages[:-1], history[:-1], strict=True))
    return fitted


@pytest.mark.parametrize("name", list(FORMATS))
def test_any_data(name):
    format, make, _ = FORMATS[name]

    @settings(max_examples=40, deadline=None, derandomize=True)
    @given(data, st.integers(1, 120), st.booleans())
    def holds(value, cap, failed):
        if isinstance(value, str):
            value = [value]
        history = make(value, failed)
        fitted = capped(name, history, cap)
        own, made = history[-1], fitted.messages[-1]
        if size(name, own) <= cap:
            assert made is own
            return
        shown = inside(name, made)
        # what tells a failure stays, and nothing is smaller than five characters
        assert size(name, made) <= max(cap, 10) or len(jsontext(shown)) <= 30
        assert json.loads(json.dumps(shown)) == shown
        assert type(shown) is type(inside(name, own)) or shown in ("", "[...]")
        assert verify(fitted) == [] == check(fitted.messages, format=format)
        assert judge(format)(fitted.messages) == judge(format)(history)
        assert capped(name, history, cap).messages == fitted.messages
        again = capped(name, fitted.messages, cap)
        assert again.messages[-1] is made

    with installed(format):
        holds()


ROWS = [{"id": n, "name": f"user {n}", "tags": ["a", "b\n"], "score": n / 7} for n in range(400)]


@pytest.mark.parametrize("name", list(FORMATS))
@pytest.mark.parametrize("cap", [60, 150, 1_000])
def test_rows_go_from_the_middle_with_a_count(name, cap):
    format, make, _ = FORMATS[name]
    with installed(format):
        made = capped(name, make(ROWS), cap).messages[-1]
    assert size(name, made) <= cap
    shown = inside(name, made)
    (rows,) = shown.values() if isinstance(shown, dict) else [shown]
    kept = [row for row in rows if isinstance(row, dict)]
    (count,) = [row for row in rows if not isinstance(row, dict)]
    assert count == f"[... {400 - len(kept)} items left out ...]"
    assert cap < 150 or size(name, made) > cap * (0.4 if name == "mcp" else 0.7)
    where = rows.index(count)
    if cap > 150 or (cap == 150 and name != "mcp"):
        assert rows[:where] == ROWS[:where] and where
        assert rows[where + 1 :] == ROWS[400 - len(rows) + where + 1 :]


@pytest.mark.parametrize("name", FAILING)
def test_what_failed_stays_failed(name):
    format, make, _ = FORMATS[name]
    for cap in (1, 5, 20, 60):
        history = make({"output": "word " * 900, "more": ROWS}, failed=True)
        made = capped(name, history, cap).messages
        shape = format_named(format)
        assert shape.failed(history[-1], 0) and shape.failed(made[-1], 0)


@pytest.mark.parametrize("name", list(FORMATS))
def test_nothing_but_the_data_changes(name):
    format, make, get = FORMATS[name]
    with installed(format):
        history = make({"rows": ROWS})
        made = capped(name, history, 60).messages[-1]
        own = history[-1]
        if name == "pydantic-ai":
            part, old = made.parts[0], own.parts[0]
            assert type(part) is type(old) and part.metadata is old.metadata
            assert (part.tool_name, part.tool_call_id) == (old.tool_name, old.tool_call_id)
            return
        shown = inside(name, made)
        assert json.dumps(made).replace(json.dumps(shown), "!", 1).partition("!")[0] == (
            json.dumps(own).replace(json.dumps(inside(name, own)), "!", 1).partition("!")[0]
        ) or name == "mcp"


@pytest.mark.parametrize("name", list(FORMATS))
def test_deep_data(name):
    deep = []
    for _ in range(100_000):
        deep = [deep, 1] if len(deep) < 2 else [deep]
    format, make, _ = FORMATS[name]
    with installed(format):
        history = make([deep, "x " * 500])
        fitted = fit(history, 10**8, format=format, policy=Policy(max_result_tokens=50))
        shown = jsontext(inside(name, fitted.messages[-1]))
    assert TOKENS.count(shown) <= 50 and "left out" in shown


class Read:
    """Counts the characters that a counter is given."""

    exact, name = True, "read"

    def __init__(self):
        self.characters = self.calls = 0

    def count(self, text):
        self.calls += 1
        self.characters += len(text)
        return len(text) // 4

    def count_many(self, texts):
        return list(map(self.count, texts))

    def within(self, text, limit):
        if len(text) // 4 > limit:
            self.calls += 1
            self.characters += limit * 4
            return None
        return self.count(text)

    def fits(self, text, limit):
        return self.within(text, limit) is not None


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "mcp"])
@pytest.mark.parametrize("shape", ["rows", "text"])
def test_five_megabytes_are_not_counted_to_the_end(name, shape):
    value = {"text": "word " * 10**6} if shape == "text" else {"rows": ROWS * 180}
    assert len(jsontext(value)) > 4_500_000
    format, make, _ = FORMATS[name]
    counter = Read()
    with installed(format):
        history = make(value)
        policy = Policy(max_result_tokens=500)
        fitted = fit(history, 10**8, format=format, counter=counter, policy=policy)
        assert len(jsontext(inside(name, fitted.messages[-1]))) <= 2_003
    assert counter.calls < 80 and counter.characters < 150_000


def test_a_smaller_cap_never_keeps_more():
    """In characters, but for what one marker takes."""

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(data, st.integers(8, 60), st.integers(0, 100))
    def holds(value, cap, more):
        history = gemini(value)
        one, two = (
            len(jsontext(inside("gemini", capped("gemini", history, limit).messages[-1])))
            for limit in (cap, cap + more)
        )
        assert one <= two + 60

    holds()
