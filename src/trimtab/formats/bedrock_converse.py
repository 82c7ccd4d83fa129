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
from .base import Alternation, Body, Drop, Facts, Message, getter, shallow
from .bedrock_blocks import ANSWER, CALL, FREE, kind_of_block, lacks_content, read_content
from .bedrock_weight import weigh_blocks
from .binding import CLAUDE, REMOVED
from .content import freed_of, listed
from .nested import nested_texts, with_nested_texts
from .results import ResultBlocks
from .weight import Weight

_EMPTY: Final = "[no output]"
_REASONING: Final = "reasoningContent"


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

    def texts_of(self, block: Any) -> list[str]:
        return nested_texts(_shown(block[ANSWER]))

    def with_texts_of(self, block: Any, texts: Sequence[str]) -> Any:
        shorter = _with_content(block, _with_texts(block[ANSWER], texts))
        if lacks_content(shorter[ANSWER]):  # an error must say something
            return _with_content(block, [{"text": _EMPTY}])
        return shorter

    def only_text_of(self, block: Any, part: int, text: str) -> Any:
        lone = {"json": {"result": text}} if _in_json(block[ANSWER])[part] else {"text": text}
        return _with_content(block, [lone])

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


def _shown(answer: Any) -> list[Any]:
    """What of a result may be shortened: texts, and the texts in its JSON."""
    return [[part.get("text"), part.get("json")] for part in listed(answer.get("content"))]


def _in_json(answer: Any) -> list[bool]:
    """Of each text that may be shortened, whether it stands in JSON."""
    pairs = [[nested_texts(value) for value in pair] for pair in _shown(answer)]
    return [data for text, json in pairs for data in (False,) * len(text) + (True,) * len(json)]


def _with_texts(answer: Any, texts: Sequence[str]) -> list[Any]:
    """The content of a result with its texts replaced; a text that is left empty goes."""
    parts: list[Any] = []
    shown = with_nested_texts(_shown(answer), texts)
    for part, (text, data) in zip(listed(answer.get("content")), shown, strict=True):
        if part.get("text") is not text and text is not None:
            parts += [{**part, "text": text}] if text else []
        elif part.get("json") is not data:
            parts.append({**part, "json": data})
        else:
            parts.append(part)
    return parts or [{"text": ""}]


def _with_content(block: Any, content: list[Any]) -> Any:
    return {**block, ANSWER: {**block[ANSWER], "content": content}}
