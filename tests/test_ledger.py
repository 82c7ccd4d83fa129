"""The account of a fit: a decision for every message, and numbers that add up."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import sound_histories
from trimtab import (
    Conversation,
    Decision,
    DoesNotFit,
    InvalidOptions,
    Policy,
    count,
    fit,
    per_message,
)

TEN = per_message(lambda message: 10)


def user(words="u"):
    return {"role": "user", "content": words}


def reply(words="so"):
    return {"role": "assistant", "content": words}


def system(words="s"):
    return {"role": "system", "content": words}


def asks(id):
    call = {"id": id, "type": "function", "function": {"name": "f", "arguments": ""}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answer(id, words="r"):
    return {"role": "tool", "tool_call_id": id, "content": words}


def thinks(*blocks):
    return {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, *blocks],
    }


def use(id):
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id):
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "r"}]}


CHAT = [system(), user(), asks("a"), answer("a"), user(), reply(), asks("b"), answer("b"), reply()]


def reasons(fitted):
    return [(row.action, *row.reasons) for row in fitted.decisions]


GONE = ("dropped", "over_budget")


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (90, [("kept", "run")] * 8 + [("kept", "newest")]),
        (89, [("kept", "system"), *[GONE] * 3, *[("kept", "run")] * 4, ("kept", "newest")]),
        (
            59,
            [
                ("kept", "system"),
                *[GONE] * 3,
                ("kept", "opener"),
                GONE,
                *[("kept", "run")] * 2,
                ("kept", "newest"),
            ],
        ),
        (
            30,
            [("kept", "system"), *[GONE] * 3, ("kept", "opener"), *[GONE] * 3, ("kept", "newest")],
        ),
    ],
)
def test_why_each_message_is_where_it_is(budget, expected):
    assert reasons(fit(CHAT, budget, counter=TEN)) == expected


def test_roles_and_units():
    rows = fit(CHAT, 90, counter=TEN).decisions
    assert [row.role for row in rows] == (
        "system human call result human assistant call result assistant".split()
    )
    assert [row.unit for row in rows] == [0, 1, 2, 2, 3, 4, 5, 5, 6]
    assert [row.index for row in rows] == list(range(9))
    assert rows[0] == Decision(0, "kept", ("run",), 10, 10, "system", 0)
    dropped = fit(CHAT, 50, counter=TEN).decisions[2]
    assert dropped == Decision(2, "dropped", ("over_budget",), 10, 0, "call", 2)


def test_pins_and_keep_first():
    rows = reasons(fit(CHAT, 60, counter=TEN, pin=[2]))
    assert rows[2] == rows[3] == ("kept", "pinned")
    rows = reasons(fit(CHAT, 60, counter=TEN, policy=Policy(keep_first=2)))
    assert rows[:3] == [("kept", "system"), ("kept", "keep_first"), GONE]


@pytest.mark.parametrize(
    "pin",
    [
        [2],
        (2,),
        {2, 2},
        iter([2]),
        [-7],
        lambda message: bool(message.get("tool_calls")) and message["tool_calls"][0]["id"] == "a",
    ],
)
def test_ways_to_pin(pin):
    fitted = fit(CHAT, 60, counter=TEN, pin=pin)
    assert [row.index for row in fitted.decisions if row.reasons == ("pinned",)] == [2, 3]


@pytest.mark.parametrize("pin", [[9], [-10], [1.5], ["2"], "2", 2, None, [True], [None]])
def test_wrong_pins(pin):
    with pytest.raises(InvalidOptions, match="pin"):
        fit(CHAT, 60, counter=TEN, pin=pin)


def test_keep_first_is_the_reason_for_the_whole_unit():
    rows = reasons(fit(CHAT[2:], 50, counter=TEN, policy=Policy(keep_first=1)))
    assert rows[0] == rows[1] == ("kept", "keep_first")


def test_the_head_and_the_reasoning_of_a_claude_history():
    """A loop that thinks, opened by words beside a result, which may not lead."""
    history = [
        user("first"),
        {"role": "assistant", "content": [use("a")]},
        {"role": "user", "content": [*result("a")["content"], {"type": "text", "text": "and?"}]},
        thinks(use("b")),
        result("b"),
        {"role": "assistant", "content": [use("c")]},
        result("c"),
        {"role": "assistant", "content": [use("d")]},
        result("d"),
    ]
    rows = reasons(fit(history, 70, counter=TEN))
    assert rows == [
        ("kept", "head"),
        *[("kept", "opener")] * 2,
        *[("kept", "reasoning")] * 2,
        GONE,
        GONE,
        *[("kept", "newest")] * 2,
    ]


def test_an_excerpt_is_a_change():
    fitted = fit(
        [user(), asks("a"), answer("a", "word " * 300)], 900, policy=Policy(max_result_tokens=9)
    )
    assert reasons(fitted)[2] == ("changed", "excerpt", "newest")
    assert fitted.first_changed == 2 and fitted.dropped == [] and fitted.cut_at is None


def test_repairs_are_reasons_too():
    broken = [answer("z"), user(), asks("a"), user(), answer("a"), reply()]
    fitted = fit(broken, 900, counter=TEN, on_invalid="repair")
    assert reasons(fitted) == [
        ("dropped", "orphan_result"),
        ("kept", "run"),
        ("kept", "run"),
        ("kept", "run"),
        ("kept", "misplaced", "run"),
        ("kept", "newest"),
    ]
    assert fitted.decisions[0].unit == -1
    assert fitted.dropped == [0]
    assert fitted.first_changed == 0


def test_inserted_answers_and_notices_have_rows_of_their_own():
    broken = [user(), reply(), user(), asks("a"), user(), reply()]
    fitted = fit(broken, 60, counter=TEN, on_invalid="repair", policy=Policy(notice=True))
    assert [(row.position, row.kind, row.tokens) for row in fitted.inserted] == [
        (0, "notice", 10),
        (3, "repair", 10),
    ]
    assert fitted.messages[0]["role"] == "user" and "removed" in fitted.messages[0]["content"]
    assert fitted.messages[3]["role"] == "tool"
    assert fitted.used == 60 == sum(row.after for row in fitted.decisions) + 20


def test_a_notice_stands_behind_the_system_text():
    fitted = fit(CHAT, 70, counter=TEN, policy=Policy(notice="[some are gone]"))
    assert [m["content"] for m in fitted.messages[:2]] == ["s", "[some are gone]"]
    assert [(row.position, row.kind) for row in fitted.inserted] == [(1, "notice")]
    assert fitted.first_changed == 1
    assert fit(CHAT, 90, counter=TEN, policy=Policy(notice=True)).inserted == []


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.data())
def test_the_numbers_add_up(format, data):
    history = data.draw(sound_histories(format))
    policy = data.draw(
        st.sampled_from(
            [
                Policy(),
                Policy(depth=0.5),
                Policy(notice=True, keep_first=1),
                Policy(max_result_tokens=6),
            ]
        )
    )
    try:
        fitted = fit(history, data.draw(st.integers(0, 400)), format=format, policy=policy)
    except DoesNotFit:
        return
    rows = fitted.decisions
    assert [row.index for row in rows] == list(range(len(history)))
    assert fitted.used == fitted.fixed + sum(r.after for r in rows) + sum(
        r.tokens for r in fitted.inserted
    )
    assert [row.before for row in rows] == count(history, format=format).by_message
    assert fitted.dropped == [row.index for row in rows if row.action == "dropped"]
    assert all((row.after == 0) == (row.action == "dropped") for row in rows)
    new = {row.position for row in fitted.inserted}
    out = [m for position, m in enumerate(fitted.messages) if position not in new]
    kept = [row for row in rows if row.action != "dropped"]
    for message, row in zip(out, kept, strict=True):
        assert (message is history[row.index]) == (row.action == "kept")
    same = [a is b for a, b in zip(fitted.messages, history, strict=False)]
    differs = same.index(False) if False in same else len(same)
    nowhere = differs == len(history) == len(fitted.messages)
    assert fitted.first_changed == (None if nowhere else differs)


def cut_by_definition(history, budget, **options):
    """The message whose arrival last moved the mark, from the fit of every prefix alone."""
    mark, moved = 0, None
    for n in range(1, len(history) + 1):
        try:
            fitted = fit(history[:n], budget, **options)
            now = fitted.decisions[_run(fitted)].unit
        except DoesNotFit as error:
            now = fit(history[:n], 10**9, **options).decisions[error.newest[0]].unit
        if now != mark:
            mark, moved = now, n - 1
    return moved


def _run(fitted):
    """Index of the message with which the run begins."""
    rows = [row for row in fitted.decisions if row.reasons[-1] in ("run", "newest")]
    return rows[0].index


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.data())
def test_cut_at_is_the_message_that_last_moved_the_mark(format, data):
    history = data.draw(sound_histories(format, max_units=7))
    pins = [] if data.draw(st.booleans()) else [0]
    policy = data.draw(
        st.sampled_from([Policy(), Policy(depth=0.5), Policy(notice=True), Policy(keep_first=1)])
    )
    options = {"format": format, "policy": policy, "pin": pins}
    budget = data.draw(st.integers(10, 250))
    try:
        fitted = fit(history, budget, **options)
    except DoesNotFit:
        return
    assert fitted.cut_at == cut_by_definition(history, budget, **options)


def test_cut_at_where_all_fits_but_not_all_but_one_with_a_notice():
    """Only what arrives last makes a cut necessary; with a notice, less would be too much before."""
    tokens = [10, 10, 10, 20, 5]
    history = [user(), reply(), reply(), asks("a"), answer("a")]
    history = [{**message, "n": n} for message, n in zip(history, tokens, strict=True)]
    counter = per_message(lambda message: message.get("n", 13))
    options = {"counter": counter, "policy": Policy(notice=True)}
    assert fit(history[:4], 52, **options).dropped == []
    fitted = fit(history, 52, **options)
    assert fitted.dropped == [1, 2]
    assert fitted.cut_at == cut_by_definition(history, 52, **options) == 4


def test_cut_at_of_a_repaired_history_is_an_index_of_the_input():
    broken = [answer("z"), user(), reply(), user(), reply(), user(), reply()]
    fitted = fit(broken, 40, counter=TEN, on_invalid="repair")
    assert fitted.dropped == [0, 1, 2]
    sound = fit(broken[1:], 40, counter=TEN)
    assert fitted.cut_at == sound.cut_at + 1


def test_explain_has_the_numbers():
    whole = fit(CHAT, 90, counter=TEN).explain()
    assert "90 of 90 tokens" in whole and "All 9 messages are kept" in whole
    cut = fit(CHAT, 50, counter=TEN)
    words = cut.explain()
    assert "5 messages are left of 9" in words and "4 messages were dropped" in words
    assert "message 0 (system)" in words and "message 4 (opener)" in words
    assert f"Message {cut.cut_at} made the cut necessary" in words


def test_explain_counts_in_the_input():
    broken = [answer("z"), user(), reply(), user(), reply(), user(), reply()]
    fitted = fit(broken, 40, counter=TEN, on_invalid="repair")
    assert fitted.dropped == [0, 1, 2]
    assert "the run starts at message 3" in fitted.explain()


SECRET = "the-treasure-is-under-the-oak"


def test_the_account_is_plain_data_without_any_text_of_a_message():
    history = [
        system(SECRET),
        user(SECRET),
        {
            "role": "assistant",
            "content": SECRET,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": SECRET, "arguments": SECRET}}
            ],
        },
        answer("a", (SECRET + " ") * 50),
        answer("a", SECRET),
        user(SECRET),
    ]
    fitted = fit(
        history,
        110,
        on_invalid="repair",
        policy=Policy(max_result_tokens=30, notice=True),
        system=SECRET,
    )
    account = fitted.to_dict()
    written = json.dumps(account)
    assert json.dumps(json.loads(written)) == written
    for words in (json.dumps(account), fitted.explain(), repr(fitted.decisions)):
        assert SECRET not in words
    assert set(account) >= {
        "used",
        "budget",
        "decisions",
        "inserted",
        "repairs",
        "warnings",
        "policy",
    }
    assert account["messages"] == {"before": 6, "after": len(fitted.messages)}
    assert account["fixed"].keys() == {"system", "tools", "framing", "reserve", "calibration"}


def test_a_claude_history_without_a_model_warns():
    history = [user(), {"role": "assistant", "content": [use("a")]}]
    (warning,) = fit(history, 900).warnings
    assert "no model was given" in warning and "1.7" in warning
    assert fit(history, 900, model="claude-opus-4-7").warnings == []
    assert fit(history, 900, counter=len).warnings == []
    assert fit([user()], 900).warnings == []


def test_reasoning_after_an_edit_warns():
    history = [user("a"), reply(), user("b"), thinks({"type": "text", "text": "x"})]
    options = {"counter": TEN, "format": "anthropic"}
    assert fit(history, 40, **options).warnings == []
    (warning,) = fit(history, 20, **options).warnings
    assert "from message 0 on" in warning and "reasoning" in warning
    assert warning in fit(history, 20, **options).explain()
    before = [
        user("a"),
        thinks({"type": "text", "text": "x"}),
        user("b"),
        {"role": "assistant", "content": [use("c")]},
    ]
    long = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c", "content": "w " * 90}],
    }
    excerpted = fit([*before, long], 900, counter=len, policy=Policy(max_result_tokens=60))
    assert excerpted.first_changed == 4 and excerpted.warnings == []


def test_reasoning_after_an_edit_warns_wherever_it_stands():
    """Interleaved thinking may follow a text or a server tool of its own turn."""
    late = {"role": "assistant", "content": [{"type": "text", "text": "x"}, *thinks()["content"]]}
    fitted = fit([user("a"), reply(), user("b"), late], 20, counter=TEN, format="anthropic")
    assert fitted.dropped and fitted.warnings


def test_the_account_of_a_conversation_that_went_on():
    """A result speaks of the moment at which it was made."""
    conversation = Conversation(50, counter=TEN, policy=Policy())
    expected = []
    results = []
    for n, message in enumerate(CHAT, 1):
        conversation.append(message)
        results.append(conversation.fit())
        expected.append(fit(CHAT[:n], 50, counter=TEN).to_dict())
    assert [fitted.to_dict() for fitted in results] == expected
    assert [len(fitted.source) for fitted in results] == list(range(1, 10))


class Watched(list):
    """A list that counts how often an item is read from it."""

    reads = 0

    def __iter__(self):
        for item in super().__iter__():
            self.reads += 1
            yield item


def test_decisions_read_each_repair_a_few_times():
    broken = [message for n in range(50) for message in (user(), answer(f"z{n}"))]
    fitted = fit(broken, 10_000, counter=TEN, on_invalid="repair")
    repairs = Watched(fitted.repairs)
    fitted.origin = replace(fitted.origin, repairs=repairs)
    assert len(fitted.decisions) == 100
    assert repairs.reads <= 4 * len(repairs)


def test_nothing_is_tokenised_for_the_account_before_it_is_read():
    counted = []

    def counter(text):
        counted.append(text)
        return len(text)

    history = [user("old " * 9), reply("older"), user("new"), reply("newest")]
    fitted = fit(history, 30, counter=counter)
    assert fitted.messages == history[2:]
    assert "old " * 9 not in counted
    assert fitted.decisions[0].before == 36 + 4
    assert "old " * 9 in counted
