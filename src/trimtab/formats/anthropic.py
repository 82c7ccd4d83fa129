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

from .anthropic_blocks import CALL, REASONING, RESULT_BLOCK, part_of, read_content, summarises
from .anthropic_weight import weigh_content
from .base import Body, Facts, Message
from .binding import CLAUDE
from .content import freed_of, is_foreign, kind_of, listed, removed_text
from .media import Say, is_cited, only_media, text_in_place, type_of, with_swapped
from .objects import getter
from .results import ResultBlocks
from .weight import Weight

_OWN_BLOCKS: Final = frozenset(
    {CALL, RESULT_BLOCK, *REASONING, "search_result", "container_upload", "compaction"}
)


class Anthropic(ResultBlocks):
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
            if any(map(summarises, self.blocks(messages[at]))):
                return at
        return 0

    def part(self, block: Any, role: str) -> str:
        return part_of(block, role)

    def silent(self, block: Any) -> bool:
        return kind_of(block) in REASONING

    def with_input_of(self, block: Any, said: str) -> Any:
        caller = kind_of(getter(block)("caller"))  # code that waits for what it asked
        return block if caller not in ("", "direct") else super().with_input_of(block, said)

    def without_media_of(self, block: Any, say: Say) -> Any:
        if kind_of(block) == RESULT_BLOCK:
            return with_swapped(block, "content", lambda part: self.without_media_of(part, say))
        if kind_of(block) not in ("image", "document") or is_cited(block):
            return block
        weight, source = Weight("user"), kind_of(getter(block)("source"))
        weigh_content([block], weight)
        media = only_media(weight)
        if media is None or source in ("text", "content"):
            return block
        return text_in_place(block, say(media, type_of(block)))

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", self.silent, removed_text)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = self.of_part(message, "call")
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


def _is_own(kind: str, get: Any) -> bool:
    """Whether only this format has such a block: others write some of the kinds otherwise."""
    if kind in ("image", "document"):
        return get("source") is not None
    return kind in _OWN_BLOCKS and (kind != "thinking" or isinstance(get("thinking"), str))


def _wanted(config: Any) -> Any:
    return getter(config)("format")
