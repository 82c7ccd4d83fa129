"""A way to run the command line inside the test process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from trimtab.cli import main


@dataclass
class Outcome:
    """What a command did: its exit code, the bytes on stdout, the words on stderr."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Stdout as text; it is always UTF-8."""
        return self.out.decode("utf-8")

    @property
    def json(self) -> Any:
        """Stdout as one JSON document."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Stdout as JSONL, a blank line as None."""
        assert self.out.endswith(b"\n")
        return [json.loads(line) if line else None for line in self.out[:-1].split(b"\n")]


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("fit", "--budget", "8k", input=value)``; an input that is not bytes is dumped."""
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)

    def run_now(*arguments: str, input: Any = b"", encoding: str = "utf-8") -> Outcome:
        data = input if isinstance(input, bytes) else json.dumps(input).encode()
        out, err = io.BytesIO(), io.BytesIO()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            patched.setattr(sys, "stdout", io.TextIOWrapper(out, encoding=encoding))
            patched.setattr(sys, "stderr", io.TextIOWrapper(err, encoding=encoding))
            code = main(arguments)
            sys.stdout.flush()
            sys.stderr.flush()
            outcome = Outcome(code, out.getvalue(), err.getvalue().decode(encoding))
        assert "Traceback" not in outcome.err
        return outcome

    return run_now
