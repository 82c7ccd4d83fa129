"""The words that a model gets: the fixed instruction, and the record between marked lines."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from .asking import Ask, Said, writable

VERSION: Final = "1"


class Section(NamedTuple):
    """A named part of a summary."""

    key: str
    name: str
    holds: str


class Prompt(NamedTuple):
    """What is sent: the system text is fixed, all of the conversation is in the user's."""

    system: str
    user: str


@cache
def _words() -> Mapping[str, Any]:
    file = files("trimtab.summary").joinpath(f"prompt_v{VERSION}.toml")
    words = tomllib.loads(file.read_text(encoding="utf-8"))
    assert words["version"] == VERSION
    return words


@cache
def sections() -> tuple[Section, ...]:
    """The sections of a summary in their order."""
    return tuple(Section(**section) for section in _words()["sections"])


@cache
def system_text() -> str:
    """The instruction. It holds nothing of any conversation."""
    listed = "\n".join(f"## {section.name}\n({section.holds})" for section in sections())
    words = _words()
    return "\n\n".join((words["system"].strip(), listed, words["rules"].strip()))


def render(ask: Ask, left_out: Mapping[str, int] | None = None) -> Prompt:
    """The prompt of a request; ``left_out`` counts messages that it names but does not hold.

    Every line that opens or closes a part holds a mark made from the record itself, which
    the record does not hold, so nothing in it can end a part or pretend to a role. O(size).
    """
    words, roles = _words(), _words()["roles"]
    previous = None if ask.previous is None else writable(ask.previous)
    said = [Said(one.role, writable(one.text)) for one in ask.said]
    mark = _mark([previous or "", *(one.text for one in said)])
    lines = [words["mark"].replace("{mark}", mark), ""]
    if previous is not None:
        lines += [f"{mark} {words['older']}", previous]
    lines.append(f"{mark} {words['messages']}")
    for role, number in sorted((left_out or {}).items()):
        told = words["left_out"].replace("{number}", str(number))
        lines.append(f"{mark} {told.replace('{role}', roles.get(role, roles['result']))}")
    for one in said:
        lines += [f"{mark} {roles.get(one.role, roles['result'])}", one.text]
    lines += [mark, "", words["now"].replace("{tokens}", str(ask.max_tokens))]
    if ask.retry:
        lines.append(words["shorter"].replace("{too_long}", str(ask.too_long)))
    return Prompt(system_text(), "\n".join(lines))


def _mark(texts: Iterable[str]) -> str:
    """A short word that stands in none of the texts, the same for the same texts."""
    digest = hashlib.sha256()
    held = [text for text in texts if text]
    for text in held:
        digest.update(hashlib.sha256(text.encode()).digest())
    while True:
        mark = f"#{digest.hexdigest()[:8]}"
        if not any(mark in text for text in held):
            return mark
        digest.update(b"again")
