"""Transcripts of agents on the command line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from support.transcripts import ClaudeCode, event, item, say, text
from trimtab.cli.sink import write_text
from trimtab.sessions import fit_session, repair_session


def claude_code(turns: int = 6) -> bytes:
    """A transcript of some turns."""
    t = ClaudeCode()
    t.values.append({"type": "summary", "summary": "s", "leafUuid": "x"})
    for n in range(turns):
        t.user(f"question number {n}")
        t.call(f"m{n}", f"c{n}")
        t.result(f"c{n}", "some words " * 9)
        t.assistant(f"n{n}", f"answer number {n}")
    return t.text


def rollout() -> bytes:
    """A transcript of Codex."""
    lines: list[Any] = [{"type": "session_meta", "payload": {"instructions": "Be brief."}}]
    for n in range(6):
        lines += [item(say("user", f"question number {n}")), event("user_message", message=f"question number {n}")]
        lines += [item({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": f"c{n}"})]
        lines += [item({"type": "function_call_output", "call_id": f"c{n}", "output": "words " * 20})]
    return text(lines)


BOTH = pytest.mark.parametrize("data", [claude_code(), rollout()], ids=["claude-code", "codex"])


@BOTH
@pytest.mark.parametrize("first", [b"", b"{cut off\n", b"\n\n", b"\xef\xbb\xbf"])
def test_fit_writes_the_transcript(run: Any, data: bytes, first: bytes) -> None:
    """The same bytes as the library; the account counts messages."""
    data = first + data
    outcome = run("fit", "--budget", "150", input=data)
    fitted = fit_session(data, 150)
    assert (outcome.code, outcome.out) == (0, fitted.data)
    assert 0 < len(fitted.lines) < data.count(b"\n")
    assert f"kept {len(fitted.fitted.messages)} of 24" in outcome.err or "of 18" in outcome.err
    assert run("fit", "--budget", "1m", input=data).out == data
    assert run("check", input=outcome.out).code == (1 if first == b"{cut off\n" else 0)


@BOTH
def test_fit_with_options_and_as_json(run: Any, data: bytes) -> None:
    """The account names the kind and the numbers of lines."""
    account = run("fit", "--budget", "150", "--notice", "--json", input=data).json
    assert account["session"] in ("claude-code", "codex")
    assert account["lines"]["after"] < account["lines"]["before"]
    assert account["inserted"][0]["kind"] == "notice"
    refused = run("fit", "--budget", "150", "--format", "anthropic", input=data)
    assert refused.code == 2
    assert "own format" in refused.err
    assert run("fit", "--budget", "3", input=data).code == 1


@BOTH
def test_count_names_roles_and_tools(run: Any, data: bytes) -> None:
    """Calls and results of both shapes."""
    counted = run("count", "--json", input=data).json
    assert counted["by_role"]["call"]["messages"] == 6
    assert counted["by_role"]["result"]["messages"] == 6
    assert [row["results"] for row in counted["by_tool"].values()] == [6]
    assert counted["total"] > 200


def broken() -> bytes:
    """A transcript with three faults."""
    lines = claude_code(2).split(b"\n")
    lines[3] = b"not json"  # the result of the first call, on which the rest hangs
    return b"\n".join(lines)


def test_check_names_lines(run: Any) -> None:
    """One fault a line, exit code 1; as JSON with the line beside the rest."""
    outcome = run("check", input=broken())
    assert outcome.code == 1
    assert outcome.text.splitlines() == [
        "line 4: unreadable_line: a line that is no JSON object",
        "line 5: broken_link: its parentUuid names no line, so that all before it is lost",
    ]
    assert "2 faults" in outcome.err
    rows = run("check", "--json", input=broken()).json["faults"]
    assert [(row["line"], row["code"], row["index"]) for row in rows] == [
        (4, "unreadable_line", -1),
        (5, "broken_link", -1),
    ]


def test_fix_prints_a_sound_transcript(run: Any) -> None:
    """Every repair is named on stderr; with --json they stand beside the text."""
    outcome = run("check", "--fix", input=broken())
    mended = repair_session(broken())
    assert (outcome.code, outcome.out) == (0, mended.data)
    assert "line 3: missing_result id c0" in outcome.err
    assert "3 repairs" in outcome.err
    assert run("check", input=outcome.out).code == 0
    both = run("check", "--fix", "--json", input=broken()).json
    assert both["result"].encode() == mended.data
    assert [row["line"] for row in both["repairs"]] == [3, 4, 5]


def test_other_lines_with_types_are_no_transcript(run: Any) -> None:
    """Objects with a type are still reported line by line."""
    lines = b'{"type": "x"}\n[{"role": "user", "content": "hi"}]\n'
    outcome = run("fit", "--budget", "100", input=lines)
    assert outcome.code == 1
    assert "line 1: the object has no list" in outcome.err
    assert json.loads(outcome.out.splitlines()[1]) == [{"role": "user", "content": "hi"}]


def test_only_a_terminal_gets_other_bytes(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file gets the line as it is, a terminal one that means the same and steers nothing."""
    t = ClaudeCode()
    t.user("\u202eevil \x9b31m")
    raw = json.dumps(t.values[0], ensure_ascii=False).encode()
    assert run("fit", "--budget", "1m", input=raw).out == raw
    shown = io.BytesIO()
    terminal = io.TextIOWrapper(shown, encoding="utf-8")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", terminal)
    write_text(raw)
    assert b"\\u202e" in shown.getvalue()
    assert json.loads(shown.getvalue()) == t.values[0]
