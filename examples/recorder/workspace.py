"""A fresh copy of the project under git, and commands run in it with the same output each time."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PROJECT = Path(__file__).parent.parent / "project"
SHOWN_AS = "/project"
DURATION = re.compile(r"(?<=\bin )\d+\.\d+s\b")
FROZEN = re.compile(r'(?<=File "<frozen runpy>", line )\d+')
WHEN = "2026-04-03T09:00:00+0000"


@dataclass(frozen=True)
class Ran:
    """The output of a command. `code` is None when it ran out of time."""

    output: str
    code: int | None


@dataclass(frozen=True)
class Workspace:
    """The copy. `root` is its folder, `bin` the folder in which `python` is this interpreter."""

    root: Path
    bin: Path

    def run(self, command: str, timeout: int) -> Ran:
        """Run a shell command in the copy; stop it and all it started after `timeout` seconds."""
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Ran("", None)
        return Ran(self.normalise(output), process.returncode)

    def environment(self) -> dict[str, str]:
        """Nothing of the caller's but the search path."""
        who = {"NAME": "Agent", "EMAIL": "agent@example.org", "DATE": WHEN}
        git = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
        return git | {
            "PATH": f"{self.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "HOME": str(self.bin),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONUTF8": "1",
            "TZ": "UTC",
        }

    def normalise(self, text: str) -> str:
        """Without what differs: the folder, durations, the interpreter's own place and lines."""
        text = text.replace(str(self.root), SHOWN_AS)
        library = f"python{sys.version_info.major}.{sys.version_info.minor}"
        text = text.replace(f"{sys.base_prefix}/lib/{library}", f"/usr/lib/{library}")
        return FROZEN.sub("1", DURATION.sub("0.010s", text))


@contextmanager
def fresh() -> Iterator[Workspace]:
    """A copy of the project in a temporary folder, committed once."""
    with TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder).resolve() / "project", Path(folder).resolve() / "bin")
        shutil.copytree(PROJECT, workspace.root, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        workspace.bin.mkdir()
        python = workspace.bin / "python"
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        start = workspace.run("git init -q -b main && git add -A && git commit -qm Start", 30)
        if start.code != 0:
            raise RuntimeError(f"cannot set up the project: {start.output}")
        yield workspace
