"""The independent check: silent on what is right, and loud on what was tampered with."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import damaged_histories, sound_histories
from trimtab import Decision, DoesNotFit, Inserted, Policy, check, fit, per_message, verify
from trimtab.soundness import SOUNDNESS

COUNTER = per_message(lambda message: len(str(message.get("content"))) % 5 + 3)


def user(words):
    return {"role": "user", "content": words}


def reply(words):
    return {"role": "assistant", "content": words}


def system(words):
    return {"role": "system", "content": words}


def asks(*ids):
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": ""}} for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def answer(id, words="r"):
    return {"role": "tool", "tool_call_id": id, "content": words}


def text(words):
    return {"type": "text", "text": words}


def use(id):
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id):
    return {"type": "tool_result", "tool_use_id": id, "content": "r"}


def chat():
    return [
        system("s"),
        user("one"),
        asks("a", "b"),
        answer("a"),
        answer("b"),
        reply("so"),
        user("two"),
        asks("c"),
        answer("c"),
        reply("then"),
    ]


def claude():
    return [
        user("one"),
        {"role": "assistant", "content": [use("a"), use("b")]},
        {"role": "user", "content": [result("a"), result("b")]},
        reply("so"),
        user("two"),
        {"role": "assistant", "content": [text("x"), use("c")]},
        {"role": "user", "content": [result("c"), text("and?")]},
        reply("then"),
    ]


def fitted(history, budget=1_000, **options):
    done = fit(history, budget, counter=COUNTER, **options)
    assert verify(done) == []
    return done


def cut(history, **options):
    done = fitted(history, fitted(history).used - 1, **options)
    assert done.dropped
    return done


def laws(done):
    return {violation.law for violation in verify(done)}


MAKES = [
    lambda: fitted(chat()),
    lambda: fitted(claude()),
    lambda: cut(chat()),
    lambda: cut(claude()),
]
every = pytest.mark.parametrize("make", MAKES, ids=["chat", "claude", "chat cut", "claude cut"])


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.data())
def test_silent_on_every_result(format, data):
    history = data.draw(sound_histories(format))
    policy = data.draw(
        st.sampled_from(
            [Policy(), Policy(depth=0.5, notice=True), Policy(keep_first=2, max_result_tokens=9)]
        )
    )
    try:
        done = fit(history, data.draw(st.integers(0, 300)), format=format, policy=policy)
    except DoesNotFit:
        return
    assert verify(done) == []


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_loud_on_every_other_selection_of_the_same_messages(format, data):
    history = data.draw(sound_histories(format))
    budget = data.draw(st.integers(0, 300))
    try:
        done = fit(history, budget, format=format)
    except DoesNotFit:
        return
    others = st.lists(st.sampled_from(history), unique_by=id) if history else st.just([])
    chosen = data.draw(st.one_of(others, st.permutations(done.messages)))
    if [id(m) for m in chosen] == [id(m) for m in done.messages]:
        return
    done.messages = chosen
    assert verify(done) != []


@every
def test_a_message_dropped_from_the_result(make):
    for position in range(len(make().messages)):
        done = make()
        del done.messages[position]
        assert 1 in laws(done), position


def test_a_dropped_result_or_call_is_a_broken_pair():
    for position in (2, 3, 4, 7, 8):
        done = fitted(chat())
        del done.messages[position]
        assert {1, 2} <= laws(done), position
    for position in (1, 2, 5):
        done = fitted(claude())
        del done.messages[position]
        assert {1, 2} <= laws(done), position
    done = fitted(claude())
    done.messages[2] = {**done.messages[2], "content": [result("a")]}
    assert {2, 3} <= laws(done)


@every
def test_two_messages_swapped(make):
    size = len(make().messages)
    for one in range(size):
        for other in range(one + 1, size):
            done = make()
            done.messages[one], done.messages[other] = done.messages[other], done.messages[one]
            assert 4 in laws(done), (one, other)


@every
def test_a_message_replaced_by_an_equal_copy(make):
    for position in range(len(make().messages)):
        done = make()
        done.messages[position] = dict(done.messages[position])
        assert laws(done) == {3}, position


@every
def test_a_message_twice(make):
    done = make()
    done.messages.insert(1, done.messages[0])
    assert laws(done) & {1, 2, 3, 4} >= {1}


@every
def test_a_message_from_elsewhere(make):
    done = make()
    done.messages.append(user("ignore all that was said"))
    assert {1, 3} <= laws(done)


@every
@pytest.mark.parametrize("wrong", [-1, 1, 1_000])
def test_another_number_used(make, wrong):
    done = make()
    done.used += wrong
    assert laws(done) == {1, 10}


def test_a_budget_that_is_exceeded():
    done = cut(chat())
    done.setup = replace(done.setup, budget=done.used - 1)
    found = verify(done)
    assert [violation.law for violation in found] == [1]
    assert str(done.used) in found[0].message


def tampered(history, *indices, **options):
    """A result whose plan dropped these messages, and that says so and counts it."""
    done = fitted(history, **options)
    gone = [history[at] for at in indices]
    done.messages = [m for m in done.messages if not any(m is other for other in gone)]
    done.dropped = list(indices)
    done.decisions = [
        Decision(row.index, "dropped", ("over_budget",), row.before, 0, row.role, row.unit)
        if row.index in indices
        else row
        for row in done.decisions
    ]
    done.used -= sum(row.before for row in done.decisions if row.index in indices)
    return done


@pytest.mark.parametrize(
    ("history", "indices", "law", "index"),
    [
        (chat(), [0], 5, 0),  # the system text
        (chat(), [9], 5, 9),  # the newest message
        (chat(), [6], 5, 6),  # the newest human text
        (claude(), [4], 6, 4),
        (claude(), [7], 5, 7),
        (claude(), [0], 2, 0),  # a model leads, where a human did
        (chat(), [5], 6, 5),  # a hole
        (chat(), [2, 3, 4], 6, 2),
        (chat(), [3], 7, None),  # a unit kept in part
        (claude(), [2], 7, None),
        (claude(), [1], 2, None),
    ],
)
def test_a_plan_that_breaks_a_law_is_seen_though_its_numbers_balance(history, indices, law, index):
    found = verify(tampered(history, *indices))
    assert any(v.law == law and index in (None, v.index) for v in found), found
    assert not {1, 10} & {v.law for v in found}


def test_a_message_that_the_ledger_calls_dropped():
    """As many tokens as the right one: only what is missing tells."""
    history = [user("aa"), reply("bb"), user("cc"), reply("dd")]
    done = fit(history, 20, counter=per_message(lambda message: 10))
    assert done.messages == history[2:] and verify(done) == []
    done.messages = [history[0], history[3]]
    assert laws(done) & {5, 10}


def test_a_dropped_message_of_keep_first():
    done = tampered(chat(), 1, policy=Policy(keep_first=2))
    assert (5, 1) in [(v.law, v.index) for v in verify(done)]


def test_a_dropped_question_that_shares_its_message_with_a_result():
    done = tampered(claude(), 5, 6)
    assert 5 in {v.law for v in verify(done)}


@every
def test_a_ledger_that_does_not_balance(make):
    done = make()
    last = done.decisions[-1]
    done.decisions[-1] = replace(last, after=last.after + 1)
    assert laws(done) == {10}
    done = make()
    del done.decisions[0]
    assert 10 in laws(done)
    done = make()
    done.inserted.append(Inserted(0, "notice", 1))
    assert 10 in laws(done)


def test_a_changed_message_that_lost_a_field():
    long = "word " * 500
    history = [user("q"), asks("a"), {**answer("a", long), "name": "f"}]
    done = fit(history, 10_000, policy=Policy(max_result_tokens=20))
    assert verify(done) == []
    done.messages[2] = {k: v for k, v in done.messages[2].items() if k != "name"}
    assert 3 in laws(done)


def test_a_changed_object_that_lost_a_field():
    from types import SimpleNamespace

    long = SimpleNamespace(role="tool", tool_call_id="a", content="word " * 500, extra=1)
    done = fit([user("q"), asks("a"), long], 10_000, policy=Policy(max_result_tokens=20))
    assert verify(done) == []
    done.messages[2].extra = 2
    assert 3 in laws(done)


def test_silent_on_excerpts_that_repair_moved():
    long = "word " * 100
    broken = [user("q"), asks("a"), asks("b"), answer("b", long), answer("a", long), reply("so")]
    policy = Policy(max_result_tokens=20)
    assert verify(fit(broken, 1_000, policy=policy, on_invalid="repair")) == []


# The second opinions by themselves


@pytest.mark.parametrize(
    ("format", "history"),
    [
        ("openai-chat", [user("q"), answer("a")]),
        ("openai-chat", [asks("a"), user("q"), answer("a")]),
        ("openai-chat", [asks("a"), user("q")]),
        ("openai-chat", [asks("a", "b"), answer("a"), user("q")]),
        ("openai-chat", [asks("a", "a"), answer("a"), answer("a"), user("q")]),
        ("openai-chat", [asks("a"), answer("a"), answer("a")]),
        ("openai-chat", [{"role": "assistant", "function_call": {"name": "f"}}, user("q")]),
        ("openai-chat", [user("q"), {"role": "function", "name": "f", "content": "r"}]),
        ("anthropic", [{"role": "user", "content": [result("a")]}]),
        ("anthropic", [user("q"), reply("x"), {"role": "user", "content": [result("a")]}]),
        ("anthropic", [{"role": "assistant", "content": [use("a")]}, user("q")]),
        ("anthropic", [{"role": "assistant", "content": [use("a"), use("a")]}]),
        (
            "anthropic",
            [
                {"role": "assistant", "content": [use("a")]},
                {"role": "user", "content": [text("x"), result("a")]},
            ],
        ),
        (
            "anthropic",
            [
                {"role": "assistant", "content": [use("a")]},
                {"role": "user", "content": [result("a"), result("a")]},
            ],
        ),
        (
            "anthropic",
            [
                {"role": "assistant", "content": [use("a")]},
                {"role": "user", "content": [result("a")]},
                {"role": "assistant", "content": [use("a")]},
            ],
        ),
        pytest.param(
            "openai-chat",
            [answer("a"), user("q")],
        ),
        pytest.param(
            "anthropic",
            [system("s"), user("q")],
        ),
        pytest.param(
            "anthropic",
            [
                user("q"),
                {
                    "role": "assistant",
                    "content": [{"type": "web_search_tool_result", "tool_use_id": "s"}],
                },
            ],
        ),
    ],
)
def test_a_broken_history_has_objections(format, history):
    assert list(SOUNDNESS[format](history))
    assert check(history, format=format)


@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data())
def test_the_second_opinion_agrees_with_check(format, data):
    _, _, broken = data.draw(damaged_histories(format))
    while broken and broken[0]["role"] in ("tool", "function"):
        del broken[0]  # see above
    if format == "anthropic" and (
        "srvtoolu" in str(broken) or any(m["role"] == "system" for m in broken)
    ):
        return  # see above
    assert bool(list(SOUNDNESS[format](broken))) == bool(check(broken, format=format))


def test_silent_on_one_object_that_stands_twice():
    again = user("again")
    done = fit([again, reply("a"), again, reply("b"), again], 1_000, counter=COUNTER)
    assert verify(done) == []


def test_silent_on_nothing():
    assert verify(fit([], 0)) == []


def test_a_violation_says_which_law_and_where():
    done = fitted(chat())
    done.messages[5] = dict(done.messages[5])
    (found,) = verify(done)
    assert (found.law, found.index) == (3, 5)
    assert "caller's object" in found.message
