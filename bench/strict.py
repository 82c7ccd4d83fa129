"""Strict alternation, held to others: damaged histories, and real conversations at many budgets.

    python bench/strict.py [--damaged N] [--step N]

First N damaged histories per format: how often `check` and the oracles differ, and whether
`fit(repair(x))` is accepted. Then real conversations, mended where they break the format's
rules, at seven budgets. Converse has none of its own: Anthropic's are written in its shape.
Needs the corpus beside the repository for the second part. Exits 1 on any finding.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.corpus import CORPUS, conversations
from support.strict_histories import DAMAGE, EXCHANGES, SHAPES, build
from support.strict_oracles import objections

from trimtab import DoesNotFit, TrimtabError, check, fit, per_message, repair, verify

BUDGETS = (0, 50, 500, 2_000, 8_000, 32_000, 128_000)
SIZE = per_message(lambda message: 1 + len(str(message)) // 8)
# Rules that these formats do not have, or that no repair of theirs is for.
OTHER = ("turnsafe: empty_content",)


def damaged(format: str, number: int) -> Counter[str]:
    """How ``check`` compares with the oracles on damaged histories, and repair with both."""
    tally: Counter[str] = Counter()
    for seed in range(number):
        rng = Random(seed)
        script = [(rng.choice(EXCHANGES), rng.getrandbits(20)) for _ in range(rng.randint(1, 5))]
        history = build(format, script, rng.getrandbits(20) if rng.random() < 0.3 else None)
        DAMAGE[rng.choice(sorted(DAMAGE))](SHAPES[format], history, rng)
        broken, refused = bool(check(history, format=format)), bool(objections(format, history))
        tally["broken" if refused else "sound"] += 1
        tally["differ"] += broken != refused
        try:
            budget = rng.randint(0, 400)
            fitted = fit(history, budget, format=format, counter=SIZE, on_invalid="repair")
        except DoesNotFit:
            tally["does not fit"] += 1
            continue
        except TrimtabError:
            tally["not repaired"] += 1
            continue
        tally["fitted"] += 1
        tally["not accepted"] += bool(objections(format, fitted.messages) or verify(fitted))
    return tally


def real(format: str, step: int) -> Iterator[tuple[str, list[Any]]]:
    """Real conversations that can be read as this format."""
    for at, row in enumerate(_rows(format)):
        messages = row["messages"]
        if at % step:
            continue
        if format == "bedrock-converse":
            messages = list(_converse(messages))
        if not {"malformed", "unknown_role"} & {f.code for f in check(messages, format=format)}:
            yield row["id"], messages


def _rows(format: str) -> Iterator[dict[str, Any]]:
    if format == "bedrock-converse":
        yield from conversations("anthropic")
    elif format == "mistral":
        yield from conversations("openai-chat")
    else:
        own = "from" if format == "sharegpt" else "role"
        yield from (row for row in conversations("plain") if own in row["messages"][0])


def _converse(messages: list[Any]) -> Iterator[Any]:
    """Anthropic messages in Converse's shape; blocks that have none ride along as unknown ones."""
    for message in messages:
        content = message["content"]
        blocks = [{"text": content}] if isinstance(content, str) else list(map(_block, content))
        yield {"role": message["role"], "content": blocks}


def _block(block: dict[str, Any]) -> dict[str, Any]:
    kind = block.get("type", "other") if isinstance(block, dict) else "other"
    if kind == "text":
        return {"text": block["text"]}
    if kind == "tool_use":
        own = {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}
        return {"toolUse": own}
    if kind == "tool_result":
        inner = block.get("content") or ""
        inner = [{"text": inner}] if isinstance(inner, str) else list(map(_block, inner))
        status = "error" if block.get("is_error") else "success"
        own = {"toolUseId": block["tool_use_id"], "content": inner, "status": status}
        return {"toolResult": own}
    return {f"{kind}Block": block}


def swept(format: str, step: int) -> Counter[str]:
    """Fit them at every budget and ask the oracles about the results."""
    tally: Counter[str] = Counter()
    for name, messages in real(format, step):
        tally["conversations"] += 1
        before = copy.deepcopy(messages)
        mended = repair(messages, format=format).messages
        tally["mended"] += mended != messages
        excused = {" ".join(text.split()[:2]) for text in objections(format, mended)}
        for budget in BUDGETS:
            try:
                fitted = fit(mended, budget, format=format)
            except DoesNotFit:
                tally["does not fit"] += 1
                continue
            tally["fitted"] += 1
            said = [o for o in objections(format, fitted.messages) if _kind(o) not in excused]
            said += [str(violation) for violation in verify(fitted)]
            tally["findings"] += bool(said)
            for text in said[:2]:
                print(f"{format} {name} at {budget}: {text[:200]}")
        tally["input drew"] += bool(excused)
        tally["findings"] += messages != before
    return tally


def _kind(said: str) -> str:
    return " ".join(said.split()[:2])


def main() -> int:
    """Print both tables, return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--damaged", type=int, default=3_000, help="histories per format")
    parser.add_argument("--step", type=int, default=1, help="every N-th conversation only")
    asked = parser.parse_args()
    wrong = 0
    for format in SHAPES:
        tally = damaged(format, asked.damaged)
        wrong += tally["differ"] + tally["not accepted"] + tally["not repaired"]
        print(f"{format}, damaged:", dict(sorted(tally.items())))
    if not CORPUS.is_dir():
        print(f"no corpus at {CORPUS}")
        return 1 if wrong else 0
    for format in ("bedrock-converse", "mistral", "strict-chat", "fine-tuning", "sharegpt"):
        tally = swept(format, asked.step)
        wrong += tally["findings"]
        print(f"{format}, recorded:", dict(sorted(tally.items())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
