"""Transcripts of agents (JSONL): fitted so that the agent can resume them, checked by line."""

from __future__ import annotations

from .checking import LineFault, LineRepair, RepairedSession, check_session, repair_session
from .fitting import FittedSession, fit_session
from .lines import Line
from .reading import read_session
from .session import Session

__all__ = [
    "FittedSession",
    "Line",
    "LineFault",
    "LineRepair",
    "RepairedSession",
    "Session",
    "check_session",
    "fit_session",
    "read_session",
    "repair_session",
]
