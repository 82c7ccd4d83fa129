"""Transcripts of Claude Code in which messages change their order: the lines are linked anew.

The reader takes the branch that ends at the newest line, so a message that is moved behind
others whose lines are newer must still be the end (``_build_conversation_chain`` in
claude-agent-sdk 0.2.189).
"""

from __future__ import annotations

from itertools import permutations, product
from random import Random
from typing import Any

import pytest
from support.damage import damage
from support.generate import sound
from support.transcripts import ClaudeCode, claude_code
from trimtab import repair
from trimtab.sessions import check_session, fit_session, read_session, repair_session

CALLS = ("a", "b", "c")
LINKS = list(product(permutations(CALLS), product([False, True], repeat=3)))


def queued(order: tuple[str, ...], own: tuple[bool, ...], reply: str, noise: bool) -> ClaudeCode:
    """Three calls at once and a word of the user's before the results.

    ``own`` says which results hang on their call, the others on the line before them.
    """
    t = ClaudeCode()
    t.user("go")
    lines = {id: t.call("m1", id) for id in CALLS}
    t.user("are you there?")
    for id, hangs in zip(order, own, strict=True):
        if noise:
            t.add("attachment", attachment={"type": "task_reminder"})
        t.result(id, **({"parent": lines[id]} if hangs else {}))
        if noise:
            t.branch("progress", data={"type": "hook_progress"})
    if reply:
        t.add("assistant" if reply == "said" else "system", **_reply(reply))
    return t


def _reply(kind: str) -> dict[str, Any]:
    if kind == "said":
        return {"message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "so"}]}}
    return {"subtype": "turn_duration"}


@pytest.mark.parametrize("reply", ["", "said", "silent"])
@pytest.mark.parametrize("noise", [False, True])
def test_a_word_between_calls_and_results_is_moved_behind_them(reply: str, noise: bool) -> None:
    """Whatever the order of the results and whatever each of them hangs on."""
    for order, own in LINKS:
        session = read_session(queued(order, own, reply, noise).text)
        wanted = repair(session.messages, format="anthropic").messages
        mended = repair_session(session)
        assert read_session(mended.data).messages == wanted
        assert check_session(mended.data) == []
        assert repair_session(mended.data).data == mended.data
        fitted = fit_session(session, 10**6, on_invalid="repair")
        assert read_session(fitted.data).messages == wanted


def test_what_stood_in_front_of_a_message_moves_with_it() -> None:
    """An attachment is sent with the message that follows it; one that nothing follows ends all."""
    t = ClaudeCode()
    start = t.add("attachment", attachment={"type": "hook_additional_context"})
    t.user("go")
    call = t.call("m1", "a")
    human = t.user("are you there?")
    told = t.add("attachment", attachment={"type": "task_reminder"})
    result = t.result("a")
    last = t.add("system", subtype="turn_duration")
    mended = {l.value["uuid"]: l.value["parentUuid"] for l in repair_session(t.text).lines}
    assert mended[told] == call
    assert mended[result] == told
    assert mended[human] == result
    assert mended[last] == human
    assert mended[start] is None


@pytest.mark.parametrize("kind", ["human_between", "late_result", "text_before_result", "reverse"])
@pytest.mark.parametrize("forks", [False, True])
def test_moved_messages_are_read_in_their_new_order(kind: str, forks: bool) -> None:
    """Exactly as `repair` gives them, block for block."""
    for seed in range(60):
        rng = Random(f"{kind} {seed}")
        history = damage(sound("anthropic", rng, 6), rng, kind)
        session = read_session(claude_code([m for m in history if m["role"] != "system"], rng, forks=forks))
        wanted = repair(session.messages, format="anthropic").messages
        if wanted:
            again = read_session(repair_session(session).data)
            assert again.messages == wanted
            assert check_session(again) == []
