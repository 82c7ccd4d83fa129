"""Fit every recorded transcript at many budgets and count what must never happen.

    python bench/sessions.py

Prints one row per agent and budget; exits 1 if a result breaks a promise: over budget, a
violation found by ``verify``, another conversation when its lines are read again, a fault
in it, other bytes although all fits, or lines that Anthropic's own reader (where
claude-agent-sdk is installed) does not find. Needs the corpus beside the repository.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.corpus import CORPUS

from trimtab import DoesNotFit, InvalidHistory, verify
from trimtab.sessions import FittedSession, Session, check_session, fit_session, read_session

BUDGETS = (50, 500, 2_000, 8_000, 20_000, 32_000, 128_000, 1_000_000)
COLUMNS = ("fitted", "whole", "does not fit", "invalid", "findings")
NAME = "3f2a3f5e-0000-4000-8000-000000000001"
HIDDEN = ("isMeta", "isSidechain", "teamName")

try:
    from claude_agent_sdk import get_session_messages
except ImportError:
    get_session_messages = None


def sweep(path: Path, tally: Counter[tuple[str, int, str]]) -> Iterator[str]:
    """What is wrong with the fits of one transcript."""
    session = read_session(path)
    for budget in BUDGETS:
        try:
            fitted = fit_session(session, budget)
        except DoesNotFit:
            tally[session.kind, budget, "does not fit"] += 1
            continue
        except InvalidHistory:
            tally[session.kind, budget, "invalid"] += 1
            continue
        tally[session.kind, budget, "fitted"] += 1
        tally[session.kind, budget, "whole"] += not fitted.fitted.dropped
        for text in findings(fitted, path.read_bytes()):
            tally[session.kind, budget, "findings"] += 1
            yield f"{path.name} at {budget}: {text}"


def findings(fitted: FittedSession, data: bytes) -> Iterator[str]:
    """The broken promises of one result."""
    fit, again = fitted.fitted, read_session(fitted.data)
    if fit.used > fit.budget:
        yield f"used {fit.used}"
    yield from map(str, verify(fit))
    if again.messages != fit.messages:
        yield "its lines hold another conversation"
    yield from (str(fault) for fault in check_session(again) if fault.index >= 0)
    if not fit.dropped and fitted.data != data:
        yield "other bytes although all fits"
    if again.kind == "claude-code" and get_session_messages is not None:
        if shown(again) != found(fitted.data):
            yield "Anthropic's reader finds other lines"


def shown(session: Session) -> list[str]:
    """The lines of the conversation that Anthropic's reader shows."""
    values = (session.lines[at].value for at in session.chain)
    turns = (v for v in values if v["type"] in ("user", "assistant"))
    return [v["uuid"] for v in turns if not any(v.get(name) for name in HIDDEN)]


def found(data: bytes) -> list[str]:
    """The lines that Anthropic's reader finds."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "projects" / "-x"
        project.mkdir(parents=True)
        (project / f"{NAME}.jsonl").write_bytes(data)
        os.environ["CLAUDE_CONFIG_DIR"] = folder
        return [message.uuid for message in get_session_messages(NAME)]


def main() -> int:
    """Sweep both agents, print the table, return the exit code."""
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}", file=sys.stderr)
        return 2
    tally: Counter[tuple[str, int, str]] = Counter()
    kinds = ("claude-code", "codex")
    paths = [p for kind in kinds for p in sorted((CORPUS / kind).glob("*.jsonl")) if p.stem != "index"]
    wrong = [text for path in paths for text in sweep(path, tally)]
    print(f"{'agent':<12}{'budget':>9}", *(f"{name:>13}" for name in COLUMNS))
    for kind in kinds:
        for budget in BUDGETS:
            cells = (f"{tally[kind, budget, name]:>13}" for name in COLUMNS)
            print(f"{kind:<12}{budget:>9}", *cells)
    print("compared with Anthropic's reader" if get_session_messages else "no reader to compare with")
    print(f"{len(wrong)} findings", *wrong[:40], sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
