"""Each pass through the public API: what goes, what is spared, and what stands for it."""

import json

import pytest
from support.generate import build, units
from support.pictures import DATA, PICTURED, with_pictures
from support.written import installed

from trimtab import ClearResults, InvalidOptions, Policy, check, fit, per_message, verify
from trimtab.formats.registry import format_named
from trimtab.formats.weight import Media
from trimtab.shrink.passes import Arrival, Reasoning
from trimtab.shrink.words import gone_media, placeholder, tame
from trimtab.tokens.meter import MessageMeter

LONG = "all is well here. " * 40
SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
SIZE_METER = MessageMeter(SIZE)
CLEAR = ClearResults(keep=0, at_least=0)
TOOL_USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}


def call(id, name="f", arguments="{}"):
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id, "type": "function", "function": function}],
    }


def result(id, content=LONG):
    return {"role": "tool", "tool_call_id": id, "content": content}


def user(content="go on"):
    return {"role": "user", "content": content}


def shrunk(messages, policy, less=1, **options):
    """The result with a budget that is a little less than all costs."""
    needs = fit(messages, 10**9, **options).used
    fitted = fit(messages, needs - less, policy=policy, **options)
    assert verify(fitted) == [] and check(fitted.messages) == []
    return fitted


def test_the_inputs_go_with_the_results_and_by_the_same_rule():
    big = json.dumps({"text": LONG})
    messages = [
        user(),
        call("a", "save", big),
        result("a", "saved"),
        call("b", "keep", big),
        result("b", LONG),
        call("c", "save", '{"q": 1}'),
        result("c", LONG),
        user(),
    ]
    clear = ClearResults(keep=0, at_least=0, inputs=True, exclude=("keep",))
    fitted = shrunk(messages, Policy(clear_results=clear))
    shown = [one.get("tool_calls", [{}])[0].get("function") for one in fitted.messages]
    assert json.loads(shown[1]["arguments"]) == {"cleared": f"{len(big)} characters removed"}
    assert shown[1]["name"] == "save" and fitted.messages[2] is messages[2]
    assert fitted.messages[3] is messages[3] and fitted.messages[4] is messages[4]
    assert fitted.messages[5] is messages[5]
    assert fitted.messages[6]["content"] == placeholder("save", len(LONG))
    rows = {row.index: row for row in fitted.decisions}
    assert rows[1].action == "changed" and "cleared" in rows[1].reasons
    assert rows[1].after < rows[1].before and rows[2].action == "kept"


def test_inputs_stay_unless_asked_for_and_while_they_wait():
    big = json.dumps({"text": LONG})
    messages = [user(), call("a", "save", big), result("a"), user(), call("b", "save", big)]
    without = shrunk(messages, Policy(clear_results=CLEAR))
    assert without.messages[1] is messages[1]
    clear = ClearResults(keep=0, at_least=0, inputs=True)
    fitted = shrunk(messages, Policy(clear_results=clear))
    assert fitted.messages[1] is not messages[1] and fitted.messages[4] is messages[4]
    pinned = shrunk(messages, Policy(clear_results=clear), pin=[1])
    assert {id(m) for m in pinned.messages} >= {id(messages[1]), id(messages[2])}


def test_errors_keep_their_inputs():
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {"text": LONG}}
    said = {"type": "tool_result", "tool_use_id": "a", "content": LONG, "is_error": True}
    more = [{**use, "id": "b"}, {**said, "tool_use_id": "b", "is_error": False}]
    messages = [
        user(),
        {"role": "assistant", "content": [use, more[0]]},
        {"role": "user", "content": [said, more[1]]},
        {"role": "assistant", "content": "so"},
    ]
    clear = ClearResults(keep=0, at_least=0, inputs=True, keep_errors=True)
    shown = shrunk(messages, Policy(clear_results=clear)).messages
    assert shown[1]["content"][0] is use and shown[2]["content"][0] is said
    assert shown[1]["content"][1]["input"] == {
        "cleared": f"{len(json.dumps({'text': LONG}, separators=(',', ':')))} characters removed"
    }
    assert shown[2]["content"][1]["content"] != LONG


@pytest.mark.parametrize("bad", [1, None, "yes"])
def test_flags_are_flags(bad):
    with pytest.raises(InvalidOptions):
        ClearResults(inputs=bad)
    with pytest.raises(InvalidOptions):
        Policy(handles=bad)


def test_results_that_are_one_part_with_their_call_are_cleared_too():
    part = {"type": "tool-look", "toolCallId": "a", "state": "output-available"}
    ui = [
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": "go"}]},
        {"id": "2", "role": "assistant", "parts": [{**part, "input": {"q": LONG}, "output": LONG}]},
        {"id": "3", "role": "user", "parts": [{"type": "text", "text": "go"}]},
    ]
    clear = ClearResults(keep=0, at_least=0, inputs=True)
    fitted = shrunk(ui, Policy(clear_results=clear), format="vercel-ui")
    [made] = fitted.messages[1]["parts"]
    assert made["output"] == placeholder("look", len(LONG))
    assert made["input"].keys() == {"cleared"} and made["state"] == part["state"]
    again = [ui[0], ui[1], ui[2], {**ui[1], "id": "4"}, ui[2]]
    fitted = shrunk(again, Policy(repeats=True), format="vercel-ui")
    assert fitted.messages[1]["parts"][0]["output"] == "[The same text came again in a later result.]"
    assert fitted.messages[3] is again[3]


def test_a_result_whose_picture_is_large_is_not_tiny():
    block = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": [block]}
    messages = [
        user(),
        {"role": "assistant", "content": [TOOL_USE]},
        {"role": "user", "content": [answer]},
        {"role": "assistant", "content": "so"},
    ]
    shown = shrunk(messages, Policy(clear_results=CLEAR)).messages
    assert shown[2]["content"][0]["content"] == placeholder("f", 0)


@pytest.mark.parametrize("smallest", [0, 3])
def test_what_would_cost_more_is_left(smallest):
    messages = [user(), call("a"), result("a", "short"), call("b"), result("b"), user()]
    clear = ClearResults(keep=0, at_least=0, smallest=smallest, inputs=True)
    fitted = shrunk(messages, Policy(clear_results=clear))
    assert fitted.messages[2] is messages[2] and fitted.messages[1] is messages[1]
    blanks = [user(), call("a"), result("a", " " * 250), call("b"), result("b", " " * 250), user()]
    fitted = fit(blanks, fit(blanks, 10**6).used - 1, policy=Policy(repeats=True))
    assert all(row.after <= row.before for row in fitted.decisions if row.action != "dropped")


WILD = ["x" * 10_000, "a\nb]\x1b[31m", '"}', "\ud800", "名前", "a b"]


@pytest.mark.parametrize("name", WILD)
def test_names_of_tools_are_tamed(name):
    shown = placeholder(name, 3)
    assert len(shown) < 140 and shown.isascii() and shown.isprintable()
    assert tame("look-up.v2:a/b") == "look-up.v2:a/b"
    messages = [user(), call("a", name), result("a"), user()]
    fitted = shrunk(messages, Policy(clear_results=CLEAR), counter=SIZE)
    assert fitted.messages[2]["content"] == placeholder(name, len(LONG))


def test_a_placeholder_is_never_without_words():
    assert placeholder("", 7) == "[This tool result, 7 characters, was removed to save room.]"
    assert placeholder("f", 7, "ab") == (
        "[The result of f, 7 characters, was removed to save room; handle ab.]"
    )


@pytest.mark.parametrize(
    ("media", "type", "said"),
    [
        (Media("image", DATA.partition(",")[2]), "image/png", "[An image (image/png, 1x1) was"),
        (Media("image", "x"), "a](b\n", "[An image was"),
        (Media("document"), "application/pdf", "[A document (application/pdf) was"),
        (Media("audio", b"x"), "", "[A sound was"),
        (Media("video"), "v" * 99, "[A film was"),
        (Media("file"), "", "[A file was"),
    ],
)
def test_what_stands_for_media(media, type, said):
    assert gone_media(media, type) == f"{said} removed to save room.]"


def picture(n):
    return user(
        [{"type": "text", "text": f"n{n}"}, {"type": "image_url", "image_url": {"url": DATA}}]
    )


@pytest.mark.parametrize("keep", [0, 1, 3])
def test_the_newest_pictures_stay(keep):
    messages = [
        one for n in range(5) for one in (picture(n), {"role": "assistant", "content": "so"})
    ]
    fitted = shrunk(messages, Policy(media=keep))
    kept = [one for one in fitted.messages if "image_url" in str(one)]
    assert kept == messages[::2][5 - keep :] if keep else not kept
    assert len(fitted.messages) == len(messages)


def test_a_picture_that_must_stay_does_not_count():
    made = {"type": "image_generation_call", "id": "ig", "status": "completed", "result": "x" * 99}
    asked = {"role": "user", "content": [{"type": "input_image", "image_url": DATA}]}
    said = {"role": "assistant", "content": "so"}
    messages = [asked, made, said, asked, made, said]
    fitted = shrunk(messages, Policy(media=1), format="openai-responses")
    assert fitted.messages[0] is not asked and fitted.messages[3] is asked


def test_reasoning_of_earlier_turns_goes_from_chat():
    turns = [
        [user(f"q{n}"), {"role": "assistant", "content": "so", "reasoning_content": LONG}]
        for n in range(3)
    ]
    messages = [one for turn in turns for one in turn]
    fitted = shrunk(messages, Policy(reasoning="drop_earlier"), counter=SIZE)
    assert ["reasoning_content" in one for one in fitted.messages[1::2]] == [False, False, True]
    assert fitted.messages[5] is messages[5]


def test_results_with_words_behind_them_do_not_end_a_turn():
    """Whoever adds words to the results of tools is still in the loop."""
    shape = format_named("anthropic")
    gone = Reasoning(shape, SIZE_METER, earlier=True)
    signed = {"type": "thinking", "thinking": LONG, "signature": "s" * 99}
    said = {"type": "tool_result", "tool_use_id": "a", "content": "ok"}
    messages = [
        {"role": "assistant", "content": [signed, TOOL_USE]},
        {"role": "user", "content": [said, {"type": "text", "text": "and now?"}]},
        {"role": "assistant", "content": [signed, {"type": "text", "text": "so"}]},
        user(),
    ]
    due = [
        list(gone.due(Arrival(at, at, message, shape.read(message), (), False)))
        for at, message in enumerate(messages)
    ]
    assert due == [[], [], [], [0, 2]]


def test_cheap_reasoning_of_a_turn_stays_whole():
    """All of a turn goes or none: where its words cost less than what says it is gone, none."""
    messages = [
        user(),
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "s"}]},
        user("q" * 400),
        {"role": "assistant", "content": "so"},
    ]
    fitted = shrunk(messages[:3], Policy(reasoning="drop_earlier"), less=1, format="anthropic")
    assert all(row.action != "changed" for row in fitted.decisions)


@pytest.mark.parametrize("format", PICTURED)
def test_all_pictures_of_any_format_can_go(format):
    if format == "fine-tuning":
        pytest.skip("an example has no prefixes that are whole")
    shape = format_named(format)
    kinds = ("say", "reply") if "say" in units(format) else ("short",)
    with installed(format):
        history = build(format, [(kind, 3) for kind in kinds * 3])
        history = with_pictures(format, shape, history)
        needs = fit(history, 10**6, format=format, counter=SIZE).used
        fitted = fit(history, needs - 1, format=format, counter=SIZE, policy=Policy(media=0))
        changed = [row for row in fitted.decisions if row.action == "changed"]
        assert len(changed) >= 3 and all("media_removed" in row.reasons for row in changed)
        assert not any(shape.weigh(message).media for message in fitted.messages)
        assert verify(fitted) == []
