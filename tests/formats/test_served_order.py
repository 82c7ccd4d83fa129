"""What the provider runs is answered behind its call, whatever the format."""

from __future__ import annotations

import pytest
from support import langchain_messages
from trimtab import check, repair


def vercel(*kinds):
    parts = {
        "call": {"type": "tool-call", "input": {}, "providerExecuted": True},
        "answer": {"type": "tool-result", "output": {"type": "text", "value": "x"}},
    }
    made = [{**parts[kind], "toolCallId": "a", "toolName": "f"} for kind in kinds]
    user = {"role": "user", "content": "q"}
    said = {"type": "text", "text": "so"}
    return [user, {"role": "assistant", "content": [*made, said]}, user]


def langchain(*kinds):
    parts = {
        "call": {"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}},
        "answer": {"type": "web_search_tool_result", "tool_use_id": "a", "content": []},
    }
    lc = langchain_messages.package("twin")
    made = lc.AIMessage([*(parts[kind] for kind in kinds), {"type": "text", "text": "so"}])
    return [lc.HumanMessage("q"), made, lc.HumanMessage("q")]


@pytest.mark.parametrize(("format", "make"), [("vercel-ai", vercel), ("langchain", langchain)])
def test_a_result_before_its_call_answers_nothing(format, make):
    assert check(make("call", "answer"), format=format) == []
    broken = make("answer", "call")
    with langchain_messages.installed("twin"):
        faults = check(broken, format=format)
        assert [fault.code for fault in faults] == ["orphan_result", "missing_result"]
        assert check(repair(broken, format=format).messages, format=format) == []
