"""Real conversations for tests and benchmarks; they lie beside the repository, not in it.

``TRIMTAB_CORPUS`` names another folder that holds ``<format>.jsonl.gz``.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("TRIMTAB_CORPUS") or ROOT.parent / "shared" / "corpus")
CASES = CORPUS.parent / "cases" / "cases.jsonl"

requires_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="no corpus at ../shared/corpus (set TRIMTAB_CORPUS)"
)
requires_cases = pytest.mark.skipif(
    not CASES.is_file(), reason="no cases at ../shared/cases (set TRIMTAB_CORPUS)"
)


def conversations(format: str) -> Iterator[dict[str, Any]]:
    """Each conversation of one format: ``id``, ``messages``, perhaps ``system``, ``tools``…"""
    with gzip.open(CORPUS / f"{format}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def requests(format: str) -> Iterator[dict[str, Any]]:
    """The short requests of one format that only the usage rows need."""
    return (row for row in conversations("usage-requests") if row["format"] == format)


def plain(key: str) -> Iterator[dict[str, Any]]:
    """The conversations without tools whose messages have ``role``, or have ``from``."""
    return (row for row in conversations("plain") if key in row["messages"][0])


def gemini_cli() -> Iterator[dict[str, Any]]:
    """The sessions of gemini-cli, their records written as the contents that were sent."""
    for path in sorted((CORPUS / "gemini-cli").glob("*.json")):
        records = json.loads(path.read_text(encoding="utf-8"))["messages"]
        yield {"id": path.stem, "messages": [c for r in records for c in _contents(r)]}


def _contents(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    calls = record.get("toolCalls") or []
    parts: list[Any] = [{"text": record["content"]}] if record["content"] or not calls else []
    parts += [
        {"functionCall": {key: call[key] for key in ("id", "name", "args")}} for call in calls
    ]
    yield {"role": "user" if record["type"] == "user" else "model", "parts": parts}
    if calls:
        yield {"role": "user", "parts": [part for call in calls for part in call["result"]]}
