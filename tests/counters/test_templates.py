"""Prices against the oracle: the whole conversation rendered by Jinja itself, and tokenised."""

from __future__ import annotations

import json

import pytest
from counters.conversations import conversations, loops, say, texts
from counters.small_models import CHATML, TEMPLATES, THINKER, TOKENS, small_bpe
from hypothesis import given, settings
from hypothesis import strategies as st
from trimtab import InvalidOptions
from trimtab.counters import huggingface
from trimtab.formats.registry import format_named

import jinja2

CHAT, CLAUDE = format_named("openai-chat"), format_named("anthropic")
TOOL = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Find a file",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}
_COUNTERS = {}


def counter(template, **options):
    key = (template, *options.items())
    if key not in _COUNTERS:
        _COUNTERS[key] = huggingface(
            small_bpe(), template=TEMPLATES.get(template, template), variables=TOKENS, **options
        )
    return _COUNTERS[key]


def refuse(text):
    raise ValueError(text)


def whole(template, messages, tools=None):
    """The oracle: no code of the library, and not its sandbox."""
    env = jinja2.Environment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    env.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    env.globals["raise_exception"] = refuse
    said = []
    for message in messages:
        message = {"content": "", **message}
        if "tool_calls" in message:
            message["tool_calls"] = [
                {
                    **call,
                    "function": {
                        **call["function"],
                        "arguments": json.loads(call["function"]["arguments"]),
                    },
                }
                for call in message["tool_calls"]
            ]
        said.append(message)
    text = env.from_string(TEMPLATES.get(template, template)).render(
        messages=said, tools=tools, add_generation_prompt=True, **TOKENS
    )
    return len(small_bpe().encode(text, add_special_tokens=False).ids)


def summed(counter, messages, **beside):
    meter = counter.meter(CHAT)
    parts = meter.system(beside.get("system")) + meter.tools(beside.get("tools"))
    return meter.primer + parts + sum(map(meter.message, messages))


@pytest.mark.parametrize("template", TEMPLATES)
@settings(max_examples=60, deadline=None)
@given(messages=conversations(system=False, calls=0))
def test_plain_conversations_are_exact(template, messages):
    made = counter(template, own_system=False) if template == "strict" else counter(template)
    meter = made.meter(CHAT)
    assert meter.exact
    assert all(map(meter.is_exact, messages))
    assert summed(made, messages) == whole(template, messages) == made.total(messages)


@pytest.mark.parametrize("template", TEMPLATES)
@settings(max_examples=40, deadline=None)
@given(messages=conversations(calls=0))
def test_a_system_text_is_exact_or_called_an_estimate(template, messages):
    made = counter(template)
    meter = made.meter(CHAT)
    said, real = summed(made, messages), whole(template, messages)
    assert said >= real
    if all(map(meter.is_exact, messages)):
        assert said == real


@pytest.mark.parametrize(("template", "calls"), [("thinker", 2), ("headers", 1)])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_calls_and_results_are_exact(template, calls, data):
    messages = data.draw(conversations(system=False, calls=calls))
    made = counter(template)
    assert all(map(made.meter(CHAT).is_exact, messages))
    assert summed(made, messages) == whole(template, messages)


@settings(max_examples=60, deadline=None)
@given(messages=conversations(reasoning=True))
def test_reasoning_is_an_upper_bound(messages):
    made = counter("thinker")
    assert summed(made, messages) >= whole("thinker", messages) == made.total(messages)
    thought = [m for m in messages if "reasoning_content" in m]
    assert not any(map(made.meter(CHAT).is_exact, thought))


@settings(max_examples=40, deadline=None)
@given(messages=conversations(), text=st.text(max_size=9))
def test_with_a_system_text_promised_the_templates_own_is_not_counted(messages, text):
    made = counter("thinker", own_system=True)
    if messages[0]["role"] != "system":
        messages = [say("system", text), *messages]
    assert all(map(made.meter(CHAT).is_exact, messages))
    assert summed(made, messages) == whole("thinker", messages)


def test_a_system_text_in_the_first_turn_may_change_how_that_turn_is_read():
    messages = [say("system", ""), say("user", "trim tab")]
    unknown, never = counter("strict"), counter("strict", own_system=False)
    alone = messages[1:]
    assert summed(never, alone) == whole("strict", alone) < summed(unknown, alone)
    assert summed(unknown, messages) >= whole("strict", messages)
    assert not unknown.meter(CHAT).exact


def test_a_default_system_text_counts_until_the_promise():
    messages = [say("system", "Steer."), say("user", "Hi")]
    without, promised = counter("thinker"), counter("thinker", own_system=True)
    stand_in = len(small_bpe().encode("<|start|>system\nYou steer ships.<|end|>\n").ids)
    assert summed(without, messages) == whole("thinker", messages) + stand_in
    assert not without.meter(CHAT).is_exact(messages[0])
    assert summed(promised, messages) == whole("thinker", messages)


@pytest.mark.parametrize("system", [None, "You are a helmsman."])
def test_tools_cost_what_the_template_says_of_them(system):
    made = counter("thinker", own_system=system is not None)
    messages = [say("user", "Find it.")]
    real = whole("thinker", ([say("system", system)] if system else []) + messages, [TOOL])
    assert summed(made, messages, system=system, tools=[TOOL]) == real
    assert made.total(messages, system=system, tools=[TOOL]) == real
    meter = made.meter(CHAT)
    assert meter.parts_exact(system, None, None)
    assert meter.tools([]) == meter.tools(None) == 0
    assert meter.tools(7) == 7


def test_a_claude_conversation_is_told_in_the_templates_words():
    asked = {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"path": "a"}}
    answer = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "found"}
    messages = [
        say("user", "Find it."),
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}, asked]},
        {"role": "user", "content": [answer, {"type": "text", "text": "Well?"}]},
    ]
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "find", "arguments": '{"path": "a"}'},
    }
    same = [
        messages[0],
        {"role": "assistant", "content": "Yes.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "found"},
        say("user", "Well?"),
    ]
    meter = counter("thinker").meter(CLAUDE)
    assert meter.primer + sum(map(meter.message, messages)) == whole("thinker", same)


def test_what_a_template_leaves_out_is_told_in_words():
    meter = counter("chatml").meter(CHAT)
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "find", "arguments": "[1, 2, 3, 4]"},
    }
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert meter.message(asked) > meter.message(say("assistant", ""))
    assert not meter.is_exact(asked)
    folded = counter("strict").meter(CHAT)
    assert folded.message({"role": "tool", "tool_call_id": "1", "content": "found"}) > 1
    assert not folded.is_exact({"role": "tool", "tool_call_id": "1", "content": "found"})


def test_a_role_the_template_refuses_becomes_the_nearest_that_it_takes():
    meter = counter("headers").meter(CHAT)
    assert meter.message(say("developer", "Steer.")) == meter.message(say("system", "Steer."))
    assert not meter.is_exact(say("developer", "Steer."))
    assert counter("chatml").meter(CHAT).is_exact(say("developer", "Steer."))


MERGING = """\
{% set ns = namespace(role='') %}
{%- for m in messages %}
{%- if m.role != ns.role %}{% if ns.role %}<|end|>{% endif %}<|start|>{{ m.role }}
{% else %}

{% endif %}
{{- m.content }}{% set ns.role = m.role %}
{%- endfor %}<|end|><|start|>assistant
"""
BARE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"
GROWING = """\
{% for m in messages %}<|start|>{{ m.role }} {{ loop.index }}{{ 'x y ' * loop.index0 }}
{{ m.content }}<|end|>{% endfor %}"""


@pytest.mark.parametrize("template", [MERGING, BARE])
@settings(max_examples=60, deadline=None)
@given(
    messages=st.lists(
        st.builds(say, st.sampled_from(["user", "assistant"]), st.text("ab \n1", max_size=6)),
        max_size=6,
    )
)
def test_templates_that_look_at_their_neighbours_are_bounded_from_above(template, messages):
    messages = [say("user", "x"), *messages, say("user", "x")]
    assert summed(counter(template), messages) >= whole(template, messages)


GLUED = THINKER.replace(
    "{%- else %}\n<|start|>{{ m.role }}",
    "{%- else %}{% if loop.previtem and loop.previtem.role == 'tool' %}<|end|><|end|>{% endif %}\n<|start|>{{ m.role }}",
)


@settings(max_examples=30, deadline=None)
@given(loop=loops(), again=loops(), text=texts)
def test_what_a_template_adds_behind_results_is_in_the_price_of_the_calls(loop, again, text):
    assert GLUED != THINKER
    user = say("user", text)
    messages = [user, *loop, user, *again, user]
    assert summed(counter(GLUED), messages) >= whole(GLUED, messages)
    assert whole(GLUED, messages) == whole("thinker", messages) + 4
    assert not counter(GLUED).meter(CHAT).is_exact(loop[0])


def test_prices_that_do_not_add_up_are_never_called_exact():
    meter = counter(GROWING).meter(CHAT)
    assert not meter.exact
    assert not meter.is_exact(say("user", "hi"))


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{% if %}", "not valid in line 1"),
        ("{{ raise_exception('no') }}", "refuse a plain conversation"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "refuse a plain conversation"),
        ("{% for m in messages %}{% set _ = messages.append(m) %}{% endfor %}", "refuse a plain"),
    ],
    ids=["syntax", "refusing", "escaping", "changing"],
)
def test_templates_that_cannot_be_used_are_refused(template, words):
    with pytest.raises(InvalidOptions, match=words):
        huggingface(small_bpe(), template=template)


def test_tools_may_have_a_template_of_their_own():
    both = {"default": CHATML, "tool_use": "{{ tools | tojson }}" + CHATML}
    made = huggingface(small_bpe(), template=both)
    one = huggingface(small_bpe(), template=both["tool_use"])
    messages = [say("user", "Find it.")]
    assert made.total(messages, tools=[TOOL]) == one.total(messages, tools=[TOOL])
    assert made.total(messages) == huggingface(small_bpe(), template=CHATML).total(messages)


def test_marks_for_training_render_as_nothing():
    marked = CHATML.replace("{{ m.content }}", "{% generation %}{{ m.content }}{% endgeneration %}")
    messages = [say("user", "Hi"), say("assistant", "Ho"), say("user", "Hi")]
    assert huggingface(small_bpe(), template=marked).total(messages) == whole("chatml", messages)


def test_a_template_that_asks_for_the_day_gets_a_fixed_one_and_is_not_exact():
    dated = "{{ strftime_now('%d %B %Y') }}" + CHATML
    made = huggingface(small_bpe(), template=dated)
    assert not made.meter(CHAT).exact
    fixed = "{{ date_string or strftime_now('%d %B %Y') }}" + CHATML
    assert (
        huggingface(small_bpe(), template=fixed, variables={"date_string": "1"}).meter(CHAT).exact
    )
