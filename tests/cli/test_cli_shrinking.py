"""What the options that shrink and sum up do, and what becomes of them when something fails."""

from __future__ import annotations

import json
import sqlite3
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.transcripts import ClaudeCode, event, item, say, text

from trimtab import SummaryError, fit
from trimtab.cli import summaries
from trimtab.sessions import read_session
from trimtab.summary.frame import HEAD

IN_MEMORY = ("--summary-store", ":memory:")
PNG = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def weather(steps: int = 12, *, words: int = 60) -> list[Any]:
    """An agent that looks at the weather of many towns."""
    history: list[Any] = [{"role": "user", "content": "Which town is the warmest? Never name Oslo."}]
    for step in range(steps):
        function = {"name": "weather", "arguments": json.dumps({"town": step})}
        call = {"id": f"c{step}", "type": "function", "function": function}
        history.append({"role": "assistant", "content": None, "tool_calls": [call]})
        report = f"town {step}: {step} degrees. " + "mild and dry " * words
        history.append({"role": "tool", "tool_call_id": f"c{step}", "content": report})
    return history


def results(messages: list[Any]) -> list[str]:
    return [m["content"] for m in messages if m["role"] == "tool"]


def texts(messages: list[Any]) -> str:
    return json.dumps(messages)


def test_clear_results_clears_before_it_drops(run: Any) -> None:
    """But for the newest units, and nothing while all fits."""
    history = weather()
    outcome = run("fit", "--budget", "1k", "--clear-results", "2", input=history)
    shown = results(outcome.json)
    assert outcome.code == 0
    assert len(outcome.json) == len(history)
    assert [len(one) > 200 for one in shown] == [False] * 10 + [True] * 2
    assert "The result of weather" in shown[0]
    assert run("fit", "--budget", "8k", "--clear-results", "2", input=history).json == history
    dropped = run("fit", "--budget", "1k", input=history).json
    assert len(dropped) < len(history)


def test_repeats_point_to_the_newest(run: Any) -> None:
    """The very same text is kept once."""
    history = weather(6)
    for message in history[2::2]:
        message["content"] = "The same report. " * 40
    assert len(run("fit", "--budget", "600", input=history).json) < len(history)
    shown = results(run("fit", "--budget", "600", "--repeats", input=history).json)
    assert [one == history[2]["content"] for one in shown] == [False] * 5 + [True]


def test_media_but_for_the_newest(run: Any) -> None:
    """The older pictures become words."""
    history: list[Any] = []
    for number in range(6):
        part = {"type": "image_url", "image_url": {"url": PNG, "detail": "low"}}
        content = [{"type": "text", "text": f"picture {number}"}, part]
        history += [{"role": "user", "content": content}, {"role": "assistant", "content": "Seen."}]
    history.append({"role": "user", "content": "Which was the best?"})
    before = texts(run("fit", "--budget", "360", input=history).json)
    after = texts(run("fit", "--budget", "360", "--media", "1", input=history).json)
    assert (after.count("picture "), after.count(PNG)) == (6, 1)
    assert before.count("picture ") < 6


def test_old_reasoning_goes_at_a_cut(run: Any) -> None:
    """The third way of the option that was there before."""
    history: list[Any] = []
    for number in range(8):
        history.append({"role": "user", "content": f"question {number}"})
        thought = {"type": "thinking", "thinking": "hm, " * 60, "signature": "c2ln"}
        said = {"type": "text", "text": f"answer {number}"}
        history.append({"role": "assistant", "content": [thought, said]})
    history.append({"role": "user", "content": "the last"})
    given = ("fit", "--budget", "500", "--format", "anthropic")
    assert len(run(*given, input=history).json) < 17
    shown = run(*given, "--reasoning", "drop_earlier", input=history).json
    thoughts = [len(m["content"]) - 1 for m in shown if m["role"] == "assistant"]
    assert len(shown) == 17
    assert thoughts == sorted(thoughts)  # the oldest went, at the cut that was needed
    assert 0 < sum(thoughts) < 8


def test_an_extractive_summary_stands_for_what_is_gone(run: Any) -> None:
    """Within its tokens, inside the budget; the account says of how many messages."""
    history = weather()
    given = ("--summary", "extractive", "--summary-tokens", "120", *IN_MEMORY)
    outcome = run("fit", "--budget", "900", *given, input=history)
    (told,) = [m for m in outcome.json if str(m["content"]).startswith(HEAD)]
    assert outcome.code == 0
    assert told["role"] == "user"
    assert "town 1" in told["content"] or "Oslo" in texts(outcome.json)
    gone = len(history) - (len(outcome.json) - 1)
    assert f"kept {len(history) - gone} of {len(history)} messages, summed up {gone}, " in outcome.err
    account = run("fit", "--budget", "900", *given, "--json", input=history).json
    assert account["used"] <= 900
    assert [row["kind"] for row in account["inserted"]] == ["summary"]
    assert account["inserted"][0]["tokens"] <= 120 + 20
    assert len(account["summary"]["covers"]) == gone


def test_a_fitted_conversation_may_be_fitted_again(run: Any) -> None:
    """A summary that stands there already is taken up, not nested."""
    given = ("fit", "--budget", "900", "--summary", "extractive", *IN_MEMORY)
    given = (*given, "--summary-tokens", "120")
    first = run(*given, input=weather()).json
    grown = [*first, *weather(6)[1:]]
    for number, message in enumerate(grown):
        for call in message.get("tool_calls", ()):
            call["id"] = f"n{number}"
        if message["role"] == "tool":
            message["tool_call_id"] = f"n{number - 1}"
    again = run(*given, input=grown).json
    assert texts(again).count(HEAD[:-1]) == 1


def test_many_conversations_each_get_their_own(run: Any) -> None:
    """A line each, and one account of all."""
    lines = b"\n".join(json.dumps(weather(steps)).encode() for steps in (12, 1, 14))
    given = ("--summary", "extractive", "--summary-tokens", "120", *IN_MEMORY)
    outcome = run("fit", "--budget", "900", *given, input=lines)
    assert [texts(line).count("Summary of earlier") for line in outcome.lines] == [1, 0, 1]
    assert "3 of 3 conversations fit" in outcome.err
    assert "summed up " in outcome.err


def test_the_store_is_a_file(run: Any, tmp_path: Path) -> None:
    """Whoever comes second gets the same bytes without another summary."""
    path = tmp_path / "summaries.db"
    given = ("fit", "--budget", "900", "--summary", "extractive", "--summary-store", str(path))
    given = (*given, "--summary-tokens", "120")
    first = run(*given, input=weather()).out
    with sqlite3.connect(path) as db:
        new = "CAST(replace(CAST(value AS TEXT), 'Extracts', 'EXTRACTS') AS BLOB)"
        db.execute(f"UPDATE trimtab_records SET value = {new}")
    second = run(*given, input=weather()).out
    assert b"Extracts picked" in first
    assert b"EXTRACTS picked" in second
    stored = [line for line in second.split(b"\n") if b"EXTRACTS" not in line and HEAD[1:].encode() not in line]
    assert all(line in first for line in stored)


def test_a_store_that_fails_is_a_warning(run: Any, tmp_path: Path) -> None:
    """Its name comes from outside, so it is made safe to look at."""
    path = str(tmp_path / "no" / "\x1b[2J.db")
    given = ("--summary", "extractive", "--summary-tokens", "120", "--summary-store", path)
    outcome = run("fit", "--budget", "900", *given, input=weather())
    assert outcome.code == 0
    assert HEAD[:-1] in outcome.text
    assert "warning: the store of summaries failed" in outcome.err
    assert "\x1b" not in outcome.err


def test_a_summary_that_fails_is_a_warning(run: Any, monkeypatch: Any) -> None:
    """The conversation is fitted without one."""

    def fails(ask: Any) -> str:
        raise SummaryError("the \x1b[2Jserver is down", kind="provider")

    monkeypatch.setattr(summaries, "_summariser", lambda who: fails)
    given = ("--summary", "extractive", "--summary-tokens", "120", *IN_MEMORY)
    outcome = run("fit", "--budget", "900", *given, input=weather())
    assert outcome.code == 0
    assert HEAD[:-1] not in outcome.text
    assert "warning: no new summary (provider): the \\x1b[2Jserver is down" in outcome.err
    assert "summed up" not in outcome.err


@pytest.mark.parametrize(("who", "named"), [("openai:gpt-9", "openai/gpt-9/"), ("anthropic:a:b", "anthropic/a:b/")])
def test_a_model_is_named_behind_its_sdk(who: str, named: str) -> None:
    """Whatever stands behind the first colon is the model, colons and all."""
    pytest.importorskip(who.partition(":")[0])
    settings = summaries.summary_of(who, 300, None)
    assert settings is not None
    assert settings.summariser.name.startswith(named)
    assert (settings.max_summary_tokens, settings.store) == (300, None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--summary", "gpt-4o"), "openai:MODEL"),
        (("--summary", "openai:"), "openai:MODEL"),
        (("--summary", "\x1b[2J:x"), "openai:MODEL"),
        (("--summary-tokens", "100"), "want --summary"),
        (("--summary-store", "a.db"), "want --summary"),
        (("--summary", "extractive", "--summary-tokens", "0"), "max_summary_tokens"),
        (("--summary", "extractive", "--summary-tokens", "few"), "number of tokens"),
        (("--summary", "extractive", "--summary-store", "redis://here"), "path of a file"),
        (("--summary", "extractive", "--summary-store", ""), "path"),
        (("--clear-results", "-1"), "--clear-results"),
        (("--media", "some"), "--media"),
    ],
)
def test_wrong_usage(run: Any, options: tuple[str, ...], said: str) -> None:
    """Exit code 2 and a sentence, before anything is read."""
    outcome = run("fit", "--budget", "900", *options, input=b"{")
    assert outcome.code == 2
    assert said in outcome.err
    assert outcome.out == b""
    assert "\x1b" not in outcome.err


def test_an_sdk_that_is_not_there_is_wrong_usage(run: Any, monkeypatch: Any) -> None:
    """It says what to install."""
    monkeypatch.setattr(import_module("trimtab.summary.driver"), "find_spec", lambda name: None)
    outcome = run("fit", "--budget", "900", "--summary", "openai:gpt-9", input=weather())
    assert outcome.code == 2
    assert "pip install trimtab[openai]" in outcome.err


def claude_code() -> bytes:
    t = ClaudeCode()
    for n in range(12):
        t.user(f"question number {n}")
        t.call(f"m{n}", f"c{n}")
        t.result(f"c{n}", "some words " * 60)
        t.assistant(f"n{n}", f"answer number {n}")
    return t.text


def rollout() -> bytes:
    lines: list[Any] = [{"type": "session_meta", "payload": {"instructions": "Be brief."}}]
    for n in range(12):
        lines += [item(say("user", f"question number {n}")), event("user_message", message=f"question number {n}")]
        lines += [item({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": f"c{n}"})]
        lines += [item({"type": "function_call_output", "call_id": f"c{n}", "output": "words " * 120})]
    return text(lines)


@pytest.mark.parametrize("data", [claude_code(), rollout()], ids=["claude-code", "codex"])
@pytest.mark.parametrize("budget", ["700", "400"])
def test_a_transcript_keeps_what_was_cleared_and_summed_up(run: Any, data: bytes, budget: str) -> None:
    """It is read again as what the fit made, sound, and comes out the same."""
    given = ("fit", "--budget", budget, "--clear-results", "1", "--summary", "extractive")
    given = (*given, "--summary-tokens", "90", *IN_MEMORY)
    outcome = run(*given, input=data)
    assert outcome.code == 0
    assert run("check", input=outcome.out).code == 0
    found = read_session(outcome.out)
    gone = json.dumps(found.messages)
    assert "was removed to save room" in gone
    assert (HEAD[:-1] in gone) == ("summed up" in outcome.err)
    fit(found.messages, int(budget), format=found.format, system=found.system, model=found.model)
    assert run(*given, input=outcome.out).out == outcome.out


def test_the_names_in_the_picture(run: Any) -> None:
    """How many messages were changed, and how."""
    given = ("--clear-results", "1", "--max-result-tokens", "100", "--summary", "extractive")
    given = (*given, "--summary-tokens", "90", *IN_MEMORY, "--picture")
    outcome = run("fit", "--budget", "400", *given, input=weather())
    for words in ("▓ cleared", "▞ excerpted", "▒ summarised", " excerpted, ", " cleared", "a summary of "):
        assert words in outcome.err


def test_options_reach_the_policy() -> None:
    """All together, as the library names them."""
    from trimtab import ClearResults
    from trimtab.cli.fitting import arguments

    nothing = dict.fromkeys(
        ["low", "keep_first", "max_result_tokens", "clear_results", "media", "reasoning", "summary"]
        + ["summary_tokens", "summary_store", "model", "format", "reserve"]
        + ["policy", "cache", "floor"]
    )
    given = {**nothing, "clear_results": 0, "media": 2, "repeats": True, "notice": False, "repair": False}
    policy = arguments(given)["policy"]
    assert policy.clear_results == ClearResults(keep=0)
    assert (policy.media, policy.repeats, policy.summary) == (2, True, None)
