"""Sound OpenAI Responses histories, unit by unit, and ways in which they break.

Each builder appends one whole unit and leaves the history sound, so any order of builders
is a sound history. ``pending`` leaves calls open at the very end.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import strategies as st

from support.responses_oracle import is_call, is_output, is_result, link
from support.shapes import History, Message
from support.words import PIXEL, output, words

Build = Callable[[History, Random], None]


def _say(history: History, rng: Random) -> None:
    content: Any = words(rng)
    if rng.random() < 0.4:
        content = [{"type": "input_text", "text": content}]
    message: Message = {"role": "user", "content": content}
    history.append({"type": "message", **message} if rng.random() < 0.4 else message)


def _users(history: History, rng: Random) -> None:
    for _ in range(rng.randint(2, 3)):
        _say(history, rng)


def _system(history: History, rng: Random) -> None:
    history.append({"role": rng.choice(["system", "developer"]), "content": words(rng)})


def _parts(history: History, rng: Random) -> None:
    parts: list[Any] = [
        {"type": "input_text", "text": words(rng)},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}", "detail": "low"},
        {"type": "input_file", "file_id": "file-1"},
    ]
    history.append({"role": "user", "content": parts[: rng.randint(1, 3)]})


def _think(history: History, rng: Random) -> None:
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        summary = [{"type": "summary_text", "text": words(rng)}] if rng.random() < 0.5 else []
        item: Message = {"type": "reasoning", "id": f"rs_{len(history)}", "summary": summary}
        history.append({**item, "encrypted_content": "g" * rng.randint(700, 2_000)})


def _text(history: History, rng: Random) -> None:
    part: Message = {"type": "output_text", "text": words(rng, 1, 30), "annotations": []}
    if rng.random() < 0.2:
        part = {"type": "refusal", "refusal": words(rng)}
    own = {"type": "message", "id": f"msg_{len(history)}", "status": "completed"}
    history.append({**own, "role": "assistant", "content": [part]})


def _reply(history: History, rng: Random) -> None:
    if rng.random() < 0.3:
        history.append({"role": "assistant", "content": words(rng)})
        return
    _think(history, rng)
    _text(history, rng)


def _ids(history: History, n: int) -> list[str]:
    return [f"call_{len(history)}_{k}" for k in range(n)]


def _call_of(kind: str, id: str, rng: Random) -> Message:
    of: dict[str, Message] = {
        "function_call": {"name": "look_up", "arguments": f'{{"q": "{rng.randint(0, 99)}"}}'},
        "custom_tool_call": {"name": "edit", "input": words(rng)},
        "local_shell_call": {"id": f"lsh{id}", "action": {"type": "exec", "command": ["ls"]}},
        "shell_call": {"action": {"commands": ["ls", words(rng)]}},
        "apply_patch_call": {
            "operation": {"type": "delete_file", "path": "a"},
            "status": "completed",
        },
        "computer_call": {"id": f"cu{id}", "action": {"type": "wait"}, "pending_safety_checks": []},
        "tool_search_call": {"arguments": {"queries": ["rates"]}, "execution": "client"},
        "future_call": {"depth": rng.randint(0, 9)},
    }
    return {"type": kind, "call_id": id, **of[kind]}


def _output_of(call: Message, rng: Random) -> Message:
    kind, id = call["type"], call["call_id"]
    made: Message = {"type": f"{kind}_output", "call_id": id, "output": output(rng)}
    if kind in ("function_call", "custom_tool_call") and rng.random() < 0.2:
        made["output"] = [{"type": "input_text", "text": output(rng) or "none"}]
    elif kind == "local_shell_call":
        made = {"type": "local_shell_call_output", "id": id, "output": '{"output": "a"}'}
    elif kind == "shell_call":
        made["output"] = [{"stdout": output(rng), "stderr": "", "outcome": {"type": "timeout"}}]
    elif kind == "apply_patch_call":
        made["status"] = "completed"
    elif kind == "computer_call":
        picture = f"data:image/png;base64,{PIXEL}"
        made["output"] = {"type": "computer_screenshot", "image_url": picture}
    elif kind == "tool_search_call":
        made = {"type": "tool_search_output", "call_id": id, "execution": "client", "tools": []}
    return made


_KINDS = [
    "function_call",
    "custom_tool_call",
    "shell_call",
    "local_shell_call",
    "apply_patch_call",
] + ["computer_call", "tool_search_call", "future_call"]


def _ask(history: History, rng: Random, n: int, kinds: list[str]) -> History:
    _think(history, rng)
    if rng.random() < 0.2:
        _text(history, rng)
    calls = [_call_of(rng.choice(kinds), id, rng) for id in _ids(history, n)]
    history += calls
    return calls


def _call(history: History, rng: Random) -> None:
    for call in _ask(history, rng, 1, ["function_call"]):
        history.append(_output_of(call, rng))


def _parallel(history: History, rng: Random) -> None:
    calls = _ask(history, rng, rng.randint(2, 4), ["function_call"])
    history += [_output_of(call, rng) for call in rng.sample(calls, len(calls))]


def _tools(history: History, rng: Random) -> None:
    calls = _ask(history, rng, rng.randint(1, 3), _KINDS)
    history += [_output_of(call, rng) for call in calls]


def _late(history: History, rng: Random) -> None:
    """Outputs that come after what was said in the meantime."""
    calls = _ask(history, rng, rng.randint(1, 2), ["function_call"])
    for call in calls:
        rng.choice([_say, _reply, _system])(history, rng)
        history.append(_output_of(call, rng))


def _hosted(history: History, rng: Random) -> None:
    """Tools that the provider runs, an item of a kind nobody knows, and what was said of it."""
    _think(history, rng)
    own = {"id": f"ws_{len(history)}", "status": "completed"}
    found: History = [
        {"type": "web_search_call", "action": {"type": "search", "query": words(rng)}},
        {"type": "file_search_call", "queries": [words(rng)], "results": [{"text": words(rng)}]},
        {"type": "code_interpreter_call", "code": "1", "container_id": "c", "outputs": None},
        {"type": "mcp_list_tools", "server_label": "s", "tools": []},
        {"type": "mcp_call", "server_label": "s", "name": "f", "arguments": "{}", "output": "4"},
        {"type": "hologram", "shape": words(rng)},
    ]
    history += [{**own, **item} for item in rng.sample(found, rng.randint(1, 3))]
    _text(history, rng)


def _approval(history: History, rng: Random) -> None:
    id = f"mcpr_{len(history)}"
    asked: Message = {"type": "mcp_approval_request", "id": id, "server_label": "s", "name": "f"}
    history.append({**asked, "arguments": "{}"})
    history.append({"type": "mcp_approval_response", "approval_request_id": id, "approve": True})


def _program(history: History, rng: Random) -> None:
    """A program and the calls that it makes, one after the other."""
    _think(history, rng)
    own = f"prog_{len(history)}"
    item: Message = {"type": "program", "id": own, "call_id": own, "code": "f()"}
    history.append({**item, "fingerprint": "x"})
    for id in _ids(history, rng.randint(1, 2)):
        caller = {"type": "program", "caller_id": own}
        call = {**_call_of("function_call", id, rng), "caller": caller}
        history += [call, {**_output_of(call, rng), "caller": caller}]
    ran: Message = {"type": "program_output", "id": f"o{own}", "call_id": own, "result": "4"}
    history.append({**ran, "status": "completed"})


def _compaction(history: History, rng: Random) -> None:
    blob = "g" * rng.randint(700, 1_500)
    history.append({"type": "compaction", "id": "cmp", "encrypted_content": blob})


def pending(history: History, rng: Random) -> None:
    """The very end: calls that are still waiting for some or all of their outputs."""
    calls = _ask(history, rng, rng.randint(1, 4), ["function_call"])
    history += [_output_of(call, rng) for call in calls[: rng.randrange(len(calls))]]


UNITS: dict[str, Build] = {
    "say": _say,
    "reply": _reply,
    "call": _call,
    "system": _system,
    "parallel": _parallel,
    "users": _users,
    "parts": _parts,
    "tools": _tools,
    "late": _late,
    "hosted": _hosted,
    "approval": _approval,
    "program": _program,
    "compaction": _compaction,
}
"""Ordered from simple to odd, so that Hypothesis shrinks towards the simple ones."""


def sound_responses(max_units: int = 8) -> st.SearchStrategy[History]:
    """Sound histories of at most ``max_units`` units, and perhaps open calls."""
    step = st.tuples(st.sampled_from(list(UNITS)), st.integers(0, 2**16))
    script = st.lists(step, min_size=1, max_size=max_units)
    return st.builds(build, script, st.none() | st.integers(0, 2**16))


def build(script: list[tuple[str, int]], open_end: int | None = None) -> History:
    """The sound history of a script."""
    history: History = []
    for kind, seed in script:
        UNITS[kind](history, Random(seed))
    if open_end is not None:
        pending(history, Random(open_end))
    return history


DAMAGE: dict[str, Build] = {}


def _kind(function: Build) -> Build:
    DAMAGE[function.__name__] = function
    return function


def _one(history: History, rng: Random, wanted: Callable[[Message], bool]) -> list[int]:
    found = [at for at, item in enumerate(history) if wanted(item)]
    return [rng.choice(found)] if found else []


@_kind
def drop_result(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_result):
        del history[at]


@_kind
def drop_call(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_call):
        del history[at]


@_kind
def drop_reasoning(history: History, rng: Random) -> None:
    for at in _one(history, rng, lambda item: item.get("type") == "reasoning"):
        del history[at]


@_kind
def drop_what_was_said(history: History, rng: Random) -> None:
    for at in _one(history, rng, lambda item: is_output(item) and not is_call(item)):
        del history[at]


@_kind
def duplicate_result(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_result):
        history.insert(rng.randint(at + 1, len(history)), copy.deepcopy(history[at]))


@_kind
def duplicate_call(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_call):
        history.insert(at, copy.deepcopy(history[at]))


@_kind
def wrong_id(history: History, rng: Random) -> None:
    for at in _one(history, rng, lambda item: is_result(item) and "call_id" in item):
        history[at]["call_id"] = "nobody_asked"


@_kind
def result_before_call(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_result):
        item = history.pop(at)
        callers = [c for c in range(at) if is_call(history[c]) and link(history[c]) == link(item)]
        history.insert(callers[-1] if callers else 0, item)


@_kind
def late_result(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_result):
        history.insert(rng.randint(at, len(history) - 1), history.pop(at))


@_kind
def human_inside(history: History, rng: Random) -> None:
    for at in _one(history, rng, lambda item: is_result(item) or is_output(item)):
        history.insert(at, {"role": "user", "content": "hurry up"})


@_kind
def system_inside(history: History, rng: Random) -> None:
    for at in _one(history, rng, lambda item: is_result(item) or is_output(item)):
        history.insert(at, {"role": "developer", "content": "be brief"})


@_kind
def cut_head(history: History, rng: Random) -> None:
    for at in _one(history, rng, is_result):
        del history[:at]


@_kind
def cut_middle(history: History, rng: Random) -> None:
    start = rng.randrange(len(history))
    del history[start : start + rng.randint(1, 3)]


@_kind
def cut_tail(history: History, rng: Random) -> None:
    del history[rng.randint(1, len(history)) :]


@_kind
def swap_neighbours(history: History, rng: Random) -> None:
    if len(history) > 1:
        at = rng.randrange(len(history) - 1)
        history[at], history[at + 1] = history[at + 1], history[at]


@_kind
def reverse(history: History, rng: Random) -> None:
    if not _has_program(history):
        history.reverse()


@_kind
def shuffle(history: History, rng: Random) -> None:
    if not _has_program(history):
        rng.shuffle(history)


def _has_program(history: History) -> bool:
    """Whether any item belongs to a program: what it means out of order nobody has written."""
    return any(item.get("type") == "program" for item in history)


@st.composite
def damaged_responses(draw: st.DrawFn, max_units: int = 6) -> tuple[str, History, History]:
    """(kind, sound history, the same after that damage); some damage leaves it sound."""
    history = draw(sound_responses(max_units))
    kind = draw(st.sampled_from(sorted(DAMAGE)))
    broken = copy.deepcopy(history)
    DAMAGE[kind](broken, Random(draw(st.integers(0, 2**16))))
    return kind, history, broken
