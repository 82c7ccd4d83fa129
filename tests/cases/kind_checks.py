"""Checks that the formats beside OpenAI Chat and Anthropic brought, and those of dialects."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys

from cases.checks import means
from cases.loader import simple_cost
from cases.runs import Run
from cases.shorten import fits_whole, shortened
from cases.views import view

from trimtab import Conversation, fit, per_message


@means(r"first non-system role == user")
def _led_by_the_user(run: Run) -> None:
    led = [seen for seen in run.views if seen.role != "system"]
    assert led[0].role == "user" and not led[0].results, led


@means(r"output\[(\d+)\] has a text part")
def _says_something(run: Run, index: str) -> None:
    assert run.views[int(index)].text


@means(r"responses per call turn == calls per call turn")
def _as_many_responses(run: Run) -> None:
    for seen, after in zip(run.views, run.views[1:], strict=False):
        assert len(seen.calls) == len(after.results), (seen, after)


@means(r"one user message holds results (\w+) and (\w+)")
def _in_one_message(run: Run, one: str, other: str) -> None:
    assert [seen.results for seen in run.views if seen.results] == [(one, other)]


@means(r"last output message == input\[(\d+)\]")
def _last_message(run: Run, index: str) -> None:
    assert run.output[-1] is run.inputs[int(index)]


@means(r"number of system messages equal to input\[0\] == (\d+)")
def _system_once(run: Run, number: str) -> None:
    assert run.output.count(run.inputs[0]) == int(number)


@means(r"every kept message (?:deep-)?equals its input")
def _kept_as_they_were(run: Run) -> None:
    assert run.output == [run.case.messages[index] for index in run.kept] != []


@means(r"output of (\d+) deep-equals input\[\d+\]")
def _equal(run: Run, index: str) -> None:
    assert run.after(int(index)) == run.case.messages[int(index)]


@means(r"text\((\d+)\) unchanged")
def _text_unchanged(run: Run, index: str) -> None:
    assert run.text(int(index)) == view(run.case.messages[int(index)]).text


@means(r"no empty content")
def _nothing_empty(run: Run) -> None:
    assert run.output and not any(seen.empty for seen in run.views)


@means(r"no whitespace-only text added by the library")
def _no_blank_added(run: Run) -> None:
    given = [view(message).text for message in run.inputs]
    added = [seen.text for seen in run.views if seen.text not in given]
    assert run.output and all(text.strip() for text in added)


@means(r"thinking of the newest assistant message byte-identical")
def _newest_thinking(run: Run) -> None:
    newest = max(i for i, m in enumerate(run.inputs) if m["role"] == "assistant")
    if newest in run.kept:
        assert json.dumps(run.after(newest)) == json.dumps(run.case.messages[newest])
    else:  # only at the very end has it not been said yet
        assert run.kept == [len(run.inputs) - 1]


@means(r"no thinking or redacted_thinking in output of (\d+)")
def _no_thinking_in(run: Run, index: str) -> None:
    kinds = {block["type"] for block in run.after(int(index))["content"]}
    assert kinds and kinds.isdisjoint({"thinking", "redacted_thinking"})


@means(r"an assistant message stands between (\d+) and (\d+)")
def _bridged(run: Run, one: str, other: str) -> None:
    between = run.views[run.origins.index(int(one)) + 1 : run.origins.index(int(other))]
    assert [seen.role for seen in between] == ["assistant"]


@means(r"roles == \[([\w, ]+)\]")
def _roles(run: Run, wanted: str) -> None:
    assert [seen.role for seen in run.views] == wanted.split(", ")


@means(r"both texts of (\d+) and (\d+) present")
def _texts_present(run: Run, one: str, other: str) -> None:
    for index in (int(one), int(other)):
        text = view(run.case.messages[index]).text
        assert sum(text in seen.text for seen in run.views) == 1


@means(r"number of cache_control in output <= number in input")
def _no_more_markers(run: Run) -> None:
    marks = [json.dumps(messages).count("cache_control") for messages in (run.output, run.inputs)]
    assert 0 < marks[0] <= marks[1]


@means(r"kept blocks keep their cache_control")
def _markers_stay(run: Run) -> None:
    assert run.output == [run.case.messages[index] for index in run.kept]


@means(r"two calls on equal input give equal output \(json dump\)")
def _same_bytes(run: Run) -> None:
    assert len(run.output) < len(run.inputs)
    assert json.dumps(run.output) == json.dumps(Run(run.case).output)


_ELSEWHERE = """
import json, sys
from cases.loader import simple_cost
from trimtab import fit, per_message
messages, budget, format = json.load(sys.stdin)
print(json.dumps(fit(messages, budget, format=format, counter=per_message(simple_cost)).messages))
"""


@means(r"same in a new process with another PYTHONHASHSEED")
def _same_elsewhere(run: Run) -> None:
    given = json.dumps([run.inputs, run.case.budget, run.format])
    for seed in "1", "2":
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        asked = [sys.executable, "-c", _ELSEWHERE]
        done = subprocess.run(
            asked, input=given, capture_output=True, text=True, env=env, check=False
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == run.output


@means(r"after (\d+) concurrent appends: \d+ distinct messages present|no lost update")
def _concurrent_appends(run: Run, number: str | None) -> None:
    size = int(number or run.case.options["concurrency"])
    talk = Conversation(10**6, format=run.format, counter=per_message(simple_cost))
    talk.extend(run.inputs)

    async def say(i: int) -> None:
        mine = {"role": "user", "content": f"message {i}"}
        await asyncio.sleep(0)
        talk.append(mine)
        await asyncio.sleep(0)
        assert any(message is mine for message in talk.fit().messages)

    async def all_at_once() -> None:
        await asyncio.gather(*map(say, range(size)))

    asyncio.run(all_at_once())
    assert len({message["content"] for message in talk.messages}) == size + len(run.inputs)


@means(r"store items 0\.\.(\d+) untouched")
def _store_apart(run: Run, last: str) -> None:
    store, items = list(run.inputs), run.inputs[int(last) + 1 :]
    counter = per_message(simple_cost)
    assert fit(items, sum(map(simple_cost, items)) - 1, format=run.format, counter=counter).dropped
    assert all(one is other for one, other in zip(store, run.inputs, strict=True))
    assert store == run.case.messages


# Shortening: only tool results are shortened, so a result is what the words stand in.


@means(r"shorten\(text, (\d+)\): (len <= \d+|'' or raises)|shorten\(text, \d+\) == text")
def _shortened(run: Run, cap: str | None, _how: str | None) -> None:
    text = view(run.inputs[0]).text
    if cap is None:
        assert fits_whole(text)
    else:
        assert len(shortened(text, int(cap)) or "") <= int(cap)


@means(r"utf8 encodable for every cut|utf8 encodable output of a shortened message")
def _every_cut_encodes(run: Run) -> None:
    text = view(run.inputs[0]).text
    for cap in range(1, len(text)):
        short = shortened(text, cap)
        assert short is not None and short.encode("utf-8") is not None and short != text


_INSIDE = "\U0001f3fd\u200d\u0301"


@means(r"no cut directly before U\+1F3FD, U\+200D or U\+0301, nor after U\+200D")
def _no_cluster_split(run: Run) -> None:
    text = view(run.inputs[0]).text
    for cap in range(1, len(text)):
        head = shortened(text, cap) or ""
        head = head.partition("\n[...")[0]
        assert text.startswith(head)
        assert text[len(head)] not in _INSIDE and not head.endswith("\u200d"), head
