"""Reading a transcript of either kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ..errors import UnknownFormat
from . import claude_code, codex_replay
from .claude_code import ClaudeCodeSession
from .codex import CodexSession
from .lines import Line, Lines, lines_of
from .session import Session

Recognises = Callable[[dict[str, Any]], bool]
_KINDS: Final[Mapping[type[Session], tuple[Recognises, str]]] = {
    ClaudeCodeSession: (claude_code.recognises, "lines with a uuid and a parentUuid"),
    CodexSession: (codex_replay.is_codex, "lines with a type and a payload"),
}


def read_session(source: Lines) -> Session:
    """The session of a transcript: a path, its text as bytes, or its lines.

    Lines that are no JSON are kept as they are. Raises `UnknownFormat` where no line, or
    lines of more than one agent, are found, and ``OSError``. O(its length).
    """
    lines = lines_of(source)
    kinds = [kind for kind in _KINDS if _has(lines, kind)]
    if len(kinds) == 1:
        return kinds[0](lines)
    looked = "; ".join(f"{kind.kind}: {what}" for kind, (_, what) in _KINDS.items())
    problem = "could be of several agents" if kinds else "is of no known agent"
    raise UnknownFormat(f"the transcript {problem} (looked for {looked})")


def _has(lines: Sequence[Line], kind: type[Session]) -> bool:
    recognises = _KINDS[kind][0]
    return any(line.value is not None and recognises(line.value) for line in lines)
