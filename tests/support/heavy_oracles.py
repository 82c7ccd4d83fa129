"""What big frameworks say of a history: their own mending must find nothing to mend.

``oracle(format)`` is a function from a history in that format (the caller's objects of any
kind that the format reads) to its objections, or None where the package is not installed.
They live in an environment of their own (``make oracles``); each package is imported when it
is first asked. Some of these functions are private, which is why the versions are pinned.

Completed before asking, since Trimtab takes it as sound: what waits at the very end. Reduced
to what a package reads: it sees roles, ids and names, with one word for every other content.
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from support import agents_items, prepare, responses_oracle, strict_oracles
from support.shapes import History, Message, blocks

Ask = Callable[[list[Any]], list[str]]


def get(item: Any, *names: str) -> Any:
    """The first of these fields that is there, of a dict or an object."""
    for name in names:
        value = item.get(name) if isinstance(item, dict) else getattr(item, name, None)
        if value is not None:
            return value
    return None


def strands(messages: list[Any]) -> list[str]:
    """Bedrock Converse: Strands would not rebuild the tool traffic."""
    if not messages:
        return []
    return strict_oracles.strands(strict_oracles.completed(copy.deepcopy(messages)))


def agents(messages: list[Any]) -> list[str]:
    """OpenAI Responses items, or run items: the Agents SDK would not prune one."""
    items = copy.deepcopy(agents_items.to_items(messages))
    return responses_oracle.agents(responses_oracle.answered(responses_oracle.adjacent(items)))


def adk(messages: list[Any]) -> list[str]:
    """Gemini contents: ADK would neither drop a call or response nor move one."""
    from google.adk.flows.llm_flows.tools import _rearranger

    logging.getLogger("google_adk").setLevel(logging.CRITICAL)  # it warns of what it mends
    events = list(_events(_gemini_turns(messages)))
    steps = (
        _rearranger.drop_orphaned_function_responses,
        _rearranger.drop_orphaned_function_calls,
        _rearranger.rearrange_events_for_async_function_responses_in_history,
    )
    for step in steps:
        kept = step(list(events))
        if list(map(id, kept)) != list(map(id, events)):
            return [f"google-adk: {step.__name__}"]
    return []


def _gemini_turns(messages: list[Any]) -> list[tuple[str, list[Any]]]:
    """Neighbours of one role are one turn for the API; what waits at the end is answered."""
    turns: list[tuple[str, list[Any]]] = []
    for message in messages:
        role = "model" if get(message, "role") == "model" else "user"
        parts = list(map(_gemini_part, get(message, "parts") or []))
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(parts)
        else:
            turns.append((role, parts))
    if turns and turns[-1][0] == "model":
        turns.append(("user", []))
    if len(turns) > 1 and all(kind == "response" for kind, _, _ in turns[-1][1]):
        turns[-1][1].extend(_owed(turns[-2][1], turns[-1][1]))
    return turns


def _gemini_part(part: Any) -> tuple[str, Any, Any]:
    for kind in ("call", "response"):
        inner = get(part, f"function{kind.capitalize()}", f"function_{kind}")
        if inner is not None:
            return kind, get(inner, "id"), get(inner, "name")
    return "text", None, None


def _owed(asked: list[Any], came: list[Any]) -> list[Any]:
    """Responses to the calls that have none yet, by id, else by name."""
    left = [link for _, *link in came]
    owed: list[Any] = []
    for kind, *link in asked:
        if kind != "call":
            continue
        if link in left:
            left.remove(link)
        else:
            owed.append(("response", *link))
    return owed


def _events(turns: list[tuple[str, list[Any]]]) -> Iterator[Any]:
    from google.adk.events.event import Event
    from google.genai import types

    classes = {"call": types.FunctionCall, "response": types.FunctionResponse}
    for role, parts in turns:
        if not parts:
            continue
        made = [
            types.Part(**{f"function_{kind}": classes[kind](id=id, name=name)})
            if kind in classes
            else types.Part(text="x")
            for kind, id, name in parts
        ]
        yield Event(author=role, content=types.Content(role=role, parts=made))


def mcp(messages: list[Any]) -> list[str]:
    """MCP sampling messages: the SDK accepts every prefix."""
    from mcp.server.validation import validate_tool_use_result_messages as validate
    from mcp.types import SamplingMessage

    try:
        made = [SamplingMessage.model_validate(_sampling(message)) for message in messages]
        for end in range(len(made)):
            validate(made[: end + 1])
    except ValueError as error:
        return [f"mcp: {str(error)[:200]}"]
    return []


def _sampling(message: Any) -> Message:
    content = get(message, "content")
    content = content if isinstance(content, (list, tuple)) else [content]
    return {"role": get(message, "role"), "content": list(map(_sampled, content))}


def _sampled(block: Any) -> Message:
    kind = get(block, "type")
    if kind == "tool_use":
        return {"type": kind, "id": get(block, "id"), "name": "f", "input": {}}
    if kind == "tool_result":
        id = get(block, "toolUseId", "tool_use_id")
        return {"type": kind, "toolUseId": id, "content": []}
    return {"type": "text", "text": "x"}


def mcp_of_anthropic(messages: list[Any]) -> list[str]:
    """Anthropic's pairs as MCP has them: merged turns, what follows the results set apart."""
    made: History = []
    for turn in prepare.turns(messages):
        content = list(map(_sampled, blocks(turn)))
        results = 0
        while results < len(content) and content[results]["type"] == "tool_result":
            results += 1
        cuts = [content[:results], content[results:]] if turn["role"] == "user" else [content]
        made += [{"role": turn["role"], "content": part} for part in cuts if part]
    return mcp(made)


def pydantic_ai(messages: list[Any]) -> list[str]:
    """pydantic-ai messages: its own repair leaves every part where it is."""
    from pydantic_ai.messages import repair_messages

    made = _pydantic_ai(messages)
    before = [id(part) for message in made for part in message.parts]
    after = [id(part) for message in repair_messages(made) for part in message.parts]
    return [] if before == after else ["pydantic-ai: it would repair the history"]


def _pydantic_ai(messages: list[Any]) -> list[Any]:
    """The package's own classes, what waits at the end answered."""
    from pydantic_ai import messages as ai

    made: list[Any] = []
    for message in messages:
        parts = [_pydantic_ai_part(part, ai) for part in message.parts]
        cls = ai.ModelResponse if message.kind == "response" else ai.ModelRequest
        made.append(cls(parts))
    at = len(made)
    while at and made[at - 1].kind == "request" and _only_returns(made[at - 1]):
        at -= 1
    if not at or made[at - 1].kind == "request":
        return made
    have = [part.tool_call_id for message in made[at:] for part in message.parts]
    owed: list[Any] = []
    for part in made[at - 1].parts:
        if part.part_kind != "tool-call":
            continue
        if part.tool_call_id in have:
            have.remove(part.tool_call_id)
        else:
            owed.append(ai.ToolReturnPart("f", "x", tool_call_id=part.tool_call_id))
    return [*made, ai.ModelRequest(owed)] if owed else made


def _pydantic_ai_part(part: Any, ai: Any) -> Any:
    kind, id = part.part_kind, getattr(part, "tool_call_id", None)
    if kind == "tool-call":
        return ai.ToolCallPart("f", {}, tool_call_id=id)
    if kind == "tool-return" or (kind == "retry-prompt" and part.tool_name is not None):
        return ai.ToolReturnPart("f", "x", tool_call_id=id)
    if kind == "system-prompt":
        return ai.SystemPromptPart("x")
    if kind in ("user-prompt", "retry-prompt"):
        return ai.UserPromptPart("x")
    return ai.TextPart("x")


def _only_returns(message: Any) -> bool:
    return all(part.part_kind == "tool-return" for part in message.parts)


_ASKS: dict[str, tuple[str, Ask]] = {
    "bedrock-converse": ("strands", strands),
    "gemini": ("google.adk", adk),
    "openai-responses": ("agents", agents),
    "openai-agents": ("agents", agents),
    "mcp": ("mcp", mcp),
    "anthropic": ("mcp", mcp_of_anthropic),
    "pydantic-ai": ("pydantic_ai", pydantic_ai),
}


@cache
def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of its parent
        return False


def oracle(format: str) -> Ask | None:
    """What to ask about histories of this format; None where its package is absent."""
    package, ask = _ASKS.get(format, ("", None))
    return ask if ask is not None and _installed(package) else None


FOR: dict[str, Ask | None] = {format: oracle(format) for format in _ASKS}
"""Every format with such an oracle, for whoever sweeps."""
