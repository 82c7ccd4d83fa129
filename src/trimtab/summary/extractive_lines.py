"""Messages and older summaries as single lines, long ones in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from .asking import Said, writable
from .prompt import sections

LABEL: Final = "Extracts picked by rule; no model wrote this."
SINGLE: Final = "Extract: "  # before a line that stands alone for want of room
SPEAKERS: Final = {"human": "user", "assistant": "assistant", "call": "call", "result": "tool"}
OLDER: Final = "older"  # the role of a line in an older summary that does not say who spoke
WIDTH: Final = 240  # characters of a line, above which it is cut at sentence ends

_ROLES: Final = {speaker: role for role, speaker in SPEAKERS.items()}
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f\uff1b])")
_NOISE: Final = re.compile(r"[\W_]*|<[^<>]{0,200}>")  # rules, brackets alone, tags alone
_BULLET: Final = re.compile(r"[-*\u2022]\s+")
_LISTED: Final = re.compile(r"\d+\u2192|[\w./-]+-\d+-|[\w./-]+:\d+:(?!\d+:| )")  # cat -n, grep -n
_SPACE: Final = re.compile(r"\s+")


class Line(NamedTuple):
    """A line: who said it, the position of its message, and its section in an older summary."""

    text: str
    role: str
    at: int
    section: str | None = None


def lines_of(said: Iterable[Said]) -> Iterator[Line]:
    """Every line that says something, in order. O(characters)."""
    for at, one in enumerate(said):
        for text in _pieces(writable(one.text)):
            yield Line(text, one.role if one.role in SPEAKERS else "result", at)


def lines_of_summary(summary: str) -> tuple[list[Line], list[str]]:
    """The lines of an older summary, and the names that it lists."""
    keys = {section.name.casefold(): section.key for section in sections()}
    lines: list[Line] = []
    names: list[str] = []
    section: str | None = None
    for raw in writable(summary).splitlines():
        text = raw.strip()
        heading = text.strip("#*: ").casefold()
        if heading in keys:
            section = keys[heading]
        elif section == "names" and text and not _BULLET.match(text):
            names += text.split(", ")
        elif text != LABEL:
            role, text = _spoken(_BULLET.sub("", text.removeprefix(SINGLE)))
            lines += [Line(piece, role, -1, section) for piece in _pieces(text)]
    return lines, names


def is_listing(line: Line) -> bool:
    """Whether it is a numbered line of some file that a tool showed."""
    return line.role == "result" and _LISTED.match(line.text) is not None


def written(line: Line) -> str:
    """A line of the summary; `lines_of_summary` reads it back."""
    who = f"{SPEAKERS[line.role]}: " if line.role in SPEAKERS else ""
    return f"- {who}{line.text}"


def _spoken(text: str) -> tuple[str, str]:
    speaker, colon, rest = text.partition(": ")
    return (_ROLES[speaker], rest) if colon and speaker in _ROLES else (OLDER, text)


def _pieces(text: str) -> Iterator[str]:
    for raw in text.splitlines():
        line = _SPACE.sub(" ", raw).strip()
        if _NOISE.fullmatch(line):
            continue
        if len(line) <= WIDTH:
            yield line
        else:
            yield from _sentences(line)


def _sentences(line: str) -> Iterator[str]:
    """A long line as sentences, joined while short; what has no sentences in parts of a width."""
    held = ""
    for sentence in _SENTENCE.split(line):
        if held and len(held) + len(sentence) >= WIDTH // 2:
            yield held
            held = ""
        held = f"{held} {sentence}" if held else sentence
        while len(held) > WIDTH:
            cut = held.rfind(" ", WIDTH // 2, WIDTH)
            cut = cut if cut > 0 else WIDTH
            yield held[:cut].rstrip()
            held = held[cut:].lstrip()
    if held:
        yield held
