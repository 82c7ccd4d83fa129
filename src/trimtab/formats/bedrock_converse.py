"""AWS Bedrock Converse: dicts as boto3 takes and gives them.

Rules: user and assistant take turns, and nothing merges neighbours; ``toolUse.toolUseId``
is answered by ``toolResult.toolUseId`` in the one user message behind it, in any order and
beside other blocks; ids may come again in later turns; calls that the service runs
(``type: "server_tool_use"``) are answered in the assistant's own message. An id has 1 to 64
letters, digits, or ``_ . : -``; one that has others is reported, never renamed. A cut leaves
a user message in front. Cache points are free. A text block needs text, and a result with
``status: "error"`` needs content; an empty text within a result is accepted.
Source: the service's model in botocore 1.44 and the API's error texts, see
``docs/faults.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .alternation import Alternating
from .base import Alternation, Body, Drop, Facts, Message
from .bedrock_blocks import ANSWER, CALL, FREE, kind_of_block, lacks_content, read_content
from .bedrock_weight import weigh_blocks
from .binding import CLAUDE, REMOVED
from .content import freed_of, listed
from .inputs import with_cleared
from .media import Say, is_cited, only_media, swapped, type_of
from .objects import getter, shallow
from .results import ResultBlocks
from .weight import Weight

_EMPTY: Final = "[no output]"
_REASONING: Final = "reasoningContent"
_MEDIA: Final = ("image", "document", "audio", "video")


class BedrockConverse(ResultBlocks, Alternating):
    """See the module."""

    name = "bedrock-converse"
    human_head = True
    alternation = Alternation(together=True)
    joins = frozenset({"content", "role"})
    maker = "amazon"
    framing = "claude"
    binding = CLAUDE

    def recognises(self, message: Message) -> str | None:
        get = getter(message)
        if not isinstance(get("role"), str):
            return None
        for block in listed(get("content")):
            if isinstance(block, Mapping) and len(block) == 1 and "type" not in block:
                return f"a content block with nothing but {str(next(iter(block)))[:40]}"
        return None

    def read(self, message: Message) -> Facts:
        return read_content(getter(message)("role"), getter(message)("content"))

    def weigh(self, message: Message) -> Weight:
        weight = Weight(str(getter(message)("role")))
        weigh_blocks(listed(getter(message)("content")), weight)
        return weight

    def weigh_system(self, system: Any) -> Weight:
        weight = Weight("system")
        if isinstance(system, str):
            weight.texts.append(system)
        weigh_blocks(listed(system), weight)
        return weight

    def part(self, block: Any, role: str) -> str:
        return kind_of_block(block, role)

    def parts_of(self, block: Any) -> Sequence[Any]:
        return [_shown(part) for part in listed(block[ANSWER].get("content"))]

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        shorter = _with_content(block, _with_shown(block[ANSWER], parts))
        if lacks_content(shorter[ANSWER]):  # an error must say something
            return _with_content(block, [{"text": _EMPTY}])
        return shorter

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        own = listed(block[ANSWER].get("content"))[part]
        return _with_content(block, [{_kind_shown(own): text}])

    def cleared_of(self, block: Any, text: str) -> Any:
        return _with_content(block, [{"text": text}])

    def failed_of(self, block: Any) -> bool:
        return getter(block[ANSWER])("status") == "error"

    def name_of(self, block: Any) -> str:
        return str(getter(block[CALL])("name"))

    def input_of(self, block: Any) -> Any:
        return getter(block[CALL])("input")

    def with_input_of(self, block: Any, said: str) -> Any:
        return {**block, CALL: with_cleared(block[CALL], said, "input")}

    def without_media_of(self, block: Any, say: Say) -> Any:
        if isinstance(answer := getter(block)(ANSWER), Mapping):
            parts = listed(getter(answer)("content"))
            made = swapped(parts, lambda part: self.without_media_of(part, say))
            return block if made is None else _with_content(block, made)
        kind = next((kind for kind in _MEDIA if getter(block)(kind) is not None), "")
        if not kind or is_cited(block[kind]):
            return block
        weight = Weight("user")
        weigh_blocks([block], weight)
        media = only_media(weight)
        return block if media is None else {"text": say(media, type_of(block))}

    def silent(self, block: Any) -> bool:
        return set(block) <= {_REASONING, FREE}

    def without(self, message: Message, drop: Drop) -> Message | None:
        left = super().without(message, drop)
        if left is None or "blank" not in drop:
            return left
        blocks = list(self.blocks(left))
        for at in self.places(left, "answer"):
            if lacks_content(blocks[at][ANSWER]):
                blocks[at] = _with_content(blocks[at], [{"text": _EMPTY}])
        return self.with_blocks(left, blocks)

    def without_reasoning(self, message: Message) -> Message:
        return freed_of(message, "content", _thinks, lambda: {"text": REMOVED})

    def answers_first(self, message: Message) -> Message:
        return message  # results may stand beside other blocks in any order

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        asked = [block[CALL]["toolUseId"] for block in self.of_part(message, "call")]
        answers = [
            {"toolUseId": asked[at], "content": [{"text": text}], "status": "error"} for at in calls
        ]
        return [{"role": "user", "content": [{ANSWER: answer} for answer in answers]}]

    def human(self, text: str) -> Message:
        return {"role": "user", "content": [{"text": text}]}

    def reply(self, text: str) -> Message:
        return {"role": "assistant", "content": [{"text": text}]}

    def joined(self, own: Message, first: Message, second: Message) -> Message:
        return shallow(own, content=[*getter(first)("content"), *getter(second)("content")])

    def body(self, request: Mapping[str, Any]) -> Body:
        tools = getter(request.get("toolConfig"))
        more = getter(request.get("additionalModelRequestFields"))
        return Body(
            request["messages"],
            request.get("system"),
            [tool for tool in listed(tools("tools")) if FREE not in tool] or None,
            getter(request.get("inferenceConfig"))("maxTokens"),
            _wanted(getter(request.get("outputConfig"))("textFormat")),
            tools("toolChoice"),
            thinking=getter(more("thinking"))("type") == "enabled",
        )


def _thinks(block: Any) -> bool:
    return _REASONING in block


def _wanted(shape: Any) -> Any:
    return getter(getter(shape)("structure"))("jsonSchema")


def _kind_shown(part: Mapping[str, Any]) -> str:
    """Where in a part of a result that stands which may be made shorter."""
    return "json" if part.get("json") is not None else "text"


def _shown(part: Mapping[str, Any]) -> Any:
    """What of a part of a result may be made shorter: its JSON, else its text."""
    shown = part.get(_kind_shown(part))
    return "" if shown is None else shown


def _with_shown(answer: Any, shown: Sequence[Any]) -> list[Any]:
    """The content of a result with other texts and JSON; a text that is left empty goes."""
    parts: list[Any] = []
    for part, made in zip(listed(answer.get("content")), shown, strict=True):
        if made is _shown(part):
            parts.append(part)
        elif made or _kind_shown(part) == "json":
            parts.append({**part, _kind_shown(part): made})
    return parts or [{"text": ""}]


def _with_content(block: Any, content: list[Any]) -> Any:
    return {**block, ANSWER: {**block[ANSWER], "content": content}}
