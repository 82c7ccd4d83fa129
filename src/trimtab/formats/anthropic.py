"""Anthropic Messages: dicts and SDK objects.

Rules: ``tool_use.id`` is answered by ``tool_result.tool_use_id`` in the next user turn,
before anything else in it; neighbouring messages of one role are one turn; an id may be
used once in a conversation; server tools (``server_tool_use``, ``mcp_tool_use``) are
answered in the same assistant turn; a ``system`` message may follow a user turn only.
A cut leaves a human message in front, and reasoning at the head of a tool loop that
has it. A compaction block stands for all before it, so it is always kept.
Source: Anthropic's API reference and error texts, see ``docs/faults.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .anthropic_blocks import (
    CALL,
    COMPACTION,
    REASONING,
    RESULT_BLOCK,
    part_of,
    read_content,
    summarises,
)
from .anthropic_weight import weigh_content
from .base import Body, Drop, Facts, Message, Usual, getter, shallow
from .binding import CLAUDE
from .content import (
    freed_of,
    is_foreign,
    kind_of,
    listed,
    only_part,
    part_text,
    removed_text,
    with_texts,
)
from .weight import Weight

_OWN_BLOCKS: Final = frozenset(
    {CALL, RESULT_BLOCK, *REASONING, "search_result", "container_upload", "compaction"}
)


class Anthropic(Usual):
    """See the module."""

    name = "anthropic"
    merges = True
    unique_ids = True
    human_head = True
    reasoning_head = True
    maker = "anthropic"
    framing = "claude"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        for block in listed(getter(message)("content")):
            kind = kind_of(block)
            if is_foreign(block):
                return None
            if kind.endswith(("_tool_use", "_tool_result")) or _is_own(kind, getter(block)):
                return f"a content block of type {kind}"
        return None

    def read(self, message: Message) -> Facts:
        get = message.get if type(message) is dict else getter(message)
        return read_content(get("role"), get("content"))

    def weigh(self, message: Message) -> Weight:
        weight = Weight(str(getter(message)("role")))
        weigh_content(getter(message)("content"), weight)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        weigh_content(system, weight)
        return weight

    def unbilled(self, messages: Sequence[Message]) -> int:
        """How many messages at the front cost nothing: all before the newest compaction block.

        Source: Anthropic's guide on compaction: the API drops what stands before it.
        """
        for at in range(len(messages) - 1, -1, -1):
            if any(map(summarises, _of_kind(messages[at], COMPACTION))):
                return at
        return 0

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        found: list[tuple[int, list[str]]] = []
        for block in _of_kind(message, RESULT_BLOCK):
            content = getter(block)("content")
            texts = (
                [content] if isinstance(content, str) else [part_text(p) for p in listed(content)]
            )
            found.append((len(found), texts))
        return found

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        content = list(listed(getter(message)("content")))
        places = [at for at, block in enumerate(content) if kind_of(block) == RESULT_BLOCK]
        block = content[places[answer]]
        shorter = with_texts(getter(block)("content"), texts)
        content[places[answer]] = shallow(block, content=shorter)
        return shallow(message, content=content)

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        results = _of_kind(message, RESULT_BLOCK)
        return shallow(message, content=[results[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
        block = _of_kind(message, RESULT_BLOCK)[answer]
        content = only_part(getter(block)("content"), part, text)
        return shallow(message, content=[shallow(block, content=content)])

    def without(self, message: Message, drop: Drop) -> Message | None:
        role = getter(message)("role")
        seen: dict[str, int] = {}
        left: list[Any] = []
        for block in listed(getter(message)("content")):
            part = part_of(block, role)
            at = seen.get(part, 0)
            seen[part] = at + 1
            gone = part in drop and (part == "blank" or at in drop[part])
            if not gone:
                left.append(block)
        if all(kind_of(block) in REASONING for block in left):
            return None
        return shallow(message, content=left)

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", _thinks, removed_text)

    def answers_first(self, message: Message) -> Message:
        content = listed(getter(message)("content"))
        answers = [block for block in content if kind_of(block) == RESULT_BLOCK]
        others = [block for block in content if kind_of(block) != RESULT_BLOCK]
        return shallow(message, content=answers + others)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = _of_kind(message, CALL)
        answers = [
            {
                "type": RESULT_BLOCK,
                "tool_use_id": getter(asked[i])("id"),
                "content": text,
                "is_error": True,
            }
            for i in calls
        ]
        return [{"role": "user", "content": answers}]

    def human(self, text: str) -> Message:
        return {"role": "user", "content": text}

    def body(self, request: Mapping[str, Any]) -> Body:
        return Body(
            request["messages"],
            request.get("system"),
            request.get("tools"),
            request.get("max_tokens"),
            request.get("output_format") or _wanted(request.get("output_config")),
            request.get("tool_choice"),
            thinking=getter(request.get("thinking"))("type") == "enabled",
        )


def _thinks(block: Any) -> bool:
    return kind_of(block) in REASONING


def _is_own(kind: str, get: Any) -> bool:
    """Whether only this format has such a block: others write some of the kinds otherwise."""
    if kind in ("image", "document"):
        return get("source") is not None
    return kind in _OWN_BLOCKS and (kind != "thinking" or isinstance(get("thinking"), str))


def _wanted(config: Any) -> Any:
    return getter(config)("format")


def _of_kind(message: Message, kind: str) -> list[Any]:
    return [b for b in listed(getter(message)("content")) if kind_of(b) == kind]
