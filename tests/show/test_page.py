"""The page of `show`: what it says is what `fit` says, for every reader, and nothing gets out."""

from __future__ import annotations

import json
import re

import pytest
from support.browser import chromium, objections, opened
from support.wild import EVIL, wild
from trimtab import DoesNotFit, Policy, fit, per_message
from trimtab.pages.rendering import MARK
from trimtab.show.largest import largest
from trimtab.show.page import page
from trimtab.show.parts import parts, state
from trimtab.show.positions import MOST, position, positions

SIZE = per_message(lambda message: 1 + len(str(message)) // 8)


def chat(size=60):
    made = [{"role": "system", "content": "You keep a garden diary."}]
    return made + [
        {"role": "user" if n % 2 == 0 else "assistant", "content": f"{n} " + "word " * (n % 9)}
        for n in range(size)
    ]


def fitting(messages, **options):
    return lambda budget: fit(messages, budget, counter=SIZE, **options)


def content_of(text):
    return json.loads(re.search(r'id="content">(.*?)</script>', text, re.S)[1])


@pytest.fixture(scope="module")
def browser():
    with chromium() as made:
        yield made


def test_every_place_of_the_slider_is_a_fit():
    at = fitting(chat(), policy=Policy(depth=0.6, notice=True))
    codes = {}
    found = positions(at, at(300))
    assert 20 < len(found) <= MOST
    budgets = [budget for budget, _ in found]
    assert budgets == sorted(set(budgets)) and 300 in budgets
    assert isinstance(found[0][1], DoesNotFit) and found[-1][1].dropped == []
    for budget, fitted in found:
        said = position(budget, fitted, codes)
        try:
            expected = at(budget)
        except DoesNotFit:
            assert "needs at least" in said["error"]
            continue
        keys = list(codes)
        states = [keys[code][0] for code, count in said["runs"] for _ in range(count)]
        assert states == [state(row) for row in expected.decisions]
        assert said["used"] == expected.used
        after = [
            said["after"].get(n, 0 if s in ("dropped", "summarised") else expected.decisions[n].before)
            for n, s in enumerate(states)
        ]
        assert sum(after) + said["inserted"] + expected.fixed == expected.used


def test_a_short_history_has_every_outcome_and_none_twice():
    at = fitting(chat(24))
    found = positions(at, at(120))
    high = found[-1][0]
    whole = {}
    for budget in range(found[0][0] + 1, high + 1):
        whole.setdefault(str(at(budget).decisions), budget)
    told = [str(fitted.decisions) for _, fitted in found[1:]]
    assert set(told) == set(whole) and len(whole) > 10
    assert len(told) <= len(whole) + 2  # the two ends and the chosen one may be like a neighbour


def test_a_long_history_is_not_fitted_without_end():
    made = []

    def at(budget):
        made.append(budget)
        return fit(messages, budget, counter=SIZE)

    messages = chat(400)
    found = positions(at, fit(messages, 900, counter=SIZE))
    assert len(found) <= MOST and len(made) <= 2 * MOST + 1
    outcomes = [str(fitted.decisions) for _, fitted in found[1:]]
    assert len(set(outcomes)) >= len(outcomes) - 2


@pytest.mark.parametrize("word", ["word ", "<a&b>", "\u6587\u5b57", "\u202e\u200b", '\\"', "\U0001f600"])
def test_whatever_the_texts_are_the_page_stays_small(word):
    """Only the texts can make it large: 1.2 MB of them in all, escaped as they are written."""
    messages = [{"role": "user", "content": word * 2_000} for _ in range(1_000)]
    fitted = fit(messages, 10**9, counter=SIZE)
    text = page(fitted, fitting(messages), "large")
    assert len(text.encode()) < 1_600_000


def test_no_text_breaks_out_of_the_page():
    at = fitting(wild())
    text = page(at(600), at, EVIL)
    assert text.startswith(MARK)
    assert text.count("<script") == 2 and "<img" not in text and "<b>" not in text
    assert "\x1b" not in text and "\x9b" not in text and "\u202e" not in text and "\x00" not in text
    content = content_of(text)
    assert len(content["messages"]) == len(wild())
    assert all("\x1b" not in row[4] for row in content["messages"])


def test_the_slider_by_keyboard_shows_what_fit_says(browser, tmp_path):
    messages = chat()
    at = fitting(messages)
    path = tmp_path / "page.html"
    path.write_text(page(at(300), at, "a diary"), "utf-8", "backslashreplace")
    with opened(browser, path) as shown:
        shown.focus("#budget")
        for _ in range(6):
            shown.keyboard.press("ArrowLeft")
            told = shown.inner_text("#told")
            budget = int(told.split(" ")[0].replace(",", ""))
            fitted = at(budget)
            assert f"{fitted.used:,} used" in told
            assert shown.get_attribute("#budget", "aria-valuetext") == told
            dropped = shown.locator("#units > li", has_text="dropped").count()
            assert dropped == len({row.unit for row in fitted.decisions if row.action == "dropped"})
            assert fitted.explain().split("\n")[0] in shown.inner_text("#said")


def test_a_unit_opens_by_keyboard_and_says_why(browser, tmp_path):
    at = fitting(wild())
    fitted = at(600)
    path = tmp_path / "page.html"
    path.write_text(page(fitted, at, EVIL), "utf-8", "backslashreplace")
    with opened(browser, path) as shown:
        first = shown.locator("#units button").first
        first.focus()
        shown.keyboard.press("Enter")
        assert first.get_attribute("aria-expanded") == "true"
        inside = shown.inner_text(".inside")
        row = fitted.decisions[0]
        assert f"Message 0, {row.role}: {row.action} ({', '.join(row.reasons)})" in inside
        assert "</script><script>" in inside  # as text
        assert "owned" not in shown.title() or "<" in shown.title()
        shown.keyboard.press("Enter")
        assert first.get_attribute("aria-expanded") == "false"
        shown.select_option("#only", "dropped")
        gone = {row.unit for row in fitted.decisions if row.action == "dropped"}
        assert shown.locator("#units > li").count() == len(gone)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_readers_of_every_kind(browser, tmp_path, scheme):
    at = fitting(chat())
    path = tmp_path / "page.html"
    path.write_text(page(at(300), at, "a diary"), "utf-8")
    with opened(browser, path, scheme) as shown:
        shown.locator("#units button").first.click()
        assert objections(shown) == []


def test_a_long_history_stays_light(browser, tmp_path):
    """Few elements, a page of a few megabytes, and units by the hundred."""
    messages = chat(3_000)
    at = fitting(messages)
    text = page(at(4_000), at, "long")
    assert len(text) < 3_000_000
    path = tmp_path / "page.html"
    path.write_text(text, "utf-8")
    with opened(browser, path) as shown:
        assert shown.evaluate("document.querySelectorAll('*').length") < 1_500
        shown.click("#on")
        assert "101 to 200" in shown.inner_text("#where")


def test_the_parts_of_the_strip_add_up_with_reasoning_apart():
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "long thought " * 20, "signature": "s"},
            {"type": "text", "text": "yes"}]},
        {"role": "user", "content": "on"},
    ]
    fitted = fit(messages, 10_000, format="anthropic")
    found = parts(fitted)
    assert sum(part.tokens for part in found) == sum(row.before for row in fitted.decisions)
    assert [part.role for part in found] == ["human", "reasoning", "assistant", "human"]
    assert found[1].tokens > 20


def test_the_largest_parts_and_what_they_would_give():
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "seen " * 400},
        {"role": "assistant", "content": "a word"},
    ]
    rows = largest(fit(messages, 10_000, counter=SIZE), 2)
    assert [row.message for row in rows] == [2, 1]
    assert rows[0].before == rows[0].after and 0 < rows[0].gain < rows[0].before
    assert rows[1].gain == 0
    gone = largest(fit(messages, 60, counter=SIZE, policy=Policy(max_result_tokens=20)), 1)
    assert gone[0].state == "excerpted" and gone[0].gain == 0
