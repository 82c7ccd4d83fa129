"""AI SDK UI messages, whose tool parts hold calls and outputs together."""

from __future__ import annotations

import copy
from random import Random

import pytest
from support.forall import forall, sizes
from support.generate import sound_histories
from support.vercel_messages import as_ui, from_chat
from support.weights import texts_of, values_of
from trimtab import Conversation, DoesNotFit, Policy, check, fit, fit_request, per_message, repair
from trimtab import verify
from trimtab.formats.base import HUMAN, MODEL, SYSTEM, Facts
from trimtab.formats.registry import detect
from trimtab.formats.vercel_ui import VercelUI
from trimtab.soundness import SOUNDNESS

ui = VercelUI()
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))


def waiting(id, state="input-available"):
    return {"type": "tool-f", "toolCallId": id, "state": state, "input": {"q": 1}}


def done(id, output="4"):
    return {**waiting(id, "output-available"), "output": output}


def old(id, **more):
    inner = {"toolCallId": id, "toolName": "f", "args": {"q": 1}, "state": "call", **more}
    return {"type": "tool-invocation", "toolInvocation": inner}


def ui_say(role, *parts, **more):
    return {
        "id": "m",
        "role": role,
        "parts": list(parts) or [{"type": "text", "text": "hi"}],
        **more,
    }


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        (ui_say("user"), HEARD),
        (ui_say("system"), Facts(SYSTEM)),
        (ui_say("assistant", {"type": "step-start"}, done("a")), Facts(MODEL)),
        (ui_say("assistant", done("a"), waiting("b")), Facts(MODEL, ("b",))),
        (ui_say("assistant", {**waiting("b"), "type": "dynamic-tool"}), Facts(MODEL, ("b",))),
        (ui_say("assistant", {**waiting("b"), "providerExecuted": True}), Facts(MODEL)),
        (ui_say("assistant", waiting("b", "approval-requested")), Facts(MODEL, ("b",))),
        (ui_say("assistant", old("b")), Facts(MODEL, ("b",))),
        (ui_say("assistant", old("b", state="result", result="4")), Facts(MODEL)),
        (ui_say("assistant", {"type": "reasoning", "text": "hm"}), Facts(MODEL, thought=True)),
    ],
)
def test_facts_of_a_ui_message(message, facts):
    assert ui.read(message) == facts
    assert detect([message]).name == "vercel-ui"


@pytest.mark.parametrize(
    ("message", "texts", "values"),
    [
        (ui_say("assistant", done("a")), ["f", "4"], [{"q": 1}]),
        (ui_say("assistant", done("a", {"n": 1})), ["f"], [{"q": 1}, {"n": 1}]),
        (ui_say("assistant", waiting("a")), ["f"], [{"q": 1}]),
        (
            ui_say("assistant", {**waiting("a", "output-error"), "errorText": "no"}),
            ["f", "no"],
            [{"q": 1}],
        ),
        (ui_say("assistant", old("a", state="result", result="4")), ["f", "4"], [{"q": 1}]),
        (
            ui_say("user", {"type": "source-url", "url": "u"}, {"type": "data-x", "data": 1}),
            [],
            [],
        ),
    ],
)
def test_what_costs_in_a_ui_message(message, texts, values):
    weight = ui.weigh(message)
    assert (texts_of(weight), values_of(weight)) == (texts, values)


def test_a_part_that_was_never_answered_is_closed_in_its_place():
    history = [ui_say("assistant", done("a"), waiting("b"), old("c")), ui_say("user")]
    before = copy.deepcopy(history)
    assert [f.id for f in check(history, format="vercel-ui")] == ["b", "c"]
    assert list(SOUNDNESS["vercel-ui"](history)) != []
    mended = repair(history, format="vercel-ui")
    assert [(r.code, r.id) for r in mended.repairs] == [
        ("missing_result", "b"),
        ("missing_result", "c"),
    ]
    first, second = mended.messages
    assert second is history[1] and first["parts"][0] is history[0]["parts"][0]
    assert first["parts"][1]["state"] == "output-error" and "errorText" in first["parts"][1]
    assert first["parts"][2]["toolInvocation"]["state"] == "result"
    assert check(mended.messages, format="vercel-ui") == []
    assert list(SOUNDNESS["vercel-ui"](mended.messages)) == []
    assert history == before
    fitted = fit(history, 1_000, format="vercel-ui", on_invalid="repair")
    assert fitted.messages == mended.messages and verify(fitted) == []
    assert check(history[:1], format="vercel-ui") == []  # the newest message may wait
    twice = repair(
        [ui_say("assistant", waiting("a"), waiting("a")), ui_say("user")], format="vercel-ui"
    )
    assert len(twice.messages[0]["parts"]) == 1


def ui_history():
    return [
        ui_say("system", {"type": "text", "text": "be brief"}),
        ui_say("user", {"type": "text", "text": "first " * 30}, metadata={"n": 1e300}),
        ui_say("assistant", {"type": "step-start"}, done("a"), {"type": "text", "text": "yes"}),
        ui_say("user"),
        ui_say("assistant", done("b", LONG), old("c", state="result", result=LONG)),
    ]


def test_fit_and_the_conversation_agree():
    history = ui_history()
    before = copy.deepcopy(history)
    name = detect(history).name
    whole = fit(history, 10_000)
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    policy = Policy(max_result_tokens=100, notice=True)
    least = fit(history, 10_000, policy=policy).used - 9
    for budget in (400, least + 9, least):
        fitted = fit_request({"messages": history, "id": "c"}, budget, format=name, policy=policy)
        assert verify(fitted) == [] and fitted.request["id"] == "c"
        conversation = Conversation(budget, format=name, policy=policy)
        conversation.extend(history)
        assert conversation.fit().messages == fitted.messages
        assert len(str(fitted.messages[-1])) < len(str(history[-1])) / 2
    assert fitted.dropped and history == before


@sizes(quick=60, slow=3000)
def test_generated_ui_messages(examples):
    counter = per_message(lambda message: 1 + len(str(message)) // 20)

    def holds(history):
        sound = as_ui(from_chat(history))
        assert check(sound, format="vercel-ui") == []
        assert list(SOUNDNESS["vercel-ui"](sound)) == []
        rng = Random(len(sound))
        broken = copy.deepcopy(sound)
        for message in broken:
            for part in message["parts"]:
                if "state" in part and rng.random() < 0.3:
                    part["state"] = "input-available"
        faults = check(broken, format="vercel-ui")
        assert bool(faults) == bool(list(SOUNDNESS["vercel-ui"](broken)))
        mended = repair(broken, format="vercel-ui").messages
        for budget in (60, 300):
            try:
                fitted = fit(mended, budget, format="vercel-ui", counter=counter)
            except DoesNotFit as error:
                assert error.needs.total > budget
                continue
            assert verify(fitted) == []
            assert list(SOUNDNESS["vercel-ui"](fitted.messages)) == []

    forall(sound_histories("openai-chat"), examples, holds)
