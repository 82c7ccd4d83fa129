"""Every way in which a provider fails ends in a valid fit, and nothing is lost."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

openai = pytest.importorskip("openai")

from summary.marked import (
    BUDGET,
    FORMAT,
    MARK,
    WAYS,
    Notes,
    dropped,
    grows,
    history,
    is_whole,
    prefixes,
    words,
    written,
)
from summary.marked import policy as policy_of
from summary.server import Reply
from trimtab import SummaryError, fit
from trimtab.stores import MemoryStore, SQLiteStore
from trimtab.summary import OpenAISummariser

KEY = "sk-not-a-real-key-0123456789"
ROWS = {
    "no answer in time": Reply(wait=True),
    "an answer byte by byte": Reply(drip=True),
    "a long delay is asked for": Reply(status=503, retry_ms=15_000),
    "429": Reply(status=429),
    "500": Reply(status=500),
    "503": Reply(status=503),
    "400": Reply(status=400),
    "connection closed": Reply(drop=True),
    "connection reset": Reply(reset=True),
    "a page": Reply(raw="<html>sorry</html>", kind="text/html"),
    "a stream of garbage": Reply(raw="data: {\n\n\x00\x01", kind="text/event-stream"),
    "half of some JSON": Reply(raw='{"choices": [{"mess'),
    "bytes": Reply(raw=b"\xff\xfe\x00"),
    "a list": Reply(raw="[1, 2]"),
    "null": Reply(raw="null"),
    "an error with status 200": Reply(raw='{"error": {"message": "down", "code": 502}}'),
    "content of a wrong type": Reply(raw='{"choices": [{"message": {"content": 7}}]}'),
    "parts in place of a text": Reply(
        raw='{"choices": [{"message": {"content": [{"text": "x"}]}, "finish_reason": "stop"}]}'
    ),
    "no choices": Reply(choices=0),
    "empty": Reply(""),
    "blank": Reply(" \n\t\u200b"),
    "no text": Reply(None),
    "a call": Reply(None, finish="tool_calls"),
    "longer than its input": Reply("long " * 5_000),
    "its input back": Reply(echo=True),
    "a refusal": Reply(refusal="No."),
    "filtered": Reply(finish="content_filter"),
    "cut": Reply("half of", finish="length"),
    "thoughts alone": Reply("<think>hm"),
}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(openai._base_client, "INITIAL_RETRY_DELAY", 0.001)


def asked(server, timeout=20.0):
    base_url = f"{server.url}/v1"
    return OpenAISummariser("small", base_url=base_url, api_key=KEY, timeout=timeout, attempts=2)


def never(_):
    raise AssertionError("asked again")


never.name = OpenAISummariser("small").name


class Server:
    """Answers with notes, or with a fault while one is set."""

    def __init__(self, server):
        self.server, self.notes = server, Notes()
        self.good = Reply(lambda body: self.notes.note(body["messages"][-1]["content"]))
        server.replies = [self.good]

    @property
    def broken(self):
        return self.server.replies != [self.good]

    def fails(self, reply):
        self.server.replies = [reply]

    def works(self):
        self.server.replies = [self.good]


WHEN = [
    pytest.param(way, older, id=f"{way} at {'a later' if older else 'the first'} cut")
    for way, older in zip(WAYS, (True, False, False, True), strict=True)
]


@pytest.mark.parametrize(("way", "older"), WHEN)
@pytest.mark.parametrize("row", list(ROWS))
def test_a_fault_ends_in_a_valid_fit(server, row, older, way):
    """Cuts: good ones first (if ``older``), one at which the provider fails, then a good one."""
    provider, store, messages = Server(server), MemoryStore(), history(24)
    slow = row in ("no answer in time", "an answer byte by byte", "a long delay is asked for")
    chosen = policy_of(asked(server, timeout=0.3 if slow else 20.0), store)
    fitted = WAYS[way](chosen)
    before, last, cuts, sent = copy.deepcopy(messages), None, 0, []
    good_cuts = 2 if older else 0
    for given in prefixes(messages):
        if cuts == good_cuts:
            provider.fails(ROWS[row])
        one = fitted(given)
        sent.append((given, one))
        is_whole(one, given, provider.notes)
        if last is not None and not grows(last, one):
            cuts += 1
            assert one.cut_at is not None and one.cut_at >= len(last.source)
        if cuts == good_cuts + 1 and provider.broken:
            assert one.warnings  # the fall-back is said
            assert any("no new summary" in text for text in one.warnings)
            missing = sorted(set(range(1, len(given))) - numbers(provider, one) - kept(one))
            assert dropped(one) == missing
            provider.works()
            calls = provider.notes.calls
            unsummed = [n for n in range(1, len(given)) if n not in numbers(provider, one)]
        if cuts == good_cuts + 2:  # the next cut has tried again and saw all that was left
            assert provider.notes.calls == calls + 1
            gone = set(one.dropped)
            assert gone & set(unsummed) <= numbers(provider, one)
            assert dropped(one) == []
            assert one.warnings == []
            break
        last = one
    else:
        pytest.fail("the history had too few cuts")
    assert messages == before
    assert all(count == 1 for count in provider.notes.told.values())
    again = policy_of(never, store)  # a new worker that shares the store asks nobody
    for given, one in sent:
        twin = fit(given, BUDGET, format=FORMAT, counter=words, policy=again)
        assert written(twin.messages) == written(one.messages)
        assert dropped(twin) == dropped(one)
        assert bool(twin.warnings) == bool(one.warnings)


def numbers(provider, fitted):
    """The messages that the summary of a result was made of."""
    return {int(mark[1:]) for mark in provider.notes.behind(fitted.summary)}


def kept(fitted):
    return {row.index for row in fitted.decisions if row.action == "kept"}


def cut(messages):
    """The first prefix that is cut."""
    for given in prefixes(messages):
        if fit(given, BUDGET, format=FORMAT, counter=words, policy=policy_of(lambda _: "brief")).dropped:
            return given
    raise AssertionError


@pytest.mark.parametrize("way", list(WAYS))
def test_too_long_once_is_asked_again(server, way):
    provider, given = Server(server), cut(history(24))
    server.replies = [Reply("long " * 40), provider.good]
    fitted = WAYS[way](policy_of(asked(server)))(given)
    assert fitted.summary == "summary s1"
    assert len(server.requests) == 2
    first, second = (body["messages"][-1]["content"] for body in server.requests)
    assert "at most 30 tokens" in first
    assert "had 40 tokens" in second
    is_whole(fitted, given, provider.notes)
    assert fitted.warnings == []


@pytest.mark.parametrize("way", list(WAYS))
def test_too_long_twice_is_cut(server, way):
    given = cut(history(24))
    server.replies = [Reply("head " + "long " * 40 + "tail")]
    fitted = WAYS[way](policy_of(asked(server)))(given)
    assert len(server.requests) == 2
    assert words(fitted.summary) <= 30
    assert fitted.summary.startswith("head")
    assert fitted.used <= fitted.budget
    assert {row.action for row in fitted.decisions} == {"kept", "summarised"}


@pytest.mark.parametrize("way", list(WAYS))
def test_where_the_second_asking_fails_the_first_answer_is_cut(server, way):
    given = cut(history(24))
    server.replies = [Reply("head " + "long " * 40), Reply(status=500)]
    fitted = WAYS[way](policy_of(asked(server)))(given)
    assert words(fitted.summary) <= 30
    assert fitted.summary.startswith("head")
    assert {row.action for row in fitted.decisions} == {"kept", "summarised"}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("row", ["500", "empty", "a refusal", "cut", "half of some JSON"])
def test_a_strict_policy_says_it_as_an_error(server, row, way):
    provider, given = Server(server), cut(history(24))
    store = MemoryStore()
    fitted = WAYS[way](policy_of(asked(server), store, strict=True))
    provider.fails(ROWS[row])
    for _ in range(2):
        with pytest.raises(SummaryError):
            fitted(given)
    assert store.scan() == []
    provider.works()
    assert fitted(given).summary == "summary s1"


SCRIPT = """
import json, os, sys
from summary.marked import BUDGET, FORMAT, policy, words
from summary.test_faults import never
from trimtab import fit
from trimtab.stores import SQLiteStore

def failing(ask):
    raise OSError("down")

failing.name = never.name
summariser = {"never": never, "failing": failing}[sys.argv[2]]
made = []
with SQLiteStore(sys.argv[1]) as store:
    chosen = policy(summariser, store)
    for given in json.load(sys.stdin):
        one = fit(given, BUDGET, format=FORMAT, counter=words, policy=chosen)
        made.append([one.messages, one.summary, one.dropped, one.cut_at, bool(one.warnings)])
print(json.dumps(made))
"""


@pytest.mark.parametrize("row", ["500", "a refusal", "empty"])
@pytest.mark.parametrize("other", ["never", "failing"])
def test_another_process_sends_the_same_bytes(server, tmp_path, row, other):
    """One that may not ask, and one whose provider is down, while it works again elsewhere."""
    provider, messages = Server(server), history(24)
    mine, sent, last, cuts = [], [], None, 0
    with SQLiteStore(tmp_path / "s.db") as store:
        fitted = WAYS["fit"](policy_of(asked(server), store))
        for given in prefixes(messages):
            if cuts == 1:
                provider.fails(ROWS[row])
            one = fitted(given)
            cuts += last is not None and not grows(last, one)
            if cuts == 2:
                provider.works()
            sent.append(given)
            mine.append([one.messages, one.summary, one.dropped, one.cut_at, bool(one.warnings)])
            last = one
    assert cuts >= 3
    theirs = in_a_process(SCRIPT, [str(tmp_path / "s.db"), other], sent)
    assert theirs == written(mine)


def in_a_process(script, arguments, given):
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        input=written(given),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONHASHSEED": "7"},
    )
    return written(json.loads(done.stdout))


def test_what_is_told_has_every_word(server):
    """Calls with their arguments and results are told as well as what was said."""
    provider, given = Server(server), cut(history(24))
    fitted = WAYS["fit"](policy_of(asked(server)))(given)
    (body,) = server.requests
    told = MARK.findall(body["messages"][-1]["content"])
    assert told == [f"m{index}" for index in fitted.dropped]
