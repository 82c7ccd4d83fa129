"""Anthropic's own reader of transcripts finds exactly what this one does, cut or not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from support.claude_reader import requires_reader, uuids
from support.corpus import requires_corpus
from support.damage import KINDS, damage
from support.generate import sound
from support.transcripts import claude_code, recorded
from trimtab import DoesNotFit, InvalidHistory, Policy
from trimtab.sessions import Session, fit_session, read_session, repair_session

pytestmark = requires_reader
BUDGETS = (50, 500, 2_000, 8_000, 32_000)


def shown(session: Session) -> list[str]:
    """The lines of the conversation that the reader shows."""
    values = [session.lines[at].value for at in session.chain]
    hidden = ("isMeta", "isSidechain", "teamName")
    turns = (v for v in values if v["type"] in ("user", "assistant"))
    return [v["uuid"] for v in turns if not any(v.get(name) for name in hidden)]


def agree(data: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Both readers find the same lines in the same order."""
    session = read_session(data)
    found = uuids(data, folder, monkeypatch)
    assert found == shown(session)
    return {session.lines[place.line].value["uuid"] for place in session.places}


@pytest.mark.parametrize("seed", range(40))
def test_generated_transcripts(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, cut, with a notice, and mended."""
    rng = Random(seed)
    history = [m for m in sound("anthropic", rng, 12) if m["role"] != "system"]
    if not history:
        return
    data = claude_code(history, rng)
    session, before = read_session(data), agree(data, tmp_path, monkeypatch)
    for part in range(1, 6):
        for policy in (Policy(), Policy(notice=True)):
            try:
                fitted = fit_session(data, 80 * part, policy=policy)
            except DoesNotFit:
                continue
            gone = {session.lines[session.places[at].line].value["uuid"] for at in fitted.fitted.dropped}
            new = {line.value["uuid"] for line in fitted.lines if line.number == 0}
            assert agree(fitted.data, tmp_path, monkeypatch) == before - gone | new


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_mended_transcripts(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What repair writes is read as it was meant."""
    for seed in range(8):
        rng = Random(seed)
        history = damage(sound("anthropic", rng, 8), rng, kind)
        history = [message for message in history if message["role"] != "system"]
        if not any(message["role"] == "user" for message in history):
            continue
        data = claude_code(history, rng, forks=False)
        agree(data, tmp_path, monkeypatch)
        try:
            mended = repair_session(data)
        except InvalidHistory:
            continue
        if b"parentUuid" in mended.data:
            agree(mended.data, tmp_path, monkeypatch)


@requires_corpus
@pytest.mark.parametrize("path", recorded("claude-code"), ids=lambda path: path.stem[:40])
def test_recorded_transcripts(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole and at five budgets."""
    data = path.read_bytes()
    before = agree(data, tmp_path, monkeypatch)
    session = read_session(data)
    for budget in BUDGETS:
        try:
            fitted = fit_session(session, budget)
        except DoesNotFit:
            continue
        gone = {session.lines[session.places[at].line].value["uuid"] for at in fitted.fitted.dropped}
        assert agree(fitted.data, tmp_path, monkeypatch) == before - gone
