"""The three commands from the outside: what each option does, words and exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import trimtab


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


# --- fit ---


def test_a_list_comes_back_as_the_list_that_the_library_gives(run: Any) -> None:
    """And one line of account goes to stderr."""
    messages = chat(60)
    outcome = run("fit", "--budget", "120", input=messages)
    expected = trimtab.fit(messages, 120)
    assert outcome.code == 0
    assert outcome.json == expected.messages
    assert outcome.text.startswith('[\n  {\n    "role"')
    kept = f"kept {len(expected.messages)} of 60 messages, {expected.used} of 120 tokens"
    assert outcome.err == f"{kept} (o200k_base, exact)\n"


def test_a_body_comes_back_with_only_its_messages_changed(run: Any) -> None:
    """The model of the body counts, and its output limit where the budget is the window."""
    body = {"model": "gpt-4o", "temperature": 0.5, "max_tokens": 1000, "messages": chat(60)}
    outcome = run("fit", "--budget", "120", input=body)
    fitted = trimtab.fit_request(body, 120)
    assert outcome.json == {**body, "messages": fitted.messages}
    assert list(outcome.json) == list(body)
    assert 0 < len(outcome.json["messages"]) < 60
    assert "127,000" not in outcome.err


def test_options_reach_the_library(run: Any) -> None:
    """Each option does what the argument of the same meaning does."""
    messages = [*chat(60), call("a"), result("a", "line of text\n" * 200)]
    policy = trimtab.Policy(depth=0.5, keep_first=2, max_result_tokens=60, notice=True)
    expected = trimtab.fit(
        messages,
        300,
        model="gpt-4",
        system="be kind",
        reserve=20,
        format="openai-chat",
        policy=policy,
    )
    given = "--budget 300 --model gpt-4 --reserve 20 --format openai-chat --low 0.5 --keep-first 2"
    more = ["--max-result-tokens", "60", "--notice", "--system", "be kind"]
    outcome = run("fit", *given.split(), *more, input=messages)
    assert outcome.json == expected.messages
    assert len(expected.messages) < len(messages)
    account = run("fit", *given.split(), *more, "--json", input=messages)
    assert account.json == json.loads(json.dumps(expected.to_dict()))


def test_the_window_of_the_model_is_the_budget_without_one(run: Any) -> None:
    """For a list by ``--model``, for a body by its own."""
    pytest.importorskip("genai_prices")
    for arguments, value in (
        (["--model", "gpt-4o"], HI),
        ([], {"model": "gpt-4o", "messages": HI}),
    ):
        outcome = run("fit", *arguments, input=value)
        assert outcome.code == 0
        assert "of 128,000 tokens" in outcome.err


def test_what_does_not_fit_is_said_and_nothing_is_printed(run: Any) -> None:
    """Exit 1; with ``--json`` the numbers come on stdout."""
    outcome = run("fit", "--budget", "5", input=HI)
    assert (outcome.code, outcome.out) == (1, b"")
    assert outcome.err.startswith("error: does not fit: needs at least ")
    error = run("fit", "--budget", "5", "--json", input=HI).json["error"]
    assert error["type"] == "DoesNotFit"
    assert error["budget"] == 5
    assert error["needs"]["total"] > 5
    assert error["newest"] == [0]


def test_a_broken_history_is_refused_or_repaired(run: Any) -> None:
    """Refused with exit 1 by default, repaired when asked for."""
    refused = run("fit", "--budget", "1k", input=BROKEN)
    assert (refused.code, refused.out) == (1, b"")
    assert "lost" in refused.err
    assert "--repair" in refused.err
    repaired = run("fit", "--budget", "1k", "--repair", input=BROKEN)
    assert repaired.code == 0
    assert repaired.json == [BROKEN[0], BROKEN[2]]
    assert repaired.err.endswith(", 1 repair\n")


def test_the_picture_goes_to_stderr(run: Any) -> None:
    """Stdout stays the conversation."""
    plain = run("fit", "--budget", "120", input=chat(60))
    drawn = run("fit", "--budget", "120", "--picture", input=chat(60))
    assert drawn.out == plain.out
    assert "░" * 50 in drawn.err
    assert "█ kept" in drawn.err
    assert drawn.err.endswith(plain.err)


def test_an_ascii_terminal_gets_an_ascii_picture(run: Any) -> None:
    """Nothing that it cannot show."""
    drawn = run("fit", "--budget", "120", "--picture", input=chat(60), encoding="ascii")
    assert "." * 50 in drawn.err
    assert "# kept" in drawn.err


@pytest.mark.parametrize("value", [[], {"messages": []}])
def test_an_empty_conversation_is_fine(run: Any, value: Any) -> None:
    """Nothing in, nothing out."""
    outcome = run("fit", "--budget", "1k", "--picture", input=value)
    assert outcome.code == 0
    assert outcome.json == value


# --- check ---


def test_faults_are_listed(run: Any) -> None:
    """One line each with index, code and id; exit 1."""
    outcome = run("check", input=BROKEN)
    assert outcome.code == 1
    [fault] = trimtab.check(BROKEN)
    assert outcome.text == f"message 1: orphan_result id lost: {fault.message}\n"
    assert outcome.err == "1 fault\n"


def test_a_sound_history_has_none(run: Any) -> None:
    """Exit 0 and nothing on stdout."""
    outcome = run("check", input={"messages": SOUND})
    assert (outcome.code, outcome.out, outcome.err) == (0, b"", "0 faults\n")


def test_faults_as_json(run: Any) -> None:
    """The fields of each fault."""
    outcome = run("check", "--json", input=BROKEN)
    assert outcome.code == 1
    [fault] = outcome.json["faults"]
    assert (fault["code"], fault["index"], fault["id"]) == ("orphan_result", 1, "lost")
    assert run("check", "--json", input=SOUND).json == {"faults": []}


def test_fix_prints_the_repaired_conversation(run: Any) -> None:
    """On stdout, with every repair on stderr; exit 0, since it is sound now."""
    outcome = run("check", "--fix", input=BROKEN)
    assert outcome.code == 0
    assert outcome.json == [BROKEN[0], BROKEN[2]]
    first, last = outcome.err.splitlines()
    assert first.startswith("message 1: orphan_result id lost: ")
    assert last == "1 repair"
    body = run("check", "--fix", input={"model": "m", "messages": BROKEN})
    assert body.json == {"model": "m", "messages": outcome.json}
    both = run("check", "--fix", "--json", input=BROKEN).json
    assert both["result"] == outcome.json
    assert [repair["code"] for repair in both["repairs"]] == ["orphan_result"]


def test_a_body_with_its_own_system_text_is_read_as_anthropic(run: Any) -> None:
    """Only the body tells the format here: Anthropic forbids a blank text, OpenAI does not."""
    blank = [*HI, {"role": "assistant", "content": "yes?"}, {"role": "user", "content": ""}]
    outcome = run("check", input={"system": "be kind", "messages": blank})
    assert outcome.text.count("\n") == len(trimtab.check(blank, format="anthropic")) > 0
    assert (
        run("check", "--format", "openai-chat", input={"system": "x", "messages": blank}).code == 0
    )


# --- count ---


def test_counts_are_those_of_the_library(run: Any) -> None:
    """The table and its JSON form."""
    body = {"system": "be kind", "messages": [{"role": "user", "content": "how are you?"}] * 2}
    expected = trimtab.count(body["messages"], format="anthropic", system="be kind")  # type: ignore[arg-type]
    found = run("count", "--json", input=body).json
    assert found["total"] == expected.total
    assert found["by_message"] == expected.by_message
    assert found["system"] == expected.system
    assert found["by_role"] == {"human": {"messages": 2, "tokens": sum(expected.by_message)}}
    table = run("count", input=body)
    assert table.code == 0
    assert "estimated" in table.text
    assert f"{expected.total:,}" in table.text


def test_tools_and_largest_messages_are_shown(run: Any) -> None:
    """``--top`` says how many."""
    messages = [*SOUND, {"role": "user", "content": "words " * 300}]
    outcome = run("count", "--top", "1", input=messages)
    by_role, by_tool, largest = outcome.text.split("\n\n")
    assert "exact" not in by_tool + largest
    assert by_tool.splitlines()[1].split()[:3] == ["read_file", "1", "1"]
    assert len(largest.splitlines()) == 2
    assert largest.splitlines()[1].startswith("4 ")
    assert "words words" in largest
    found = run("count", "--top", "1", "--json", input=messages).json
    assert [row["index"] for row in found["largest"]] == [4]
    assert found["by_tool"]["read_file"]["calls"] == 1


def test_the_table_of_many_conversations_holds_their_sums(run: Any) -> None:
    """The largest messages are named by line and index."""
    big = [{"role": "user", "content": "words " * 300}]
    outcome = run("count", "--top", "1", input=jsonl(HI, b"", big))
    assert "total, 2 conversations" in outcome.text
    assert outcome.text.splitlines()[-1].startswith("3:0 ")
    one, none, two = run("count", "--json", input=jsonl(HI, b"", big)).lines
    assert none is None
    assert (
        one["total"] + two["total"]
        == run("count", "--json", input=jsonl(big, HI)).lines[0]["total"] + trimtab.count(HI).total
    )
