"""One run against langchain-core and litellm: the same histories, the same tokenizer.

Budget 8,000 tokens. Peers count with tiktoken's o200k_base, built from the ranks that
Trimtab ships (litellm from its own copy of the same ranks), as their documentation shows:
langchain-core with a counter of message lists, litellm with the model's name. Conversion
to LangChain's messages is not counted. CPU time; median of the runs.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["TRIMTAB_ENGINE"] = "tiktoken"  # as the peers; see speed.py for the faster one
sys.path.insert(0, str(Path(__file__).parent))

import litellm
from history import fresh
from langchain_core.messages import convert_to_messages, trim_messages
from measure import Time, cpu, ms
from rich.console import Console
from rich.table import Table

from trimtab import Conversation, count, Policy, fit
from trimtab.tokens.vocabulary import O200K, load

BUDGET = 8_000
SIZES = (500, 1_000, 2_000, 4_000)
SESSION = 2_000
SAMPLES = 40

console = Console(width=110)
ranks = load(O200K)


def tokens(message: Any) -> int:
    """LangChain's message by the same formula that Trimtab uses for text."""
    total = 4 + len(ranks.encode_ordinary(str(message.content)))
    for call in getattr(message, "tool_calls", None) or ():
        total += 8 + len(ranks.encode_ordinary(call["name"] + str(call["args"])))
    return total


def list_counter(messages: list[Any]) -> int:
    """The list counter that langchain-core calls on prefixes and suffixes."""
    return sum(map(tokens, messages)) + 3


def langchain(messages: list[Any]) -> list[Any]:
    """langchain-core, the settings its documentation recommends for chat history."""
    return trim_messages(
        messages,
        max_tokens=BUDGET,
        token_counter=list_counter,
        strategy="last",
        include_system=True,
        allow_partial=False,
    )


def through_litellm(messages: list[Any]) -> list[Any]:
    """litellm with the tokenizer of gpt-4o."""
    return litellm.utils.trim_messages(messages, model="gpt-4o", max_tokens=BUDGET, trim_ratio=1.0)


def one_fit() -> None:
    """Cold, warm and incremental, against both peers."""
    table = Table("messages", "trimtab cold", "warm", "a turn", "langchain-core", "litellm")
    table.add_column("cold : langchain")
    table.add_column("cold : litellm")
    table.add_column("warm : langchain")
    for size in SIZES:
        cold = cpu(lambda h: fit(h, BUDGET), lambda: fresh(size))
        same = fresh(size)
        fit(same, BUDGET)
        warm = cpu(lambda _: fit(same, BUDGET), runs=15)
        turn = one_turn(size)
        other = convert_to_messages(fresh(size))
        lang = cpu(lambda _: langchain(other), runs=3)
        lite = cpu(through_litellm, lambda: fresh(size), runs=3)
        table.add_row(
            f"{size:,}",
            ms(cold.median),
            f"{ms(warm.median)} ({warm.median / size * 1e6:.2f} us a message)",
            f"{turn.median * 1e6:,.0f} us",
            ms(lang.median),
            ms(lite.median),
            f"{lang.median / cold.median:,.0f}x",
            f"{lite.median / cold.median:,.0f}x",
            f"{lang.median / warm.median:,.0f}x",
        )
    console.print(table)


def one_turn(size: int) -> Time:
    """Append one message and fit, at the end of a long conversation."""
    messages = fresh(size + 20)
    conversation = Conversation(BUDGET, policy=Policy())
    conversation.extend(messages[:size])
    rest = iter(messages[size:])

    def turn(message: Any) -> None:
        conversation.append(message)
        conversation.fit()

    return cpu(turn, lambda: next(rest), runs=20)


def session() -> None:
    """A whole session: fitted after every message until it holds 2,000."""
    messages = fresh(SESSION)
    conversation = Conversation(BUDGET, policy=Policy())
    started = time.process_time()
    for message in messages:
        conversation.append(message)
        conversation.fit()
    ours = time.process_time() - started
    others = convert_to_messages(fresh(SESSION))
    step = SESSION // SAMPLES
    started = time.process_time()
    for size in range(step, SESSION + 1, step):
        langchain(others[:size])
    theirs = (time.process_time() - started) * step
    console.print(
        f"A session that grows to {SESSION:,} messages, fitted after each: "
        f"Conversation {ours:.3f} s, langchain-core {theirs:,.0f} s "
        f"(from {SAMPLES} of its calls, evenly spaced): {theirs / ours:,.0f}x"
    )


def check_results() -> None:
    """What the results look like on one history, by Trimtab's own count and rules."""
    from trimtab import check

    messages = fresh(1_000)
    total = count(messages).total
    console.print(f"1,000 messages hold {total:,} tokens; the budget is {BUDGET:,}.")
    for name, result in (
        ("trimtab", fit(messages, BUDGET).messages),
        ("litellm", through_litellm([dict(m) for m in messages])),
    ):
        faults = check(result)
        console.print(f"  {name}: {len(result)} messages, {count(result).total:,} tokens, faults: {len(faults)}")


if __name__ == "__main__":
    count("load the tokenizer")
    check_results()
    one_fit()
    session()
