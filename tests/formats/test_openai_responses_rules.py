"""OpenAI Responses: one row for every rule of the API, with its source.

No validator checks the order of items, so the rules are written out: a history that keeps
one, how it is broken, and the faults that `check` then names. (D) stands for OpenAI's API
reference and guides, (S) for the types of its SDK and the sources of openai/codex and
openai-agents, (E) for the API's own error text.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from trimtab import Conversation, check, count, fit, fit_request, per_message, repair, verify, Policy
from trimtab.soundness.openai_responses import objections

NAME = "openai-responses"
EACH = per_message(lambda item: 1)
Q: dict[str, Any] = {"role": "user", "content": "q"}
SO: dict[str, Any] = {"role": "assistant", "content": "so"}
THINK: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "g"}

# The type of a call, what else it holds, and the type of its output.
PAIRS: list[tuple[str, dict[str, Any], str, dict[str, Any], str]] = [
    ("function_call", {"name": "f", "arguments": "{}"}, "function_call_output", {"output": "x"}, "D"),
    ("custom_tool_call", {"name": "f", "input": "x"}, "custom_tool_call_output", {"output": "x"}, "D"),
    ("shell_call", {"action": {"commands": ["ls"]}}, "shell_call_output", {"output": []}, "D"),
    ("apply_patch_call", {"operation": {}}, "apply_patch_call_output", {"status": "completed"}, "D"),
    ("computer_call", {"id": "cu", "action": {}}, "computer_call_output", {"output": {}}, "D"),
    ("tool_search_call", {"execution": "client"}, "tool_search_output", {"tools": []}, "S"),
    ("program", {"id": "p", "code": ""}, "program_output", {"id": "o", "result": ""}, "S"),
    # Codex answers a local shell like a function (S: codex, the outputs of its shell).
    ("local_shell_call", {"id": "l", "action": {}}, "function_call_output", {"output": "x"}, "S"),
    ("local_shell_call", {"id": "l", "action": {}}, "local_shell_call_output", {"id": "c1"}, "D"),
    # A type of next year that looks like a pair is one.
    ("hologram_call", {"shape": "cube"}, "hologram_call_output", {"output": "x"}, "facts, 5.9"),
]


def pair(row: Any, id: str = "c1") -> tuple[dict[str, Any], dict[str, Any]]:
    """The call and the output of a row."""
    call, more, answer, rest, _ = row
    made = {"type": answer, "call_id": id, **rest}
    if answer == "local_shell_call_output":
        made = {"type": answer, "id": id, "output": "{}"}
    return {"type": call, "call_id": id, **more}, made


def codes(history: list[Any]) -> list[str]:
    """The codes of the faults; the second opinion must object to a broken history too."""
    found = [fault.code for fault in check(history, format=NAME)]
    assert bool(found) == bool([*objections(history)])
    return sorted(found)


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: f"{row[0]}-{row[2]}")
def test_a_call_and_its_output(row: Any) -> None:
    """Paired by id, at any later place; neither without the other; dropped together."""
    call, output = pair(row)
    assert codes([Q, call, output, Q]) == []
    assert codes([Q, call, Q, output]) == []  # (C) the API pairs at any later position
    assert codes([Q, call]) == []  # the output is yet to come
    assert codes([Q, call, Q]) == ["missing_result"]  # (E) No tool output found for function call
    assert codes([Q, output, Q]) == ["orphan_result"]  # (E) No tool call found for … output
    assert codes([Q, output, call, Q]) == ["missing_result", "orphan_result"]
    assert codes([Q, call, output, output]) == ["duplicate_result"]
    assert codes([Q, call, call, output]) == ["duplicate_call"]
    for history in ([Q, call, Q], [Q, output, Q], [Q, call, output, output, Q]):
        assert codes(repair(history, format=NAME).messages) == []
    assert fit([Q, THINK, call, output, SO, Q], 2, format=NAME, counter=EACH).messages[-1] is Q


HOSTED: list[dict[str, Any]] = [
    {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"type": "search"}},
    {"type": "file_search_call", "id": "fs", "queries": ["x"], "results": None},
    {"type": "code_interpreter_call", "id": "ci", "code": "1", "container_id": "c", "outputs": None},
    {"type": "image_generation_call", "id": "ig", "status": "completed", "result": None},
    {"type": "mcp_call", "id": "m", "server_label": "s", "name": "f", "arguments": "{}", "output": "4"},
    {"type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": []},
    {"type": "tool_search_call", "id": "ts", "call_id": None, "execution": "server"},
    {"type": "tool_search_output", "id": "to", "call_id": None, "execution": "server", "tools": []},
    {"type": "hologram", "shape": "cube"},  # of next year
    {"type": "hologram", "shape": "cube", "call_id": "c9"},  # no call by its name
    {"type": "hologram_output", "shape": "cube"},  # and no output of any
    {"type": "hologram_call", "shape": "cube"},  # run by the provider, as it has no call_id
]


@pytest.mark.parametrize("item", HOSTED, ids=lambda item: item["type"])
def test_an_item_that_is_whole_in_itself(item: Any) -> None:
    """What the provider ran, and any type nobody knows: it needs nothing and goes with its response."""
    assert codes([Q, item, Q]) == []
    assert codes([Q, THINK, item, Q]) == []  # it follows the reasoning
    history = [Q, THINK, item, SO, Q]
    for budget in range(1, 6):
        kept = fit(history, budget, format=NAME, counter=EACH).messages
        assert (item in kept) == (THINK in kept) == (SO in kept)
    costly = {**item, "extra": "many more words " * 50}
    if item["type"].startswith("hologram"):
        assert count([costly], format=NAME).total > count([item], format=NAME).total + 50


def test_approval_of_an_mcp_call() -> None:
    """(D) The response names the request by its id; the call that follows names both or neither."""
    asked = {"type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "f", "arguments": "{}"}
    given = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    ran = {**HOSTED[4], "approval_request_id": "mcpr_1"}
    assert codes([Q, asked, given, ran, SO]) == []
    assert codes([Q, asked, Q]) == ["missing_result"]
    assert codes([Q, given, Q]) == ["orphan_result"]
    assert codes([Q, asked, given, given]) == ["duplicate_result"]


@pytest.mark.parametrize(
    ("history", "found"),
    [
        ([Q, THINK, SO], []),
        ([Q, THINK, THINK, SO], []),
        ([Q, THINK], []),  # of a response that goes on
        ([Q, THINK, Q], ["lone_reasoning"]),
        ([Q, THINK, THINK, Q], ["lone_reasoning"]),
        ([Q, THINK, {"role": "developer", "content": "x"}, SO], ["lone_reasoning"]),
        ([Q, THINK, pair(PAIRS[0])[1], SO], ["lone_reasoning", "orphan_result"]),
    ],
)
def test_reasoning_needs_what_follows_it(history: Any, found: list[str]) -> None:
    """(E) Item 'rs_…' of type 'reasoning' was provided without its required following item."""
    assert codes(history) == found or set(codes(history)) == set(found)
    assert codes(repair(history, format=NAME).messages) == []


def test_reasoning_goes_with_all_calls_of_its_response() -> None:
    """(E) 'function_call' was provided without its required 'reasoning' item."""
    calls = [pair(PAIRS[0], f"c{n}") for n in range(3)]
    history = [Q, THINK, *(c for c, _ in calls), *(o for _, o in calls), SO, Q, SO]
    for budget in range(2, 11):
        kept = fit(history, budget, format=NAME, counter=EACH).messages
        assert len({item in kept for item in history[1:8]}) == 1


def test_calls_of_a_program_belong_to_it() -> None:
    """(S) ``caller.caller_id`` names the program; its calls are answered while it runs."""
    program, ran = pair(PAIRS[6], "p1")
    by = {"caller": {"type": "program", "caller_id": "p1"}}
    steps = [{**item, **by} for n in range(2) for item in pair(PAIRS[0], f"c{n}")]
    history = [Q, THINK, program, *steps, ran, SO, Q, SO]
    assert codes(history) == []
    for end in range(3, len(history)):
        assert codes(history[:end]) == []  # it may stop anywhere
    for budget in range(2, 11):
        kept = fit(history, budget, format=NAME, counter=EACH).messages
        assert len({item in kept for item in history[1:8]}) == 1
    assert codes([Q, program, *steps, Q, ran, SO]) == []
    assert codes([Q, program, *steps, SO, Q]) == ["missing_result"]


COMPACTION = {"type": "compaction", "id": "cmp", "encrypted_content": "g" * 900}


def test_what_stands_before_a_compaction_goes_first() -> None:
    """(D) Items before the newest one may be dropped, it may not; none of them is billed."""
    words = {"role": "user", "content": "many words " * 400}
    history = [words, SO, Q, SO, COMPACTION, Q, SO]
    needed = count(history, format=NAME).total
    assert needed == count(history[4:], format=NAME).total
    fitted = fit(history, needed, format=NAME)
    assert (fitted.messages[-3:], fitted.used) == (history[4:], needed)
    assert SO not in fitted.messages[:-3]
    assert verify(fitted) == []
    chat = Conversation(needed, format=NAME, policy=Policy())
    for item in history:
        chat.append(item)
    assert chat.fit().to_dict() == fitted.to_dict()
    for budget in range(3, 8):
        assert COMPACTION in fit(history, budget, format=NAME, counter=EACH).messages
    assert fit(history, 7, format=NAME, counter=EACH).messages == history


@pytest.mark.parametrize("link", [{"type": "item_reference", "id": "fc_1"}, {"id": "fc_1"}])
def test_a_reference_is_pinned_and_may_hold_calls(link: Any) -> None:
    """(D) It stands for an item of the provider's; ``type`` may be left out."""
    output = pair(PAIRS[0])[1]
    assert codes([Q, link, output, Q]) == []
    assert codes([Q, link, output, output]) == ["duplicate_result"]
    assert codes([Q, output, link]) == ["orphan_result"]
    fitted = fit([Q, SO, Q, link, output, SO, Q], 3, format=NAME, counter=EACH)
    assert fitted.messages == [link, output, Q]
    assert verify(fitted) == []
    assert not fit([Q, link], 10_000, format=NAME).exact


@pytest.mark.parametrize("key", ["previous_response_id", "conversation"])
def test_what_the_provider_holds_cannot_be_counted(key: str) -> None:
    """(D) The body goes on with items that nobody else can read: outputs may answer those."""
    output = pair(PAIRS[0])[1]
    body = {"model": "gpt-5", "input": [output, Q], key: "id_1"}
    fitted = fit_request(body, 10_000)
    assert fitted.messages == body["input"]
    assert not fitted.exact
    assert fitted.request[key] == "id_1"
    assert any("provider holds" in text for text in fitted.warnings)


def test_a_trigger_stays_last() -> None:
    """(D) ``compaction_trigger`` must be the last item: it costs nothing and stays there."""
    trigger = {"type": "compaction_trigger"}
    history = [Q, SO, Q, *pair(PAIRS[0]), SO, trigger]
    whole = fit(history, 10_000, format=NAME)
    for budget, notice in itertools.product(range(60), (False, True)):
        if budget + 20 > whole.used:
            break
        kept = fit(history, budget + 20, format=NAME).messages
        assert kept[-1] is trigger
    assert count(history, format=NAME).by_message[-1] == count([trigger], format=NAME).by_message[0]


def test_an_id_may_be_used_again_in_a_later_response() -> None:
    """(S) Codex has written such rollouts: the nearest earlier call that waits is answered."""
    call, output = pair(PAIRS[0])
    assert codes([Q, call, output, Q, call, output]) == []
    assert codes([Q, call, output, Q, call, output, output]) == ["duplicate_result"]


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: f"{row[0]}-{row[2]}")
def test_a_pair_costs_what_it_says(row: Any) -> None:
    """Ids are free; what a type of next year holds is counted as it stands."""
    call, output = pair(row)
    if row[0].startswith("hologram"):
        for item in (call, output):
            for more in ({"extra": "many more words " * 50}, {"pages": [{"text": "words " * 99}]}):
                assert count([{**item, **more}], format=NAME).total > count([item], format=NAME).total + 50
    longer = pair(row, "c1" * 99)
    assert count([call, output], format=NAME).total == count([*longer], format=NAME).total
