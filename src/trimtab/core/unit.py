"""What the core knows of a unit: its cost in tokens and these flags."""

from __future__ import annotations

from typing import Final

HUMAN: Final = 1  #: holds human text
LED: Final = 2  #: begins with a human message (implies HUMAN)
PINNED: Final = 4  #: always kept
SYSTEM: Final = 8  #: a system message, which never separates two human units (implies PINNED)
REASONS: Final = 16  #: its assistant turn begins with reasoning
STANDS: Final = 32  #: it stands for all units before it, which cost nothing behind it
