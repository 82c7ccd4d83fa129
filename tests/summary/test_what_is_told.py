"""Everything that is said to be summed up was told, in as many requests as the limit makes, and is read."""

from __future__ import annotations

import asyncio

import pytest
from trimtab import Conversation, DoesNotFit, InvalidOptions, Policy, Summary, count, fit, per_message, verify
from trimtab.stores import MemoryStore

MODEL = "claude-sonnet-4-5"
WORDS = per_message(lambda message: 1 + len(str(message.get("content", "")).split()))


def talk(turns):
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": f"m{n} " + "word " * 20} for n in range(turns)]


class Listener:
    name = "listener"

    def __init__(self):
        self.asks = []

    def __call__(self, ask):
        self.asks.append(ask)
        return f"s{len(self.asks)}"


def policy(summariser, **options):
    return Policy(depth=0.5, summary=Summary(summariser, store=MemoryStore(), **options))


def size(ask):
    return sum(map(ask.count, [ask.previous or "", *(one.text for one in ask.said)]))


@pytest.mark.parametrize("limit", [60, 200, 1_000])
def test_a_long_history_is_told_in_parts(limit):
    heard, given = Listener(), talk(201)
    options = {"format": "openai-chat", "counter": WORDS}
    chosen = policy(heard, max_summary_tokens=20, max_input_tokens=limit)
    fitted = fit(given, 300, policy=chosen, **options)
    told = [one.text.split()[0] for ask in heard.asks for one in ask.said]
    gone = [row.index for row in fitted.decisions if row.action == "summarised"]
    assert told == [f"m{at}" for at in gone]
    assert fitted.warnings == []
    assert all(size(ask) <= limit for ask in heard.asks)
    assert [ask.previous for ask in heard.asks[1:]] == [f"s{n}" for n in range(1, len(heard.asks))]
    assert fitted.summary == f"s{len(heard.asks)}"
    assert verify(fitted) == []


def test_a_message_that_is_too_long_alone_is_told_in_part_and_that_is_said():
    heard, given = Listener(), talk(40)
    given[3] = {"role": "assistant", "content": "long " * 900}
    chosen = policy(heard, max_summary_tokens=20, max_input_tokens=100)
    fitted = fit(given, 300, format="openai-chat", counter=WORDS, policy=chosen)
    assert all(size(ask) <= 100 for ask in heard.asks)
    assert any("in part" in words for words in fitted.warnings)


def test_a_limit_must_leave_room_for_what_is_new():
    with pytest.raises(InvalidOptions, match="more than"):
        Summary(Listener(), max_summary_tokens=50, max_input_tokens=50)
    with pytest.raises(InvalidOptions, match="above depth"):
        Policy(depth=0.8, summary=Summary(Listener(), ahead=0.7))


def test_a_summariser_that_fits_its_own_prompt_does_not_speak_for_the_fit():
    def fits(ask):
        return fit(talk(9), 3, format="openai-chat", counter=WORDS)

    fitted = fit(talk(40), 300, format="openai-chat", counter=WORDS, policy=policy(fits, max_summary_tokens=20))
    assert fitted.summary is None
    assert any(DoesNotFit.__name__ in words for words in fitted.warnings)


def compacted(name):
    """What a provider's compaction stands for, in two shapes."""
    if name == "anthropic":
        block = {"type": "compaction", "content": "the provider's own summary"}
        return [*talk(3), {"role": "assistant", "content": [block]}]
    said = [{"type": "message", **one} for one in talk(3)]
    return [*said, {"type": "compaction", "id": "cmp_1", "encrypted_content": "x" * 40}]


@pytest.mark.parametrize("name", ["anthropic", "openai-responses"])
def test_a_summary_stands_where_the_provider_reads_it(name):
    """Behind a compaction that was there when the cut was made: it leaves all before it out."""
    given, heard = compacted(name), Listener()
    more = talk(60)[: 59]
    given += more if name == "anthropic" else [{"type": "message", **one} for one in more]
    chosen = policy(heard, max_summary_tokens=20)
    fitted = fit(given, 500, format=name, counter=WORDS, policy=chosen)
    (row,) = fitted.inserted
    stands = [at for at, one in enumerate(fitted.messages) if fitted.setup.format.read(one).stands]
    assert stands and row.position > stands[-1]
    assert verify(fitted) == []


def test_what_is_reported_tells_nothing_twice():
    """Ratios that drift would move all cuts, and all would be told again."""
    heard = Listener()
    chat = Conversation(
        3_000, model=MODEL, format="anthropic", policy=policy(heard, max_summary_tokens=50)
    )
    for number, message in enumerate(talk(400)):
        chat.append(message)
        if number % 2 == 0:
            fitted = chat.fit()
            counted = count(fitted.messages, format="anthropic", model=MODEL).total
            chat.record_usage(counted * (105 + number % 9) // 100)
    told = [one.text.split()[0] for ask in heard.asks for one in ask.said]
    assert len(heard.asks) > 5
    assert len(told) == len(set(told))


def test_a_message_that_comes_while_a_summary_is_awaited_is_counted():
    chat, late = None, {"role": "user", "content": "late " * 60}

    async def slow(ask):
        await asyncio.sleep(0)
        if late is not None and chat.messages[-1] is not late:
            chat.append(late)
        return "s"

    slow.name = "slow"
    options = {"format": "openai-chat", "counter": WORDS, "policy": policy(slow, max_summary_tokens=20)}
    chat = Conversation(300, **options)
    chat.extend(talk(40))
    fitted = asyncio.run(chat.afit())
    assert fitted.messages[-1] is late
    assert verify(fitted) == []
    assert fitted.used <= 300


def test_odd_media_and_a_summary_of_other_settings():
    from trimtab.summary.frame import framed

    heard, given = Listener(), talk(40)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,\ud800"}}
    given[2] = {"role": "user", "content": [{"type": "text", "text": "look"}, image]}
    given[0] = {"role": "user", "content": framed("long ago " * 400)}
    chosen = policy(heard, max_summary_tokens=20, max_input_tokens=60)
    fitted = fit(given, 300, format="openai-chat", counter=WORDS, policy=chosen)
    assert fitted.summary == f"s{len(heard.asks)}"
    assert all(size(ask) <= 60 for ask in heard.asks)
    assert verify(fitted) == []
