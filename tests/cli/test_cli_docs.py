"""The documentation of the command line shows what really comes out.

Run as a script, this writes the real output into the page.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import pytest

from trimtab.cli.app import cli

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"
TEXT = PAGE.read_text("utf-8")
FILE = re.compile(r"`([\w.]+)`[^`\n]*:\n\n```json\n(.*?)```", re.DOTALL)
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
EXAMPLES = [
    (command, output)
    for block in CONSOLE.findall(TEXT)
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def write_files(folder: Path) -> None:
    """The files that the page shows."""
    for name, content in FILE.findall(TEXT):
        (folder / name).write_text(content, "utf-8")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the page, in the working directory."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)


def shown(run: Any, command: str) -> str:
    """What a terminal shows after ``command``: stdout unless it goes to a file, then stderr."""
    program, *arguments = shlex.split(command)
    assert program == "trimtab"
    hidden = ">" in arguments
    outcome = run(*(arguments[: arguments.index(">")] if hidden else arguments))
    text = ("" if hidden else outcome.text) + outcome.err
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_example(run: Any, command: str, output: str) -> None:
    """The page shows the output of the command."""
    assert shown(run, command) == output


def test_every_option_has_a_heading_and_an_example() -> None:
    """Under the command that it belongs to."""
    sections = dict(re.findall(r"^## `trimtab (\w+) .*?`\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))
    assert set(sections) == set(cli.commands)
    for name, command in cli.commands.items():
        headings = "".join(re.findall("^### .*", sections[name], re.MULTILINE))
        commands = [c for c, _ in EXAMPLES if c.startswith(f"trimtab {name} ")]
        for option in command.params:
            if isinstance(option, click.Option):
                assert f"`{option.opts[0]}" in headings
                assert any(f" {option.opts[0]}" in c for c in commands)
        options = [o for p in command.params for o in p.opts]
        for flag in re.findall(r"--[\w-]+", headings):
            assert flag in options


def rewrite() -> None:
    """Run every example and put what it shows into the page."""
    bin = Path(sys.executable).parent
    env = {**os.environ, "COLUMNS": "80", "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))

        def filled(block: re.Match[str]) -> str:
            text = ""
            for command in re.findall(r"^\$ (.*)$", block[1], re.MULTILINE):
                done = subprocess.run(
                    ["sh", "-c", command], cwd=folder, env=env, capture_output=True, check=False
                )
                lines = (done.stdout + done.stderr).decode().splitlines()
                text += "".join(f"{line.rstrip()}\n" for line in [f"$ {command}", *lines])
            return f"```console\n{text}```"

        PAGE.write_text(CONSOLE.sub(filled, TEXT), "utf-8")


if __name__ == "__main__":
    rewrite()
