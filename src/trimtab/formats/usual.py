"""What most formats have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .base import Alternation, Body, Drop, Facts, Input, Message, Turn
from .weight import Media, Weight


class Usual:
    """A format says where it differs; what each member means, `Format` says.

    It must say its ``name``, `read` and `weigh`. Where results stand is shared too
    (``formats.results``); without that a format has none, and a message is dropped whole.
    """

    name = ""
    merges = False
    unique_ids = False
    human_head = False
    reasoning_head = False
    maker = ""
    framing = "plain"
    dialect = ""
    held = False
    alternation: Alternation | None = None
    binding = ""

    def recognises(self, message: Message) -> str | None:
        return None

    def read(self, message: Message) -> Facts:
        raise NotImplementedError

    def weigh(self, message: Message) -> Weight:
        raise NotImplementedError

    def weigh_system(self, system: Any) -> Weight:
        return Weight("system", [system] if isinstance(system, str) else [])

    def turn(self) -> Turn | None:
        return None

    def unbilled(self, messages: Sequence[Message]) -> int:
        return 0

    def call_names(self, message: Message) -> Sequence[str]:
        return [call.name for call in self.weigh(message).calls]

    def failed(self, message: Message, answer: int) -> bool:
        return False

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        return message

    def answered(self, message: Message) -> Sequence[tuple[str, str]]:
        return [(id, "") for id in self.read(message).answers]

    def inputs(self, message: Message) -> Sequence[Input]:
        pairs = zip(self.read(message).calls, self.weigh(message).calls, strict=False)
        return [Input(id, call.name, call.arguments) for id, call in pairs]

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        return message

    def without_media(self, message: Message, say: Callable[[Media, str], str]) -> Message:
        return message

    def without_old_reasoning(self, message: Message) -> Message:
        return self.without_reasoning(message)

    def without_reasoning(self, message: Message) -> Message:
        return message

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        return []

    def parts(self, message: Message, answer: int) -> Sequence[Any]:
        return dict(self.results(message))[answer]

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        return message

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        return message

    def only_text(self, message: Message, answer: int, part: int, text: Any) -> Message:
        return message

    def without(self, message: Message, drop: Drop) -> Message | None:
        return None

    def answers_first(self, message: Message) -> Message:
        return message

    def parted(self, message: Message) -> Sequence[Message]:
        return (message,)

    def interrupted(self, message: Message, calls: Sequence[int], text: str) -> list[Message]:
        return []

    def closed(self, message: Message, calls: Sequence[int], text: str) -> Message | None:
        return None

    def settled(
        self, places: Sequence[tuple[Message, int]], note: Callable[..., None]
    ) -> Sequence[tuple[Message, int]]:
        return places

    def human(self, text: str) -> Message:
        return {"role": "user", "content": text}

    def body(self, request: Mapping[str, Any]) -> Body:
        return Body(request["messages"], None, None, None)
