"""Transcripts of Claude Code: the order of the tree, what hangs on what, and new links.

The rules are those of the reader in claude-agent-sdk 0.2.189 (``_build_conversation_chain``
and what it calls); ``test_claude_reader.py`` compares with it where it is installed.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.generate import damaged_histories, sound_histories
from support.transcripts import ClaudeCode, claude_code
from trimtab import Conversation, DoesNotFit, InvalidHistory, Policy, per_message, repair, verify
from trimtab.sessions import check_session, fit_session, read_session, repair_session

EACH = per_message(lambda message: 1)
ONE_RESPONSE_TWICE = ("shuffle", "repeat_caller")  # damage that no client writes
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def texts(messages: list[Any]) -> list[str]:
    """What each message says, calls and results by their id."""
    said = []
    for message in messages:
        content = message["content"]
        for block in content if isinstance(content, list) else [{"text": content}]:
            said.append(block.get("text") or block.get("id") or f"={block.get('tool_use_id')}")
    return said


def said(data: bytes) -> list[str]:
    """What the messages of a transcript say."""
    return texts(read_session(data).messages)


# --- reading ---


def test_order_is_that_of_the_tree() -> None:
    """Not that of the file; nothing of another branch, a subagent or the client's display."""
    t = ClaudeCode()
    first = t.user("one")
    t.branch("user", message={"role": "user", "content": "given up"})
    t.branch("user", parent=None, isSidechain=True, message={"role": "user", "content": "aside"})
    t.add("progress")
    t.assistant("m1", "two")
    t.add("system", subtype="turn_duration")
    t.user("three", isMeta=True)
    t.assistant("m2", "four")
    t.values.append(t.values.pop(0))  # the first one last
    session = read_session(t.text)
    assert (session.kind, session.format, session.model) == ("claude-code", "anthropic", "claude-sonnet-4-5")
    assert texts(session.messages) == ["one", "two", "three", "four"]
    assert [session.line_of(at) for at in range(4)] == [8, 4, 6, 7]
    assert session.lines[7].value["uuid"] == first
    assert session.messages[0] is session.lines[7].value["message"]


def test_calls_in_parallel_are_whole() -> None:
    """Every result hangs on its own call; the walk finds one of them, all are read."""
    t = ClaudeCode()
    t.user("go")
    a, b = t.call("m1", "a"), t.call("m1", "b")
    c = t.call("m1", "c")
    t.result("b", parent=b)
    t.result("c", parent=c)
    t.result("a", parent=a)
    t.assistant("m2", "done")
    assert said(t.text) == ["go", "a", "b", "c", "=b", "=c", "=a", "done"]
    assert check_session(t.text) == []


def test_lines_of_one_response_stand_together() -> None:
    """Results that were written between them follow, as they are sent."""
    t = ClaudeCode()
    t.user("go")
    t.assistant("m1", "first")
    t.call("m1", "a")
    t.result("a")
    t.call("m1", "b")
    t.result("b")
    t.call("m2", "c")
    t.result("c")
    session = read_session(t.text)
    assert texts(session.messages)[2:] == ["a", "b", "=a", "=b", "c", "=c"]
    fitted = fit_session(session, 3, counter=EACH)  # one unit of five is too much
    assert said(fitted.data) == ["go", "c", "=c"]


def test_a_result_that_hangs_elsewhere_is_found() -> None:
    """A result under another line is read if its call has no other result."""
    t = ClaudeCode()
    first = t.user("go")
    t.call("m1", "a")
    late = {"type": "tool_result", "tool_use_id": "a", "content": "late"}
    message = {"role": "user", "content": [late]}
    t.branch("user", parent=first, message=message)
    t.branch("user", parent=first, message=message, isSidechain=True)
    t.branch("user", parent=first, message=message)  # a second one for the same call
    t.assistant("m2", "and")
    assert said(t.text) == ["go", "a", "=a", "and"]


def test_a_compaction_begins_anew() -> None:
    """What was before it is not read but stays in the file; its summary is pinned."""
    t = ClaudeCode()
    t.user("old")
    old = t.assistant("m0", "older")
    t.add("system", subtype="compact_boundary", parent=None, logicalParentUuid=old)
    t.user("summary of all", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    for number in range(6):
        t.user(f"q{number}")
        t.assistant(f"m{number + 1}", f"a{number}")
    session = read_session(t.text)
    assert texts(session.messages)[:2] == ["summary of all", "q0"]
    fitted = fit_session(session, 5, counter=EACH)
    assert said(fitted.data) == ["summary of all", "q0", "q5", "a5"]
    assert [line.value["uuid"] for line in fitted.lines][:3] == [v["uuid"] for v in t.values[:3]]


def test_a_file_of_a_subagent_is_read() -> None:
    """All its lines are aside."""
    t = ClaudeCode()
    t.user("task", isSidechain=True, agentId="a1")
    t.assistant("m1", "done", isSidechain=True, agentId="a1")
    assert said(t.text) == ["task", "done"]


def test_of_two_lines_with_one_uuid_the_last_counts() -> None:
    """And both go when it goes."""
    t = ClaudeCode()
    t.user("one")
    t.values.append({**t.values[0], "message": {"role": "user", "content": "one again"}})
    t.assistant("m1", "two")
    t.user("three")
    assert said(t.text) == ["one again", "two", "three"]
    fitted = fit_session(t.text, 1, counter=EACH)
    assert said(fitted.data) == ["three"]
    assert len(fitted.lines) == 1


def test_circles_end() -> None:
    """A tree that is none does not hang the reader."""
    t = ClaudeCode()
    a = t.user("one", parent="00000000-0000-4000-8000-000000000002")
    t.assistant("m1", "two", parent=a)
    t.user("three")
    t.user("leaf")
    assert said(t.text) == ["one", "two", "three", "leaf"]
    assert repair_session(t.text).repairs == []
    t.values[3]["parentUuid"] = t.values[3]["uuid"]
    read_session(t.text)


# --- writing ---


def turns(number: int) -> ClaudeCode:
    """A transcript of some turns with a tool call each, and all that stands around them."""
    t = ClaudeCode()
    t.add("attachment", attachment={"type": "hook_additional_context"})
    for n in range(number):
        t.values.append({"type": "file-history-snapshot", "messageId": f"{n}"})
        t.user(f"q{n}")
        t.add("attachment", attachment={"type": "task_reminder"}, n=n)
        call = t.call(f"m{n}", f"c{n}")
        t.branch("progress", n=n)
        t.result(f"c{n}", parent=call)
        t.assistant(f"n{n}", f"a{n}")
        t.add("system", subtype="turn_duration", n=n)
    return t


def test_kept_lines_follow_what_is_left() -> None:
    """Lines are gone with what hangs on them; all others are the same bytes but for the link."""
    t = turns(4)
    fitted = fit_session(t.text, 4, counter=EACH)
    assert said(fitted.data) == ["q3", "c3", "=c3", "a3"]
    before = {line.raw: line for line in read_session(t.text).lines}
    changed = [line for line in fitted.lines if line.raw not in before]
    assert [line.value["message"]["content"] for line in changed] == ["q3"]
    original = next(v for v in t.values if v.get("message", {}).get("content") == "q3")
    assert changed[0].value == {**original, "parentUuid": t.values[0]["uuid"]}
    assert [line.value.get("n") for line in fitted.lines if "n" in line.value] == [3, 3, 3]
    snapshots = [line for line in fitted.lines if line.value["type"] == "file-history-snapshot"]
    assert len(snapshots) == 4
    assert check_session(fitted.data) == []


def test_an_older_question_leads() -> None:
    """The opener of an agent loop stays, and what is left of the loop follows it."""
    t = ClaudeCode()
    question = t.user("question")
    for n in range(5):
        t.call(f"m{n}", f"c{n}")
        t.result(f"c{n}")
    fitted = fit_session(t.text, 5, counter=EACH)
    assert said(fitted.data) == ["question", "c3", "=c3", "c4", "=c4"]
    assert fitted.lines[1].value["parentUuid"] == question


def test_the_first_line_left_has_no_parent() -> None:
    """Where nothing is left to follow."""
    t = ClaudeCode()
    t.user("one")
    t.assistant("m1", "two")
    t.user("three")
    fitted = fit_session(t.text, 1, counter=EACH)
    assert [line.value["parentUuid"] for line in fitted.lines] == [None]


def test_a_shortened_result_changes_its_field_alone() -> None:
    """The line around it, what the client shows of the result included, stays."""
    t = ClaudeCode()
    t.user("go")
    t.call("m1", "a")
    long = "\n".join(f"line {n}" for n in range(200))
    t.result("a", long, toolUseResult={"stdout": long, "n": 1.0})
    t.assistant("m2", "done")
    fitted = fit_session(t.text, 200, policy=Policy(max_result_tokens=20))
    old, new = t.values[2], fitted.lines[2].value
    assert len(new["message"]["content"][0]["content"]) < 200
    assert {**new, "message": None} == {**old, "message": None}
    assert fitted.lines[2].raw != read_session(t.text).lines[2].raw
    assert [l.raw for l in fitted.lines if l.number != 3] == [
        l.raw for l in read_session(t.text).lines if l.number != 3
    ]


def test_a_notice_is_a_line_that_the_client_does_not_show() -> None:
    """It stands in front of what is left, with the same uuid every time."""
    t = turns(4)
    fitted = fit_session(t.text, 5, counter=EACH, policy=Policy(notice="[earlier turns are gone]"))
    assert said(fitted.data) == ["[earlier turns are gone]", "q3", "c3", "=c3", "a3"]
    notice = next(line for line in fitted.lines if line.number == 0)
    assert notice.value["isMeta"] is True
    assert notice.value["sessionId"] == t.values[0]["sessionId"]
    assert notice.value["parentUuid"] == t.values[0]["uuid"]
    again = fit_session(t.text, 5, counter=EACH, policy=Policy(notice="[earlier turns are gone]"))
    assert again.data == fitted.data


def test_fit_of_something_else_is_refused() -> None:
    """A fit belongs to the messages it was made of; a conversation of them is one."""
    session = read_session(turns(3).text)
    other = fit_session(turns(3).text, 4, counter=EACH)
    with pytest.raises(ValueError, match="no fit of the session"):
        session.fitted(other.fitted)
    with pytest.raises(ValueError, match="own format"):
        fit_session(session, 4, format="anthropic")
    chat = Conversation(4, counter=EACH, format=session.format)
    chat.extend(session.messages)
    lines = session.fitted(chat.fit())
    assert [line.raw for line in lines] == [line.raw for line in other.lines]


# --- faults ---


def test_faults_name_their_lines() -> None:
    """Broken lines, a lost link and broken pairs, in the order of the file."""
    t = ClaudeCode()
    t.user("lost")
    t.user("go", parent="00000000-0000-4000-8000-999999999999")
    t.call("m1", "a")
    t.call("m1", "b")
    t.result("a")
    t.result("nobody")
    t.assistant("m2", "so")
    t.add("user", message="no message")
    t.user("next")
    lines = t.text.split(b"\n")
    lines.insert(3, b'{"cut off')
    data = b"\n".join(lines)
    found = [(fault.line, fault.code, fault.index, fault.id) for fault in check_session(data)]
    assert found == [
        (2, "broken_link", -1, None),
        (4, "unreadable_line", -1, None),
        (5, "missing_result", 2, "b"),
        (7, "orphan_result", 4, "nobody"),
        (9, "malformed", -1, None),
    ]
    mended = repair_session(data)
    assert [(r.line, r.code, r.action) for r in mended.repairs] == [
        (2, "broken_link", "relinked"),
        (4, "unreadable_line", "dropped"),
        (5, "missing_result", "answered"),
        (7, "orphan_result", "dropped"),
        (9, "malformed", "dropped"),
    ]
    assert said(mended.data) == ["lost", "go", "a", "b", "=b", "=a", "so", "next"]


def test_words_of_a_repair_say_what_was_done() -> None:
    """The words of the fault say what is wrong."""
    t = ClaudeCode()
    t.user("lost")
    t.user("go", parent="00000000-0000-4000-8000-999999999999")
    t.add("user", message="no message")
    data = t.text + b"\n{cut off"
    assert [(f.line, f.message) for f in check_session(data)] == [
        (2, "its parentUuid names no line, so that all before it is lost"),
        (3, "a line without a message"),
        (4, "a line that is no JSON object"),
    ]
    assert [(r.line, r.message) for r in repair_session(data).repairs] == [
        (2, "the line was linked to the one before it"),
        (3, "the line was dropped"),
        (4, "the line was dropped"),
    ]


def test_a_fit_names_the_line_of_a_fault() -> None:
    """And mends lines and messages where it is asked to, as a repair does."""
    t = ClaudeCode()
    t.user("lost")
    t.user("go", parent="00000000-0000-4000-8000-999999999999")
    t.result("nobody")
    t.assistant("m1", "so")
    with pytest.raises(InvalidHistory, match=r"^line 3: .*\(id 'nobody'\)$") as caught:
        fit_session(t.text, 100, counter=EACH)
    assert (caught.value.index, caught.value.id, caught.value.code) == (1, "nobody", "orphan_result")
    fitted = fit_session(t.text, 100, counter=EACH, on_invalid="repair")
    assert fitted.data == repair_session(t.text).data
    assert said(fitted.data) == ["lost", "go", "so"]
    assert "line 2: broken_link: the line was linked to the one before it" in fitted.warnings


def test_repair_mends_lines_links_and_messages() -> None:
    """What was done is listed by line; the result is sound."""
    t = ClaudeCode()
    t.user("lost")
    t.user("go", parent="00000000-0000-4000-8000-999999999999")
    t.call("m1", "a")
    t.call("m1", "b")
    t.result("a")
    t.result("nobody")
    t.assistant("m2", "so")
    data = t.text + b"\nnot json\n"
    mended = repair_session(data)
    assert [(r.line, r.code, r.action) for r in mended.repairs][:3] == [
        (2, "broken_link", "relinked"),
        (4, "missing_result", "answered"),
        (6, "orphan_result", "dropped"),
    ]
    assert mended.repairs[3].code == "unreadable_line"
    assert said(mended.data) == ["lost", "go", "a", "b", "=b", "=a", "so"]
    assert check_session(mended.data) == []
    assert repair_session(mended.data).data == mended.data


def test_a_sound_transcript_is_not_touched() -> None:
    """Byte for byte."""
    data = turns(3).text
    assert repair_session(data).data == data
    assert fit_session(data, 100, counter=EACH).data == data


# --- generated transcripts ---


def flat(messages: list[Any]) -> list[str]:
    """The blocks in order, the results of one turn sorted: their order is free."""
    out: list[str] = []
    results: list[str] = []
    for message in messages:
        content = message["content"]
        for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
            if block["type"] == "tool_result":
                results.append(repr(block))
                continue
            out += [*sorted(results), message["role"] + repr(block)]
            results.clear()
    return out + sorted(results)


@quick
@given(sound_histories("anthropic"), st.integers(0, 9999), st.booleans())
def test_generated_transcripts_are_read_and_come_back(history, seed, forks) -> None:
    """The conversation is that of the history, and where all fits no byte changes."""
    history = [message for message in history if message["role"] != "system"]
    data = claude_code(history, Random(seed), forks=forks)
    if not history:
        return
    session = read_session(data)
    assert flat(session.messages) == flat(history)
    assert check_session(session) == []
    assert fit_session(session, 10**9).data == data
    assert repair_session(session).data == data


@quick
@given(sound_histories("anthropic"), st.integers(0, 9999), st.integers(0, 400), st.data())
def test_generated_transcripts_are_fitted(history, seed, budget, data) -> None:
    """The lines that are left hold exactly the messages of the fit, and are sound."""
    history = [message for message in history if message["role"] != "system"]
    if not history:
        return
    policies = [Policy(), Policy(notice=True), Policy(depth=0.5), Policy(max_result_tokens=5)]
    options = {"policy": data.draw(st.sampled_from(policies))}
    session = read_session(claude_code(history, Random(seed)))
    try:
        fitted = fit_session(session, budget, **options)
    except DoesNotFit:
        return
    assert verify(fitted.fitted) == []
    again = read_session(fitted.data)
    assert again.messages == fitted.fitted.messages
    assert check_session(again) == []
    kept = {line.raw for line in fitted.lines}
    for line in session.lines:  # what is no part of the tree stays
        if line.value["type"] in ("summary", "file-history-snapshot", "line_of_next_year"):
            assert line.raw in kept or line is session.lines[-1]
        elif line.value["isSidechain"]:
            assert line.raw in kept or line is session.lines[-1]


@quick
@given(damaged_histories("anthropic"), st.integers(0, 9999))
def test_damaged_transcripts_are_mended(damaged, seed) -> None:
    """As their messages are, and to the same messages."""
    kind, _, history = damaged
    history = [message for message in history if message["role"] != "system"]
    if not any(message["content"] for message in history):
        return
    session = read_session(claude_code(history, Random(seed), forks=False))
    try:
        mended = repair(session.messages, format="anthropic").messages
    except InvalidHistory:
        with pytest.raises(InvalidHistory):
            repair_session(session)
        return
    if not mended:
        return  # there is no transcript without a message
    try:
        again = repair_session(session)
    except InvalidHistory:
        assert kind in ONE_RESPONSE_TWICE
        return
    assert check_session(again.data) == []
    assert sorted(flat(read_session(again.data).messages)) == sorted(flat(mended))
    try:
        fitted = fit_session(session, 200, on_invalid="repair")
    except (DoesNotFit, InvalidHistory):
        return
    found = flat(read_session(fitted.data).messages)
    assert sorted(found) == sorted(flat(fitted.fitted.messages))
