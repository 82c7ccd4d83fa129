"""What was cleared, excerpted or dropped, and how an agent gets it back.

``import trimtab`` imports none of it. Needs an SQLite with FTS5, as Python's own has.
"""

from __future__ import annotations

from .archive import Archive, Entry, Hit
from .recall import handle, recall_tool

__all__ = ["Archive", "Entry", "Hit", "handle", "recall_tool"]
