"""The generators and the oracles themselves, before they judge the library."""

from __future__ import annotations

import copy
from collections import Counter
from random import Random
from typing import Any

import pytest
from support.forall import forall, sizes
from support.generate import DAMAGE, build, damage, sound, sound_histories
from support.oracles import FORMATS, objections
from support.shapes import History

both_formats = pytest.mark.parametrize("format", FORMATS)


@both_formats
@sizes(quick=300, slow=2500)
def test_sound_histories_are_accepted_by_every_oracle(format: str, examples: int) -> None:
    """What the generators call sound, no validator objects to."""

    def holds(history: History) -> None:
        before = copy.deepcopy(history)
        assert objections(format, history) == []
        assert history == before

    forall(sound_histories(format), examples, holds)


@both_formats
def test_every_prefix_of_a_sound_history_is_accepted(format: str) -> None:
    """A history only grows, so each of its states must be sound as well."""
    for seed in range(60):
        history = sound(format, Random(seed))
        for end in range(len(history)):
            assert objections(format, history[:end]) == []


@both_formats
def test_a_seed_decides_everything(format: str) -> None:
    """Same seed, same history, same damage."""
    for kind in DAMAGE:
        one, two = (sound(format, Random(7)) for _ in range(2))
        assert damage(one, Random(7), kind) == damage(two, Random(7), kind)
        assert one == two == sound(format, Random(7)), f"{kind} changed its input"


_HARMLESS = {
    "openai-chat": {"text_before_result", "drop_server_call"},
    # The API merges neighbours of one role, so words of the assistant do not part a pair.
    "anthropic": {"assistant_between", "swap_results", "legacy_wrong_name", "legacy_cut"},
}


@both_formats
def test_every_kind_of_damage_is_seen_by_the_oracles(format: str) -> None:
    """Each kind that exists in a format breaks some history there, and only those do."""
    broken = Counter[str]()
    for kind in DAMAGE:
        for seed in range(80):
            history = damage(sound(format, Random(seed)), Random(seed), kind)
            broken[kind] += bool(objections(format, history))
    assert {kind for kind in DAMAGE if not broken[kind]} == _HARMLESS[format]


def test_the_oracles_are_independent_opinions_on_pairing() -> None:
    """On plain broken pairs all three authors object, so none of them sleeps."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "a", "content": "1"}
    human = {"role": "user", "content": "hi"}
    for broken in (
        [human, answer],
        [answer, human],
        [human, asked, human],
        [human, asked, human, answer],
        [human, asked, answer, answer],
        [human, asked, {**answer, "tool_call_id": "b"}, human],
    ):
        said = {text.split(":")[0] for text in objections("openai-chat", broken)}
        assert said == {"turnsafe", "tool-call-repair", "mistral-common"}


def test_only_a_call_at_the_very_end_may_wait() -> None:
    """The completion of the open tail must not hide a missing result."""
    use = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    human = {"role": "user", "content": "hi"}
    open_tail: History = [human, {"role": "assistant", "content": [use]}]
    assert objections("anthropic", open_tail) == []
    assert objections("anthropic", [*open_tail, human]) != []
    assert objections("anthropic", [*open_tail, human, *open_tail[1:]]) != []


@both_formats
def test_the_strategies_reach_every_kind_of_unit(format: str) -> None:
    """An empty script is a sound (if small) history too."""
    assert objections(format, build(format, [])) == []
    assert objections(format, build(format, [], pending=1)) == []
