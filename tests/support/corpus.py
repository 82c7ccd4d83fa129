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
