"""A provider that does not exist, in under 100 lines: what `docs/formats.md` walks through."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from support import mcp_messages
from support.forall import forall, sizes
from support.generate import damaged_histories
from support.harbour import Harbour
from trimtab import Conversation, DoesNotFit, InvalidHistory, Policy, check, count, fit
from trimtab import fit_request, per_message, repair, verify

HERE = Path(__file__).parents[2]
harbour = Harbour()
LONG = "\n".join(f"buoy {n} reports calm water" for n in range(300))


def words(text="ahoy"):
    return {"kind": "words", "text": text}


def ask(ref):
    return {"kind": "ask", "ref": ref, "tool": "tide", "with": {"day": 1}}


def reply(ref, text="low"):
    return {"kind": "reply", "ref": ref, "text": text}


def guest(text="ahoy"):
    return {"speaker": "guest", "cargo": [words(text)]}


def pilot(*blocks):
    return {"speaker": "pilot", "cargo": list(blocks) or [words()]}


def dock(*blocks):
    return {"speaker": "dock", "cargo": list(blocks)}


def objections(log):
    """Harbour's rules once more, read in another way: what must stand behind each message."""
    for before, message in zip([None, *log], [*log, None], strict=True):
        asked = [b["ref"] for b in (before or dock())["cargo"] if b["kind"] == "ask"]
        told = [b["ref"] for b in (message or dock())["cargo"] if b["kind"] == "reply"]
        if len(set(asked)) < len(asked):
            yield "a ref twice"
        if message is None:
            return
        if sorted(asked) != sorted(told):
            yield "not the replies that were asked for"


def test_the_walk_through_shows_this_code_and_it_is_short():
    code = (HERE / "tests" / "support" / "harbour.py").read_text("utf-8")
    assert f"```python\n{code}```" in (HERE / "docs" / "formats.md").read_text("utf-8")
    assert len(code.splitlines()) < 100


@pytest.mark.parametrize(
    ("log", "codes"),
    [
        ([pilot(ask("a"), ask("b")), dock(reply("b"), reply("a")), pilot()], []),
        ([pilot(ask("a")), dock(reply("a"))] * 2, []),
        ([guest(), pilot(ask("a"))], []),
        ([pilot(ask("a"), ask("b")), dock(reply("a")), dock(reply("b"))], ["misplaced"]),
        ([pilot(ask("a"), ask("b")), dock(reply("a"))], ["missing_result"]),
        ([pilot(ask("a")), guest(), pilot()], ["missing_result"]),
        ([pilot(ask("a")), guest(), dock(reply("a"))], ["misplaced"]),
        ([guest(), dock(reply("a"))], ["orphan_result"]),
        ([pilot(ask("a"), ask("a")), dock(reply("a"))], ["duplicate_call"]),
        ([pilot(ask("a")), dock(reply("a"), reply("a"))], ["duplicate_result"]),
    ],
)
def test_check_and_repair(log, codes):
    before = copy.deepcopy(log)
    assert sorted({fault.code for fault in check(log, format=harbour)}) == codes
    mended = repair(log, format=harbour)
    assert check(mended.messages, format=harbour) == []
    assert list(objections(mended.messages)) == []
    assert {done.code for done in mended.repairs} >= set(codes)
    assert log == before


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"speaker": "guest", "cargo": "ahoy"}, "malformed"),
        (pilot(ask(None)), "malformed"),
        ({**guest(), "cargo": [ask("a")]}, "malformed"),
        (pilot(reply("a")), "malformed"),
        ({**guest(), "speaker": "gull"}, "unknown_role"),
    ],
)
def test_what_cannot_be_mended(message, code):
    assert [fault.code for fault in check([message], format=harbour)] == [code]
    with pytest.raises(InvalidHistory):
        repair([message], format=harbour)


def test_an_unknown_block_rides_along_and_is_counted():
    chart = {"kind": "chart", "soundings": [12, 9, 7]}
    log = [guest(), pilot(words(), chart), guest()]
    fitted = fit(log, 1_000, format=harbour)
    assert all(kept is own for kept, own in zip(fitted.messages, log, strict=True))
    plain = fit([guest(), pilot(), guest()], 1_000, format=harbour)
    assert fitted.used > plain.used
    assert harbour.recognises(guest()) and not harbour.recognises({"role": "user"})


LOG = [
    guest("When did we sail last? " * 30),
    *[pilot(ask("a")), dock(reply("a")), pilot(words("In May.")), guest("And the tide?")],
    *[pilot(ask("a"), ask("b")), dock(reply("a"), reply("b", LONG)), pilot(words("It is low."))],
]


def test_a_body_a_conversation_and_a_long_result():
    body = {"ship": "x", "log": LOG, "charter": "You steer.", "gear": [{"tool": "tide"}], "most": 9}
    before = copy.deepcopy(body)
    policy = Policy(max_result_tokens=60, notice=True)
    needed = fit_request(body, 10_000, format=harbour, policy=policy).used
    for budget in (needed, needed - 9):
        fitted = fit_request(body, budget, format=harbour, policy=policy)
        assert verify(fitted) == [] and fitted.system == "You steer."
        assert fitted.request == {**body, "log": fitted.messages} and body == before
        beside = {"system": "You steer.", "tools": [{"tool": "tide"}]}
        conversation = Conversation(budget, format=harbour, policy=policy, **beside)
        conversation.extend(LOG)
        assert conversation.fit().messages == fitted.messages
        shorter = fitted.messages[-2]["cargo"]
        assert shorter[0] is LOG[-2]["cargo"][0] and len(shorter[1]["text"]) < len(LONG) / 2
    assert fitted.dropped and fitted.messages[0]["speaker"] == "guest"
    assert count(LOG, format=harbour).total > 1_000


def harboured(history):
    """A log made of an OpenAI Chat history."""
    kinds = {"text": "words", "tool_use": "ask", "tool_result": "reply"}
    log = []
    for message in mcp_messages.from_chat(history):
        cargo = []
        for block in message["content"]:
            own = {"kind": kinds[block["type"]], "text": block.get("text")}
            if own["kind"] == "ask":
                own = {**ask(block["id"]), "tool": block["name"]}
            elif own["kind"] == "reply":
                own = reply(block["toolUseId"], block["content"][0]["text"])
            cargo.append(own)
        told = any(block["kind"] == "reply" for block in cargo)
        speaker = "pilot" if message["role"] == "assistant" else "dock" if told else "guest"
        log.append({"speaker": speaker, "cargo": cargo})
    return log


def settled_end(log):
    """Without a last dock message that lacks replies: all come at once or not at all."""
    return log[:-1] if log and log[-1]["speaker"] == "dock" and list(objections(log)) else log


COUNTER = per_message(lambda message: 1 + len(str(message)) // 20)


@sizes(quick=80, slow=3000)
def test_generated_logs(examples):
    def holds(drawn):
        _, whole, damaged = drawn
        sound, broken = settled_end(harboured(whole)), harboured(damaged)
        assert check(sound, format=harbour) == [] == list(objections(sound))
        assert bool(check(broken, format=harbour)) == bool(list(objections(broken)))
        mended = repair(broken, format=harbour).messages
        assert list(objections(mended)) == []
        assert repair(mended, format=harbour).messages == mended
        for budget in (60, 300):
            try:
                fitted = fit(broken, budget, format=harbour, counter=COUNTER, on_invalid="repair")
            except DoesNotFit as error:
                assert error.needs.total > budget
                continue
            assert verify(fitted) == [] == list(objections(fitted.messages))
            conversation = Conversation(budget, format=harbour, counter=COUNTER, policy=Policy())
            conversation.extend(mended)
            assert conversation.fit().messages == fitted.messages

    forall(damaged_histories("openai-chat"), examples, holds)
