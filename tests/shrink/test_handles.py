"""What a placeholder or a marker names can be asked for: fit, keep, recall, in every format."""

import json
import re

import pytest
from support.forall import forall
from support.generate import sound_histories
from support.written import installed
from hypothesis import strategies as st

from trimtab import ClearResults, DoesNotFit, Policy, count, fit, per_message, verify
from trimtab.archive import Archive, handle
from trimtab.formats.registry import FORMATS, format_named
from trimtab.handles import handle_of, result_texts, words_of
from trimtab.shrink.excerpt import excerpt

SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
NAMED = re.compile(r"handle ([0-9a-f]{16})\b")
WHOLE = ClearResults(keep=0, at_least=0, smallest=0, inputs=True)
LINES = "\n".join(f"{n}: all is well" for n in range(400))


def known(message, shape):
    """The texts that an archive keeps of a message, by their handles."""
    texts = [*result_texts(message, shape), words_of(message, shape)]
    return {handle_of(text): text for text in texts if text}


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("cap", [None, 40])
def test_every_handle_is_of_the_text_that_was_there(format, cap):
    shape, seen = format_named(format), []
    policy = Policy(clear_results=WHOLE, max_result_tokens=cap, handles=True)

    def holds(data):
        history = data.draw(sound_histories(format, max_units=12))
        needs = fit(history, 10**9, format=format, counter=SIZE).used
        budget = data.draw(st.integers(1 + needs // 2, needs))
        try:
            fitted = fit(history, budget, format=format, counter=SIZE, policy=policy)
        except DoesNotFit:
            return
        assert verify(fitted) == []
        archive = Archive()
        archive.keep(fitted)
        kept = [row.index for row in fitted.decisions if row.action != "dropped"]
        for index, shown in zip(kept, fitted.messages, strict=True):
            texts = known(history[index], shape)
            for name in NAMED.findall(str(shown)):
                assert name in texts
                assert archive.get(name).text == texts[name]
                assert handle(archive, {"handle": name}, max_tokens=10**6) == texts[name]
                seen.append(name)

    with installed(format):
        forall(st.data(), 25, holds)
    assert seen or format in ("fine-tuning", "sharegpt")


def chat(content):
    function = {"name": "look", "arguments": "{}"}
    return [
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "a", "content": content},
        {"role": "user", "content": "go on"},
    ]


def test_a_cleared_excerpt_names_the_whole_text():
    messages = chat(LINES)
    policy = Policy(max_result_tokens=100, clear_results=WHOLE, handles=True)
    whole = fit(messages, 10_000, policy=policy)
    cleared = fit(messages, whole.used - 1, policy=policy)
    for fitted in (whole, cleared):
        assert NAMED.findall(str(fitted.messages[2])) == [handle_of(LINES)]
    assert cleared.messages[2]["content"].startswith("[The result of look, ")


def test_compact_does_not_change_the_handle():
    def compact(message):
        return {**message, "content": message["content"][:1_000]}

    policy = Policy(max_result_tokens=40, compact=compact, handles=True)
    fitted = fit(chat(LINES), 10_000, policy=policy)
    assert NAMED.findall(str(fitted.messages[2])) == [handle_of(LINES)]


FENCED = "look:\n```python\n" + "x = 1\n" * 300 + "```\nend"
EXCERPTS = [
    LINES,
    FENCED,
    json.dumps([{"id": n} for n in range(400)]),
    json.dumps({f"k{n}": "v" * 40 for n in range(90)}),
    json.dumps({"text": "a long word " * 400, "more": "and another " * 300}),
    "\n".join(json.dumps({"id": n}) for n in range(400)),
]


@pytest.mark.parametrize("text", EXCERPTS)
@pytest.mark.parametrize("cap", [40, 100, 300])
def test_the_marker_names_it_once_and_within_the_cap(text, cap):
    def fits(candidate, limit):
        return count(candidate).total <= limit

    made = excerpt(text, cap, fits, "0123456789abcdef")
    assert fits(made, cap) and NAMED.findall(made) == ["0123456789abcdef"]
    assert "\ufdd0" not in made and "\ufdd0" not in excerpt(text, cap, fits)
    if text[0] in "[{":
        lines = made.splitlines() if "\n" in text else [made]
        assert [json.loads(line) for line in lines]
    assert made.count("```") % 2 == 0


@pytest.mark.parametrize(
    "response",
    [
        {"rows": [{"id": n, "name": f"town {n}"} for n in range(300)]},
        {"text": LINES},
        {"nested": json.dumps([{"id": n} for n in range(400)])},
    ],
)
def test_data_name_it_once_and_stay_data(response):
    history = [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": response}}]},
    ]
    shape = format_named("gemini")
    policy = Policy(max_result_tokens=120, handles=True)
    fitted = fit(history, 10_000, format="gemini", policy=policy)
    made = fitted.messages[2]["parts"][0]["functionResponse"]["response"]
    assert made.keys() == response.keys()
    [named] = NAMED.findall(json.dumps(made))
    assert named == handle_of(result_texts(history[2], shape)[0])
    assert "\ufdd0" not in json.dumps(made, ensure_ascii=False)


def test_without_the_flag_nothing_is_named():
    policy = Policy(max_result_tokens=100, clear_results=WHOLE)
    whole = fit(chat(LINES), 10_000, policy=policy)
    assert not NAMED.findall(str(whole.messages))
    cleared = fit(chat(LINES), whole.used - 1, policy=policy)
    assert not NAMED.findall(str(cleared.messages))
