"""The two places where tool results stand, and what a format need not say of each.

Either a result is a message of its own, or it is a block beside others in a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import RESULT, Drop, Message, getter, shallow
from .content import listed, only_part, texts_within, with_texts
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

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        content = getter(message)(self.field)
        return shallow(message, **{self.field: with_texts(content, texts)})

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
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

    def texts_of(self, block: Any) -> list[str]:
        """The texts of a result."""
        return texts_within(getter(block)(self.inner))

    def with_texts_of(self, block: Any, texts: Sequence[str]) -> Any:
        """A shallow copy of a result with its texts replaced; one that is empty may go."""
        return shallow(block, **{self.inner: with_texts(getter(block)(self.inner), texts)})

    def only_text_of(self, block: Any, part: int, text: str) -> Any:
        """A result that holds nothing but ``text`` in the place of one of its texts."""
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
        return [(at, self.texts_of(own)) for at, own in enumerate(answers)]

    def with_result(self, message: Message, answer: int, texts: Sequence[str]) -> Message:
        blocks, place = list(self.blocks(message)), self.places(message, "answer")[answer]
        blocks[place] = self.with_texts_of(blocks[place], texts)
        return self.with_blocks(message, blocks)

    def only_answers(self, message: Message, answers: Sequence[int]) -> Message:
        own = self.of_part(message, "answer")
        return self.with_blocks(message, [own[answer] for answer in answers])

    def only_text(self, message: Message, answer: int, part: int, text: str) -> Message:
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
