"""OpenAI Responses: what is read from an item, what of it costs, and what belongs together."""

from __future__ import annotations

import copy
import json

import openai.types.responses as sdk
import pytest
from openai.types.responses.response_input_item import FunctionCallOutput
from support.weights import texts_of, values_of
from trimtab import Conversation, UnknownFormat, check, count, fit, per_message, repair, verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.openai_responses import OpenAIResponses
from trimtab.formats.registry import detect
from trimtab.formats.weight import Media
from trimtab.units import Grouper

shape = OpenAIResponses()
NAME = "openai-responses"
HEARD = Facts(HUMAN, human=True, leads_human=True)
ITEM = Facts(MODEL, item=True)
REASONING = Facts(MODEL, item=True, reasons=True, thought=True, bound=True)
STANDS = Facts(SYSTEM, item=True, stands=True)
STEERS = Facts(SYSTEM, item=True)
REFERENCE = Facts(MODEL, item=True, held=True)


def user(text):
    return {"role": "user", "content": text}


def said(text):
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text}],
    }


def think(id="rs_1"):
    return {"type": "reasoning", "id": id, "summary": []}


def call(id, name="look", arguments="{}", **more):
    return {"type": "function_call", "call_id": id, "name": name, "arguments": arguments, **more}


def answer(id, output="found", **more):
    return {"type": "function_call_output", "call_id": id, "output": output, **more}


def calls(id, within=None):
    return Facts(MODEL, (id,), item=True, within=within)


def answers(id):
    return Facts(RESULT, answers=(id,), item=True)


def within(id):
    return {"caller": {"type": "program", "caller_id": id}}


@pytest.mark.parametrize(
    ("item", "facts"),
    [
        (user("hi"), HEARD),
        (user([{"type": "input_text", "text": "hi"}]), HEARD),
        ({"type": "message", **user("hi")}, HEARD),
        ({"role": "system", "content": "be brief"}, Facts(SYSTEM)),
        ({"type": "message", "role": "developer", "content": "be brief"}, Facts(SYSTEM)),
        ({"role": "assistant", "content": "yes"}, ITEM),
        (said("yes"), ITEM),
        (think(), REASONING),
        (call("a"), calls("a")),
        (call("a", **within("p")), calls("a", "p")),
        (call("a", caller={"type": "direct"}), calls("a")),
        ({"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"}, calls("a")),
        ({"type": "shell_call", "call_id": "a", "action": {}}, calls("a")),
        ({"type": "local_shell_call", "id": "x", "call_id": "a", "action": {}}, calls("a")),
        ({"type": "apply_patch_call", "call_id": "a", "operation": {}}, calls("a")),
        ({"type": "computer_call", "id": "x", "call_id": "a", "action": {}}, calls("a")),
        ({"type": "program", "id": "x", "call_id": "a", "code": ""}, calls("a")),
        ({"type": "mcp_approval_request", "id": "a", "name": "f"}, calls("a")),
        ({"type": "tool_search_call", "call_id": "a", "arguments": {}}, calls("a")),
        ({"type": "tool_search_call", "call_id": None, "execution": "server"}, ITEM),
        ({"type": "some_future_call", "call_id": "a"}, calls("a")),
        (answer("a"), answers("a")),
        ({"type": "custom_tool_call_output", "call_id": "a", "output": "x"}, answers("a")),
        ({"type": "local_shell_call_output", "id": "a", "output": "{}"}, answers("a")),
        ({"type": "local_shell_call_output", "call_id": "a", "id": "x"}, answers("a")),
        ({"type": "mcp_approval_response", "approval_request_id": "a"}, answers("a")),
        ({"type": "program_output", "id": "x", "call_id": "a", "result": ""}, answers("a")),
        ({"type": "some_future_call_output", "call_id": "a"}, answers("a")),
        ({"type": "tool_search_output", "call_id": None, "tools": []}, ITEM),
        ({"type": "function_call_output", "name": "look", "output": "x"}, Facts(RESULT, item=True)),
        ({"type": "web_search_call", "id": "ws", "action": {}}, ITEM),
        ({"type": "mcp_call", "id": "m", "name": "f", "arguments": "{}"}, ITEM),
        ({"type": "mcp_list_tools", "id": "m", "tools": []}, ITEM),
        ({"type": "hologram", "shape": "cube"}, ITEM),
        ({"type": "item_reference", "id": "rs_1"}, REFERENCE),
        ({"id": "rs_1"}, REFERENCE),
        ({"type": "compaction", "encrypted_content": "g"}, STANDS),
        ({"type": "configuration_update", "reasoning": {}}, STEERS),
        ({"type": "additional_tools", "role": "developer", "tools": []}, Facts(SYSTEM)),
    ],
    ids=lambda value: value.get("type", value.get("role")) if isinstance(value, dict) else "",
)
def test_read(item, facts):
    assert shape.read(item) == facts


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ({"type": "function_call", "name": "f", "arguments": "{}"}, "malformed"),
        ({"type": "function_call", "call_id": 7, "name": "f"}, "malformed"),
        ({"type": 5}, "malformed"),
        ({"role": "user", "content": None}, "malformed"),
        ({"role": "user"}, "malformed"),
        ({"role": "tool", "content": "x"}, "unknown_role"),
        ({"role": ["user"], "content": "x"}, "unknown_role"),
        ({}, "unknown_role"),
        ({"type": "function_call_output", "output": "x"}, "orphan_result"),
        ({"type": "mcp_approval_response", "approve": True}, "orphan_result"),
    ],
)
def test_what_an_item_breaks_by_itself(item, code):
    assert [fault.code for fault in check([item], format=NAME)] == [code]


@pytest.mark.parametrize(
    ("history", "codes"),
    [
        ([user("q"), call("a"), answer("a")], []),
        ([user("q"), call("a"), call("b")], []),
        ([user("q"), call("a"), call("b"), answer("b")], []),
        ([call("a"), user("wait"), answer("a")], []),
        ([call("a"), user("wait"), said("yes"), answer("a"), user("so?")], []),
        ([call("a"), user("wait")], ["missing_result"]),
        ([call("a"), call("b"), answer("a"), said("done")], ["missing_result"]),
        ([answer("a"), call("a")], ["orphan_result"]),
        ([call("a"), answer("a"), answer("a")], ["duplicate_result"]),
        ([call("a"), call("a"), answer("a")], ["duplicate_call"]),
        ([call("a"), answer("a"), call("a"), answer("a")], []),
        ([think(), call("a"), answer("a")], []),
        ([think(), think(), said("x")], []),
        ([user("q"), think()], []),
        ([think(), user("q")], ["lone_reasoning"]),
        ([think(), think(), user("q"), think(), answer("a")], ["lone_reasoning"] * 2),
        ([answer("a")], ["orphan_result"]),
        ([{"type": "item_reference", "id": "fc_1"}, answer("a")], []),
        (
            [{"type": "item_reference", "id": "fc_1"}, answer("a"), answer("a")],
            ["duplicate_result"],
        ),
        ([call("p"), call("a", **within("p")), answer("a"), call("b", **within("p"))], []),
    ],
)
def test_check(history, codes):
    found = [fault.code for fault in check(history, format=NAME)]
    assert found == codes or (codes and found and set(found) >= set(codes)), found


def starts(history):
    grouper = Grouper(shape)
    for index, item in enumerate(history):
        grouper.step(index, shape.read(item))
    return grouper.starts


@pytest.mark.parametrize(
    ("history", "units"),
    [
        ([user("q"), think(), said("x"), call("a"), answer("a"), said("y")], [0, 1, 5]),
        ([user("q"), user("r"), said("x")], [0, 1, 2]),
        ([call("a"), call("b"), answer("b"), answer("a"), user("q")], [0, 4]),
        # Until a call is answered there is no place to cut.
        ([user("q"), call("a"), user("r"), said("x"), answer("a"), said("y")], [0, 1, 5]),
        ([call("a"), {"role": "developer", "content": "x"}, answer("a"), user("q")], [0, 3]),
        ([said("x"), {"type": "hologram"}, said("y"), user("q")], [0, 3]),
        ([said("x"), {"role": "developer", "content": "s"}, said("y")], [0, 1, 2]),
        (
            [call("p"), call("a", **within("p")), answer("a"), call("b", **within("p"))]
            + [answer("b"), {"type": "program_output", "call_id": "p", "result": ""}, said("x")],
            [0, 6],
        ),
    ],
)
def test_units(history, units):
    assert starts(history) == units


HISTORY = [
    user("first " * 20),
    think("rs_1"),
    call("a"),
    answer("a", "long " * 50),
    said("so it is"),
    user("second"),
    think("rs_2"),
    said("yes"),
]


@pytest.mark.parametrize("budget", range(0, 9))
def test_reasoning_goes_with_what_follows_it(budget):
    full = per_message(lambda item: 1)
    fitted = fit(HISTORY, 8, format=NAME, counter=full)
    assert fitted.dropped == []
    for item in (fitted, fit(HISTORY, max(3, budget), format=NAME, counter=full)):
        kept = [HISTORY.index(message) for message in item.messages]
        assert (1 in kept) == (2 in kept) == (3 in kept)
        assert (6 in kept) == (7 in kept)
        assert verify(item) == []


def test_what_nobody_can_read_is_always_kept():
    reference = {"type": "item_reference", "id": "msg_1"}
    compaction = {"type": "compaction", "encrypted_content": "g" * 900}
    history = [user("a"), reference, user("b"), compaction, user("c"), said("d"), user("e")]
    fitted = fit(history, 3, format=NAME, counter=per_message(lambda item: 1))
    assert fitted.messages == [reference, compaction, history[-1]]
    assert verify(fitted) == []


@pytest.mark.parametrize(
    ("item", "texts"),
    [
        (user("hi"), ["hi"]),
        (
            user([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]),
            ["a", "b"],
        ),
        (said("yes"), ["yes"]),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]}, ["no"]),
        ({**call("a", "look", '{"q":1}'), "id": "fc_1"}, ["look", '{"q":1}']),
        (call("a", "look", "{}", namespace="web"), ["web.look", "{}"]),
        ({"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"}, ["f", "x"]),
        (answer("a", "found"), ["found"]),
        (answer("a", [{"type": "input_text", "text": "found"}]), ["found"]),
        (
            {
                "type": "shell_call_output",
                "call_id": "a",
                "output": [{"stdout": "o", "stderr": "e"}],
            },
            ["o", "e"],
        ),
        (
            {"type": "program", "call_id": "p", "code": "f()", "fingerprint": "x"},
            ["program", "f()"],
        ),
        ({"type": "program_output", "call_id": "p", "result": "4"}, ["4"]),
        (
            {
                "type": "mcp_call",
                "server_label": "s",
                "name": "f",
                "arguments": "{}",
                "output": "4",
            },
            ["s.f", "{}", "4"],
        ),
        (
            {
                "type": "code_interpreter_call",
                "code": "1",
                "outputs": [{"type": "logs", "logs": "l"}],
            },
            ["code_interpreter", "1", "l"],
        ),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}, ["hm"]),
        (
            {
                "type": "reasoning",
                "summary": [{"type": "summary_text", "text": "not read"}],
                "content": [{"type": "reasoning_text", "text": "hm"}],
            },
            ["hm"],
        ),
        ({"type": "compaction_trigger"}, []),
    ],
)
def test_texts_that_cost(item, texts):
    assert texts_of(shape.weigh(item)) == texts


def test_other_things_that_cost():
    picture = user(
        [{"type": "input_image", "image_url": "data:image/png;base64,QUJD", "detail": "low"}]
    )
    assert shape.weigh(picture).media == (Media("image", "QUJD", "low"),)
    file = user([{"type": "input_file", "file_id": "file-1"}])
    assert shape.weigh(file).media == (Media("file", ""),)
    screen = {"type": "computer_screenshot", "image_url": "data:image/png;base64,QUJD"}
    shot = {"type": "computer_call_output", "call_id": "a", "output": screen}
    assert shape.weigh(shot).media == (Media("image", "QUJD", "auto"),)
    assert values_of(shape.weigh({"type": "hologram", "id": "x", "shape": "cube"})) == [
        {"shape": "cube"}
    ]
    tool = {"type": "function", "name": "f"}
    assert values_of(shape.weigh({"type": "mcp_list_tools", "tools": [tool]})) == [tool]


def test_encrypted_reasoning_counts_by_what_exceeds_its_envelope():
    blob = {"type": "reasoning", "summary": [], "encrypted_content": "g" * 2_000}
    assert shape.weigh(blob).hidden == 1_200
    assert shape.weigh({**blob, "encrypted_content": "g" * 700}).hidden == 0
    assert count([blob], format=NAME).exact is False


def test_what_stands_before_the_newest_compaction_is_not_billed():
    compaction = {"type": "compaction", "encrypted_content": "g" * 2_000}
    history = [user("a"), compaction, said("b"), compaction, user("c")]
    assert [shape.unbilled(history[:n]) for n in range(6)] == [0, 0, 1, 1, 3, 3]


SHELL = {
    "type": "shell_call_output",
    "call_id": "a",
    "output": [
        {"stdout": "line\n" * 900, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
        {"stdout": "short", "stderr": "oops", "outcome": {"type": "exit", "exit_code": 1}},
    ],
}


@pytest.mark.parametrize(
    ("item", "texts"),
    [
        (answer("a", "found"), ["found"]),
        (
            answer("a", [{"type": "input_text", "text": "found"}, {"type": "input_image"}]),
            ["found", ""],
        ),
        (SHELL, ["line\n" * 900, "", "short", "oops"]),
        ({"type": "apply_patch_call_output", "call_id": "a", "output": "log"}, ["log"]),
    ],
)
def test_results_can_be_replaced_in_a_copy(item, texts):
    before = copy.deepcopy(item)
    assert shape.results(item) == [(0, texts)]
    assert shape.with_result(item, 0, texts) == item
    shorter = shape.with_result(item, 0, ["x", *texts[1:]])
    assert shape.results(shorter)[0][1][0] == "x"
    assert {key for key in item if item[key] != shorter[key]} == {"output"}
    assert item == before


@pytest.mark.parametrize(
    "item",
    [
        user("hi"),
        call("a"),
        think(),
        {"type": "local_shell_call_output", "id": "a", "output": "{}"},
        {"type": "program_output", "call_id": "a", "result": "4"},
        {"type": "computer_call_output", "call_id": "a", "output": {}},
    ],
)
def test_no_result_that_may_be_shortened(item):
    assert shape.results(item) == []


def test_only_a_part_of_an_output():
    alone = shape.only_text(SHELL, 0, 3, "x")
    assert [(c["stdout"], c["stderr"]) for c in alone["output"]] == [("", "x")]
    assert shape.only_text(answer("a", "found"), 0, 0, "x")["output"] == "x"


OPEN = [
    call("a"),
    {"type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x"},
    {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}},
    {"type": "local_shell_call", "id": "x", "call_id": "a", "action": {"command": ["ls"]}},
    {"type": "apply_patch_call", "call_id": "a", "operation": {}, "status": "completed"},
    {"type": "computer_call", "id": "x", "call_id": "a", "action": {}},
    {"type": "tool_search_call", "call_id": "a", "arguments": {}},
    {"type": "mcp_approval_request", "id": "a", "name": "f", "arguments": "{}"},
    {"type": "program", "id": "x", "call_id": "a", "code": ""},
    {"type": "some_future_call", "call_id": "a"},
]


@pytest.mark.parametrize("item", OPEN, ids=lambda item: item["type"])
def test_an_interrupted_call_is_answered_in_its_own_way(item):
    history = [user("q"), item, user("never mind")]
    mended = repair(history, format=NAME)
    assert [r.code for r in mended.repairs] == ["missing_result"]
    assert len(mended.messages) == 4
    assert [m for m in mended.messages if m in history] == history
    stub = mended.messages[2]
    assert check(mended.messages, format=NAME) == []
    assert "interrupted" in json.dumps(stub) or item["type"] in (
        "computer_call",
        "tool_search_call",
    )


def test_repair_touches_nothing_else():
    history = [
        *[user("q"), think(), call("a"), user("wait"), answer("a"), call("b"), user("r")],
        *[think("rs_2"), user("s")],
    ]
    mended = repair(history, format=NAME)
    assert [(r.code, r.index) for r in mended.repairs] == [
        ("missing_result", 5),
        ("lone_reasoning", 7),
    ]
    own = [m for m in mended.messages if any(m is item for item in history)]
    assert own == [*history[:7], history[8]]
    assert [m.get("call_id") for m in mended.messages[6:7]] == ["b"]


def test_reasoning_left_alone_by_a_repair_goes_too():
    history = [call("a"), think(), call("a"), answer("a"), user("r")]
    mended = repair(history, format=NAME)
    assert [r.code for r in mended.repairs] == ["lone_reasoning", "duplicate_call"]
    assert mended.messages == [history[0], *history[3:]]
    assert check(mended.messages, format=NAME) == []


@pytest.mark.parametrize(
    "item",
    [
        call("a"),
        answer("a"),
        think(),
        said("x"),
        user([{"type": "input_text", "text": "x"}]),
        {"type": "message", "role": "user", "content": "x"},
        {**said("x"), "content": [*said("x")["content"], {"type": "refusal", "refusal": "no"}]},
        {"type": "item_reference", "id": "x"},
        {"type": "web_search_call", "id": "x"},
        {"type": "compaction", "encrypted_content": "g"},
    ],
)
def test_an_item_tells_its_format(item):
    plain = [{"role": "developer", "content": "be brief"}, user("hi"), item]
    assert detect(plain).name == NAME


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [{"id": "a"}]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
        user([{"type": "image_url", "image_url": {"url": "u"}}]),
    ],
)
def test_other_formats_stay_what_they_are(message):
    assert detect([message]).name == "openai-chat"


def test_a_message_of_two_minds_is_refused():
    with pytest.raises(UnknownFormat, match="openai-chat.*openai-responses"):
        detect([{"role": "tool", "content": [{"type": "input_text", "text": "x"}]}])


def test_sdk_objects_come_back_themselves():
    text = sdk.ResponseOutputText(type="output_text", text="so it is", annotations=[])
    own = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
    history = [
        user("first " * 30),
        sdk.ResponseReasoningItem(id="rs_1", type="reasoning", summary=[]),
        sdk.ResponseFunctionToolCall(type="function_call", call_id="a", name="f", arguments="{}"),
        FunctionCallOutput(type="function_call_output", call_id="a", output="long " * 300),
        sdk.ResponseOutputMessage(**own, content=[text]),
        user("second"),
    ]
    assert detect(history).name == NAME
    assert check(history) == []
    whole = fit(history, 10_000)
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    cut = fit(history, whole.used - 1)
    assert cut.dropped and all(any(m is item for item in history) for m in cut.messages)
    assert verify(cut) == []


def test_a_conversation_takes_items_as_they_come():
    conversation = Conversation(10_000, format=NAME)
    for item in HISTORY:
        conversation.append(item)
    assert conversation.fit().messages == HISTORY
