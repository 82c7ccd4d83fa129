"""Fits under a calibration: what was sent counts what was reported, and every law holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.generate import sound_histories
from trimtab import (
    Calibration,
    Conversation,
    CounterError,
    DoesNotFit,
    InvalidHistory,
    InvalidOptions,
    Policy,
    count,
    fit,
    per_message,
    verify,
)

SONNET = "claude-sonnet-4-5"
QUESTION = {"role": "user", "content": "How do trim tabs steer a ship? " * 40}
REPLY = {"role": "assistant", "content": "They turn the rudder. " * 30}
AGAIN = {"role": "user", "content": "And on an aircraft?"}
HISTORY = [QUESTION, REPLY, AGAIN]
PLENTY = 10**6


def extra(message):
    return count([message], model=SONNET).by_message[0]


@pytest.mark.parametrize("more", [0, 1, 17, 300])
def test_what_was_sent_counts_what_was_reported(more):
    sent = fit([QUESTION], PLENTY, model=SONNET)
    fitted = fit(HISTORY, PLENTY, model=SONNET, usage={"input_tokens": sent.used + more})
    ratio = fitted.calibration.ratios["text"]
    scaled = [-(-extra(m) * ratio[0] // ratio[1]) for m in (REPLY, AGAIN)]
    assert fitted.used == sent.used + more + sum(scaled)
    assert verify(fitted) == []
    assert fitted.to_dict()["calibration"] == fitted.calibration.to_dict()


def test_a_report_may_lower_estimates_too():
    sent = fit([QUESTION], PLENTY, model=SONNET)
    fitted = fit(HISTORY, PLENTY, model=SONNET, usage=sent.used * 9 // 10)
    assert fitted.used < fit(HISTORY, PLENTY, model=SONNET).used
    assert verify(fitted) == []


def test_exact_counts_are_never_scaled():
    plain = fit(HISTORY, PLENTY, model="gpt-4o")
    sent = fit([QUESTION], PLENTY, model="gpt-4o")
    assert plain.exact
    for reported, more in ((sent.used, 0), (sent.used + 40, 40), (sent.used - 40, 0)):
        fitted = fit(HISTORY, PLENTY, model="gpt-4o", usage=reported)
        assert [row.after for row in fitted.decisions] == [row.after for row in plain.decisions]
        assert fitted.used == plain.used + more
        assert fitted.exact == (more == 0)  # a report overrides what was exact


def test_an_offset_takes_no_more_than_was_estimated_of_the_fixed_cost():
    for options, estimated in (({"counter": len}, 0), ({"model": SONNET, "system": "Be brief."}, 1)):
        plain = fit(HISTORY, PLENTY, **options)
        fitted = fit(HISTORY, PLENTY, usage=Calibration({}, -9999), **options)
        assert fitted.fixed == (0 if estimated else plain.fixed)


def test_a_report_of_another_request_is_not_believed():
    plain = fit(HISTORY, PLENTY, model=SONNET)
    assert plain.used // 2 < fit(HISTORY, PLENTY, model=SONNET, usage=1).used < plain.used


def test_a_counter_of_messages_may_be_calibrated_too():
    fitted = fit(HISTORY, PLENTY, counter=per_message(lambda _: 10), usage=25)
    assert fitted.used == 3 * 10 + 15


def test_a_fitted_request_gives_the_calibration_for_later_calls():
    sent = fit([QUESTION], PLENTY, model=SONNET)
    made = sent.calibrate({"input_tokens": sent.used * 11 // 10})
    again = fit([QUESTION], PLENTY, model=SONNET, usage=made)
    assert again.used == sent.used * 11 // 10
    assert again.calibration == made
    assert again.calibrate(again.used) == made


def test_the_newest_reply_tells_which_request_was_reported():
    long = [QUESTION, REPLY, AGAIN, REPLY, AGAIN]
    sent = fit(long[:3], PLENTY, model=SONNET)
    fitted = fit(long, PLENTY, model=SONNET, usage=sent.used + 7)
    assert fitted.calibration == sent.calibrate(sent.used + 7)


def test_a_trimmed_request_is_what_the_report_is_about():
    long = [QUESTION, REPLY] * 20 + [AGAIN, REPLY, AGAIN]
    sent = fit(long[:-2], 3000, model=SONNET)
    assert len(sent.messages) < len(long) - 2
    fitted = fit(long, 3000, model=SONNET, usage=sent.used + 100)
    assert fitted.calibration == sent.calibrate(sent.used + 100)
    assert verify(fitted) == []


@pytest.mark.parametrize("usage", [{}, "x", 0, -1, {"output_tokens": 4}])
def test_a_report_without_input_tokens_is_refused(usage):
    with pytest.raises(InvalidOptions):
        fit(HISTORY, PLENTY, model=SONNET, usage=usage)
    conversation = Conversation(PLENTY, model=SONNET)
    conversation.extend(HISTORY)
    conversation.fit()
    with pytest.raises(InvalidOptions):
        conversation.record_usage(usage)


def test_a_report_needs_a_reply_that_it_came_with():
    with pytest.raises(InvalidOptions, match="reply"):
        fit([QUESTION], PLENTY, model=SONNET, usage=900)
    with pytest.raises(InvalidOptions, match="no fit"):
        Conversation(PLENTY, model=SONNET).record_usage(900)


def test_the_error_says_how_much_is_due_to_the_report():
    sent = fit([QUESTION], PLENTY, model=SONNET)
    with pytest.raises(DoesNotFit) as caught:
        fit(HISTORY, 900, model=SONNET, usage=sent.used + 5000)
    assert caught.value.needs.calibration > 3000
    assert "calibration" in str(caught.value)
    needed = caught.value.needs.total
    assert fit(HISTORY, needed, model=SONNET, usage=sent.calibrate(sent.used + 5000)).used <= needed


CALIBRATIONS = st.builds(
    Calibration,
    st.fixed_dictionaries(
        {kind: st.tuples(st.integers(10, 20), st.integers(10, 20)) for kind in ("text", "tools")}
    ),
    st.integers(-50, 200),
)
POLICIES = st.sampled_from([Policy(), Policy(depth=0.6), Policy(notice=True, keep_first=1)])


@settings(max_examples=150, deadline=None)
@given(st.data(), CALIBRATIONS, POLICIES, st.integers(40, 600))
@pytest.mark.parametrize(("format", "model"), [("anthropic", SONNET), ("openai-chat", "gpt-5")])
def test_laws_under_a_frozen_calibration(format, model, data, calibration, policy, budget):
    history = data.draw(sound_histories(format, max_units=8))
    options = {"model": model, "format": format, "policy": policy}
    previous = None
    for size in range(1, len(history) + 1):
        try:
            fitted = fit(history[:size], budget, usage=calibration, **options)
        except DoesNotFit:
            previous = None
            continue
        assert fitted.used <= budget
        assert verify(fitted) == []
        if previous is not None and fitted.cut_at != size - 1:
            assert fitted.messages == [*previous, history[size - 1]]
        previous = fitted.messages


@settings(max_examples=100, deadline=None)
@given(st.data(), POLICIES, st.integers(100, 600))
@pytest.mark.parametrize(("format", "model"), [("anthropic", SONNET), ("openai-chat", "gpt-5")])
def test_a_conversation_that_is_told_its_bill(format, model, data, policy, budget):
    history = data.draw(sound_histories(format, max_units=8))
    conversation = Conversation(budget, model=model, format=format, policy=policy)
    previous = None
    for at, message in enumerate(history):
        conversation.append(message)
        try:
            fitted = conversation.fit()
        except DoesNotFit:
            previous = None
            continue
        assert fitted.used <= budget
        assert verify(fitted) == []
        if previous is not None and fitted.cut_at != at:
            assert fitted.messages == [*previous, message]
        previous = fitted.messages
        if data.draw(st.booleans()):
            plain = count(fitted.messages, model=model, format=format).total
            conversation.record_usage(plain * data.draw(st.integers(70, 150)) // 100 + 1)
            assert fitted.used <= budget  # what was handed out has not changed
            try:
                again = conversation.fit()
            except DoesNotFit:
                previous = None
                continue
            if again.cut_at == at:
                previous = again.messages


def test_the_last_report_anchors_what_was_sent():
    conversation = Conversation(PLENTY, model=SONNET)
    for turn in range(6):
        conversation.append(QUESTION)
        fitted = conversation.fit()
        reported = count(fitted.messages, model=SONNET).total * (90 + 5 * turn) // 100
        conversation.record_usage(reported)
        assert conversation.fit().used == reported
        conversation.append(REPLY)


def test_ratios_are_frozen_between_cuts():
    conversation = Conversation(2500, model=SONNET, policy=Policy(depth=0.5))
    ratios, cuts = [], []
    for turn in range(30):
        conversation.append(QUESTION)
        fitted = conversation.fit()
        plain = count(fitted.messages, model=SONNET).total
        made = conversation.record_usage(plain * (100 + turn) // 100)
        ratios.append(made.ratios)
        cuts.append(fitted.cut_at)
        conversation.append(REPLY)
    first = next(at for at, cut in enumerate(cuts) if cut is not None)
    for at in range(first + 1, len(cuts)):
        if cuts[at] == cuts[at - 1]:
            assert ratios[at] == ratios[at - 1]
    assert len({str(r) for r in ratios}) > 1


def test_asking_renews_them():
    conversation = Conversation(1200, model=SONNET)
    for _ in range(8):
        conversation.append(QUESTION)
        conversation.append(REPLY)
    conversation.append(QUESTION)
    fitted = conversation.fit()
    assert fitted.cut_at is not None
    before = conversation.record_usage(fitted.used)
    conversation.append(REPLY)
    conversation.append(AGAIN)
    fitted = conversation.fit()
    after = conversation.record_usage(fitted.used * 2, renew=True)
    assert after.ratios != before.ratios


def test_a_failed_append_leaves_the_calibration():
    conversation = Conversation(1200, model=SONNET, format="anthropic")
    for _ in range(8):
        conversation.extend([QUESTION, REPLY])
    conversation.append(QUESTION)
    conversation.record_usage(conversation.fit().used + 50)
    before = conversation.calibration, conversation.fit().messages
    with pytest.raises(Exception, match="result"):
        conversation.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]}
        )
    assert (conversation.calibration, conversation.fit().messages) == before


def test_truncating_keeps_the_calibration():
    conversation = Conversation(PLENTY, model=SONNET)
    conversation.extend(HISTORY)
    conversation.record_usage(conversation.fit().used + 90)
    conversation.truncate(1)
    assert conversation.fit().calibration == conversation.calibration
    assert verify(conversation.fit()) == []


def words(n):
    return "word " * n


def test_a_failed_append_leaves_everything_as_it_was():
    """Also a mark that reports have moved, which a new fold would put elsewhere."""
    orphan = {"role": "tool", "tool_call_id": "zz", "content": "o"}
    for first, second in ((1300, -200), (700, 300), (1100, 0)):
        conversation = Conversation(1000, model="gpt-4o", format="openai-chat")
        roles = ("user", "assistant")
        conversation.extend(
            {"role": roles[i % 2], "content": f"m{i} " + words(100)} for i in range(7)
        )
        conversation.fit()
        conversation.record_usage(first)
        conversation.record_usage(conversation.fit().used + second)
        before = conversation.fit()
        with pytest.raises(InvalidHistory):
            conversation.append(orphan)
        after = conversation.fit()
        assert after.to_dict() == before.to_dict()
        assert conversation.calibration == before.calibration
        conversation.append({"role": "assistant", "content": "fine"})
        assert verify(conversation.fit()) == []


class Failing:
    """A counter that raises at its k-th call, once."""

    name, exact = "failing", False

    def __init__(self):
        self.left = -1

    def count(self, text):
        if self.left == 0:
            self.left = -1
            raise RuntimeError
        self.left -= self.left > 0
        return len(text.split())

    def count_many(self, texts):
        return [self.count(text) for text in texts]

    def within(self, text, limit):
        tokens = self.count(text)
        return tokens if tokens <= limit else None

    def fits(self, text, limit):
        return self.within(text, limit) is not None


@pytest.mark.parametrize("at", range(0, 40, 3))
def test_a_failed_report_leaves_everything_as_it_was(at):
    counter = Failing()
    conversation = Conversation(900, counter=counter, format="openai-chat", policy=Policy())
    conversation.extend([QUESTION, REPLY, QUESTION, REPLY, AGAIN])
    before = conversation.fit()
    counter.left = at
    try:
        conversation.record_usage(before.used * 2)
    except CounterError:
        counter.left = -1
        assert conversation.calibration is None
        assert conversation.fit().to_dict() == before.to_dict()
    else:
        counter.left = -1
        assert conversation.fit().calibration == conversation.calibration


def test_a_cut_forgets_what_was_overpriced_with_what_is_gone():
    """An offset that took more away than the fixed cost must not outlive the messages."""
    overpriced = {"role": "user", "content": "Zwischenüberschriften " * 60}
    conversation = Conversation(2_600, model=SONNET)
    conversation.append(overpriced)
    loose = 0
    for turn in range(1, 40):
        conversation.append((QUESTION, REPLY)[turn % 2])
        fitted = conversation.fit()
        if fitted.cut_at is not None:
            assert fitted.fixed_parts.calibration >= -fitted.fixed_parts.framing
            break
        loose = min(loose, fitted.fixed_parts.calibration)
        plain = count(fitted.messages, model=SONNET)
        conversation.record_usage(plain.total - plain.by_message[0] * 3 // 4)
    assert fitted.cut_at is not None and loose < -100


@pytest.mark.parametrize("how", ["cut", "truncated", "other messages"])
def test_a_report_that_comes_late_takes_nothing_away_with_what_is_gone(how):
    conversation = Conversation(3_000, model=SONNET)
    conversation.extend([QUESTION, REPLY] * 3 + [QUESTION])
    sent = conversation.fit()
    reported = count(sent.messages, model=SONNET).total * 7 // 10
    if how == "cut":
        conversation.extend([REPLY, QUESTION] * 20)
    elif how == "truncated":
        conversation.truncate(3)
    else:
        conversation.truncate(6)
        conversation.append({"role": "user", "content": "Something else."})
    conversation.record_usage(reported)
    fixed = conversation.fit().fixed_parts
    assert bool(conversation.fit().dropped) == (how == "cut")
    assert fixed.calibration >= -fixed.framing


@pytest.mark.parametrize("reported", [10**9, 10**6])
def test_a_report_far_too_high_is_not_believed(reported):
    conversation = Conversation(100_000, model=SONNET)
    conversation.extend(HISTORY)
    conversation.fit()
    conversation.record_usage(reported)
    assert conversation.fit().used < 20_000


@pytest.mark.parametrize(
    "wrong",
    [({"text": (0, 1)}, 0), ({"text": (1, 0)}, 0), ({"text": (-1, 2)}, 0), ({"text": (1.5, 1)}, 0)]
    + [({}, 1.5), ({}, "3"), ({"text": (True, 1)}, 0)],
)
def test_a_calibration_is_made_of_whole_numbers(wrong):
    with pytest.raises(InvalidOptions):
        Calibration(*wrong)


def test_a_calibration_as_plain_data():
    made = Calibration({"text": (6, 5)}, -3)
    assert Calibration.from_dict(made.to_dict()) == made
    for wrong in ({}, {"ratios": {"text": 1}, "offset": 0}, {"ratios": [], "offset": 0}, None):
        with pytest.raises(InvalidOptions):
            Calibration.from_dict(wrong)
