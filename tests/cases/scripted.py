"""Summarisers that do what a case says of one, and what they were told."""

from __future__ import annotations

import ast
import asyncio
import builtins
import re
from typing import Any

from trimtab.summary import Ask


class Scripted:
    """Answers as a case says: with a text, with what it was told, or with an error.

    ``saying`` is the text itself, or the case's words on a summariser (``worded``).
    """

    name = "scripted"

    def __init__(self, saying: str, *, worded: bool = True) -> None:
        self.asks: list[Ask] = []
        self.saying = saying
        self.fixed = _fixed(saying) if worded else saying
        self.only_async = worded and "async" in saying
        self.recovered = False
        if self.fixed is None:
            self._answer([])  # words that nothing is written for fail at once

    def __call__(self, ask: Ask) -> Any:
        return self._awaited(ask) if self.only_async else self._asked(ask)

    async def _awaited(self, ask: Ask) -> str:
        await asyncio.sleep(0)
        return self._asked(ask)

    def _asked(self, ask: Ask) -> str:
        self.asks.append(ask)
        answer = self._answer(texts_of(ask))
        if isinstance(answer, BaseException) and not self.recovered:
            raise answer
        return "so far" if isinstance(answer, BaseException) else answer

    def _answer(self, texts: list[str]) -> Any:
        if self.fixed is not None:
            return self.fixed
        if found := re.search(r"raises (\w+)", self.saying):
            return (getattr(builtins, found[1], None) or getattr(asyncio, found[1]))()
        if "whole input" in self.saying:
            return "".join(texts)
        if found := re.search(r"joins the texts it gets with '(.+)'", self.saying):
            return found[1].join(texts)
        raise AssertionError(f"no meaning is written for a summariser that {self.saying}")

    @property
    def texts(self) -> list[str]:
        """All texts that it was told, in order: older summaries, and messages as words."""
        return [text for ask in self.asks for text in texts_of(ask)]


def texts_of(ask: Ask) -> list[str]:
    """The texts of one request to a summariser."""
    return [*([] if ask.previous is None else [ask.previous]), *(said.text for said in ask.said)]


def _fixed(saying: str) -> str | None:
    """The text that is returned whatever was told."""
    if found := re.match(r"returns ('.*?')", saying):
        return str(ast.literal_eval(found[1]))
    if found := re.match(r"returns (\d+) characters", saying):
        return "s" * int(found[1])
    return None
