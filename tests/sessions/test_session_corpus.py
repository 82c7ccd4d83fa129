"""Recorded transcripts: read, cut at seven budgets and read again (all: ``bench/sessions.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.corpus import requires_corpus
from support.transcripts import recorded
from trimtab import DoesNotFit, verify
from trimtab.sessions import check_session, fit_session, read_session, repair_session

pytestmark = requires_corpus
FILES = [*recorded("claude-code"), *recorded("codex")]
BUDGETS = (50, 500, 2_000, 8_000, 20_000, 32_000, 10**9)
EVERY = [
    pytest.param(path, id=path.stem[:40], marks=[] if at % 5 == 0 else pytest.mark.slow)
    for at, path in enumerate(FILES)
]


@pytest.mark.parametrize("path", EVERY)
def test_recorded_transcripts(path: Path) -> None:
    """What is left is what was fitted, sound, and all of the input's bytes where all fits."""
    data = path.read_bytes()
    session = read_session(path)
    assert (session.kind, path.parent.name) in (("claude-code",) * 2, ("codex",) * 2)
    faults = check_session(session)
    assert all(fault.index < 0 for fault in faults), "the recordings have no broken messages"
    for budget in BUDGETS:
        try:
            fitted = fit_session(session, budget)
        except DoesNotFit:
            continue
        assert verify(fitted.fitted) == []
        again = read_session(fitted.data)
        assert again.messages == fitted.fitted.messages
        assert [fault for fault in check_session(again) if fault.index >= 0] == []
        assert (fitted.data == data) == (not fitted.fitted.dropped)
    mended = repair_session(session)
    assert check_session(mended.data) == []
    assert (mended.data == data) == (not faults)
