"""pydantic-ai messages: what is read, what is broken, what is changed and what is not."""

from __future__ import annotations

import copy

import pytest
from support import pydantic_ai_messages as pydantic_ai
from support.forall import forall, sizes
from support.generate import damaged_histories
from support.weights import texts_of, values_of
from trimtab import Conversation, Policy, check, fit, per_message, repair, verify
from trimtab.formats.base import HUMAN, MODEL, RESULT, SYSTEM, Facts
from trimtab.formats.pydantic_ai import PydanticAI

shape = PydanticAI()
NAME = "pydantic-ai"
HEARD = Facts(HUMAN, human=True, leads_human=True)
LONG = "\n".join(f"line {n} of a long result" for n in range(300))
requires_real = pytest.mark.skipif(not pydantic_ai.REAL, reason="pydantic-ai is not installed")


@pytest.fixture(params=["twin", pytest.param("real", marks=requires_real)])
def ai(request):
    with pydantic_ai.installed(request.param) as package:
        yield package


def asks(ai, *ids):
    parts = [ai.ToolCallPart("f", {"q": 1}, tool_call_id=id) for id in ids]
    return ai.ModelResponse(parts, timestamp=pydantic_ai.WHEN)


def says(ai, text="so it is"):
    return ai.ModelResponse([ai.TextPart(text)])


def request(ai, *parts):
    return ai.ModelRequest(list(parts))


def back(ai, id, content="4"):
    return ai.ToolReturnPart("f", content, tool_call_id=id, metadata={"own": 1})


def user(ai, text="hi"):
    return ai.UserPromptPart(text)


def system(ai):
    return ai.SystemPromptPart("be brief")


FACTS = {
    "user": (lambda ai: request(ai, user(ai)), HEARD),
    "system": (lambda ai: request(ai, system(ai)), Facts(SYSTEM)),
    "both": (
        lambda ai: request(ai, system(ai), user(ai)),
        Facts(HUMAN, human=True, leads_human=True, steers=True),
    ),
    "return": (lambda ai: request(ai, back(ai, "a")), Facts(RESULT, answers=("a",))),
    "returns and words": (
        lambda ai: request(ai, back(ai, "a"), back(ai, "b"), user(ai)),
        Facts(RESULT, answers=("a", "b"), human=True),
    ),
    "words": (lambda ai: says(ai), Facts(MODEL)),
    "calls": (lambda ai: asks(ai, "a", "b"), Facts(MODEL, ("a", "b"))),
    "thinking": (
        lambda ai: ai.ModelResponse(
            [
                ai.ThinkingPart("hm", signature="c2ln", provider_name="anthropic"),
                *asks(ai, "a").parts,
            ]
        ),
        Facts(MODEL, ("a",), reasons=True, thought=True),
    ),
    "other thinking": (
        lambda ai: ai.ModelResponse([ai.ThinkingPart("hm")]),
        Facts(MODEL, thought=True),
    ),
    "native": (
        lambda ai: ai.ModelResponse(
            [
                ai.NativeToolCallPart("web_search", {"q": 1}, tool_call_id="s"),
                ai.NativeToolReturnPart("web_search", {"found": 1}, tool_call_id="s"),
            ]
        ),
        Facts(MODEL),
    ),
    "compaction": (
        lambda ai: ai.ModelResponse([ai.CompactionPart(content="all that was")]),
        Facts(MODEL, steers=True),
    ),
    "empty": (lambda ai: request(ai), Facts(RESULT, closes=True)),
}


@pytest.mark.parametrize("case", FACTS)
def test_facts(ai, case):
    make, facts = FACTS[case]
    assert shape.read(make(ai)) == facts


BROKEN = {
    "sound": (lambda ai: [asks(ai, "a", "b"), request(ai, back(ai, "b"), back(ai, "a"))], []),
    "spread": (
        lambda ai: [asks(ai, "a", "b"), request(ai, back(ai, "b")), request(ai, back(ai, "a"))],
        [],
    ),
    "open": (lambda ai: [asks(ai, "a", "b"), request(ai, back(ai, "a"))], []),
    "missing": (
        lambda ai: [asks(ai, "a", "b"), request(ai, back(ai, "a"), user(ai))],
        ["missing_result"],
    ),
    "orphan": (lambda ai: [request(ai, user(ai)), request(ai, back(ai, "a"))], ["orphan_result"]),
    "late": (
        lambda ai: [asks(ai, "a"), request(ai, user(ai)), request(ai, back(ai, "a"))],
        ["misplaced"],
    ),
    "behind words": (
        lambda ai: [asks(ai, "a"), request(ai, user(ai), back(ai, "a"))],
        ["misplaced"],
    ),
    "twice": (
        lambda ai: [asks(ai, "a"), request(ai, back(ai, "a"), back(ai, "a"))],
        ["duplicate_result"],
    ),
    "same id": (lambda ai: [asks(ai, "a", "a"), request(ai, back(ai, "a"))], ["duplicate_call"]),
    "no id": (lambda ai: [asks(ai, None)], ["malformed"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_check_and_repair(ai, case):
    make, codes = BROKEN[case]
    history = make(ai)
    before = copy.deepcopy(history)
    assert [fault.code for fault in check(history, format=NAME)] == codes
    if codes != ["malformed"]:
        mended = repair(history, format=NAME)
        assert check(mended.messages, format=NAME) == []
        assert {r.code for r in mended.repairs} == set(codes)
    assert history == before


def test_a_retry_answers_its_call_and_feedback_stays_with_its_response(ai):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        retry = ai.RetryPromptPart("no", tool_name="f", tool_call_id="a")
        feedback = ai.RetryPromptPart("again")
    assert shape.read(request(ai, retry)) == Facts(RESULT, answers=("a",))
    assert shape.read(request(ai, feedback)) == Facts(RESULT, closes=True)
    history = [request(ai, user(ai)), says(ai, "x"), request(ai, feedback), says(ai, "y")]
    one = per_message(lambda message: 1)
    assert fit(history, 2, format=NAME, counter=one).dropped == [1, 2]


def test_what_is_interrupted_is_answered_in_own_objects(ai):
    history = [asks(ai, "a"), request(ai, user(ai))]
    added = repair(history, format=NAME).messages[1]
    assert type(added) is ai.ModelRequest
    part = added.parts[0]
    assert (part.tool_name, part.tool_call_id, part.outcome) == ("f", "a", "interrupted")
    assert part.timestamp == history[0].timestamp


@pytest.mark.parametrize(
    ("make", "texts", "values"),
    [
        (lambda ai: request(ai, system(ai), user(ai)), ["be brief", "hi"], []),
        (lambda ai: request(ai, back(ai, "a")), ["4"], []),
        (lambda ai: request(ai, back(ai, "a"), back(ai, "b", {"n": 1})), ["4"], [{"n": 1}]),
        (lambda ai: request(ai, back(ai, "a", [1, "x"])), [], [[1, "x"]]),
        (lambda ai: request(ai, back(ai, "a", ["x", "y"])), ["x", "y"], []),
        (lambda ai: asks(ai, "a"), ["f"], [{"q": 1}]),
        (lambda ai: ai.ModelResponse([ai.ThinkingPart("hm"), ai.TextPart("x")]), ["x", "hm"], []),
        (lambda ai: request(ai, ai.UserPromptPart(["a", "b"])), ["a", "b"], []),
    ],
)
def test_what_costs(ai, make, texts, values):
    weight = shape.weigh(make(ai))
    assert (texts_of(weight), values_of(weight)) == (texts, values)


def test_the_system_prompt_stays_with_the_words_beside_it(ai):
    first = request(ai, system(ai), user(ai, "long ago"))
    history = [first, says(ai), request(ai, user(ai)), says(ai), request(ai, user(ai, "now"))]
    fitted = fit(history, 2, format=NAME, counter=per_message(lambda message: 1))
    assert fitted.messages == [first, history[-1]] and verify(fitted) == []


def test_fit_and_the_conversation_agree(ai):
    history = [
        request(ai, system(ai), user(ai, "first")),
        asks(ai, "a"),
        request(ai, back(ai, "a", "short")),
        says(ai, "so it is " * 20),
        request(ai, user(ai, "second")),
        asks(ai, "b"),
        request(ai, back(ai, "b", LONG)),
    ]
    whole = fit(history, 10_000, format=NAME)
    assert all(a is b for a, b in zip(whole.messages, history, strict=True))
    policy = Policy(max_result_tokens=100)
    for room in (0, 30, 70):
        budget = 280 - room
        fitted = fit(history, budget, format=NAME, policy=policy)
        assert verify(fitted) == []
        conversation = Conversation(budget, format=NAME, policy=policy)
        conversation.extend(history)
        assert conversation.fit().messages == fitted.messages
        short = fitted.messages[-1].parts[0]
        assert short.metadata is history[-1].parts[0].metadata and len(short.content) < len(LONG)
    assert len(history[-1].parts[0].content) == len(LONG)


def flat(messages):
    return [id(part) for message in messages for part in message.parts]


@requires_real
@sizes(quick=60, slow=3000)
def test_what_is_sound_survives_pydantic_ais_own_repair(examples):
    """Its repair takes duplicates and what is only misplaced inside a request as they are."""
    from pydantic_ai.messages import repair_messages

    ai = pydantic_ai.package("real")
    counter = per_message(lambda message: 1 + len(str(message)) // 40)

    def fixed(messages):
        again = repair_messages(messages, repair_last_response=False)
        return flat(again) == flat(messages)

    def holds(drawn):
        broken = pydantic_ai.from_chat(drawn[2], ai)
        if not check(broken, format=NAME):
            assert fixed(broken)
        mended = repair(broken, format=NAME).messages
        assert fixed(mended)
        for budget in (60, 300):
            try:
                fitted = fit(mended, budget, format=NAME, counter=counter)
            except Exception as error:
                assert error.needs.total > budget
                continue
            assert fixed(fitted.messages)

    forall(damaged_histories("openai-chat"), examples, holds)
