"""Harbour, a provider that does not exist: its log of messages as a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trimtab.formats.base import HUMAN, MODEL, RESULT, Body, Facts, Message
from trimtab.formats.base import malformed, unknown_role
from trimtab.formats.objects import getter, shallow
from trimtab.formats.results import ResultBlocks
from trimtab.formats.weight import Call, Weight


class Harbour(ResultBlocks):
    """A pilot asks by a ref, and the one dock message behind it holds every reply."""

    name = "harbour"
    field = "cargo"  # the blocks of a message
    inner = "text"  # the text of a result, in its block
    human_head = True  # a cut leaves a guest in front

    def recognises(self, message: Message) -> str | None:
        return "a message with cargo" if getter(message)("cargo") is not None else None

    def read(self, message: Message) -> Facts:
        speaker, cargo = getter(message)("speaker"), getter(message)("cargo")
        if not isinstance(cargo, list):
            return malformed("the cargo is no list of blocks")
        asks, replies = _refs(cargo, "ask"), _refs(cargo, "reply")
        if not all(isinstance(ref, str) and ref for ref in (*asks, *replies)):
            return malformed("an ask or a reply without a ref")
        if (asks and speaker != "pilot") or (replies and speaker != "dock"):
            return malformed("an ask that is not the pilot's, or a reply that is not the dock's")
        if speaker == "pilot":
            return Facts(MODEL, asks)
        if speaker == "dock":
            return Facts(RESULT, answers=replies, closes=True)  # no more replies may come
        if speaker == "guest":
            return Facts(HUMAN, human=True, leads_human=True)
        return unknown_role(speaker)

    def weigh(self, message: Message) -> Weight:
        weight = Weight(str(getter(message)("speaker")))
        for block in self.blocks(message):
            get = getter(block)
            if get("kind") == "words":
                weight.texts.append(str(get("text")))
            elif get("kind") == "ask":
                weight.calls += (Call(str(get("tool")), get("with")),)
            elif get("kind") == "reply":
                weight.results += (Weight("dock", [str(get("text"))]),)
            else:
                weight.values += (block,)  # a kind younger than this file is counted too
        return weight

    def part(self, block: Any, role: str) -> str:
        return {"ask": "call", "reply": "answer"}.get(getter(block)("kind"), "")

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        refs = _refs(getter(message)("cargo"), "ask")
        cargo = [{"kind": "reply", "ref": refs[at], "text": text, "lost": True} for at in calls]
        return [{"speaker": "dock", "cargo": cargo}]

    def settled(
        self, places: Sequence[tuple[Message, int]], note: Callable[..., None]
    ) -> list[tuple[Message, int]]:
        """What a repair does about the odd rule: neighbours of the dock become one message."""
        out: list[tuple[Message, int]] = []
        for message, at in places:
            if out and all(self.read(one).role == RESULT for one in (out[-1][0], message)):
                before, index = out.pop()
                cargo = [*self.blocks(before), *self.blocks(message)]
                note("misplaced", max(at, index), None, "joined", "replies come in one message")
                message, at = shallow(before, cargo=cargo), index if index >= 0 else at
            out.append((message, at))
        return out

    def human(self, text: str) -> Message:
        return {"speaker": "guest", "cargo": [{"kind": "words", "text": text}]}

    def body(self, request: Mapping[str, Any]) -> Body:
        charter, gear, most = map(request.get, ("charter", "gear", "most"))
        return Body(request["log"], charter, gear, most, key="log")


def _refs(cargo: Sequence[Any], kind: str) -> tuple[Any, ...]:
    return tuple(getter(block)("ref") for block in cargo if getter(block)("kind") == kind)
