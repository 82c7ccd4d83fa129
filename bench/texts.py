"""Texts to count: those of the recorded conversations beside the repository, else the example's."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get("TRIMTAB_CORPUS") or ROOT.parent / "shared" / "corpus")
EXAMPLE = ROOT / "examples" / "openai-chat.json"


def strings(value: Any) -> Iterator[str]:
    """Every string in a value of JSON, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings(inner)


def message_texts(megabytes: float) -> tuple[list[str], str]:
    """Distinct texts of real messages, so many MB together, and where they are from."""
    found: dict[str, None] = {}
    size = 0.0
    for message in _messages():
        for text in strings(message):
            if len(text) < 12 or text in found:  # roles, types, ids
                continue
            found[text] = None
            size += len(text.encode("utf-8", "surrogatepass")) / 1e6
        if size >= megabytes:
            break
    return list(found), "the corpus" if CORPUS.is_dir() else "the example, varied"


def _messages() -> Iterator[Any]:
    if not CORPUS.is_dir():
        recorded = json.loads(EXAMPLE.read_text(encoding="utf-8"))["messages"]
        for number in range(10**6):
            for message in recorded:
                yield [f"{text} {number}" for text in strings(message)]
    sources = [_lines(name) for name in ("openai-chat", "anthropic", "openai-responses", "gemini", "plain")]
    while sources:  # one conversation of each in turn
        for source in list(sources):
            conversation = next(source, None)
            if conversation is None:
                sources.remove(source)
            else:
                yield from next(v for v in conversation.values() if isinstance(v, list))


def _lines(name: str) -> Iterator[Any]:
    with gzip.open(CORPUS / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            conversation = json.loads(line)
            if any(isinstance(value, list) for value in conversation.values()):
                yield conversation
