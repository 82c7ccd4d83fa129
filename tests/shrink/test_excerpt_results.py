"""Oversize tool results in messages: within the cap, and nothing but their texts changed."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.texts import texts as any_texts
from trimtab import Conversation, InvalidOptions, Policy, check, count, fit, per_message, verify

LONG = "\n".join(f"{n}: the quick brown fox jumps over the lazy dog" for n in range(200))
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
CACHE = {"cache_control": {"type": "ephemeral"}}
ASK = {"role": "user", "content": "q"}


def text(words, **more):
    return {"type": "text", "text": words, **more}


def claude(*contents, **more):
    """A history in which each content answers a call of its own."""
    ids = [f"t{n}" for n in range(len(contents))]
    uses = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in ids]
    results = [
        {"type": "tool_result", "tool_use_id": id, "content": content, **more}
        for id, content in zip(ids, contents, strict=True)
    ]
    return [ASK, {"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def chat(*contents):
    ids = [f"t{n}" for n in range(len(contents))]
    calls = [
        {"id": id, "type": "function", "function": {"name": "f", "arguments": ""}} for id in ids
    ]
    answers = [
        {"role": "tool", "tool_call_id": id, "content": content, "name": "f"}
        for id, content in zip(ids, contents, strict=True)
    ]
    return [ASK, {"role": "assistant", "tool_calls": calls}, *answers]


def capped(history, cap, **options):
    before = copy.deepcopy(history)
    fitted = fit(history, 10**7, policy=Policy(max_result_tokens=cap), **options)
    assert history == before
    assert len(fitted.messages) == len(history)
    assert verify(fitted) == []
    return fitted.messages


def words(content):
    """The texts of a result's content."""
    return [content] if isinstance(content, str) else [part.get("text", "") for part in content]


def tokens(content):
    return sum(count(piece).total for piece in words(content))


@pytest.mark.parametrize("cap", [*range(1, 61), 100, 500])
def test_every_cap_in_real_tokens(cap):
    for content in (LONG, [text(LONG)], [text(LONG), text("short"), text(LONG)]):
        (block,) = capped(claude(content), cap)[2]["content"]
        (message,) = capped(chat(content), cap)[2:]
        assert block["content"] == message["content"] != content
        assert tokens(message["content"]) <= cap


@pytest.mark.parametrize("cap", [20, 40, 60, 200])
def test_every_cap_by_a_counter_of_whole_messages(cap):
    def size(message):
        return 7 + len(repr(message["content"])) if "content" in message else 7

    out = capped(chat(LONG, "short", [text(LONG)]), cap, counter=per_message(size))
    for message in out[2:]:
        assert size(message) <= cap or message["content"] in ("", [text("")])
    out = capped(claude(LONG), cap + 200, counter=per_message(size))
    assert 7 < size(out[2]) <= cap + 200


def test_what_is_within_the_cap_by_whole_messages_stays():
    def size(message):
        content = message.get("content")
        return 4 + sum(map(len, words(content))) if content else 4

    history = chat([text("a" * 10), text("b" * 10)])
    assert size(history[2]) == 24
    assert capped(history, 25, counter=per_message(size))[2] is history[2]


def test_several_texts_share_the_cap_and_short_ones_stay_whole():
    parts = [text("short"), text(LONG), IMAGE, text("also short"), text(LONG, **CACHE)]
    (block,) = capped(claude(parts), 200)[2]["content"]
    first, one, image, second, two = block["content"]
    assert first is parts[0] and image is IMAGE and second is parts[3]
    assert two["cache_control"] == CACHE["cache_control"]
    assert tokens(block["content"]) <= 200
    assert abs(tokens(one["text"]) - tokens(two["text"])) < 20
    assert tokens(one["text"]) > 60


def test_more_texts_than_the_cap_has_tokens():
    (block,) = capped(claude([text(f"line {n}") for n in range(30)]), 25)[2]["content"]
    assert all(piece.strip() for piece in words(block["content"]))


def test_a_text_of_which_nothing_fits():
    (message,) = capped(chat([text("\u0f40" * 9)]), 1)[2:]
    assert message["content"] != []


def test_many_texts_are_measured_in_linear_work():
    def read(parts):
        seen = []

        def size(message):
            seen.append(len(message.get("content") or ()))
            return 4 + len(message.get("content") or ())

        capped(chat([text("abc") for _ in range(parts)]), 40, counter=per_message(size))
        return sum(seen)

    assert read(80) < 3 * read(40)


def test_each_result_has_a_cap_of_its_own():
    history = claude(LONG, "short", LONG)
    out = capped(history, 50)
    one, short, two = out[2]["content"]
    assert tokens(one["content"]) <= 50 and tokens(two["content"]) <= 50
    assert short is history[2]["content"][1]
    assert one["content"] == two["content"]


@pytest.mark.parametrize("more", [{}, {"is_error": True}, {"is_error": False}, CACHE])
def test_only_the_content_of_a_block_changes(more):
    history = claude(LONG, **more)
    history[2]["content"].append(text("words of the user"))
    history[2]["extra"] = extra = [1]
    changed = capped(history, 50)[2]
    block, own = changed["content"][0], history[2]["content"][0]
    assert changed["content"][1] is history[2]["content"][1]
    assert changed["extra"] is extra
    assert {**block, "content": LONG} == own and block["content"] != LONG
    assert check([*history[:2], changed]) == []


def test_only_the_content_of_a_tool_message_changes():
    history = chat("short", LONG)
    out = capped(history, 50)
    assert out[2] is history[2]
    assert {**out[3], "content": LONG} == history[3] and list(out[3]) == list(history[3])


def test_legacy_function_messages_are_results_too():
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}}
    history = [ASK, call, {"role": "function", "name": "f", "content": LONG}]
    changed = capped(history, 50)[2]
    assert changed["name"] == "f" and tokens(changed["content"]) <= 50


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": LONG},
        {"role": "system", "content": LONG},
        {"role": "assistant", "content": LONG},
    ],
)
def test_nothing_but_results_is_excerpted(message):
    history = [message, ASK]
    assert capped(history, 50)[0] is message


@pytest.mark.parametrize("content", [None, "", [], "short", [IMAGE], [text("short")], [text("")]])
def test_what_is_small_or_no_text_stays(content):
    history = claude(content)
    assert capped(history, 5)[2] is history[2]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(any_texts, min_size=1, max_size=4), st.integers(1, 40))
def test_idempotent_and_the_same_every_time(contents, cap):
    for make in (chat, claude):
        history = make(*contents)
        once = capped(history, cap)
        assert capped(history, cap) == once
        again = capped(once, cap)
        assert all(a is b for a, b in zip(again, once, strict=True))
        grown = Conversation(10**7, policy=Policy(max_result_tokens=cap))
        grown.extend(history)
        assert grown.fit().messages == once


def test_the_bytes_do_not_depend_on_the_room_that_is_left():
    history = chat(LONG)
    later = [
        *history,
        {"role": "assistant", "content": "so"},
        {"role": "user", "content": "w " * 99},
    ]
    shown = {str(capped(history, 50)[2])}
    for budget in (170, 200, 500, 10_000):
        fitted = fit(later, budget, policy=Policy(max_result_tokens=50))
        shown |= {str(m) for m in fitted.messages if m.get("role") == "tool"}
    assert len(shown) == 1


def test_the_ledger_says_excerpt():
    fitted = fit(chat(LONG, "short"), 10**6, policy=Policy(max_result_tokens=50))
    row, other = fitted.decisions[2], fitted.decisions[3]
    assert (row.action, row.reasons) == ("changed", ("excerpt", "newest"))
    assert row.before > 1_000 and 50 < row.after < 70
    assert (other.action, other.before) == ("kept", other.after)
    assert fitted.first_changed == 2


@pytest.mark.parametrize("cap", [0, -1, 1.5, "5", True, float("nan")])
def test_a_cap_is_a_whole_number_of_at_least_one(cap):
    with pytest.raises(InvalidOptions, match="max_result_tokens"):
        Policy(max_result_tokens=cap)
