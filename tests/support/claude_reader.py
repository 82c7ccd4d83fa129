"""Anthropic's own reader of Claude Code transcripts, where it is installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

requires_reader = pytest.mark.skipif(
    importlib.util.find_spec("claude_agent_sdk") is None, reason="claude-agent-sdk is not installed"
)


def uuids(data: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The uuids of the messages that the reader finds, in its order."""
    from claude_agent_sdk import get_session_messages

    session = "3f2a3f5e-0000-4000-8000-000000000001"
    project = folder / "projects" / "-x"
    project.mkdir(parents=True, exist_ok=True)
    (project / f"{session}.jsonl").write_bytes(data)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    return [message.uuid for message in get_session_messages(session)]
