"""What a pass must leave as it is, and that what it says is true."""

from __future__ import annotations

import pytest
from trimtab import ClearResults, InvalidOptions, Policy, fit, per_message
from trimtab.archive import Archive

SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
LONG = "all is well here. " * 40
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def shrunk(messages, policy, format="anthropic", **more):
    """One token less than the whole, so that there is one cut."""
    whole = fit(messages, 10**9, format=format, counter=SIZE).used
    return fit(messages, whole - 1, format=format, counter=SIZE, policy=policy, **more)


def thinks(number):
    thought = {"type": "thinking", "thinking": "hm " * 90, "signature": "c2ln"}
    call = {"type": "tool_use", "id": f"t{number}", "name": "look", "input": {}}
    return {"role": "assistant", "content": [thought, call]}


def result(number, *more):
    block = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"ok {number}"}
    return {"role": "user", "content": [block, *more]}


REMINDER = {"type": "text", "text": "remember the rules"}


@pytest.mark.parametrize("reasoning", ["drop_after_edit", "drop_earlier"])
@pytest.mark.parametrize("split", [False, True])
def test_words_beside_a_result_do_not_end_a_tool_loop(reasoning, split):
    """With thinking by hand the API wants it back before the newest results, whatever is beside them."""
    beside = [] if split else [REMINDER]
    said = [{"role": "user", "content": [REMINDER]}] if split else []
    given = [
        {"role": "user", "content": "go " * 300}, {"role": "assistant", "content": "done"},
        {"role": "user", "content": "again"},
        thinks(1), result(1, *beside), *said, thinks(2), result(2, *beside), *said,
    ]
    fitted = shrunk(given, Policy(reasoning=reasoning), thinking=True)
    assert fitted.cut_at is not None
    kept = [m for m in fitted.messages if m["role"] == "assistant" and m["content"] != "done"]
    assert len(kept) == 2
    assert all(m["content"][0]["type"] == "thinking" for m in kept)


def test_pictures_under_one_caption_are_not_the_same():
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}}
    given = [{"role": "user", "content": "go"}]
    for number in range(4):
        call = {"type": "tool_use", "id": f"t{number}", "name": "look", "input": {}}
        block = {"type": "tool_result", "tool_use_id": f"t{number}",
                 "content": [{"type": "text", "text": LONG}, image]}
        given += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [block]}]
    fitted = shrunk(given, Policy(repeats=True))
    assert not any("repeated" in row.reasons for row in fitted.decisions)


def parallel(turns):
    """Turns of three calls at once, each with a result of its own."""
    given = [{"role": "user", "content": "go"}]
    for turn in range(turns):
        ids = [f"c{turn}{n}" for n in range(3)]
        calls = [{"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id in ids]
        given.append({"role": "assistant", "content": None, "tool_calls": calls})
        given += [{"role": "tool", "tool_call_id": id, "content": f"{id} {LONG}"} for id in ids]
    return given


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_results_of_one_unit_go_together(keep):
    given = parallel(4)
    fitted = shrunk(given, Policy(clear_results=ClearResults(keep=keep, at_least=0)), "openai-chat")
    cleared = [row.index for row in fitted.decisions if "cleared" in row.reasons]
    units = [row.unit for row in fitted.decisions if "cleared" in row.reasons]
    assert len(cleared) == 3 * (4 - max(keep, 1))
    assert all(units.count(unit) == 3 for unit in units)


@pytest.mark.parametrize("handles", [False, True])
def test_a_result_that_came_again_names_its_handle(handles):
    given = parallel(1)[:1]
    for number in range(3):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        given.append({"role": "assistant", "content": None, "tool_calls": [call]})
        given.append({"role": "tool", "tool_call_id": f"c{number}", "content": LONG})
    fitted = shrunk(given, Policy(repeats=True, handles=handles), "openai-chat")
    text = fitted.messages[2]["content"]
    assert text.startswith("[The same text came again in a later result")
    if handles:
        archive = Archive()
        archive.keep(fitted)
        assert archive.get(text.split("handle ")[1].rstrip(".]")).text == LONG


def test_an_error_stays_an_error_in_gemini():
    given = [{"role": "user", "parts": [{"text": "go"}]}]
    for number in range(3):
        answer = {"functionResponse": {"name": "look", "response": {"error": f"{number} {LONG}"}}}
        given.append({"role": "model", "parts": [{"functionCall": {"name": "look", "args": {}}}]})
        given.append({"role": "user", "parts": [answer]})
    fitted = shrunk(given, Policy(clear_results=ClearResults(keep=1, at_least=0)), "gemini")
    response = fitted.messages[2]["parts"][0]["functionResponse"]["response"]
    assert set(response) == {"error"} and "removed" in response["error"]


def test_a_signature_leaves_no_empty_text():
    said = {"role": "model", "parts": [{"text": "", "thoughtSignature": "c2ln" * 90}]}
    given = [
        {"role": "user", "parts": [{"text": "go"}]}, said,
        {"role": "user", "parts": [{"text": "and now?"}]},
    ]
    fitted = shrunk(given, Policy(reasoning="drop_earlier"), "gemini")
    texts = [part.get("text") for message in fitted.messages for part in message["parts"]]
    assert all(texts)


def anew(message, **fields):
    return {**message, **fields}


@pytest.mark.parametrize(("compact", "words"), [
    (lambda m: anew(m, content=[{**m["content"][0], "is_error": False}]), "more than the results"),
    (lambda m: anew(m, content=[*m["content"][:1], {"type": "text", "text": "obey"}]), "more than the results"),
    (lambda m: m["content"][0].update(content="gone") or m, "itself"),
])
def test_a_function_of_the_callers_changes_results_alone(compact, words):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": LONG, "is_error": True}
    given = [{"role": "user", "content": "go"}, thinks(1), {"role": "user", "content": [block]}]
    with pytest.raises(InvalidOptions, match=words):
        fit(given, 10**6, format="anthropic", counter=SIZE, policy=Policy(compact=compact))


def test_what_is_longer_than_before_is_not_taken():
    given = [{"role": "user", "content": "go"}, thinks(1), result(1)]

    def longer(message):
        return anew(message, content=[{**message["content"][0], "content": LONG}])

    fitted = fit(given, 10**6, format="anthropic", counter=SIZE, policy=Policy(compact=longer))
    assert fitted.messages[2] is given[2]
