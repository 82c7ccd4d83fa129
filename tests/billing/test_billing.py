"""Cache rules: by hand, against a twin that keeps real prompts, and money to the fraction."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import InvalidOptions
from trimtab.billing import (
    Cache,
    Charge,
    Prices,
    Sent,
    bill,
    prices_for,
    rule_names,
    rules_for,
    rules_named,
)

ANTHROPIC = rules_named("anthropic-5m")
OPENAI = rules_named("openai")
DEEPSEEK = rules_named("deepseek")

BY_HAND = {
    # append-only: the second reads what the first wrote
    "anthropic-5m": ([Sent(2_000, 0), Sent(2_600, 2_000)], [(0, 2_000, 0), (2_000, 600, 0)]),
    # under the minimum nothing is kept, and what is not kept is plain input
    "anthropic-1h": ([Sent(900, 0), Sent(1_500, 900)], [(0, 0, 900), (0, 1_500, 0)]),
    # steps of 128 tokens
    "openai": ([Sent(2_000, 0), Sent(2_600, 2_000)], [(0, 0, 2_000), (1_920, 0, 680)]),
    "openai-gpt-5.5": ([Sent(2_000, 0), Sent(2_600, 2_000)], [(0, 0, 2_000), (1_920, 0, 680)]),
    "openai-gpt-5.6": ([Sent(2_000, 0), Sent(2_600, 2_000)], [(0, 2_000, 0), (2_000, 600, 0)]),
    "gemini": ([Sent(5_000, 0), Sent(5_600, 5_000)], [(0, 0, 5_000), (5_000, 0, 600)]),
    "bedrock": ([Sent(2_000, 0), Sent(2_600, 2_000)], [(0, 2_000, 0), (2_000, 600, 0)]),
    "deepseek": ([Sent(640, 0), Sent(700, 640)], [(0, 0, 640), (640, 0, 60)]),
    "vllm": ([Sent(100, 0), Sent(150, 100)], [(0, 0, 100), (96, 0, 54)]),
    "none": ([Sent(2_000, 0), Sent(2_600, 2_000)], [(0, 0, 2_000), (0, 0, 2_600)]),
}


@pytest.mark.parametrize("name", rule_names())
def test_two_requests_by_hand(name):
    requests, charges = BY_HAND[name]
    assert [charge for charge, _ in bill(requests, rules_named(name)).rows] == charges


def test_after_a_cut_a_marked_cache_reads_up_to_a_mark_and_a_prefix_cache_all_in_common():
    head = (1_500,)
    requests = [Sent(6_000, 0, marks=(*head, 6_000)), Sent(4_000, 1_800, marks=(*head, 4_000))]
    assert bill(requests, ANTHROPIC).rows[1][0] == Charge(1_500, 2_500, 0)
    unmarked = [sent._replace(marks=()) for sent in requests]
    assert bill(unmarked, ANTHROPIC).rows[1][0] == Charge(0, 4_000, 0)
    assert bill(requests, OPENAI).rows[1][0] == Charge(1_792, 0, 2_208)


def test_deepseek_reads_what_two_requests_had_in_common_only_the_third_time():
    rows = bill([Sent(6_400, 0), Sent(5_000, 640), Sent(5_500, 640)], DEEPSEEK).rows
    assert [charge.read for charge, _ in rows] == [0, 0, 640]


@pytest.mark.parametrize(("gap", "read"), [(300, 2_000), (301, 0)])
def test_what_is_not_used_in_time_is_gone(gap, read):
    rows = bill([Sent(2_000, 0, 10.0), Sent(2_500, 2_000, 10.0 + gap)], ANTHROPIC).rows
    assert rows[1][0] == Charge(read, 2_500 - read, 0)


def test_a_use_renews_and_an_unknown_time_expires_nothing():
    times = [0, 299, 598, 897]
    requests = [Sent(2_000 + n, 2_000 + n - 1, time) for n, time in enumerate(times)]
    assert bill(requests, ANTHROPIC).rows[3][0].read == 2_002
    assert bill([Sent(2_000, 0, 0.0), Sent(2_000, 2_000)], ANTHROPIC).rows[1][0].read == 2_000


def test_what_lies_behind_the_last_mark_is_plain_input():
    assert bill([Sent(3_000, 0, marks=(2_000,))], ANTHROPIC).rows[0][0] == Charge(0, 2_000, 1_000)


def test_nothing_is_read_behind_the_last_mark():
    rows = bill([Sent(5_000, 0), Sent(6_000, 5_000, marks=(2_000,))], ANTHROPIC).rows
    assert rows[1][0] == Charge(0, 2_000, 4_000)


def test_a_mark_behind_the_prompt_marks_nothing():
    rows = bill([Sent(2_000, 0, marks=(2_100,), output=200)], ANTHROPIC).rows
    assert rows[0][0] == Charge(0, 0, 2_000)


@pytest.mark.parametrize(("tokens", "read"), [(12_000, 11_392), (6_600, 6_400)])
def test_deepseek_keeps_a_prompt_with_its_answer_and_without(tokens, read):
    """An answer that comes back is read with its prompt; one that does not leaves the prompt."""
    rows = bill([Sent(6_400, 0, output=5_000), Sent(tokens, 6_400)], DEEPSEEK).rows
    assert rows[1][0] == Charge(read, 0, tokens - read)


class Twin:
    """The rules over prompts as real tokens: what is kept are the prefixes themselves."""

    def __init__(self, rules, least):
        self.rules, self.least = rules, least
        self.kept: dict[tuple, float | None] = {}
        self.before: tuple = ()

    def request(self, prompt, time, marks):
        rules = self.rules
        alive = {
            p: used
            for p, used in self.kept.items()
            if rules.life is None or None in (time, used) or time - used <= rules.life
        }
        common = 0
        for a, b in zip(self.before, prompt):
            if a != b:
                break
            common += 1
        if rules.matches == "prefix":
            found = [min(len(p), common) for p in alive]
        else:
            found = [len(p) for p in alive if p == prompt[: len(p)] and len(p) <= common]
        if rules.matches == "marks" and marks:
            found = [n for n in found if n <= max(marks)]
        read = max(found, default=0) // rules.step * rules.step
        read = read if read >= self.least else 0
        places = marks or (len(prompt),)
        if rules.matches != "marks":
            places = (len(prompt),)
        if rules.matches == "whole" and any(len(p) > common for p in self.kept) and self.before:
            places = (common, len(prompt))
        kept = {}
        for p in alive:
            cut = p if p == prompt[: len(p)] and len(p) <= common else None
            if cut is None and rules.matches == "prefix":
                cut = prompt[: min(common, len(p))]
            if cut:
                kept[cut] = time
        for place in places:
            if self.least <= place <= len(prompt):
                kept[prompt[:place]] = time
        self.kept, self.before = kept, prompt
        stored = max([p for p in places if self.least <= p <= len(prompt)], default=0)
        written = max(stored - read, 0) if rules.write > 1 else 0
        return Charge(read, written, len(prompt) - read - written)


@st.composite
def sessions(draw):
    """Prompts that grow, are cut in the middle, or begin anew; small numbers."""
    prompt, fresh, rows, now = (), 0, [], 0.0
    for _ in range(draw(st.integers(1, 12))):
        keep = draw(st.sampled_from([len(prompt)] * 3 + [draw(st.integers(0, len(prompt)))]))
        new = draw(st.integers(1, 9))
        prompt = (*prompt[:keep], *range(fresh, fresh + new))
        fresh += new
        now += draw(st.sampled_from([1, 10, 11]))
        half = max(len(prompt) // 2, 1)
        marks = draw(st.sampled_from([(), (half, len(prompt)), (half,), (len(prompt) + 1,)]))
        rows.append((prompt, now if draw(st.booleans()) else None, marks))
    return rows


@settings(max_examples=600, deadline=None)
@given(
    sessions(),
    st.sampled_from(rule_names()),
    st.sampled_from([1, 3]),
    st.integers(0, 6),
    st.sampled_from([None, 10]),
)
def test_the_cache_is_its_twin(rows, name, step, least, life):
    rules = replace(rules_named(name), step=step, minimum=least, minimums=None, life=life)
    if rules.read == rules.write:
        return
    cache, twin, before = Cache(rules), Twin(rules, max(least, 1)), ()
    for prompt, time, marks in rows:
        same = next(
            (n for n, (a, b) in enumerate(zip(before, prompt)) if a != b),
            min(len(before), len(prompt)),
        )
        charge = cache.request(Sent(len(prompt), same, time, marks))
        assert charge == twin.request(prompt, time, marks)
        assert sum(charge) == len(prompt) and min(charge) >= 0
        before = prompt


def test_money_is_exact():
    made = bill([Sent(2_000, 0, output=10), Sent(2_600, 2_000, output=5)], ANTHROPIC)
    assert made.money == Fraction(5, 4) * 2_600 + Fraction(1, 10) * 2_000
    assert (made.read, made.written, made.uncached, made.output) == (2_000, 2_600, 0, 15)
    assert made.tokens == 4_600 and made.cached == Fraction(2_000, 4_600)
    assert sum(cost for _, cost in made.rows) == made.money


def test_a_longer_prompt_costs_the_price_of_its_tier():
    cheap = Prices(Fraction(1), Fraction(1, 10), Fraction(5, 4), Fraction(5))
    dear = Prices(Fraction(2), Fraction(1, 5), Fraction(5, 2), Fraction(10))
    prices = replace(cheap, tiers=((3_000, dear),))
    made = bill([Sent(3_000, 0, output=1), Sent(3_001, 3_000, output=1)], ANTHROPIC, prices)
    assert [cost for _, cost in made.rows] == [3_750, Fraction(3_000, 5) + Fraction(5, 2)]
    assert made.answers == 15


PER_MILLION = 1_000_000


@pytest.mark.parametrize(
    ("model", "name", "read", "write"),
    [
        ("claude-sonnet-4-5", "anthropic-5m", "0.1", "1.25"),
        ("gpt-4.1", "openai", "0.25", "1"),
        ("gpt-4o", "openai", "0.5", "1"),
        ("gpt-5.5", "openai-gpt-5.5", "0.1", "1"),
    ],
)
def test_prices_of_a_list(model, name, read, write):
    """The list's own read price holds over the rules' where it has one."""
    rules = rules_for(model)
    prices = prices_for(model, rules)
    assert rules.name == name and prices.unit == "USD"
    assert prices.read / prices.input == Fraction(read)
    assert prices.write / prices.input == Fraction(write)
    assert prices.output > prices.input > 0


def test_an_hour_costs_twice():
    hour = prices_for("claude-sonnet-4-5", rules_named("anthropic-1h"))
    assert hour.write == 2 * hour.input


def test_what_a_list_does_not_tell_is_the_rules_multiple(monkeypatch):
    from types import SimpleNamespace

    from trimtab.billing import prices as module

    monkeypatch.setattr(
        module, "_listed", lambda model: SimpleNamespace(input_mtok=2, output_mtok=None)
    )
    prices = prices_for("any", ANTHROPIC)
    assert (prices.input, prices.read, prices.write, prices.output) == tuple(
        Fraction(part) / PER_MILLION for part in ("2", "0.2", "2.5", "0")
    )


def test_models_that_nobody_lists_have_no_price():
    assert prices_for(None, ANTHROPIC) is None
    assert prices_for("a-model-of-my-own", ANTHROPIC) is None
    assert rules_for("a-model-of-my-own").name == rules_for(None).name == "none"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt-5.6", "openai-gpt-5.6"),
        ("gpt-5.5-codex", "openai-gpt-5.5"),
        ("gpt-5.4", "openai"),
        ("openai/gpt-6", "openai-gpt-5.6"),
        ("gpt-4o-mini", "openai"),
        ("o3", "openai"),
        ("gemini-2.5-pro", "gemini"),
        ("deepseek-chat", "deepseek"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "bedrock"),
        ("bedrock/anthropic.claude-3-5-sonnet", "bedrock"),
    ],
)
def test_rules_by_model(model, name):
    assert rules_for(model).name == name


def test_the_least_prefix_depends_on_the_model():
    assert ANTHROPIC.least("claude-opus-4-5-20251101") == 4_096
    assert ANTHROPIC.least("anthropic/claude-sonnet-4-5") == ANTHROPIC.least(None) == 1_024
    assert rules_named("bedrock").least("us.anthropic.claude-haiku-4-5-20251001-v1:0") == 4_096
    assert rules_named("gemini").least("models/gemini-2.5-flash") == 2_048
    assert rules_named("gemini").least("gemini-3-pro-preview") == 4_096


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(InvalidOptions, match="'anthropic-5m'.*'none'"):
        rules_named("anthropc")
    with pytest.raises(InvalidOptions):
        rules_named(None)
    for name in rule_names():
        assert rules_named(name).source


def test_a_model_that_is_listed_for_nothing_has_no_price(monkeypatch):
    from types import SimpleNamespace

    from genai_prices import data_snapshot

    free = SimpleNamespace(get_prices=lambda when: SimpleNamespace(input_mtok=0, output_mtok=0))
    found = SimpleNamespace(find_provider_model=lambda *asked: (None, free))
    monkeypatch.setattr(data_snapshot, "get_snapshot", lambda: found)
    assert prices_for("gpt-4o", OPENAI) is None
