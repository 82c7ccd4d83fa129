"""Many conversations, odd input, and what a terminal, a pipe or a Ctrl-C does to it all."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import trimtab
from trimtab.cli import main


def chat(turns: int) -> list[Any]:
    """A conversation of many short turns."""
    return [
        {"role": "user" if n % 2 == 0 else "assistant", "content": f"message number {n}"}
        for n in range(turns)
    ]


def call(id: str) -> dict[str, Any]:
    """An assistant message that calls a tool."""
    function = {"name": "read_file", "arguments": '{"path": "notes.txt"}'}
    tools = [{"id": id, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": tools}


def result(id: str, text: str = "ok") -> dict[str, Any]:
    """The result of a tool."""
    return {"role": "tool", "tool_call_id": id, "content": text}


HI = [{"role": "user", "content": "hi"}]
BROKEN = [*HI, result("lost"), {"role": "assistant", "content": "so?"}]
SOUND = [*HI, call("a"), result("a"), {"role": "assistant", "content": "done"}]


def jsonl(*values: Any) -> bytes:
    """Values as JSON lines; bytes stand for themselves."""
    lines = [v if isinstance(v, bytes) else json.dumps(v).encode() for v in values]
    return b"\n".join(lines) + b"\n"


# --- many conversations ---


def test_one_bad_line_does_not_stop_the_others(run: Any) -> None:
    """Line for line on stdout, errors with their line on stderr, exit 1 at the end."""
    lines = jsonl(chat(40), b"{broken", {"messages": SOUND}, b"", BROKEN, HI)
    outcome = run("fit", "--budget", "60", input=lines)
    assert outcome.code == 1
    first, unreadable, body, blank, broken, last = outcome.lines
    assert first == trimtab.fit(chat(40), 60).messages
    assert unreadable["error"]["type"] == "Unreadable"
    assert body == {"messages": trimtab.fit(SOUND, 60).messages}
    assert blank is None
    assert broken["error"] | {"message": ""} == {
        "type": "OrphanResult",
        "message": "",
        "code": "orphan_result",
        "index": 1,
        "id": "lost",
    }
    assert last == HI
    errors = [line for line in outcome.err.splitlines() if line.startswith("error: ")]
    assert [line[:14] for line in errors] == ["error: line 2:", "error: line 5:"]
    assert "3 of 5 conversations fit: " in outcome.err


def test_check_names_the_lines(run: Any) -> None:
    """Also where a line cannot be read."""
    outcome = run("check", input=jsonl(SOUND, BROKEN, b"3", HI))
    assert outcome.code == 1
    assert outcome.text.startswith("line 2, message 1: orphan_result id lost: ")
    assert outcome.text.count("\n") == 1
    assert "error: line 3: " in outcome.err
    as_json = run("check", "--json", input=jsonl(SOUND, BROKEN, b"3", HI)).lines
    assert [list(line) for line in as_json] == [["faults"], ["faults"], ["error"], ["faults"]]
    fixed = run("check", "--fix", input=jsonl(SOUND, BROKEN)).lines
    assert fixed == [SOUND, [BROKEN[0], BROKEN[2]]]


def test_a_warning_that_all_lines_share_is_printed_once(run: Any) -> None:
    """Without a model Claude is counted too low, on every line."""
    outcome = run("fit", "--budget", "1k", "--format", "anthropic", input=jsonl(HI, HI, HI))
    warnings = [line for line in outcome.err.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == len(set(warnings)) > 0
    assert outcome.err.endswith("estimated)\n")


# --- input and output ---


def test_a_file_is_read(run: Any, tmp_path: Path) -> None:
    """By path, whatever its name ends in."""
    path = tmp_path / "chat.txt"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(HI).encode())
    assert run("fit", str(path), "--budget", "100").json == HI
    assert run("fit", "-", "--budget", "100", input=HI).json == HI


ODD = 'half \ud800 and \udfff, "\x9b31m", \u202eolleh, \u2028, \x7f, 日本語, \U0001f642'


def test_odd_characters_survive_and_stay_harmless(run: Any) -> None:
    """Lone surrogates come back as they were; what steers a terminal is escaped in the JSON."""
    messages = [{"role": "user", "content": ODD}]
    outcome = run("check", "--fix", input=messages, encoding="ascii")
    assert json.loads(outcome.text) == messages
    assert not any(char in outcome.text for char in "\x9b\u202e\u2028\x7f")
    assert "日本語, \U0001f642" in outcome.text


def test_numbers_survive(run: Any) -> None:
    """Also those that only the json module knows."""
    value = (
        b'{"messages": [], "a": [NaN, Infinity, -Infinity], "b": 1.0, "c": 12345678901234567890}'
    )
    outcome = run("check", "--fix", input=value)
    assert re.sub(r"\s", "", outcome.text) == re.sub(r"\s", "", value.decode())


NASTY = "[red]:smile:\x1b]8;;http://e.example\x07\x1b[2J\x00\u202e"


def test_words_from_messages_cannot_steer_the_terminal(run: Any) -> None:
    """Ids, tool names, roles, first words and error texts are escaped and never markup."""
    nasty_call = call(NASTY)
    nasty_call["tool_calls"][0]["function"]["name"] = NASTY
    messages = [
        {"role": "user", "content": NASTY},
        nasty_call,
        result(NASTY, NASTY),
        result(NASTY + "2", NASTY),
        {"role": NASTY, "content": NASTY},
    ]
    outcomes = [
        run("check", input=messages),
        run("check", "--fix", input=messages[:4]),
        run("fit", "--budget", "1k", input=messages),
        run("fit", "--budget", "1k", "--repair", "--picture", input=messages[:4]),
        run("count", input=messages),
        run("check", input=jsonl(messages, HI)),
        run("fit", "--budget", "1k", "--format", NASTY, input=HI),
    ]
    for outcome in outcomes:
        shown = outcome.err + outcome.text
        assert not any(char in shown for char in "\x1b\x07\x00\u202e")
    assert r"[red]:smile:\x1b]8;;http" in outcomes[0].text
    assert r"[red]:smile:\x1b]8;;http" in outcomes[4].text


@pytest.mark.parametrize("command", ["fit", "check", "count"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[",
        b"nonsense",
        b"3",
        b'{"messages": 3}',
        b'{"role": "user",\n"content": "hi"}',
        b"\xff\xfe[\x00]\x00",
        b"[" * 200_000,
        b"[3]",
        b'["text"]',
        b"[null]",
    ],
)
def test_unreadable_input_is_exit_2(run: Any, command: str, data: bytes) -> None:
    """One line on stderr, nothing on stdout."""
    arguments = ["--budget", "1k"] if command == "fit" else []
    outcome = run(command, *arguments, input=data)
    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err.startswith("error: ")


MALFORMED = [
    {"role": ["user"], "content": "a"},
    {"role": {"a": 1}, "content": "a"},
    {"role": "user", "content": 5},
    {"role": "assistant", "content": None, "tool_calls": 1.5},
    {"role": "assistant", "content": None, "tool_calls": [None, 3]},
    {"role": "tool", "tool_call_id": {}, "content": {"a": [1]}},
    {"role": "user", "content": [None, 5, {"type": []}]},
]


@pytest.mark.parametrize("message", MALFORMED)
def test_malformed_messages_never_stop_the_others(run: Any, message: Any) -> None:
    """Whatever shape a message has, its line is answered and the next one too."""
    for arguments in (["fit", "--budget", "1k"], ["check", "--json"], ["count", "--json"]):
        assert run(*arguments, input=[message]).code in (0, 1, 2)
        outcome = run(*arguments, input=jsonl([message], HI))
        first, second = outcome.lines
        assert first is not None
        assert "error" not in second


def test_deep_content_is_no_traceback(run: Any) -> None:
    """Whatever depth the reader accepts, the rest does, or says that it does not."""
    for depth in (200, 500, 900, 960, 980, 990, 995):
        deep = b"[" * depth + b"]" * depth
        data = b'[{"role": "user", "content": ' + deep + b"}]"
        for arguments in (
            ["fit", "--budget", "1m"],
            ["check", "--fix"],
            ["count"],
            ["count", "--json"],
        ):
            outcome = run(*arguments, input=data)
            assert outcome.code in (0, 1, 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit"],
        ["fit", "--budget", "many"],
        ["fit", "--budget", "-1"],
        ["fit", "--model", "a-model-nobody-knows"],
        ["fit", "--budget", "1k", "--low", "0"],
        ["fit", "--budget", "1k", "--low", "nan"],
        ["fit", "--budget", "1k", "--keep-first", "-1"],
        ["fit", "--budget", "1k", "--max-result-tokens", "0"],
        ["fit", "--budget", "1k", "--format", "smoke-signals"],
        ["check", "--format", "smoke-signals"],
        ["count", "--top", "-1"],
        ["fit", "no-such-file", "--budget", "1k"],
        ["fit", ".", "--budget", "1k"],
        ["fit", "--no-such-option"],
        ["no-such-command"],
    ],
)
def test_wrong_usage_is_exit_2(run: Any, arguments: list[str]) -> None:
    """Words on stderr only."""
    outcome = run(*arguments, input=HI)
    assert (outcome.code, outcome.out) == (2, b"")
    assert outcome.err


def test_a_body_and_system_contradict(run: Any) -> None:
    """A body has its own system text; nothing is ignored silently."""
    outcome = run("fit", "--budget", "1k", "--system", "x", input={"messages": HI})
    assert outcome.code == 2
    assert "--system" in outcome.err


def test_help_and_version(run: Any) -> None:
    """On stdout, exit 0."""
    for arguments in (
        ["--help"],
        ["fit", "--help"],
        ["check", "-h"],
        ["count", "-h"],
        ["--version"],
    ):
        outcome = run(*arguments)
        assert outcome.code == 0
        assert "trimtab" in outcome.text


# --- as a process ---


def started(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    """The command line in a process of its own."""
    code = "import sys; from trimtab.cli import main; sys.exit(main())"
    return subprocess.Popen([sys.executable, "-c", code, *arguments], **options)


def test_a_closed_pipe_ends_it_quietly(tmp_path: Path) -> None:
    """As ``trimtab fit many.jsonl | head -1`` does."""
    path = tmp_path / "many.jsonl"
    path.write_bytes(jsonl(*[chat(200)] * 400))  # more than a pipe holds
    process = started("check", "--fix", str(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout and process.stderr
    process.stdout.read(10)
    process.stdout.close()
    words = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 141
    assert words == b""


class Interrupted(io.RawIOBase):
    """A stdin on which somebody presses Ctrl-C."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        raise KeyboardInterrupt


def test_an_interrupt_is_exit_130(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """Without a traceback."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Interrupted())))
    assert main(["check"]) == 130
    assert "Traceback" not in capfd.readouterr().err
