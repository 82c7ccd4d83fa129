"""A replay says what `fit` would have sent, request by request, and what that costs."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from random import Random

import pytest
from support.browser import chromium, objections, opened
from support.wild import EVIL, wild
from trimtab import InvalidOptions, MissingResult, fit, per_message
from trimtab.billing import Prices, Sent, bill, rule_names, rules_named
from trimtab.replay import Story, replay
from trimtab.replay.page import page
from trimtab.replay.policies import DEFAULT, policy_named
from trimtab.replay.reporting import held_against, rules_of
from trimtab.replay.summing import summed
from trimtab.replay.table import heading, table, words
from trimtab.replay.walking import requests, walk
from trimtab.sessions.usage import Recorded
from trimtab.setup import resolve
from trimtab.transcript import Transcript

SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
LARGE = per_message(lambda message: 30 * (1 + len(str(message)) // 8))  # above the least prefix
RULES = rules_named("anthropic-5m")
NOTHING = {"model": None, "tools": None, "reserve": 0, "response_format": None, "tool_choice": None, "thinking": False}


def agent(turns, seed=1):
    rng, messages = Random(seed), [{"role": "system", "content": "You keep a garden diary."}]
    for n in range(turns):
        if n % 7 == 0:
            messages.append({"role": "user", "content": f"Task {n}. " + "please " * rng.randint(0, 9)})
        call = {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        messages.append({"role": "assistant", "content": f"step {n}", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{n}", "content": "seen " * rng.randint(1, 90)})
    return messages


def story(messages=None, **fields):
    return Story("a diary", agent(40) if messages is None else messages, **fields)


def setup_of(messages, budget, policy):
    return resolve(messages, budget, format=None, system=None, counter=SIZE, policy=policy, **NOTHING)


def common(before, after):
    size = 0
    for one, other in zip(before, after):
        if one is not other and one != other:
            break
        size += 1 + len(str(one)) // 8
    return size


@pytest.mark.parametrize("name", DEFAULT)
def test_every_request_is_the_one_that_fit_would_send(name):
    messages, budget = agent(40), 700
    times = [100.0 * n if n % 9 else 100.0 * n + 400 for n in range(len(messages))]
    policy = policy_named(name, RULES, Prices.of(RULES), budget)
    setup = setup_of(messages, budget, policy)
    counted = Transcript(setup)
    counted.extend(messages, None)
    asks = requests(counted)
    assert len(asks) == 41
    made = walk(story(messages, times=times), setup, None, asks)
    before = None
    for at, step in zip(asks, made.steps, strict=True):
        fitted = fit(messages[:at], budget, counter=SIZE, policy=policy, times=times[:at])
        assert step.fits and step.sent.tokens == fitted.used
        if before is not None:
            assert step.sent.same <= common(before.messages, fitted.messages)
            if name != "slide":  # the longest run knows of no cuts
                assert bool(step.cuts) == (fitted.plan.cuts != before.plan.cuts)
            if not step.cuts:
                assert step.sent.same == before.used
        before = fitted
    assert len(made.notes) == (len(fitted.cuts) if name == "slide" else fitted.plan.cuts) > 0


def test_a_report_adds_up():
    report = replay(story(), 20_000, rules=RULES, counter=LARGE)
    assert [row.policy for row in report.rows] == list(DEFAULT)
    assert report.requests == 41 and report.unit == "tokens"
    for row in report.rows:
        assert sum(row.costs) == row.money and len(row.costs) == 41
        assert 0 <= row.cached < 1 and row.least <= row.kept
        assert row.over == 0
        assert row.ratio is None if row.policy == "agent" else row.ratio >= 1
    best = min(report.rows, key=lambda row: row.worth)
    assert report.choice == best.policy and report.choice != "slide"
    dominated = [r for r in report.rows if r.money < best.money and r.kept > best.kept]
    assert (best.policy in report.front) == (not dominated)
    slide = report.rows[0]
    assert slide.dearest.cause == "over" and slide.cuts == max(row.cuts for row in report.rows)
    assert all(slide.worth >= row.worth for row in report.rows if row.policy in ("0.8", "steady"))
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["choice"] == report.choice and len(plain["policies"]) == 8
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()


def test_what_is_over_the_budget_is_counted_and_never_chosen():
    messages = agent(10)
    messages[3]["content"] = "seen " * 2_000
    report = replay(story(messages), 700, rules=RULES, counter=SIZE, policies=("slide", "0.5"))
    assert report.choice is None
    assert all(row.over >= 1 for row in report.rows)
    assert any("over the budget" in remark for remark in report.remarks)
    assert "None of these policies" in next(words(report))


def test_what_fits_whole_is_told():
    report = replay(story(agent(3)), 10**6, rules=RULES, counter=SIZE)
    assert any("all of it fits" in remark for remark in report.remarks)
    assert all(row.cuts == 0 and row.dearest is None for row in report.rows)


@pytest.mark.parametrize("name", rule_names())
def test_only_calibrated_rules_are_silent_about_it(name):
    report = replay(story(agent(12)), 500, rules=rules_named(name), counter=SIZE, policies=("slide", "steady"))
    told = any("not calibrated" in remark for remark in report.remarks)
    assert told == (name not in ("anthropic-5m", "anthropic-1h"))


def test_options_that_make_no_sense():
    with pytest.raises(InvalidOptions, match="no policy is called 'fast'"):
        replay(story(), 700, rules=RULES, counter=SIZE, policies=("fast",))
    with pytest.raises(InvalidOptions, match="no request"):
        replay(story([]), 700, rules=RULES, counter=SIZE)
    with pytest.raises(MissingResult):
        replay(story(agent(2)[:3] + [{"role": "user", "content": "?"}]), 700, rules=RULES, counter=SIZE)


def test_recorded_usage_is_held_against_the_rules():
    rows = [Recorded(n, 10.0 * n, 2_000 + 100 * n, 1_900 + 100 * n if n else 0, 100, 5) for n in range(9)]
    assert held_against(rows, RULES)[:2] == (8, 8)
    assert held_against([row._replace(read=0) for row in rows], RULES)[:2] == (8, 0)
    late = [row._replace(time=400.0 * n) for n, row in enumerate(rows)]
    assert held_against(late, RULES)[:2] == (8, 0)
    report = replay(story(recorded=rows), 700, rules=RULES, counter=SIZE, policies=("slide",))
    assert report.agreement[:2] == (8, 8)
    assert any("8 of 8 turns" in line for line in words(report))


def test_several_together():
    reports = [replay(story(agent(n)), 700, rules=RULES, counter=SIZE) for n in (20, 40)]
    both = summed(reports)
    for at, row in enumerate(both.rows):
        assert row.money == sum(report.rows[at].money for report in reports)
        assert row.cuts == sum(report.rows[at].cuts for report in reports)
    assert both.requests == sum(report.requests for report in reports)
    assert summed(reports[:1]) is None
    other = replay(story(), 700, rules=RULES, counter=SIZE, policies=("slide",))
    assert summed([reports[0], other]) is None


def test_the_longest_run_costs_what_a_bill_by_hand_says():
    """Two requests: the second goes on from the first."""
    messages = [
        {"role": "user", "content": "go " * 900},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "on"},
    ]
    report = replay(story(messages), 10**5, rules=RULES, counter=per_message(lambda m: 2_000 if len(m["content"]) > 99 else 7), policies=("slide",))
    assert report.rows[0].money == bill([Sent(2_000, 0), Sent(2_014, 2_000)], RULES).money
    assert report.rows[0].money == Fraction(5, 4) * 2_014 + Fraction(2_000, 10)


def test_no_text_breaks_out_of_table_or_page(tmp_path):
    report = replay(Story(EVIL, wild(20), model=None), 900, rules=RULES, counter=SIZE)
    text = page([report])
    assert "<script" not in text and "<img" not in text and "\x1b" not in text and "\u202e" not in text
    from io import StringIO
    from rich.console import Console

    out = StringIO()
    console = Console(file=out, width=120, markup=False)
    console.print(heading(report), table(report), *words(report))
    assert "\x1b" not in out.getvalue() and "\u202e" not in out.getvalue()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(tmp_path, scheme):
    reports = [replay(story(agent(n)), 700, rules=RULES, counter=SIZE) for n in (20, 40)]
    path = tmp_path / "replay.html"
    path.write_text(page(reports), "utf-8")
    with chromium() as browser, opened(browser, path, scheme) as shown:
        assert shown.locator("section").count() == 3
        assert shown.locator("svg[role=img]").count() == 5
        for row in reports[0].rows:
            assert shown.locator("tbody th", has_text=row.policy).count() >= 3
        assert objections(shown) == []


@pytest.mark.parametrize("name", ["openai-responses"])
def test_behind_a_compaction_no_optimum_is_claimed(name):
    """What stands for all before it makes that free, which the optimum does not know."""
    messages = []
    for n in range(30):
        messages.append({"role": "user", "content": f"{n} " + "word " * 40})
        messages.append({"role": "assistant", "content": f"{n} " + "word " * 40})
        if n == 14:
            messages.append({"type": "compaction", "encrypted_content": "x" * 60})
    report = replay(Story("compacted", messages, name), 900, rules=RULES)
    assert all(row.ratio is None for row in report.rows)
    assert report.choice is not None


def test_a_sum_is_of_like_reports_and_chooses_only_what_fits():
    wide = agent(20)
    wide[3]["content"] = "seen " * 2_000
    given = {"rules": RULES, "counter": SIZE, "policies": ("slide", "0.5")}
    over, good = replay(story(wide), 700, **given), replay(story(agent(20)), 700, **given)
    both = summed([over, good])
    assert good.choice is not None and both.choice is None
    assert all(row.dearest is None for row in both.rows)
    assert summed([good, replay(story(agent(20)), 800, **given)]) is None
    assert summed([good, replay(story(agent(20)), 700, **{**given, "rules": rules_named("anthropic-1h")})]) is None


def test_a_session_that_wrote_for_an_hour_is_billed_so():
    row = Recorded(0, None, 2_000, 0, 2_000, 5, 2_000)
    assert rules_of(story(model="claude-sonnet-4-5", recorded=[row])).name == "anthropic-1h"
    short = row._replace(lasting=100)
    assert rules_of(story(model="claude-sonnet-4-5", recorded=[short])).name == "anthropic-5m"
    assert rules_of(story(model="gpt-4o")).name == "openai"


def test_the_least_prefix_is_that_of_the_model():
    """1,500 tokens are kept for one model, and not for another that wants 4,096."""
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "on"},
        {"role": "assistant", "content": "done"},
    ]
    counter = per_message(lambda message: 1_500 if message["content"] == "go" else 7)
    cached = [
        replay(Story("s", messages, "anthropic", model), 10**5, rules=RULES, counter=counter, policies=("slide",)).rows[0].cached
        for model in ("claude-sonnet-4-5", "claude-opus-4-5")
    ]
    assert cached[0] > 0 == cached[1]
