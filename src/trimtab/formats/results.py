"""The two places where tool results stand, and what a format need not say of each.

Either a result is a message of its own, or it is a block beside others in a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..jsontext import jsontext
from .base import RESULT, Drop, Input, Message
from .content import listed, only_part, texts_within, with_texts
from .inputs import with_cleared
from .media import Say, swapped, with_swapped
from .objects import getter, shallow
from .usual import Usual


class ResultMessages(Usual):
    """A format in which a result is a message of its own.

    ``field`` is where its texts stand: a text, or a list of parts.
    """

    field = "content"

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        if self.read(message).role != RESULT:
            return []
        return [(0, texts_within(getter(message)(self.field)))]

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        content = getter(message)(self.field)
        return shallow(message, **{self.field: with_texts(content, parts)})

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        return shallow(message, **{self.field: text})

    def without_media_of(self, part: Any, say: Say) -> Any:
        """What stands for a part if it is media; the part itself otherwise."""
        return part

    def without_media(self, message: Message, say: Say) -> Message:
        return with_swapped(message, self.field, lambda part: self.without_media_of(part, say))

    def only_text(self, message: Message, answer: int, part: int, text: Any) -> Message:
        content = getter(message)(self.field)
        return shallow(message, **{self.field: only_part(content, part, text)})


class ResultBlocks(Usual):
    """A format in which a result is a block beside others.

    ``field`` is where the blocks of a message stand, ``inner`` where the texts of a result
    stand in its block. A format says what a block is to the pairing (``part``); the rest
    follows.
    """

    field = "content"
    inner = "content"

    def part(self, block: Any, role: str) -> str:
        """What a block of a message of ``role`` is to the pairing: a kind of `Drop`, or empty."""
        raise NotImplementedError

    def parts_of(self, block: Any) -> Sequence[Any]:
        """What of a result may be made shorter: texts, and data that are sent as such."""
        return texts_within(getter(block)(self.inner))

    def with_parts_of(self, block: Any, parts: Sequence[Any]) -> Any:
        """A shallow copy of a result with its parts replaced; a text that is empty may go."""
        return shallow(block, **{self.inner: with_texts(getter(block)(self.inner), parts)})

    def cleared_of(self, block: Any, text: str) -> Any:
        """A shallow copy of a result in which all content is a text."""
        return shallow(block, **{self.inner: text})

    def failed_of(self, block: Any) -> bool:
        """Whether a result says that it is an error."""
        return bool(getter(block)("is_error"))

    def only_text_of(self, block: Any, part: int, text: Any) -> Any:
        """A result that holds nothing but ``text`` in the place of one of its parts, or data."""
        return shallow(block, **{self.inner: only_part(getter(block)(self.inner), part, text)})

    def silent(self, block: Any) -> bool:
        """Whether a block says nothing alone, as reasoning does: what is left of such goes."""
        return False

    def blocks(self, message: Message) -> Sequence[Any]:
        """The blocks of a message."""
        return listed(getter(message)(self.field))

    def with_blocks(self, message: Message, blocks: list[Any]) -> Message:
        """A shallow copy with other blocks."""
        return shallow(message, **{self.field: blocks})

    def places(self, message: Message, part: str) -> list[int]:
        """Where in a message the blocks stand that are a ``part`` of it."""
        role = self.read(message).role
        parts = (self.part(block, role) for block in self.blocks(message))
        return [at for at, own in enumerate(parts) if own == part]

    def of_part(self, message: Message, part: str) -> list[Any]:
        """The blocks of a message that are a ``part`` of it."""
        blocks = self.blocks(message)
        return [blocks[at] for at in self.places(message, part)]

    def results(self, message: Message) -> list[tuple[int, list[str]]]:
        answers = self.of_part(message, "answer")
        return [(at, list(map(_written, self.parts_of(own)))) for at, own in enumerate(answers)]

    def parts(self, message: Message, answer: int) -> Sequence[Any]:
        return self.parts_of(self.of_part(message, "answer")[answer])

    def with_result(self, message: Message, answer: int, parts: Sequence[Any]) -> Message:
        blocks, place = list(self.blocks(message)), self.places(message, "answer")[answer]
        blocks[place] = self.with_parts_of(blocks[place], parts)
        return self.with_blocks(message, blocks)

    def name_of(self, block: Any) -> str:
        """The name of the tool that a block calls."""
        return str(getter(block)("name"))

    def call_names(self, message: Message) -> list[str]:
        return [self.name_of(block) for block in self.of_part(message, "call")]

    def input_of(self, block: Any) -> Any:
        """The arguments of a call."""
        return getter(block)("input")

    def with_input_of(self, block: Any, said: str) -> Any:
        """A shallow copy of a call with other arguments; itself where they must stay."""
        return with_cleared(block, said, "input")

    def inputs(self, message: Message) -> list[Input]:
        asked = self.of_part(message, "call")
        ids = self.read(message).calls
        return [
            Input(id, self.name_of(block), self.input_of(block))
            for id, block in zip(ids, asked, strict=False)
        ]

    def cleared_input(self, message: Message, call: int, said: str) -> Message:
        blocks, place = list(self.blocks(message)), self.places(message, "call")[call]
        made = self.with_input_of(blocks[place], said)
        if made is blocks[place]:
            return message
        blocks[place] = made
        return self.with_blocks(message, blocks)

    def without_media_of(self, block: Any, say: Say) -> Any:
        """What stands for a block if it is media or holds some; the block itself otherwise."""
        return block

    def without_media(self, message: Message, say: Say) -> Message:
        made = swapped(self.blocks(message), lambda block: self.without_media_of(block, say))
        return message if made is None else self.with_blocks(message, made)

    def failed(self, message: Message, answer: int) -> bool:
        return self.failed_of(self.of_part(message, "answer")[answer])

    def cleared(self, message: Message, answer: int, text: str) -> Message:
        blocks, place = list(self.blocks(message)), self.places(message, "answer")[answer]
        blocks[place] = self.cleared_of(blocks[place], text)
        return self.with_blocks(message, blocks)

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        own = self.of_part(message, "answer")
        return self.with_blocks(message, [own[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: Any) -> Message:
        own = self.of_part(message, "answer")[answer]
        return self.with_blocks(message, [self.only_text_of(own, part, text)])

    def without(self, message: Message, drop: Drop) -> Message | None:
        role, seen = self.read(message).role, dict[str, int]()
        left: list[Any] = []
        for block in self.blocks(message):
            kind = self.part(block, role)
            at = seen.get(kind, 0)
            seen[kind] = at + 1
            if at not in drop.get(kind, ()) and not (kind == "blank" and kind in drop):
                left.append(block)
        return None if all(map(self.silent, left)) else self.with_blocks(message, left)

    def answers_first(self, message: Message) -> Message:
        blocks, places = self.blocks(message), dict.fromkeys(self.places(message, "answer"))
        order = [*places, *(at for at in range(len(blocks)) if at not in places)]
        return self.with_blocks(message, [blocks[at] for at in order])


def _written(part: Any) -> str:
    return part if isinstance(part, str) else jsontext(part)
