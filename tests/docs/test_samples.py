"""The pages of replays and pictures show what the commands really print.

Run as a script, this writes the real output into the pages.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / name for name in ("replay.md", "pictures.md")]
CONSOLE = re.compile(r"```console\n\$ (trimtab .*)\n((?:.*\n)*?)```")


def printed(command: str) -> str:
    env = {**os.environ, "COLUMNS": "88", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    words = [sys.executable, "-c", "from trimtab.cli import main; import sys; sys.exit(main())"]
    done = subprocess.run(
        [*words, *shlex.split(command)[1:]], cwd=ROOT, env=env, capture_output=True, check=True
    )
    lines = done.stdout.decode("utf-8").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_page_shows_what_is_printed(page):
    samples = CONSOLE.findall(page.read_text("utf-8"))
    assert samples
    for command, output in samples:
        assert output == printed(command)


def test_links_and_pictures_are_there():
    for page in PAGES:
        for target in re.findall(r"\]\(([\w./-]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), target


def rewrite() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        made = CONSOLE.sub(lambda m: f"```console\n$ {m[1]}\n{printed(m[1])}```", text)
        page.write_text(made, "utf-8")


if __name__ == "__main__":
    rewrite()
