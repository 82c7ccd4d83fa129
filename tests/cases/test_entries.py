"""Every case through every way in: fit, check, repair, count, conversations, bodies, transcripts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from cases.later import BROKEN
from cases.loader import PLENTY, Case, load
from cases.objecting import objections
from cases.runs import Run
from cases.views import view
from support import langchain_messages, transcripts
from support.corpus import requires_cases
from support.shapes import History

from trimtab import (
    Policy,
    Conversation,
    DoesNotFit,
    InvalidHistory,
    check,
    count,
    fit,
    fit_request,
    per_message,
    repair,
    verify,
)
from trimtab.sessions import check_session, fit_session, read_session, repair_session

pytestmark = requires_cases

CASES = load()
KEYS = {"openai-responses": "input", "gemini": "contents"}
TRANSCRIPTS = {"anthropic": transcripts.claude_code, "openai-responses": transcripts.codex}


def cases(wanted: Callable[[Case], bool] = lambda case: True) -> pytest.MarkDecorator:
    """A test of each of these cases."""
    chosen = [pytest.param(case, id=case.id) for case in CASES if wanted(case)]
    return pytest.mark.parametrize("case", chosen)


def sound(case: Case) -> History:
    """The messages of a case, mended where they are broken."""
    return repair(case.messages, format=case.format).messages


def budgets(case: Case, messages: History) -> Iterator[int]:
    """Its own budget, six between nothing and all, and all; of a long one its own alone."""
    yield case.budget
    if len(messages) < 1_000:
        whole = sum(map(case.cost, messages))
        yield from (whole * sixth // 6 for sixth in range(1, 6))
        yield from (max(whole - 1, 0), whole + 10**5)


def counting(case: Case) -> Any:
    """The case's own counter; the real one where it asks for that."""
    return case.counter and per_message(case.counter)


@cases()
def test_what_all_fits_comes_back_as_it_is(case: Case) -> None:
    """Under any counter: the same objects in a new list, and an input that did not change."""
    messages = sound(case)
    before = copy.deepcopy(messages)
    for counter in (counting(case), None, len):
        fitted = fit(messages, PLENTY, format=case.format, counter=counter)
        assert fitted.messages is not messages
        assert len(fitted.messages) == len(messages)
        assert all(a is b for a, b in zip(fitted.messages, messages, strict=True))
        assert not verify(fitted) and fitted.dropped == []
    assert messages == before


@cases()
def test_every_result_is_sound_and_within_budget(case: Case) -> None:
    """By the oracles of its format and by ``verify``, at eight budgets."""
    some = 0
    for budget in budgets(case, sound(case)):
        run = Run(case, "repaired fit", budget=budget)
        if isinstance(run.outcome, DoesNotFit):
            continue
        some += 1
        assert not isinstance(run.outcome, (Exception, list)), run.outcome
        assert verify(run.outcome) == []
        assert objections(run) == []
        assert run.outcome.used <= budget
        assert run.inputs == case.messages
    assert some


@cases()
def test_a_conversation_gives_what_fit_gives(case: Case) -> None:
    """Message by message, at eight budgets: the same result or the same refusal."""
    messages = sound(case)
    for budget in budgets(case, messages):
        asked: dict[str, Any] = {"format": case.format, "counter": counting(case)}
        talk = Conversation(budget, **{"policy": Policy(), **asked})
        for message in messages:
            talk.append(message)
        try:
            wanted = fit(messages, budget, **asked)
        except DoesNotFit as refused:
            with pytest.raises(DoesNotFit) as raised:
                talk.fit()
            assert str(raised.value) == str(refused)
            continue
        found = talk.fit()
        assert list(map(id, found.messages)) == list(map(id, wanted.messages))
        assert found.to_dict() == wanted.to_dict()


@cases()
def test_a_body_is_fitted_as_its_messages_are(case: Case) -> None:
    """The body's other fields stay, and the format is told from the body."""
    messages = sound(case)
    key = KEYS.get(str(case.format), "messages")
    body = {key: messages, "temperature": 1.10, "x-own": {"a": [1]}}
    for budget in budgets(case, messages):
        asked: dict[str, Any] = {"format": case.format, "counter": counting(case)}
        try:
            wanted = fit(messages, budget, **asked).messages
        except DoesNotFit:
            continue
        made = fit_request(body, budget, **asked).request
        assert made is not None and made is not body
        assert made == {**body, key: wanted}
        assert all(a is b for a, b in zip(made[key], wanted, strict=True))
    assert body[key] is messages


@cases()
def test_faults_are_found_and_mended(case: Case) -> None:
    """What `check` finds, `repair` mends, and both leave the input alone."""
    faults = check(case.messages, format=case.format)
    mended = repair(case.messages, format=case.format)
    assert bool(faults) == bool(mended.repairs) == (case.id in BROKEN)
    assert {fault.index for fault in faults} <= set(range(len(case.messages)))
    assert check(mended.messages, format=case.format) == []
    assert repair(mended.messages, format=case.format).repairs == []
    if faults:
        with pytest.raises(InvalidHistory) as raised:
            fit(case.messages, PLENTY, format=case.format)
        assert raised.value.index == faults[0].index
        chat = Conversation(PLENTY, format=case.format)
        with pytest.raises(InvalidHistory):  # at once, or when it is fitted: an output may be late
            chat.extend(case.messages)
            chat.fit()


@cases()
def test_a_count_is_the_sum_of_its_parts(case: Case) -> None:
    """Every message counts something, and what `fit` used is what `count` counts."""
    messages = sound(case)
    counted = count(messages, format=case.format)
    assert len(counted.by_message) == len(messages)
    assert sum(counted.by_message) + counted.framing == counted.total
    assert all(tokens >= 0 for tokens in counted.by_message)
    assert fit(messages, PLENTY, format=case.format).used == counted.total


@cases(lambda case: case.format is not None)
def test_the_format_is_found_from_the_data(case: Case) -> None:
    """Without a name, the library finds the format; Anthropic's words alone are like Chat's."""
    messages = sound(case)
    spoken = not any(seen.asks or seen.results or seen.thought for seen in map(view, messages))
    format = "openai-chat" if spoken and case.format == "anthropic" else case.format
    assert fit(messages, PLENTY).format == format
    body = {KEYS.get(str(case.format), "messages"): messages}
    assert fit_request(body, PLENTY).format == format


@cases(lambda case: case.format in TRANSCRIPTS)
def test_a_transcript_of_it_is_fitted_and_mended(case: Case) -> None:
    """As the agent would have written it: its faults by line, and results that it can read."""
    data = TRANSCRIPTS[str(case.format)](case.messages, Random(7))
    assert {fault.code for fault in check_session(data)} == {
        fault.code for fault in check(read_session(data).messages, format=case.format)
    }
    mended = repair_session(data).data
    assert check_session(mended) == []
    assert fit_session(mended, PLENTY).data == mended
    messages = read_session(mended).messages
    for budget in budgets(case, messages):
        try:
            fitted = fit_session(mended, budget, counter=counting(case), system=0)
        except DoesNotFit:
            continue
        assert verify(fitted.fitted) == []
        assert read_session(fitted.data).messages == fitted.fitted.messages


@cases(lambda case: case.format == "langchain")
@pytest.mark.parametrize("kind", ["twin", *["real"] * langchain_messages.REAL])
def test_langchains_objects_are_fitted_as_their_data_are(case: Case, kind: str) -> None:
    """The same decisions, and the same objects out."""
    with langchain_messages.installed(kind) as lc:
        objects = [_object(message, lc) for message in case.messages]
        assert check(objects, format="langchain") == check(case.messages, format="langchain")
        mended = repair(objects).messages
        plain = repair(case.messages, format="langchain").messages
        made = [(message.type, message.content) for message in mended]
        assert made == [(message["type"], message["content"]) for message in plain]
        for budget in budgets(case, plain):
            counter = per_message(lambda message: len(message.content) + 1)
            same = per_message(lambda message: len(message["content"]) + 1)
            try:
                fitted = fit(mended, budget, counter=counter)
            except DoesNotFit:
                continue
            assert fitted.format == "langchain" and verify(fitted) == []
            assert fitted.dropped == fit(plain, budget, counter=same).dropped


def _object(message: Any, lc: Any) -> Any:
    fields = {key: value for key, value in message.items() if key not in ("type", "content")}
    name = {"ai": "AI"}.get(message["type"], message["type"].capitalize())
    return getattr(lc, f"{name}Message")(message["content"], **fields)


@cases(lambda case: case.format is None)
@pytest.mark.parametrize("format", ["openai-chat", "anthropic", "mistral", "strict-chat"])
def test_plain_text_is_sound_in_any_format(case: Case, format: str) -> None:
    """What all formats write alike is kept or dropped alike in each of them."""
    messages = [m for m in case.messages if format != "anthropic" or view(m).role != "system"]
    assert check(messages, format=format) == []
    whole = sum(map(case.cost, messages))
    for budget in range(0, whole + 1, whole // 20 + 1):
        try:
            fitted = fit(messages, budget, format=format, counter=counting(case))
        except DoesNotFit:
            continue
        assert verify(fitted) == [] and fitted.messages[-1] is messages[-1]
