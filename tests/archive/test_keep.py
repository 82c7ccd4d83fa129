"""What a fit took out is in the archive afterwards, whatever the format."""

from __future__ import annotations

import json

import pytest
from trimtab import Policy, fit
from trimtab.archive import Archive
from trimtab.handles import handle_of

LOG = "\n".join(f"line {n}: the build of part {n} went well" for n in range(300))
ROWS = json.dumps([{"id": n, "name": f"user {n}"} for n in range(300)])


def chat():
    def call(n, name):
        asked = {"name": name, "arguments": json.dumps({"path": f"file{n}.txt"})}
        return {
            "role": "assistant",
            "tool_calls": [{"id": f"c{n}", "type": "function", "function": asked}],
        }

    return [
        {"role": "system", "content": "You build."},
        {"role": "user", "content": "Build the old thing"},
        call(1, "read_file"),
        {"role": "tool", "tool_call_id": "c1", "content": LOG},
        {"role": "assistant", "content": "The old thing is built."},
        {"role": "user", "content": "Now list the users"},
        call(2, "list_users"),
        {"role": "tool", "tool_call_id": "c2", "content": ROWS},
    ]


def test_what_was_dropped_or_excerpted_is_kept():
    history = chat()
    fitted = fit(history, 200, policy=Policy(max_result_tokens=150))
    assert fitted.dropped == [2, 3]
    archive = Archive()
    handles = archive.keep(fitted)
    assert archive.keep(fitted) == handles
    entries = [archive.get(handle) for handle in handles]
    assert [(entry.role, entry.tool, entry.index) for entry in entries] == [
        ("call", None, 2),
        ("result", "read_file", 3),
        ("result", "list_users", 7),
    ]
    assert entries[1].text == LOG
    assert entries[2].text == ROWS and handles[2] == handle_of(ROWS)
    assert entries[0].text == 'read_file({"path": "file1.txt"})'
    shown = json.loads(fitted.messages[-1]["content"])
    assert shown[0] == {"id": 0, "name": "user 0"} and shown[-1]["id"] == 299
    assert [hit.tool for hit in archive.search("user 150")] == ["list_users"]


def test_what_stays_is_not_kept():
    assert Archive().keep(fit(chat(), 10**6)) == []


def test_nothing_of_what_was_dropped_is_counted():
    counted = []

    def count(text):
        counted.append(text)
        return len(text)

    fitted = fit(chat(), 14_000, counter=count)
    assert fitted.dropped
    before = len(counted)
    Archive().keep(fitted)
    assert len(counted) == before


def test_blocks_of_one_message_are_entries_of_their_own():
    uses = [
        {"type": "tool_use", "id": id, "name": name, "input": {"n": 1}}
        for id, name in (("a", "read"), ("b", "grep"))
    ]
    results = [
        {"type": "tool_result", "tool_use_id": "a", "content": LOG},
        {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "short"}]},
        {"type": "text", "text": "what the user says"},
    ]
    history = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": uses},
        {"role": "user", "content": results},
    ]
    archive = Archive()
    fitted = fit(history, 10**6, policy=Policy(max_result_tokens=100))
    entries = [archive.get(handle) for handle in archive.keep(fitted)]
    assert [(entry.text, entry.tool, entry.index) for entry in entries] == [
        (LOG, "read", 2),
        ("short", "grep", 2),
    ]


def test_a_result_that_is_data_is_kept_as_json():
    response = {"rows": [{"id": 1, "score": 0.5}], "log": LOG}
    history = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "load", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "load", "response": response}}]},
    ]
    fitted = fit(history, 10**6, format="gemini", policy=Policy(max_result_tokens=100))
    archive = Archive()
    (handle,) = archive.keep(fitted)
    assert json.loads(archive.get(handle).text) == response
    assert archive.get(handle).tool == "load"


@pytest.mark.parametrize("text", [LOG, ROWS])
def test_the_handle_needs_no_archive(text):
    assert handle_of(text) == Archive().put(text)
