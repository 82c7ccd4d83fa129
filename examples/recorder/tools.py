"""The five tools. Each is given its arguments and does the real thing in the workspace."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from recorder.script import Call
from recorder.workspace import Ran, Workspace

CONTEXT = 3


class ToolError(Exception):
    """A tool cannot do what it was asked for; the agent reads the words."""


@dataclass(frozen=True)
class Result:
    """What the agent reads."""

    text: str
    failed: bool


def use(workspace: Workspace, call: Call) -> Result:
    """Run one call."""
    try:
        return TOOLS[call.tool](workspace, **call.arguments)
    except ToolError as error:
        return Result(f"error: {error}", failed=True)


def shell(workspace: Workspace, command: str, timeout: int = 30) -> Result:
    return ran(workspace.run(command, timeout), timeout)


def run_tests(workspace: Workspace, name: str = "") -> Result:
    arguments = f"-v {name}" if name else "discover -v -s tests -t ."
    return ran(workspace.run(f"python -m unittest {arguments}", 60), 60)


def ran(done: Ran, timeout: int) -> Result:
    if done.code is None:
        return Result(f"error: stopped after {timeout} s", failed=True)
    output = done.output.rstrip("\n") or "(no output)"
    return Result(output if done.code == 0 else f"{output}\n[exit {done.code}]", done.code != 0)


def read_file(workspace: Workspace, path: str, offset: int = 1, limit: int = 2000) -> Result:
    lines = content(workspace, path).splitlines()
    return Result(numbered(lines, offset, offset + limit - 1), failed=False)


def search(workspace: Workspace, pattern: str, path: str = ".") -> Result:
    found = matches(workspace.root, re.compile(pattern), workspace.root / path)
    return Result("\n".join(found) or "no matches", failed=False)


def edit_file(workspace: Workspace, path: str, old: str, new: str) -> Result:
    target = workspace.root / path
    if not old:
        if target.exists():
            raise ToolError(f"{path} exists; give the text to replace")
        target.write_text(new, encoding="utf-8")
        return Result(f"created {path} ({len(new.splitlines())} lines)", failed=False)
    text = content(workspace, path)
    if text.count(old) != 1:
        raise ToolError(f"the text occurs {text.count(old)} times in {path}, not once")
    before, after = text.split(old)
    target.write_text(before + new + after, encoding="utf-8")
    first = before.count("\n") + 1
    last = first + new.count("\n")
    shown = numbered((before + new + after).splitlines(), first - CONTEXT, last + CONTEXT)
    return Result(f"edited {path}, which now reads\n{shown}", failed=False)


TOOLS: dict[str, Callable[..., Result]] = {
    tool.__name__: tool for tool in (shell, read_file, search, edit_file, run_tests)
}


def content(workspace: Workspace, path: str) -> str:
    place = workspace.root / path
    if not place.is_file():
        raise ToolError(f"no file {path}")
    return place.read_text(encoding="utf-8")


def numbered(lines: list[str], first: int, last: int) -> str:
    """Lines `first` to `last`, counted from one, as far as they exist."""
    kept = enumerate(lines[max(first - 1, 0) : last], start=max(first, 1))
    return "\n".join(f"{number:>5}\t{line}" for number, line in kept) or "(no lines)"


def matches(root: Path, regex: re.Pattern[str], start: Path) -> Iterator[str]:
    """The lines that match, in files whose name and folders do not begin with a dot."""
    for file in [start] if start.is_file() else sorted(start.rglob("*")):
        name = file.relative_to(root)
        if file.is_file() and not any(part.startswith(".") for part in name.parts):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
                if regex.search(line):
                    yield f"{name.as_posix()}:{number}:{line}"
