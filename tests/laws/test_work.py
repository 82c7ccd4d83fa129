"""Law 11: what is counted, how often, and how far; by counting calls, never by time."""

from __future__ import annotations

import pytest
from trimtab import Conversation, Policy, count, fit, per_message


class Metered:
    """A counter that records the characters it was asked to read to the end."""

    name = "metered"
    exact = True

    def __init__(self):
        self.read = 0
        self.calls = 0

    def count(self, text):
        self.calls += 1
        self.read += len(text)
        return len(text)

    def count_many(self, texts):
        return [self.count(text) for text in texts]

    def within(self, text, limit):
        self.calls += 1
        self.read += min(len(text), limit + 1)
        return len(text) if len(text) <= limit else None

    def fits(self, text, limit):
        return self.within(text, limit) is not None


def chat(turns):
    history = [{"role": "system", "content": "s"}]
    for n in range(turns):
        history += [
            {"role": "user", "content": f"question {n}"},
            {"role": "assistant", "content": f"answer {n}"},
        ]
    return history


def agent(rounds, size=40):
    history = [{"role": "user", "content": "go"}]
    for n in range(rounds):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        history += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": "x" * size},
        ]
    return history


def test_only_what_is_kept_is_counted():
    few, many = Metered(), Metered()
    fit(agent(50), 500, counter=few)
    fit(agent(5_000), 500, counter=many)
    assert many.calls == few.calls
    assert many.read == few.read


def test_a_huge_result_that_cannot_matter_is_not_read_to_the_end():
    history = agent(3)
    history[2] = {**history[2], "content": "y" * 5_000_000}
    counter = Metered()
    fit(history, 300, counter=counter)
    assert counter.read < 2_000


def test_excerpting_a_huge_result_reads_little_of_it():
    history = agent(1, size=5_000_000)
    counter = Metered()
    fitted = fit(history, 1_000, counter=counter, policy=Policy(max_result_tokens=200))
    assert fitted.used <= 1_000
    assert counter.read < 20_000


def test_dropped_text_is_counted_when_the_ledger_is_read():
    counter = Metered()
    fitted = fit(agent(200), 500, counter=counter)
    before = counter.read
    assert len(fitted.decisions) == 401
    assert counter.read > before + 40 * 150


def test_a_conversation_counts_every_message_once():
    for size in (100, 200, 400):
        counter = Metered()
        conversation = Conversation(500, counter=counter, format="openai-chat")
        for message in agent(size):
            conversation.append(message)
            conversation.fit()
        texts = 1 + 4 * size  # a call has its address, its name and its arguments
        assert counter.calls == texts


def test_a_function_is_asked_once_for_equal_texts():
    asked = []

    def words(text):
        asked.append(text)
        return len(text.split())

    history = chat(100)
    fit(history, 100_000, counter=words)
    first = len(asked)
    assert first <= 201
    history += [{"role": "user", "content": "something new"}]
    fit(history, 100_000, counter=words)
    assert asked[first:] == ["something new"]


def test_an_edited_message_is_counted_anew():
    history = chat(3)
    counter = per_message(lambda message: len(message["content"]))
    before = fit(history, 1_000, counter=counter).used
    history[1]["content"] += "12345"
    assert fit(history, 1_000, counter=counter).used == before + 5


def test_per_message_is_asked_once_for_equal_messages():
    calls = 0

    def f(message):
        nonlocal calls
        calls += 1
        return len(message["content"])

    history = chat(100)
    fit(history, 10_000, counter=per_message(f))
    assert calls <= 201
    before = calls
    fit([*history, {"role": "user", "content": "x"}], 10_000, counter=per_message(f))
    assert calls == before + 1


@pytest.mark.parametrize("rounds", [200, 400, 800])
def test_the_library_itself_is_linear(rounds):
    """Steps of Python inside the package grow in proportion to the messages."""
    import sys

    steps = 0

    def trace(frame, event, arg):
        nonlocal steps
        if "trimtab" in frame.f_code.co_filename:
            steps += 1
        return None

    history = agent(rounds)
    fit(history, 300)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        fit(history, 300)
    finally:
        sys.settrace(before)
    assert steps < 40 * rounds + 1_500


def test_counting_a_text_twice_gives_the_same():
    assert count("hello world").total == count("hello world").total == 2
