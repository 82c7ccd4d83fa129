"""Transcripts of Codex: what it would rebuild, what shows what, and what a cut leaves.

There is no reader to compare with. The rules are those of ``reconstruct_history_from_rollout``
(core/src/session/rollout_reconstruction.rs), ``drop_last_n_user_turns``
(core/src/context_manager/history.rs), ``collect_user_messages`` and ``build_compacted_history``
(core/src/compact.rs) and ``last_token_info_from_rollout`` in the sources of openai/codex.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.generate_responses import damaged_responses, sound_responses
from support.transcripts import codex, event, item, say, text
from trimtab import DoesNotFit, InvalidHistory, Policy, per_message, repair, verify
from trimtab.sessions import check_session, fit_session, read_session, repair_session

EACH = per_message(lambda message: 1)
META = {"type": "session_meta", "payload": {"id": "x", "base_instructions": {"text": "Be brief."}}}
CONTEXT = {"type": "turn_context", "payload": {"model": "gpt-5.2"}}
AGENTS = say("user", "# AGENTS.md instructions for /x\n\nBe kind.")
HERE = say("user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>")
STOPPED = say("user", "<turn_aborted>\nThe user interrupted.\n</turn_aborted>")
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def call(id: str) -> dict[str, Any]:
    """A tool call."""
    return {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": id}


def output(id: str, words: str = "ok") -> dict[str, Any]:
    """Its output."""
    return {"type": "function_call_output", "call_id": id, "output": words}


def reasoning(id: str) -> dict[str, Any]:
    """A reasoning item."""
    return {"type": "reasoning", "id": id, "summary": [{"type": "summary_text", "text": f"so {id}"}]}


def said(data: bytes) -> list[str]:
    """What the items of a transcript say, calls and outputs by their id."""
    out: list[str] = []
    for message in read_session(data).messages:
        if message["type"] == "message":
            out.append(message["content"][0]["text"].split("\n")[0])
        else:
            sign = "=" if message["type"].endswith("_output") else ""
            out.append(sign + str(message.get("call_id") or message.get("id")))
    return out


def turn(n: int) -> list[Any]:
    """The lines of a turn with a tool call."""
    return [
        event("task_started", n=n),
        item(say("user", f"q{n}")),
        event("user_message", message=f"q{n}"),
        event("agent_reasoning", text=f"so r{n}"),
        item(reasoning(f"r{n}")),
        event("agent_message", message="on it"),
        item(say("assistant", "on it")),
        item(call(f"c{n}")),
        event("token_count", info={"total_tokens": n}),
        event("exec_command_end", call_id=f"c{n}"),
        item(output(f"c{n}")),
        event("agent_message", message=f"a{n}"),
        item(say("assistant", f"a{n}")),
        event("task_complete", n=n),
    ]


def transcript(turns: int) -> list[Any]:
    """The lines of a session."""
    body = [line for n in range(turns) for line in turn(n)]
    return [META, item(say("developer", "Be safe.")), item(AGENTS), CONTEXT, *body]


# --- reading ---


def test_items_in_their_order() -> None:
    """Headers and events hold no items; they tell the model and the instructions."""
    session = read_session(text([*transcript(1), {"type": "world_state", "payload": {}}]))
    assert (session.kind, session.format) == ("codex", "openai-responses")
    assert (session.model, session.system) == ("gpt-5.2", "Be brief.")
    assert [m.get("role") or m["type"] for m in session.messages] == [
        "developer", "user", "user", "reasoning", "assistant", "function_call",
        "function_call_output", "assistant",
    ]  # fmt: skip
    assert session.messages[2] is session.lines[5].value["payload"]
    assert session.line_of(2) == 6
    assert session.pins == {1}


REPLACED = {"type": "compacted", "payload": {"message": "", "replacement_history": [
    say("user", "q0"), AGENTS, {"type": "compaction", "encrypted_content": "e"}]}}  # fmt: skip
OLDER = {"type": "compacted", "payload": {"message": "Summary of all"}}
BACK = event("thread_rolled_back", num_turns=1)
Q = [item(say("user", f"q{n}")) for n in range(4)]
A = [item(say("assistant", f"a{n}")) for n in range(4)]


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        ([Q[0], A[0], REPLACED, A[1]], ["q0", "# AGENTS.md instructions for /x", "None", "a1"]),
        ([Q[0], A[0], REPLACED, Q[1], REPLACED], ["q0", "# AGENTS.md instructions for /x", "None"]),
        ([item(AGENTS), Q[0], A[0], item(STOPPED), OLDER, A[1]], ["q0", "<turn_aborted>", "Summary of all", "a1"]),
        ([Q[0], A[0], OLDER, Q[1], A[1], OLDER], ["q0", "q1", "Summary of all"]),
        ([Q[0], A[0], Q[1], A[1], BACK, A[2]], ["q0", "a0", "a2"]),
        ([Q[0], A[0], item(HERE), Q[1], A[1], BACK], ["q0", "a0"]),
        ([item(HERE), Q[0], A[0], event("thread_rolled_back", num_turns=9), Q[1]], ["<environment_context>", "q1"]),
        ([Q[0], event("thread_rolled_back", num_turns=0)], ["q0"]),
        ([item(HERE), event("thread_rolled_back", num_turns=1), Q[0]], ["<environment_context>", "q0"]),
        ([Q[0], item({"type": "ghost_snapshot", "ghost_commit": {}}), A[0]], ["q0", "a0"]),
    ],
)  # fmt: skip
def test_the_history_that_codex_rebuilds(lines: list[Any], read: list[str]) -> None:
    """Compactions with and without a replacement, turns that were taken back."""
    data = text([META, *lines])
    assert said(data) == read
    assert fit_session(data, 10**6).data == data


# --- writing ---


def test_what_shows_an_item_goes_with_it() -> None:
    """Headers stay, turns that are gone keep their frame, no usage report stays."""
    data = text(transcript(4))
    fitted = fit_session(data, 8, counter=EACH, system=0)
    assert said(fitted.data)[2:] == ["q3", "r3", "on it", "c3", "=c3", "a3"]
    kinds = [(l.value["payload"].get("type"), l.value["payload"].get("n")) for l in fitted.lines]
    assert [kind for kind in kinds if kind[1] is not None] == [
        (kind, n) for n in range(4) for kind in ("task_started", "task_complete")
    ]
    whole = [l.value["payload"].get("type") for l in read_session(data).lines]
    frame = ("task_started", "task_complete")
    last = [kind for kind in whole[-14:] if kind not in (*frame, "token_count")]
    rest = [kind for kind, n in kinds if n is None]
    assert rest == [None, "message", "message", None, *last]
    assert {line.raw for line in fitted.lines} <= {line.raw for line in read_session(data).lines}
    assert check_session(fitted.data) == []


def test_words_that_were_said_twice() -> None:
    """An event shows the item that stands nearest."""
    lines = [META]
    for n in range(3):
        lines += [*Q[n : n + 1], event("user_message", message=f"q{n}", n=n)]
        lines += [event("agent_message", message="same", n=n), item(say("assistant", "same"))]
    fitted = fit_session(text(lines), 2, counter=EACH, system=0)
    assert said(fitted.data) == ["q2", "same"]
    assert [l.value["payload"]["n"] for l in fitted.lines if "n" in l.value["payload"]] == [2, 2]


def test_a_replaced_history_is_cut_inside_its_line() -> None:
    """The line stays, or what was before it would come back."""
    replaced = {"type": "compacted", "payload": {"x": 1.0, "message": "", "replacement_history": [
        say("user", "q0"), say("user", "q1"), AGENTS]}}  # fmt: skip
    lines = [META, Q[0], A[0], replaced, A[1], Q[2], A[2]]
    data = text(lines)
    fitted = fit_session(data, 3, counter=EACH, system=0)
    assert said(fitted.data) == ["# AGENTS.md instructions for /x", "q2", "a2"]
    assert fitted.lines[3].value == {
        **replaced,
        "payload": {**replaced["payload"], "replacement_history": [AGENTS]},
    }
    assert [line.raw for line in fitted.lines[:3]] == [l.raw for l in read_session(data).lines[:3]]


@pytest.mark.parametrize("replaced", [False, True])
def test_a_notice_is_an_item(replaced: bool) -> None:
    """Behind the instructions, inside a replaced history if they stand there."""
    policy = Policy(notice="[earlier turns are gone]")
    first = item(say("developer", "Be safe."))
    lines = [META, first, *Q[:1], *A[:1], *Q[1:2], *A[1:2]]
    if replaced:
        history = [say("developer", "Be safe."), say("user", "q9")]
        compacted = {"type": "compacted", "payload": {"replacement_history": history}}
        lines = [META, *Q[:1], compacted, *A[:1], *Q[1:2], *A[1:2]]
    fitted = fit_session(text(lines), 4, counter=EACH, system=0, policy=policy)
    assert said_any(fitted.data) == ["Be safe.", "[earlier turns are gone]", "q1", "a1"]


def said_any(data: bytes) -> list[str]:
    """What messages say whose content may be a text."""
    contents = [message["content"] for message in read_session(data).messages]
    return [content if isinstance(content, str) else content[0]["text"] for content in contents]


def test_turns_that_were_taken_back_go_for_good() -> None:
    """A rollback counts turns, so it would take others once some have gone."""
    lines = [META, Q[0], A[0], item(HERE), Q[1], A[1], BACK, Q[2], A[2], Q[3], A[3]]
    data = text(lines)
    assert said(data) == ["q0", "a0", "q2", "a2", "q3", "a3"]
    for budget, numbers in ((6, range(1, 12)), (4, [1, 8, 9, 10, 11]), (2, [1, 10, 11])):
        fitted = fit_session(data, budget, counter=EACH, system=0)
        assert [line.number for line in fitted.lines] == list(numbers)


def test_the_summary_of_an_older_file_stays() -> None:
    """It stands in no item, so it cannot go; what the user said before it can."""
    data = text([META, Q[0], A[0], Q[1], A[1], OLDER, Q[2], A[2], Q[3], A[3]])
    fitted = fit_session(data, 3, counter=EACH, system=0)
    assert said(fitted.data) == ["Summary of all", "q3", "a3"]
    assert [l.raw for l in fitted.lines][:3] == [
        l.raw for l in read_session(data).lines if l.number in (1, 3, 5)
    ]


def test_a_shortened_output_changes_its_field_alone() -> None:
    """The event that shows it stays as it was."""
    long = "\n".join(f"line {n}" for n in range(200))
    shows = event("exec_command_end", call_id="c", stdout=long)
    data = text([META, Q[0], item(call("c")), shows, item({**output("c", long), "x": 1.10}), A[0]])
    fitted = fit_session(data, 200, policy=Policy(max_result_tokens=20))
    old = read_session(data).lines
    assert [a.number for a, b in zip(fitted.lines, old, strict=True) if a.raw != b.raw] == [5]
    payload = fitted.lines[4].value["payload"]
    assert len(payload["output"]) < 200
    assert {**payload, "output": long} == old[4].value["payload"]


@pytest.mark.parametrize(
    "answer",
    [
        {"type": "function_call_output", "call_id": "c", "output": "ok"},  # as Codex writes it
        {"type": "local_shell_call_output", "id": "c", "output": "{}"},  # as the API has it
    ],
    ids=lambda item: item["type"],
)
def test_a_local_shell_may_be_answered_like_a_function(answer: Any) -> None:
    """One unit with its output and what shows it; no fault, and a fault where one is missing."""
    shell = {"type": "local_shell_call", "id": "lsh", "call_id": "c", "status": "completed", "action": {}}
    shows = [event("exec_command_begin", call_id="c"), event("exec_command_end", call_id="c")]
    lines = [META, Q[0], item(shell), *shows, item(answer), A[0], Q[1], A[1]]
    data = text(lines)
    assert check_session(data) == []
    assert fit_session(data, 6, counter=EACH, system=0).data == data
    for budget in (5, 4, 2):  # what is left begins with the question, never inside the pair
        fitted = fit_session(data, budget, counter=EACH, system=0)
        kept = [line.number for line in fitted.lines]
        assert (3 in kept) == (4 in kept) == (5 in kept) == (6 in kept)
        assert check_session(fitted.data) == []
    broken = text([line for line in lines if line != item(answer)])
    assert [(f.line, f.code, f.id) for f in check_session(broken)] == [(3, "missing_result", "c")]
    assert check_session(repair_session(broken).data) == []


# --- faults ---


def test_faults_name_their_lines_and_repair_mends_them() -> None:
    """Broken lines and broken pairs, in the order of the file."""
    data = text(
        [META, Q[0], b"{cut off", item(call("a")), item(call("b")), item(output("b")),
         item(output("nobody")), {"type": "response_item", "payload": 7}, item(reasoning("r")), Q[1]]
    )  # fmt: skip
    found = [(fault.line, fault.code, fault.id) for fault in check_session(data)]
    assert found == [
        (3, "unreadable_line", None),
        (4, "missing_result", "a"),
        (7, "orphan_result", "nobody"),
        (8, "malformed", None),
        (9, "lone_reasoning", None),
    ]
    mended = repair_session(data)
    assert [(r.line, r.code, r.action) for r in mended.repairs] == [
        (3, "unreadable_line", "dropped"),
        (4, "missing_result", "answered"),
        (7, "orphan_result", "dropped"),
        (8, "malformed", "dropped"),
        (9, "lone_reasoning", "dropped"),
    ]
    assert said(mended.data) == ["q0", "a", "b", "=a", "=b", "q1"]
    assert check_session(mended.data) == []
    assert repair_session(mended.data).data == mended.data


# --- generated transcripts ---


@quick
@given(sound_responses(), st.integers(0, 9999), st.integers(0, 600), st.data())
def test_generated_transcripts(history, seed, budget, data) -> None:
    """Read as they are; the lines that are left hold exactly the messages of the fit."""
    whole = codex(history, Random(seed))
    session = read_session(whole)
    assert session.messages == history
    assert check_session(session) == []
    assert fit_session(session, 10**9).data == whole
    policies = [Policy(), Policy(notice=True), Policy(depth=0.5), Policy(max_result_tokens=5)]
    try:
        fitted = fit_session(session, budget, policy=data.draw(st.sampled_from(policies)))
    except DoesNotFit:
        return
    assert verify(fitted.fitted) == []
    again = read_session(fitted.data)
    assert again.messages == fitted.fitted.messages
    assert check_session(again) == []
    before = [line.value for line in session.lines]
    headers = [v for v in before if v["type"] not in ("response_item", "event_msg")]
    assert [v for v in (l.value for l in again.lines) if v in headers] == headers


@quick
@given(damaged_responses(), st.integers(0, 9999))
def test_damaged_transcripts_are_mended(damaged, seed) -> None:
    """As their messages are, and to the same messages."""
    _, _, history = damaged
    data = codex(history, Random(seed))
    session = read_session(data)
    try:
        mended = repair(session.messages, format="openai-responses").messages
    except InvalidHistory:
        with pytest.raises(InvalidHistory):
            repair_session(session)
        return
    again = repair_session(session)
    assert read_session(again.data).messages == mended
    assert check_session(again.data) == []
