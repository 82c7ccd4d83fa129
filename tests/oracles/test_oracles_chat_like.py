"""Frameworks whose calls pair as in OpenAI Chat: histories of generators, made into objects.

Every history of the Chat generator, sound or damaged, is built of a framework's objects; the
validators judge what is read back without the library.
"""

from __future__ import annotations

from random import Random

import pytest
from support import (
    langchain_messages,
    llama_index_messages,
    pydantic_ai_messages,
    vercel_messages,
)
from support.forall import forall, sizes
from support.generate import DAMAGE, build, damage, damaged_histories, sound, sound_histories
from support.oracles import objections

from trimtab import (
    Policy,
    Conversation,
    DoesNotFit,
    InvalidHistory,
    check,
    fit,
    per_message,
    repair,
    verify,
)
from trimtab.formats.registry import detect
from trimtab.soundness import SOUNDNESS

COUNTER = per_message(lambda message: 1 + len(str(message)) // 20)
MODULES = (langchain_messages, pydantic_ai_messages, llama_index_messages, vercel_messages)
CASES = [
    pytest.param(
        module,
        kind,
        id=f"{module.NAME}-{kind}",
        marks=pytest.mark.skipif(kind == "real" and not module.REAL, reason="not installed"),
    )
    for module in MODULES
    for kind in ("twin", "real")
]
every_framework = pytest.mark.parametrize(("module", "kind"), CASES)


def told(module, messages):
    return objections("openai-chat", module.to_chat(messages))


@every_framework
@sizes(quick=40, slow=3000)
def test_sound_histories_have_no_fault(module, kind, examples):
    def holds(history):
        with module.installed(kind) as package:
            messages = module.from_chat(history, package)
            assert check(messages, format=module.NAME) == []
            assert list(SOUNDNESS[module.NAME](messages)) == []
            assert told(module, messages) == []
            whole = fit(messages, 10**9, format=module.NAME, counter=COUNTER).messages
            assert all(a is b for a, b in zip(whole, messages, strict=True))

    forall(sound_histories("openai-chat"), examples, holds)


@every_framework
@sizes(quick=40, slow=3000)
def test_check_agrees_on_damage_and_repair_mends_it(module, kind, examples):
    def holds(drawn):
        with module.installed(kind) as package:
            broken = module.from_chat(drawn[2], package)
            faults = check(broken, format=module.NAME)
            assert bool(faults) == bool(told(module, broken)), faults
            assert bool(faults) == bool(list(SOUNDNESS[module.NAME](broken)))
            mended = repair(broken, format=module.NAME).messages
            assert told(module, mended) == []
            assert list(SOUNDNESS[module.NAME](mended)) == []
            for budget in (60, 300):
                accepted(module, broken, budget)

    forall(damaged_histories("openai-chat"), examples, holds)


def accepted(module, messages, budget):
    """Fit with repair; what is left is accepted, and in order."""
    options = {"format": module.NAME, "counter": COUNTER}
    try:
        fitted = fit(messages, budget, on_invalid="repair", **options)
    except DoesNotFit as error:
        assert error.needs.total > budget
        return
    assert told(module, fitted.messages) == []
    assert verify(fitted) == []
    assert fitted.used <= budget


@every_framework
@sizes(quick=20, slow=1000)
def test_a_conversation_is_a_fit(module, kind, examples):
    def holds(history):
        with module.installed(kind) as package:
            messages = module.from_chat(history, package)
            for budget in (80, 400):
                conversation = Conversation(budget, format=module.NAME, counter=COUNTER, policy=Policy())
                conversation.extend(messages)
                try:
                    fitted = fit(messages, budget, format=module.NAME, counter=COUNTER)
                except DoesNotFit:
                    with pytest.raises(DoesNotFit):
                        conversation.fit()
                    continue
                assert conversation.fit().messages == fitted.messages
                assert fitted.messages[-1] is messages[-1]
                assert verify(fitted) == []

    forall(sound_histories("openai-chat"), examples, holds)


@every_framework
def test_every_kind_of_damage_reaches_the_objects(module, kind):
    harmless = {"text_before_result", "drop_server_call"}
    with module.installed(kind) as package:
        seen = set()
        for name in DAMAGE:
            for seed in range(25):
                history = damage(sound("openai-chat", Random(seed)), Random(seed), name)
                if told(module, module.from_chat(history, package)):
                    seen.add(name)
                    break
    assert seen >= set(DAMAGE) - harmless - getattr(module, "HARMLESS", set())


@every_framework
def test_objects_are_told_by_their_class(module, kind):
    script = [("say", 1), ("parallel", 2), ("parts", 3), ("reply", 4)]
    with module.installed(kind) as package:
        messages = module.from_chat(build("openai-chat", script), package)
        assert detect(messages).name == module.NAME
        if package is not None:  # plain words of plain data are alike in all formats
            assert detect(messages[:1]).name == module.NAME
        assert fit(messages, 10**6).format == module.NAME
        with pytest.raises(InvalidHistory):
            fit(messages[2:], 10**6)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.NAME)
def test_twin_and_real_objects_are_judged_alike(module):
    if not module.REAL:
        pytest.skip("not installed")
    for seed in range(100):
        history = sound("openai-chat", Random(seed))
        if seed % 2:
            history = damage(history, Random(seed), sorted(DAMAGE)[seed % len(DAMAGE)])
        views = []
        for kind in ("twin", "real"):
            with module.installed(kind) as package:
                messages = module.from_chat(history, package)
                faults = check(messages, format=module.NAME)
                mended = repair(messages, format=module.NAME).messages
                fitted = cut(module, messages)
                views.append((faults, module.to_chat(mended), fitted))
        assert views[0] == views[1]


def cut(module, messages):
    """Where a fit of the mended history cuts, counted in words of the library."""
    try:
        return fit(messages, 120, format=module.NAME, on_invalid="repair").to_dict()
    except DoesNotFit as error:
        return error.needs
