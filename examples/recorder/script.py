"""What a session is made of: human words, the agent's words, and the agent's tool calls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Picture = Callable[[Callable[[str], str]], bytes]
"""PNG bytes, drawn from what shell commands print."""


@dataclass(frozen=True)
class Call:
    """One tool call."""

    tool: str
    arguments: Mapping[str, str | int]


@dataclass(frozen=True)
class Human:
    """What the human writes, perhaps with a picture."""

    text: str
    picture: Picture | None = None


@dataclass(frozen=True)
class Agent:
    """What the agent says, and the tools it calls at once."""

    text: str
    calls: tuple[Call, ...] = ()


Step = Human | Agent


def say(text: str) -> Agent:
    """Words only: the end of the agent's turn."""
    return Agent(text)


def do(text: str, *calls: Call) -> Agent:
    """Words, possibly none, and tool calls."""
    return Agent(text, calls)


def shell(command: str, timeout: int | None = None) -> Call:
    return Call("shell", {"command": command} | ({"timeout": timeout} if timeout else {}))


def read(path: str, offset: int | None = None, limit: int | None = None) -> Call:
    lines = {"offset": offset, "limit": limit}
    return Call("read_file", {"path": path} | {k: v for k, v in lines.items() if v is not None})


def search(pattern: str, path: str | None = None) -> Call:
    return Call("search", {"pattern": pattern} | ({"path": path} if path else {}))


def edit(path: str, old: str, new: str) -> Call:
    return Call("edit_file", {"path": path, "old": old, "new": new})


def create(path: str, text: str) -> Call:
    return edit(path, "", text)


def tests(name: str | None = None) -> Call:
    return Call("run_tests", {"name": name} if name else {})
