"""What ``count`` calls a message: its role, the tools in it, and its first words.

Only for display. It reads the dicts of the APIs that say most about a call, asks the format
about all others, and never fails on what nobody understands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..formats.base import MODEL, RESULT, Facts, Format
from ..formats.weight import Weight

UNKNOWN = "(unknown)"
_SYSTEM_ROLES = ("system", "developer")
_RESULT_ROLES = ("tool", "function")
_CALL_TYPES = ("tool_use", "server_tool_use", "mcp_tool_use")


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a message: the tool it belongs to (None: words) and its size in characters."""

    tool: str | None
    kind: str  # "call", "result" or "text"
    size: int


@dataclass(slots=True)
class Labels:
    """Reads messages in order, since a result names its tool only through its call."""

    names: dict[str, str] = field(default_factory=dict[str, str])
    shape: Format | None = None

    def shares(self, message: Any) -> list[Share]:
        """The parts of one message, in order. O(its length)."""
        found = self._shares(message)
        if self.shape is None or any(s.tool not in (None, UNKNOWN) for s in found):
            return found
        return self._weighed(self.shape, message) or found

    def role(self, message: Any, shares: list[Share]) -> str:
        """One of system, human, assistant, call, result; or the message's own word for it."""
        facts = None if self.shape is None else self.shape.read(message)
        if facts is None or facts.faults:
            return role_of(message, shares)
        calls = facts.calls or any(share.kind == "call" for share in shares)
        return "call" if facts.role == MODEL and calls else facts.role

    def _weighed(self, shape: Format, message: Any) -> list[Share]:
        """The parts as the format sees them, where it sees a call or a result."""
        facts, weight = shape.read(message), shape.weigh(message)
        calls = [Share(name or UNKNOWN, "call", _size(asked)) for name, asked in weight.calls]
        if len(calls) == len(facts.calls):
            self.names.update(zip(facts.calls, (call.tool or "" for call in calls), strict=True))
        answers = self._answers(shape, message, facts, weight)
        if not calls and not answers:
            return []
        said = 0 if facts.role == RESULT else sum(map(len, weight.texts))
        return calls + answers + ([Share(None, "text", said)] if said else [])

    def _answers(self, shape: Format, message: Any, facts: Facts, weight: Weight) -> list[Share]:
        found: list[Share] = []
        for at, (answer, texts) in enumerate(shape.results(message)):
            id = facts.answers[answer] if answer < len(facts.answers) else None
            name = weight.results[at].name if at < len(weight.results) else weight.name
            found.append(Share(self._known(id, name), "result", sum(map(_size, texts))))
        return found

    def _shares(self, message: Any) -> list[Share]:
        if not isinstance(message, Mapping):
            return []
        fields = cast(Mapping[str, Any], message)
        if fields.get("role") in _RESULT_ROLES:
            tool = self._known(fields.get("tool_call_id"), fields.get("name"))
            return [Share(tool, "result", _size(fields.get("content")))]
        if (item := self._item(fields)) is not None:
            return [item]
        content = fields.get("content")
        blocks = _mappings(content) or [{"type": "text", "text": content}]
        found = [self._block(block) for block in blocks]
        return found + [self._call(call) for call in _calls(fields)]

    def _item(self, fields: Mapping[str, Any]) -> Share | None:
        """A call or a result that is an item of its own, as OpenAI Responses has them."""
        kind, id = fields.get("type"), fields.get("call_id")
        if not isinstance(kind, str) or "role" in fields:
            return None
        if kind.endswith("_output"):
            return Share(self._known(id, None), "result", _size(fields.get("output")))
        if not kind.endswith("_call"):
            return None
        asked = (fields.get(key) for key in ("arguments", "input", "action"))
        told = next((value for value in asked if value), None)
        return Share(self._named(id, fields.get("name") or kind), "call", _size(told))

    def _block(self, block: Mapping[str, Any]) -> Share:
        kind = block.get("type")
        if kind in _CALL_TYPES:
            name = self._named(block.get("id"), block.get("name"))
            return Share(name, "call", _size(block.get("input")))
        if isinstance(kind, str) and kind.endswith("tool_result"):
            return Share(
                self._known(block.get("tool_use_id"), None), "result", _size(block.get("content"))
            )
        return Share(None, "text", _size(block.get("text", block)))

    def _call(self, call: Mapping[str, Any]) -> Share:
        name, arguments = _inner(call)
        return Share(self._named(call.get("id"), name), "call", _size(arguments))

    def _named(self, id: Any, name: Any) -> str:
        known = name if isinstance(name, str) else UNKNOWN
        if isinstance(id, str):
            self.names[id] = known
        return known

    def _known(self, id: Any, name: Any) -> str:
        if isinstance(id, str) and id in self.names:
            return self.names[id]
        return name if isinstance(name, str) else UNKNOWN


def role_of(message: Any, shares: list[Share]) -> str:
    """One of system, human, assistant, call, result; or the message's own word for it."""
    own = cast(Mapping[str, Any], message).get("role") if isinstance(message, Mapping) else None
    kinds = {share.kind for share in shares}
    if own in _SYSTEM_ROLES:
        return "system"
    if "result" in kinds and own != "assistant":
        return "result"
    if own == "user":
        return "human"
    if own == "assistant" or _is_item(message, own):
        return "call" if "call" in kinds else "assistant"
    return own if isinstance(own, str) and own else UNKNOWN


def _is_item(message: Any, role: Any) -> bool:
    """Whether it is an item of a response that has no role, such as a call or reasoning."""
    return role is None and isinstance(message, Mapping) and isinstance(message.get("type"), str)


def first_words(message: Any, shape: Format | None = None) -> str:
    """The text with which a message begins, or an empty string. It is as unsafe as the input."""
    if shape is not None and not (found := _first_words(message)):
        weight = shape.weigh(message)
        inside = [_text(text) for _, texts in shape.results(message) for text in texts]
        found = next(filter(None, [*weight.texts, *inside]), "")
        return found or next((_text(call.arguments) for call in weight.calls), "")
    return _first_words(message)


def _first_words(message: Any) -> str:
    if not isinstance(message, Mapping):
        return ""
    fields = cast(Mapping[str, Any], message)
    content = fields.get("content")
    if isinstance(content, str) and content:
        return content
    for block in _mappings(content):
        for key in ("text", "thinking", "content", "input"):
            value = block.get(key)
            if value:
                return _text(value)
    for key in ("arguments", "input", "output"):  # an item of its own
        if fields.get(key):
            return _text(fields[key])
    return next((_text(arguments) for _, arguments in map(_inner, _calls(fields))), "")


def _calls(fields: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return _mappings(fields.get("tool_calls")) + _mappings([fields.get("function_call")])


def _inner(call: Mapping[str, Any]) -> tuple[Any, Any]:
    """The name and the arguments in a call of OpenAI's shape."""
    inner = next(iter(_mappings([call.get("function"), call.get("custom")])), call)
    return inner.get("name"), inner.get("arguments", inner.get("input"))


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        return []
    return [
        cast(Mapping[str, Any], item)
        for item in cast(list[Any], value)
        if isinstance(item, Mapping)
    ]


def _size(value: Any) -> int:
    return len(_text(value))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
