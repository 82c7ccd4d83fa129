"""``show`` and ``replay`` as commands: files of every kind, pages, errors, exit codes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from support.corpus import CORPUS, requires_corpus
from support.wild import wild
from trimtab.cli.page import write_page
from trimtab.pages import MARK

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "anthropic.json"


def chat(size: int) -> list[Any]:
    return [
        {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " + "word " * (n % 9)}
        for n in range(size)
    ]


def write(folder: Path, name: str, value: Any) -> str:
    path = folder / name
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text, "utf-8")
    return str(path)


def test_show_draws_and_lists(run: Any, tmp_path: Path) -> None:
    outcome = run("show", write(tmp_path, "c.json", chat(30)), "--budget", "150", "--top", "2")
    assert outcome.code == 0
    text = outcome.out.decode()
    assert "░ dropped" in text and "would give" in text
    assert text.count("kept (") + text.count("dropped (") == 2


def test_show_as_json_has_the_largest(run: Any, tmp_path: Path) -> None:
    outcome = run("show", write(tmp_path, "c.json", chat(30)), "--budget", "150", "--json", "--top", "3")
    found = json.loads(outcome.out)
    assert len(found["largest"]) == 3 and found["used"] <= 150


def test_show_draws_wild_text_tamely(run: Any, tmp_path: Path) -> None:
    path = write(tmp_path, "wild.json", wild())
    page = tmp_path / "page.html"
    outcome = run("show", path, "--budget", "900", "--html", str(page))
    assert outcome.code == 0, outcome.err
    assert "\x1b]" not in outcome.out.decode() and "\u202e" not in outcome.out.decode()
    assert "<img" not in page.read_text("utf-8")
    assert f"wrote {page}" in outcome.err.replace("\n", "")


def test_a_page_is_written_over_but_nothing_else(run: Any, tmp_path: Path) -> None:
    path = write(tmp_path, "c.json", chat(9))
    page = tmp_path / "page.html"
    for _ in range(2):
        assert run("show", path, "--budget", "90", "--html", str(page)).code == 0
    mine = write(tmp_path, "mine.html", "<p>mine</p>")
    pipe, empty = str(tmp_path / "pipe"), write(tmp_path, "empty.txt", "")
    os.mkfifo(pipe)  # would be waited for if it were read
    gone = tmp_path / "link"
    gone.symlink_to(tmp_path / "nowhere")
    places = (mine, path, empty, pipe, str(gone))
    for place in (*places, str(tmp_path), str(tmp_path / "no" / "page.html")):
        outcome = run("show", path, "--budget", "90", "--html", place)
        assert outcome.code == 2, place
    assert Path(mine).read_text() == "<p>mine</p>" and json.loads(Path(path).read_text()) == chat(9)
    assert list(tmp_path.glob(".trimtab-*")) == []


def test_nothing_is_left_of_a_page_that_cannot_be_put_in_place(
    tmp_path: Path, monkeypatch: Any
) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(click.UsageError, match="No space left"):
        write_page(str(tmp_path / "page.html"), MARK)
    assert list(tmp_path.iterdir()) == []


def test_a_page_asks_no_model(run: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("trimtab.cli.summaries._summariser", lambda _: lambda ask: pytest.fail("asked"))
    path, page = write(tmp_path, "c.json", chat(30)), tmp_path / "page.html"
    given = ("show", path, "--budget", "300", "--summary-tokens", "50", "--summary-store", ":memory:")
    outcome = run(*given, "--summary", "openai:gpt-4o", "--html", str(page))
    assert outcome.code == 2 and "would ask the model" in outcome.err and not page.exists()
    monkeypatch.undo()
    assert run(*given, "--summary", "extractive", "--html", str(page)).code == 0


def test_a_page_shows_one_conversation(run: Any, tmp_path: Path) -> None:
    path = write(tmp_path, "many.jsonl", "\n".join([json.dumps(chat(9))] * 2))
    outcome = run("show", path, "--budget", "90", "--html", str(tmp_path / "page.html"))
    assert outcome.code == 2 and "one conversation" in outcome.err


def test_replay_of_the_example(run: Any, tmp_path: Path) -> None:
    page = tmp_path / "replay.html"
    outcome = run("replay", str(EXAMPLE), "--budget", "32k", "--html", str(page), "--jobs", "1")
    text = outcome.out.decode()
    assert outcome.code == 0, outcome.err
    assert "105 requests, 93,801 tokens" in text and "Take " in text
    assert "The dearest cut of slide" in text
    assert page.read_text("utf-8").count("<svg") == 2


def test_many_at_once_are_those_one_by_one(run: Any, tmp_path: Path) -> None:
    files = [write(tmp_path, f"{n}.json", chat(20 + 10 * n)) for n in range(3)]
    given = ("--budget", "150", "--json", "--policy", "slide", "--policy", "steady", "--rule", "anthropic-5m")
    alone = run("replay", *files, *given, "--jobs", "1")
    together = run("replay", *files, *given, "--jobs", "2")
    assert alone.code == together.code == 0, alone.err
    assert alone.out == together.out
    found = json.loads(alone.out)
    assert [row["name"] for row in found["conversations"]] == ["0.json", "1.json", "2.json"]
    assert found["together"]["requests"] == sum(row["requests"] for row in found["conversations"])


def test_a_log_of_requests_is_one_conversation(run: Any, tmp_path: Path) -> None:
    one, other = chat(12), [{"role": "user", "content": "another"}, *chat(9)[1:]]
    bodies = [{"model": "gpt-4o", "messages": one[: n + 1]} for n in range(0, 11, 2)]
    mixed = [body for n in range(0, 9, 2) for body in (bodies[n // 2], {"model": "gpt-4o", "messages": other[: n + 1]})]
    for log, count in ((bodies, 1), (mixed, 2)):
        path = write(tmp_path, "log.jsonl", "\n".join(map(json.dumps, log)))
        found = json.loads(run("replay", path, "--budget", "500", "--json", "--policy", "slide").out)
        assert len(found["conversations"]) == count
    assert found["conversations"][1]["requests"] == 5


def test_what_cannot_be_read_is_told_and_the_rest_goes_on(run: Any, tmp_path: Path) -> None:
    good, bad = write(tmp_path, "c.json", chat(9)), write(tmp_path, "bad.json", "{nonsense")
    given = ("--budget", "500", "--policy", "slide", "--rule", "none")
    outcome = run("replay", good, bad, str(tmp_path / "none.json"), *given)
    assert outcome.code == 1 and b"c.json: " in outcome.out
    assert "bad.json: not JSON" in outcome.err and "none.json: No such file" in outcome.err
    assert run("replay", bad, *given).code == 2
    broken = write(tmp_path, "broken.json", [{"role": "tool", "tool_call_id": "x", "content": "y"}])
    outcome = run("replay", broken, *given)
    assert outcome.code == 1 and "without its call" in outcome.err


def test_words_that_mean_nothing(run: Any, tmp_path: Path) -> None:
    good = write(tmp_path, "c.json", chat(9))
    assert run("replay", good, "--budget", "500", "--rule", "fast").code == 2
    outcome = run("replay", good, "--budget", "500", "--policy", "fast")
    assert outcome.code == 1 and "no policy is called 'fast'" in outcome.err
    assert run("replay").code == 2


@requires_corpus
@pytest.mark.parametrize("kind", ["claude-code", "codex"])
def test_transcripts_of_agents(run: Any, kind: str) -> None:
    """Every transcript of the corpus, or a reason why not."""
    files = [str(path) for path in sorted((CORPUS / kind).glob("*.jsonl")) if path.name != "index.jsonl"]
    outcome = run("replay", *files[:8], "--budget", "20k", "--json", "--jobs", "1", "--policy", "slide", "--policy", "steady")
    found = json.loads(outcome.out)["conversations"]
    assert len(found) >= 4
    for row in found:
        assert row["requests"] > 0 and len(row["policies"]) == 2
    assert any(row["recorded"] and row["recorded"]["turns"] > 3 for row in found)


def test_a_bad_line_of_a_log_is_told_and_the_others_are_replayed(run: Any, tmp_path: Path) -> None:
    odd = {"model": "gpt-4o", "messages": [{"role": "user", "content": {"a": 1}}, {"role": "assistant", "content": 7}]}
    lines = [json.dumps(chat(5)), "{broken", "", json.dumps(odd), json.dumps(chat(7)[1:])]
    path = write(tmp_path, "log.jsonl", "\n".join(lines))
    outcome = run("replay", path, "--budget", "500", "--policy", "slide", "--jobs", "1")
    assert outcome.code == 1 and "Traceback" not in outcome.err
    assert "line 2: not JSON" in outcome.err and "line 4: message 0" in outcome.err
    assert "line 1:" in outcome.out.decode() and "line 5:" in outcome.out.decode()


def test_a_reader_that_goes_away_ends_a_replay_quietly(tmp_path: Path) -> None:
    import subprocess

    path = write(tmp_path, "c.json", chat(9))
    command = [sys.executable, "-c", "import sys; from trimtab.cli import main; sys.exit(main())"]
    command += ["replay", path, "--budget", "500", "--jobs", "1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe) as started:
        started.stdout.close()
        assert started.stderr.read() == b""
    assert started.returncode == 141
